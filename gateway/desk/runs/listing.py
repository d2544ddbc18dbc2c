"""Runs of all pipelines, filtered, as the store remembers them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from gateway.desk.agents import transcripts
from gateway.desk.principals import Principal, Scope, require
from gateway.desk.run_records import bundles, evidence
from gateway.desk.scene.events import numbered
from gateway.desk.services import CommandStore, Services
from gateway.desk.works.subjects import sees_stored, subject_of
from penwright.errors import NotFound, Refused, UsageMistake
from schemas.model import BudgetScope
from schemas.records import Event, RunRow, Spending

_PAGE = 500
_SEARCHED = 10_000
"""Newest runs that a filter goes through."""


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs; an empty field means all."""

    pipeline: str = ""
    subject: str = ""
    """As rights name it, such as ``book/tide``."""
    outcome: str = ""
    running: bool = False
    since: datetime | None = None
    cost_above: int = 0
    """In millionths of a US dollar."""


def listed(
    services: Services, principal: Principal, wanted: RunFilter, *, after: str = "", limit: int = 50
) -> list[RunRow]:
    """Runs that ``principal`` may see, newest first; ``after``: the last run of the page before."""
    require(principal, "read", wanted.subject or None)
    with services.open_store() as store:
        rows = seen(store, principal, pipeline=wanted.pipeline, after=after)
        return list(islice((row for row in rows if _fits(row, wanted)), limit))


def seen(
    store: CommandStore, principal: Principal, *, pipeline: str = "", after: str = ""
) -> Iterator[RunRow]:
    """Runs that ``principal`` may see, newest first; at most the newest 10,000 are looked at."""
    return (row for row in _rows(store, pipeline, after) if sees_stored(principal, row.subject))


def one(services: Services, principal: Principal, run: str, *, scope: Scope = "read") -> RunRow:
    """A run by its name in the store.

    Raises:
        NotFound: ``unknown-run``; also where ``principal`` may not see it.
        Refused: ``not-permitted``, for lack of the scope.
    """
    require(principal, scope)
    with services.open_store() as store:
        row = None if "\0" in run else store.records.run(run)  # no stored name holds a NUL character
    if row is None or not sees_stored(principal, row.subject):
        raise NotFound("unknown-run", f"there is no run {run!r}", hint="the list of runs has their ids")
    return row


def events(services: Services, row: RunRow, *, after: int, limit: int) -> tuple[Event, ...]:
    """Read the events of a run after a cursor; raises ``UsageMistake`` (``cursor-ahead``)."""
    with services.open_store() as store:
        check_cursor(store, after)
        return numbered(store, store.records.events_after(after, run=row.run, limit=limit))


def transcript(services: Services, row: RunRow) -> list[dict[str, Any]]:  # Any: JSON
    """The entries of an agent's run; of another pipeline there are none."""
    prefix, _, run_id = row.run.partition("/")
    if prefix != "agent":
        return []
    with services.open_store() as store:
        return transcripts.nested(store.records, run_id)


async def bundle(services: Services, row: RunRow) -> tuple[str, bytes]:
    """All that is known of an agent's run, or of a session's writer: a name, and a zip without known secrets.

    Raises:
        Refused: ``no-bundle``: a run of another kind; ``nothing-written``.
        NotFound: ``unknown-run``: its histories are gone.
    """
    run_id = _agents_run(row)
    about, files = await evidence.bundled(services, run_id)
    name = f"penwright-run-{run_id.replace('/', '-')}"
    return f"{name}.zip", bundles.packed(name, about, files)


def _agents_run(row: RunRow) -> str:
    """The id by which commands call an agent's run."""
    first, _, rest = row.run.partition("/")
    if first == "agent":
        return rest
    if first == "book":
        return row.run.replace("#", "/", 1)
    raise Refused(
        "no-bundle",
        f"{row.run!r} is no run of an agent",
        hint="runs of the pipeline agent-run and sessions of books have bundles",
    )


def spending(services: Services, row: RunRow) -> Spending:
    """Add up what the model calls of a run have used."""
    with services.open_store() as store:
        found = store.ledger.spending(BudgetScope(run=row.run, subject=row.subject), day=services.now())
    return found["run"]


def _rows(store: CommandStore, pipeline: str, after: str) -> Iterator[RunRow]:
    searched = 0
    while searched < _SEARCHED:
        rows = store.records.runs(pipeline=pipeline or None, limit=_PAGE, before=after or None)
        yield from rows
        searched += len(rows)
        if len(rows) < _PAGE:
            return
        after = rows[-1].run


def _fits(row: RunRow, wanted: RunFilter) -> bool:
    began = row.started_at or datetime.min.replace(tzinfo=UTC)
    since = wanted.since
    if since is not None and since.tzinfo is None:
        since = since.replace(tzinfo=UTC)
    return (
        wanted.subject in ("", subject_of(row.subject))
        and wanted.outcome in ("", row.outcome)
        and not (wanted.running and (row.outcome or row.ended_at))
        and (since is None or began >= since)
        and row.cost_micros >= wanted.cost_above
    )


def check_cursor(store: CommandStore, cursor: int) -> None:
    """Raise ``UsageMistake`` (``cursor-ahead``) for one after the newest event: it is of another store."""
    newest = store.records.newest_event()
    if cursor > newest:
        raise UsageMistake(
            "cursor-ahead",
            f"the cursor {cursor} is after the newest event, which has {newest}: it is not of this store",
            hint=f"go on from {newest} for what happens from now on, or from 0 for all that is kept",
        )
