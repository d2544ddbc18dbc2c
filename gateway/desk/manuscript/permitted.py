"""The novel or document that a caller of the API means: by its registered id only, never by a folder."""

from gateway.desk.principals import Principal, Scope, require
from gateway.desk.services import Services
from gateway.desk.works import registered
from gateway.desk.works.documents import Document
from gateway.desk.works.novels import Novel
from penwright.domain.manuscript.layout import scene_path
from penwright.errors import NotFound


def novel(services: Services, principal: Principal, scope: Scope, novel_id: str) -> Novel:
    """The registered novel ``novel_id``, if ``principal`` may do ``scope`` with it.

    Raises:
        Refused: ``not-permitted``.
        NotFound: ``unknown-novel``, or its folder holds another one (``novel-replaced``).
        BrokenBook: as ``novels.at``.
    """
    require(principal, scope, f"novel/{novel_id}")
    found = registered.novel(services, novel_id)
    if found.novel_id != novel_id:
        raise NotFound("novel-replaced", f"the folder of {novel_id!r} holds {found.novel_id!r} now")
    return found


def document(services: Services, principal: Principal, scope: Scope, novel_id: str, scene: str) -> Document:
    """One document of such a novel; ``-`` is the manuscript itself. Raises as ``novel``.

    Raises:
        UsageMistake: ``bad-scene-name``.
    """
    found = novel(services, principal, scope, novel_id)
    scene_path(scene)
    return Document(found, scene)
