"""Changes of a scene by people: save, undo, roll back; each through the editing of the scene."""

import secrets

from gateway.desk.services import Services
from gateway.desk.works import folder_ids, novels
from gateway.desk.works.books import new_session
from gateway.desk.works.novels import Novel
from penwright.domain.manuscript.layout import checked_scene
from penwright.domain.manuscript.texts import as_lf
from schemas.editing import EditingInput, RestoreOrder, SaveOrder
from schemas.manuscript_text import WHOLE_NOVEL, TextRestored, TextSaved

LOCAL = "local"
"""The principal without logins."""


async def save(
    services: Services,
    novel: Novel,
    scene: str,
    text: str,
    *,
    base: str,
    principal: str = LOCAL,
    key: str = "",
) -> TextSaved:
    """Save what ``principal`` typed; the answer says whether all is saved, merged, or in conflict.

    Args:
        base: revision that the typing began from; empty: there was no file.
        key: names this save, so that it can be sent again; empty: a new one.

    Raises:
        UsageMistake: ``bad-scene-name``.
    """
    given = editing_input(services, novel, scene)
    with services.open_store() as store:
        novels.register(store, services, novel)
        ref = store.blobs.put(as_lf(text).encode("utf-8", "surrogatepass"))
    order = SaveOrder(base=base, text=ref, who=principal)
    async with services.engine() as engine:
        return await engine.editors.save(given, order, key or _new_key())


async def undo(
    services: Services,
    novel: Novel,
    scene: str,
    *,
    expected: str | None = None,
    principal: str = LOCAL,
    key: str = "",
) -> TextRestored:
    """Take the last change of a scene back; done again, the one before.

    ``expected``: revision that the person saw; None: any.
    """
    order = RestoreOrder(kind="undo", expected=expected, who=principal)
    return await _restored(services, novel, scene, order, key)


async def rollback(
    services: Services,
    novel: Novel,
    scene: str,
    to: str,
    *,
    expected: str | None = None,
    principal: str = LOCAL,
    key: str = "",
) -> TextRestored:
    """Bring an earlier text of a scene back; ``to``: a commit, or a revision."""
    order = RestoreOrder(kind="rollback", to=to, expected=expected, who=principal)
    return await _restored(services, novel, scene, order, key)


async def _restored(
    services: Services, novel: Novel, scene: str, order: RestoreOrder, key: str
) -> TextRestored:
    given = editing_input(services, novel, scene)
    async with services.engine() as engine:
        return await engine.editors.restore(given, order, key or _new_key())


def editing_input(services: Services, novel: Novel, scene: str) -> EditingInput:
    """Make the input that starts the editing of a scene; raises ``UsageMistake`` (``bad-scene-name``)."""
    folder_ids.mark(novel)
    return EditingInput(
        novel_id=novel.novel_id,
        scene=scene if scene == WHOLE_NOVEL else checked_scene(scene),
        workspace=novel.workspace,
        session=new_session(services.now()),
        repo_queue=services.defaults().repo_queue,
    )


def _new_key() -> str:
    return secrets.token_hex(8)
