"""Names that the Tab key completes: ids from the store, each with its title.

What a store is needs time to load, so that each is imported by the Tab alone.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import typer

from gateway.cli.context import services_of

if TYPE_CHECKING:
    from gateway.desk.services import CommandStore
    from schemas.records import WorkspaceKind

Names = Callable[[typer.Context, str], list[tuple[str, str]]]
"""The context and the beginning of a word -> names and titles."""

_MOST = 500


def works(*kinds: "WorkspaceKind") -> Names:
    """Books, novels, or both: those that are registered."""

    def registered(store: "CommandStore", begun: str) -> Iterable[tuple[str, str]]:
        for kind in kinds:
            yield from ((row.book_id, row.title) for row in store.records.books(kind))

    return _silently(registered)


def things(kind: str) -> Names:
    """Things that a person made, such as each ``character``."""

    def made(store: "CommandStore", begun: str) -> Iterable[tuple[str, str]]:
        from gateway.desk.worlds import kinds
        from penwright.ports.portions import Portion

        wanted: kinds.EntityKind[Any] = getattr(kinds, kind.upper())  # Any: a world, a scene
        found, _ = store.worlds.part(wanted.type, Portion(_MOST, named=begun))
        return ((each.id, wanted.name_of(each)) for each in found)

    return _silently(made)


def _runs(store: "CommandStore", begun: str) -> Iterable[tuple[str, str]]:
    """The newest runs of agents, with what they are about."""
    from activities.agents.transcripts import PIPELINE, run_of

    found = store.records.runs(pipeline=PIPELINE, limit=_MOST)
    return ((row.run.removeprefix(run_of("")), row.subject) for row in found)


def _silently(read: Callable[["CommandStore", str], Iterable[tuple[str, str]]]) -> Names:
    """The names; none where they cannot be read, as without an engine."""

    def names(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        try:
            with services_of(ctx).open_store() as store:
                return list(read(store, incomplete))
        except Exception:  # a Tab has nowhere to say why
            return []

    return names


RUNS = _silently(_runs)
