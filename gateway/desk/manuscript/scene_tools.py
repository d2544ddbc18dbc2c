"""The tools of a novel for an outside agent: reads at the tip, changes through the editing of a scene."""

import asyncio

from pydantic import TypeAdapter

from activities.publishing import refusal
from gateway.desk.manuscript import scenes
from gateway.desk.manuscript.editing import editing_input
from gateway.desk.manuscript.scenes import SceneRow, ShownScene
from gateway.desk.services import Services
from gateway.desk.tool_desk import Answer, Caller
from gateway.desk.works import novels
from gateway.desk.works.books import new_session
from gateway.desk.works.documents import Document
from gateway.desk.works.novels import Novel
from penwright.agents.tools.tool import Arguments
from penwright.domain.manuscript.layout import scene_path, twin_of
from penwright.domain.manuscript.restoring import named
from penwright.domain.manuscript.texts import as_lf
from penwright.domain.text.escaping import printable
from penwright.errors import NotFound, Refused
from penwright.roles.outside_agent import scene_tools as tools
from schemas.base import BlobRef
from schemas.editing import OperationsOrder, SelectOrder
from schemas.manuscript_text import OperationsApplied
from schemas.outside_agent import HandshakeResult
from schemas.patching import Operation

LONGEST_PAGE = 40_000
"""Characters of one answer."""
_VERSIONS = 1_000
_OPERATIONS = TypeAdapter(tuple[Operation, ...])


