"""Tags of override sets that a run gives to all agents of its pipeline."""

from collections.abc import Callable, Mapping
from typing import Literal

from gateway.desk.services import Services
from penwright.domain.text.nearest import meant
from penwright.errors import NotFound

Tagged = Literal["session", "manuscript", "scan", "round"]
"""Pipelines whose runs may name a tag."""


def checked_tag(services: Services, tag: str, pipeline: Tagged) -> str:
    """``tag``, if an agent of the pipeline has a set of that name; empty stays empty.

    Raises:
        NotFound: ``override-tag-unknown``, with the nearest one.
    """
    if not tag:
        return ""
    known = known_tags(services, pipeline)
    if tag in known:
        return tag
    raise NotFound(
        "override-tag-unknown",
        f"no agent of this has overrides under the tag {tag!r}{meant(tag, known)}",
        hint=f"`penwright agent seed {_AGENTS[pipeline]()[0]} --tag {tag}` makes a set of that name",
    )


def known_tags(services: Services, pipeline: Tagged) -> list[str]:
    """The tags under which an agent of the pipeline has a set."""
    files = services.overrides()
    return sorted({tag for agent in _AGENTS[pipeline]() for tag in files.tags(*agent.split("/"))})


# Imported when a tag is looked at: the roles are slow to import.
def _of_session() -> list[str]:
    from penwright.roles.ink_planner.definition import PLANNER
    from penwright.roles.ink_session_editor.definition import SESSION_EDITOR
    from penwright.roles.ink_writer.definition import INK_WRITER

    return [each.name for each in (INK_WRITER, PLANNER, SESSION_EDITOR)]


def _of_manuscript(*, scan: bool) -> list[str]:
    from penwright.roles.manuscript.cast import ROLES

    return [each.definition.name for each in ROLES.values() if each.for_citations is scan]


def _of_round() -> list[str]:
    from penwright.roles.scene.cast import PLAYING

    return [each.name for each in PLAYING.values()]


_AGENTS: Mapping[Tagged, Callable[[], list[str]]] = {
    "session": _of_session,
    "manuscript": lambda: _of_manuscript(scan=False),
    "scan": lambda: _of_manuscript(scan=True),
    "round": _of_round,
}
"""The names of the agents of each."""