class SceneToolService:
    """One novel, served to outside agents for as long as the process lives."""

    def __init__(self, services: Services, named: str) -> None:
        self._services = services
        self._named = named

    async def carry_out(self, caller: Caller, asked: Arguments) -> Answer:
        """One call; raises what the editing and the novel's rules raise."""
        match asked:
            case tools.ListScenes():
                return await asyncio.to_thread(self._list)
            case tools.ReadScene():
                return await asyncio.to_thread(self._read, asked)
            case tools.SelectSceneIntent():
                return await self._select(caller, asked)
            case tools.EditScene():
                return await self._edit(caller, asked)
            case tools.SceneStatus():
                return await self._status(asked)
            case _:
                raise AssertionError(f"no tool takes {type(asked).__name__}")

    async def doing(self) -> str:
        """Nothing that is known before the answer."""
        return ""

    async def close(self) -> None:
        """Nothing is kept open between calls."""

    def _list(self) -> Answer:
        novel = self._novel()
        rows = scenes.listing(self._services, novel)
        return {"novel": novel.novel_id, "title": novel.title, "scenes": [_row(each) for each in rows]}

    def _read(self, asked: tools.ReadScene) -> Answer:
        novel = self._novel()
        if asked.revision:
            self._known_revision(novel, asked.scene, asked.revision)
        return _page(scenes.show(self._services, novel, asked.scene, at=asked.revision), asked.offset)

    async def _select(self, caller: Caller, asked: tools.SelectSceneIntent) -> Answer:
        scene_path(asked.scene)
        novel = await asyncio.to_thread(self._novel)
        session = asked.session or new_session(self._services.now())
        order = SelectOrder(intent=asked.intent_id, session=session, opener=_opener(caller))
        given = editing_input(self._services, novel, asked.scene)
        await asyncio.to_thread(novels.enter, self._services, novel)
        async with self._services.engine() as engine:
            selected = await engine.editors.select(given, order)
        handshake = HandshakeResult(
            intent=selected.pin.intent_id, context=selected.context, overlaps=selected.overlaps
        )
        return {"session": session, **handshake.model_dump(mode="json")}

    async def _edit(self, caller: Caller, asked: tools.EditScene) -> Answer:
        scene_path(asked.scene)
        novel = await asyncio.to_thread(self._novel)
        order = await asyncio.to_thread(self._order, novel, caller, asked)
        given = editing_input(self._services, novel, asked.scene)
        async with self._services.engine() as engine:
            return _edited(await engine.editors.edit(given, order))

    async def _status(self, asked: tools.SceneStatus) -> Answer:
        novel = await asyncio.to_thread(self._novel)
        document = Document(novel, asked.scene)
        shown = await asyncio.to_thread(scenes.show, self._services, novel, asked.scene)
        async with self._services.engine() as engine:
            found = (
                await engine.manuscripts.progress(document.name),
                await engine.scans.progress(document.name),
            )
        return {
            "scene": asked.scene,
            "revision": shown.revision,
            "words": shown.words,
            "unsaved": shown.unsaved,
            "runs": [each.model_dump(mode="json") for each in found if each is not None],
        }

    def _novel(self) -> Novel:
        return novels.find(self._services, self._named)

    def _order(self, novel: Novel, caller: Caller, asked: tools.EditScene) -> OperationsOrder:
        """The order for an edit, its texts stored; raises ``NotFound`` or ``Refused``."""
        text = self._base(novel, asked)
        operations = [Operation(**each.model_dump()) for each in asked.operations]
        return OperationsOrder(
            session=asked.session,
            opener=_opener(caller),
            snapshot=self._keep(text.encode()),
            operations=self._keep(_OPERATIONS.dump_json(tuple(operations))),
            message=" ".join(printable(asked.summary).split()) or f"Edit {scene_path(asked.scene)}",
            who=caller.who,
        )

    def _base(self, novel: Novel, asked: tools.EditScene) -> str:
        """The text that the agent read."""
        if not asked.base:
            self._check_new(novel, asked.scene)
            return ""
        self._known_revision(novel, asked.scene, asked.base)
        text = self._services.workspaces("novel").text(novel.workspace, asked.base)
        if text is None:
            raise Refused("scene-not-text", f"the revision {asked.base!r} is no UTF-8 text")
        return as_lf(text)

    def _known_revision(self, novel: Novel, scene: str, revision: str) -> None:
        """Raise ``NotFound`` unless it is one of this scene, and not of another file."""
        workspaces, path = self._services.workspaces("novel"), scene_path(scene)
        versions = workspaces.versions(novel.workspace, path, limit=_VERSIONS)
        if not versions:
            raise NotFound("no-such-scene", f"{novel.title!r} has no scene {scene!r}; nothing was changed")
        named(versions, revision)

    def _check_new(self, novel: Novel, scene: str) -> None:
        """Raise ``Refused`` if the scene has a text, or a twin."""
        rows = scenes.listing(self._services, novel)
        if any(each.scene == scene and each.words for each in rows):
            raise Refused(
                "scene-exists",
                f"{novel.title!r} has a scene {scene!r} with a text; nothing was changed",
                action_hint="read it, and name the revision that you read as `base`",
            )
        names = tuple(each.scene for each in rows)
        if scene not in names and (twin := twin_of(scene, names)) is not None:
            raise Refused("scene-name-taken", f"there is a scene {twin!r}, and the names differ only in case")

    def _keep(self, content: bytes) -> BlobRef:
        with self._services.open_store() as store:
            return store.blobs.put(content)


def _opener(caller: Caller) -> str:
    return f"{caller.who}#{caller.connection}"


def _row(row: SceneRow) -> Answer:
    return {
        "scene": row.scene,
        "path": row.path,
        "words": row.words,
        "sections": row.sections,
        "revision": row.revision,
        "unsaved": row.unsaved,
        "readable": row.readable,
    }


def _page(shown: ShownScene, offset: int) -> Answer:
    end = offset + LONGEST_PAGE
    return {
        "scene": shown.scene,
        "path": shown.path,
        "revision": shown.revision,
        "text": shown.text[offset:end],
        "offset": offset,
        "next_offset": end if end < len(shown.text) else None,
        "characters": len(shown.text),
        "words": shown.words,
        # Those of this page: a book-long scene has thousands.
        "sections": [
            each.model_dump(mode="json") for each in shown.sections if each.start < end and each.end > offset
        ],
        "unsaved": shown.unsaved,
    }


def _edited(done: OperationsApplied) -> Answer:
    """The results of an edit; raises ``Refused`` for one that was denied as a whole."""
    if done.denial is not None:
        raise refusal(done.denial)
    if done.outcome == "refused":
        raise Refused(done.code, done.message)
    return {
        "outcome": done.outcome,
        "revision": done.revision,
        "words": done.words,
        "commit": done.commit,
        "results": [each.model_dump(mode="json") for each in done.results],
    }
