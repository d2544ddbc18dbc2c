"""In-memory double of the PostgreSQL store, for one process."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from threading import RLock
from typing import Literal

from penwright.adapters.memory_agent_states import MemoryAgentLogs, MemoryAgentStates
from penwright.adapters.memory_drafts import MemoryDrafts
from penwright.adapters.memory_eval_results import MemoryEvalResults
from penwright.adapters.memory_scenes import MemoryMemories, MemoryScenes, MemoryWorlds, Shelf
from penwright.adapters.memory_web_access import MemoryCredentials, MemoryKeptAnswers
from penwright.adapters.message_chains import CachedMessageChains, MessageGroup
from penwright.adapters.store.blobs import reference, verified
from penwright.adapters.store.caps import Use, check_caps
from penwright.adapters.store.ledger import answered_meanwhile, make_reservation, utc_day
from penwright.adapters.store.notices import HELD_FOR, notice_held
from penwright.domain.trace.source import TraceAnchors
from penwright.ports.agents import AgentLogs, AgentStates, MessageChains
from penwright.ports.blobs import Blobs
from penwright.ports.clock import Clock
from penwright.ports.drafts import Drafts
from penwright.ports.evals import EvalResults
from penwright.ports.models import ModelLedger
from penwright.ports.notices import Notices
from penwright.ports.records import EventFeed, Records
from penwright.ports.scenes import Memories, Scenes, Worlds
from penwright.ports.web import Credentials, KeptAnswers
from schemas.base import BlobRef, BookId, Effect
from schemas.budgets import PERIODS, Caps, Period
from schemas.model import BudgetScope, ModelRequest, ModelResponse, Usage
from schemas.records import (
    BoardEntry,
    BoardRow,
    BookRow,
    Event,
    RunRow,
    Spending,
    SpendingBy,
    WorkspaceKind,
)
from schemas.trace import Anchor


@dataclass(frozen=True, slots=True)
class MemoryStore:
    """Every port of the store, in memory."""

    blobs: Blobs
    records: Records
    feed: EventFeed
    ledger: ModelLedger
    notices: Notices
    trace: TraceAnchors
    messages: MessageChains
    evals: EvalResults
    agent_states: AgentStates
    agent_logs: AgentLogs
    worlds: Worlds
    scenes: Scenes
    memories: Memories
    drafts: Drafts
    credentials: Credentials
    answers: KeptAnswers

    def together(self) -> AbstractContextManager[None]:
        """No transaction: a process that is lost takes its memory with it."""
        return nullcontext()

    def ping(self) -> None:
        """Do nothing: memory is always reachable."""

    def close(self) -> None:
        """Do nothing: no connection is open."""


def memory_store(*, clock: Clock, caps: Caps | None = None) -> MemoryStore:
    """An empty store."""
    ledger = MemoryLedger(clock, caps or Caps())
    records = MemoryRecords(clock, lambda book_id: ledger.spent("subject", book_id))
    credentials = MemoryCredentials()
    shelf = Shelf(withdraw=credentials.withdraw)
    blobs = MemoryBlobs(ledger)
    return MemoryStore(
        blobs=blobs,
        records=records,
        feed=MemoryFeed(records),
        ledger=ledger,
        notices=MemoryNotices(clock),
        trace=MemoryTraceAnchors(),
        messages=CachedMessageChains(MemoryMessageGroups()),
        evals=MemoryEvalResults(),
        agent_states=MemoryAgentStates(records),
        agent_logs=MemoryAgentLogs(clock, records.publish),
        worlds=MemoryWorlds(shelf),
        scenes=MemoryScenes(shelf, clock, blobs, records.publish),
        memories=MemoryMemories(shelf),
        drafts=MemoryDrafts(clock),
        credentials=credentials,
        answers=MemoryKeptAnswers(),
    )


class MemoryBlobs:
    """Implements ``Blobs``."""

    def __init__(self, ledger: "MemoryLedger") -> None:
        self._ledger = ledger
        self._kept: dict[str, bytes] = {}

    def put(self, content: bytes) -> BlobRef:
        ref = reference(content)
        self._kept[ref.sha256] = content
        return ref

    def get(self, ref: BlobRef) -> bytes:
        return verified(ref, self._kept.get(ref.sha256, self._ledger.reply(ref.sha256)))


class MemoryRecords:
    """Implements ``Records``."""

    def __init__(self, clock: Clock, spent: Callable[[str], Spending]) -> None:
        """Args:
        spent: what a subject has cost, by its name.
        """
        self._clock = clock
        self._spent = spent
        self._entries: dict[tuple[str, str], BoardEntry] = {}
        self._lock = RLock()
        self._books: dict[BookId, BookRow] = {}
        self._runs: dict[str, tuple[datetime, RunRow]] = {}
        self._events: list[Event] = []
        self._seen: set[tuple[str, str]] = set()
        self._followers: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    def register(self, book: BookRow) -> None:
        earlier = self._books.get(book.book_id)
        created_at = earlier.created_at if earlier else book.created_at or self._clock.now()
        self._books[book.book_id] = book.model_copy(update={"created_at": created_at})

    def book(self, book_id: BookId) -> BookRow | None:
        return self._books.get(book_id)

    def books(self, kind: WorkspaceKind = "book") -> tuple[BookRow, ...]:
        rows = (self._books[book_id] for book_id in sorted(self._books))
        return tuple(row for row in rows if row.kind == kind)

    def enter(self, entries: Sequence[BoardEntry]) -> None:
        with self._lock:
            for entry in entries:
                key = (entry.book_id, entry.about)
                known = self._entries.get(key)
                if known is None or entry.at >= known.at:
                    held = known is not None and known.state == entry.state
                    since = known.since if known is not None and held else entry.at
                    self._entries[key] = entry.model_copy(update={"since": since})

    def board(self, book_id: BookId | None = None) -> tuple[BoardRow, ...]:
        return tuple(self._board_row(book) for book in self.books() if book_id in (None, book.book_id))

    def _board_row(self, book: BookRow) -> BoardRow:
        entries = (self._entries[key] for key in sorted(self._entries) if key[0] == book.book_id)
        spent = self._spent(book.book_id)
        return BoardRow(
            book=book,
            entries=tuple(entries),
            cost_micros=spent.cost_micros,
            unknown_prices=spent.unknown_prices,
        )

    def forget(self, book_id: BookId) -> bool:
        with self._lock:
            for key in [key for key in self._entries if key[0] == book_id]:
                del self._entries[key]
            return self._books.pop(book_id, None) is not None

    def note(self, run: RunRow, events: Sequence[Event]) -> None:
        with self._lock:
            fresh = [self._append(event) for event in events]
            if not events or any(fresh) or run.run not in self._runs:
                self._upsert(run)
        self._wake()

    def publish(self, events: Sequence[Event]) -> None:
        """Append events that are not of a run."""
        with self._lock:
            for event in events:
                self._append(event)
        self._wake()

    def _wake(self) -> None:
        for noted, loop in list(self._followers.items()):
            loop.call_soon_threadsafe(noted.set)

    def runs(
        self,
        *,
        subject: str | None = None,
        pipeline: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> tuple[RunRow, ...]:
        newest = sorted(self._runs.values(), key=_by_age, reverse=True)
        if before is not None:
            mark = self._runs.get(before)
            newest = [noted for noted in newest if mark is not None and _by_age(noted) < _by_age(mark)]
        wanted = (run for _, run in newest if subject in (None, run.subject))
        return tuple(run for run in wanted if pipeline in (None, run.pipeline))[:limit]

    def run(self, run: str) -> RunRow | None:
        noted = self._runs.get(run)
        return None if noted is None else noted[1]

    def events_after(
        self, cursor: int, *, run: str | None = None, subject: str | None = None, limit: int = 500
    ) -> tuple[Event, ...]:
        later = (event for event in self._events if event.cursor > cursor)
        wanted = (event for event in later if run in (None, event.run) and subject in (None, event.subject))
        return tuple(wanted)[:limit]

    def newest_event(self) -> int:
        return self._events[-1].cursor if self._events else 0

    def subscribe(self, noted: asyncio.Event) -> None:
        """Set ``noted``, in the running loop, whenever a run is noted."""
        self._followers[noted] = asyncio.get_running_loop()

    def unsubscribe(self, noted: asyncio.Event) -> None:
        del self._followers[noted]

    def _append(self, event: Event) -> bool:
        once = (event.op_id, event.kind)
        if once in self._seen:
            return False
        self._seen.add(once)
        self._events.append(event.model_copy(update={"cursor": len(self._events) + 1}))
        return True

    def _upsert(self, run: RunRow) -> None:
        noted_at, earlier = self._runs.get(run.run, (self._clock.now(), run))
        kept = {
            "outcome": run.outcome or earlier.outcome,
            "words": max(run.words, earlier.words),
            "cost_micros": max(run.cost_micros, earlier.cost_micros),
            "started_at": earlier.started_at or run.started_at,
            "ended_at": run.ended_at or earlier.ended_at,
        }
        self._runs[run.run] = (noted_at, run.model_copy(update=kept))


def _by_age(noted: tuple[datetime, RunRow]) -> tuple[datetime, str]:
    return noted[0], noted[1].run


class MemoryFeed:
    """Implements ``EventFeed``."""

    def __init__(self, records: MemoryRecords) -> None:
        self._records = records

    async def follow(self, cursor: int, *, run: str | None = None) -> AsyncIterator[Event]:
        noted = asyncio.Event()
        self._records.subscribe(noted)
        try:
            while True:
                noted.clear()
                for event in self._records.events_after(cursor, run=run):
                    cursor = event.cursor
                    yield event
                if not self._records.events_after(cursor, run=run):
                    await noted.wait()
        finally:
            self._records.unsubscribe(noted)


@dataclass(slots=True)
class _Call:
    """A row of the ledger."""

    scope: BudgetScope
    role: str
    day: str
    use: Use
    held_until: datetime
    state: Literal["started", "done", "failed"] = "started"
    lost: int = 0
    response: ModelResponse | None = None

    def counts_for(self, period: Period, name: str) -> bool:
        return name == {"run": self.scope.run, "subject": self.scope.subject, "day": self.day}[period]

    def groups(self) -> Mapping[SpendingBy, str]:
        """What it can be grouped by; a call without an answer has no model."""
        model: Mapping[SpendingBy, str] = {"model": self.response.model} if self.response else {}
        return {"role": self.role, "day": self.day, **model}

    def possibly_billed(self, now: datetime) -> int:
        return self.lost + (self.state == "started" and self.held_until <= now)


@dataclass(frozen=True, slots=True)
class _Charge:
    """What one answer or lost call used, and what it can be grouped by."""

    subject: str
    groups: Mapping[SpendingBy, str]
    use: Spending


@dataclass(slots=True)
class _Totals:
    """Spending by period and name, and every charge of it."""

    rows: dict[tuple[Period, str], Spending] = field(default_factory=dict)
    charges: list[_Charge] = field(default_factory=list)

    def charge(self, call: _Call, model: str, usage: Usage) -> None:
        reserved = call.use.micros or 0
        use = Spending(
            scope="",
            calls=1,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost_micros=reserved if usage.cost_micros is None else usage.cost_micros,
            unknown_prices=int(usage.cost_micros is None),
        )
        for period, name in _names(call.scope, call.day).items():
            self.rows[period, name] = _sum(self.of(period, name), use)
        groups: Mapping[SpendingBy, str] = {"role": call.role, "model": model, "day": call.day}
        self.charges.append(_Charge(call.scope.subject, groups, use))

    def of(self, period: Period, name: str) -> Spending:
        return self.rows.get((period, name), Spending(scope=name))


class MemoryLedger:
    """Implements ``ModelLedger``."""

    def __init__(self, clock: Clock, caps: Caps) -> None:
        self._clock = clock
        self._caps = caps
        self._lock = RLock()
        self._calls: dict[str, _Call] = {}
        self._totals = _Totals()

    def stored(self, effect: Effect) -> ModelResponse | None:
        call = self._calls.get(effect.op_id)
        if call is None or call.state != "done" or call.response is None:
            return None
        return call.response.model_copy(update={"repeated": True})

    def reserve(self, request: ModelRequest, *, estimate_micros: int | None, estimate_tokens: int) -> None:
        reservation = make_reservation(
            request, self._clock.now(), tokens=estimate_tokens, micros=estimate_micros
        )
        op_id = request.effect.op_id
        with self._lock:
            earlier = self._calls.get(op_id)
            if earlier is not None and earlier.state == "done":
                raise answered_meanwhile(op_id)
            names = _names(request.scope, reservation.row["day"])
            check_caps(
                self._caps,
                {period: self._used(period, names[period], op_id) for period in PERIODS},
                reservation.use,
            )
            call = _Call(
                *(request.scope, request.role, reservation.row["day"]),
                *(reservation.use, reservation.row["held_until"]),
            )
            if earlier is not None:
                call.lost = earlier.lost + (earlier.state == "started")
            self._calls[op_id] = call

    def settle(self, request: ModelRequest, response: ModelResponse) -> None:
        today = utc_day(self._clock.now()).isoformat()
        with self._lock:
            fresh = _Call(request.scope, request.role, today, Use(), self._clock.now())
            call = self._calls.setdefault(request.effect.op_id, fresh)
            if call.response is not None and _same_answer(call.response, response):
                return
            if call.response is None:
                call.state, call.response = "done", response
            else:
                call.lost = max(call.lost - 1, 0)
            self._totals.charge(call, response.model, response.usage)

    def release(self, request: ModelRequest) -> None:
        with self._lock:
            call = self._calls.get(request.effect.op_id)
            if call is not None and call.state == "started":
                call.state = "failed"

    def lose(self, request: ModelRequest, estimate: Usage, *, model: str) -> None:
        with self._lock:
            call = self._calls.get(request.effect.op_id)
            if call is not None and call.state == "started":
                call.state = "failed"
                self._totals.charge(call, model, estimate)

    def spending(self, scope: BudgetScope, *, day: datetime) -> Mapping[str, Spending]:
        with self._lock:
            return {
                period: self._totals.of(period, name).model_copy(
                    update={"possibly_billed": self._possibly_billed(period, name)}
                )
                for period, name in _names(scope, utc_day(day).isoformat()).items()
            }

    def subjects(self) -> tuple[str, ...]:
        with self._lock:
            return tuple(sorted(name for period, name in self._totals.rows if period == "subject"))

    def grouped(
        self, by: SpendingBy, *, since: date, subjects: Sequence[str] | None = None
    ) -> Mapping[str, Spending]:
        found: dict[str, Spending] = {}
        with self._lock:
            for each in (*self._totals.charges, *self._doubtful()):
                asked = subjects is None or each.subject in subjects
                if by in each.groups and asked and each.groups["day"] >= since.isoformat():
                    name = each.groups[by]
                    found[name] = _sum(found.get(name, Spending(scope=name)), each.use)
        return found

    def _doubtful(self) -> Iterator[_Charge]:
        for call in self._calls.values():
            if attempts := call.possibly_billed(self._clock.now()):
                use = Spending(scope="", possibly_billed=attempts)
                yield _Charge(call.scope.subject, call.groups(), use)

    def spent(self, period: Period, name: str) -> Spending:
        """Return what a period has cost."""
        with self._lock:
            return self._totals.of(period, name)

    def reply(self, sha256: str) -> bytes | None:
        """Return the stored model answer with that hash, if any; the blob store serves answers too."""
        answers = (call.response.text.encode() for call in self._calls.values() if call.response)
        return next((answer for answer in answers if reference(answer).sha256 == sha256), None)

    def _used(self, period: Period, name: str, except_op: str) -> Use:
        spent = self._totals.of(period, name)
        used = Use(
            tokens=spent.input_tokens + spent.output_tokens, micros=spent.cost_micros, calls=spent.calls
        )
        now = self._clock.now()
        for op_id, call in self._calls.items():
            under_way = call.state == "started" and call.held_until > now and op_id != except_op
            if under_way and call.counts_for(period, name):
                used = used.plus(call.use)
        return used

    def _possibly_billed(self, period: Period, name: str) -> int:
        now = self._clock.now()
        return sum(
            call.possibly_billed(now) for call in self._calls.values() if call.counts_for(period, name)
        )


def _sum(one: Spending, other: Spending) -> Spending:
    counts = (name for name in Spending.model_fields if name != "scope")
    return Spending(scope=one.scope, **{name: getattr(one, name) + getattr(other, name) for name in counts})


def _same_answer(one: ModelResponse, other: ModelResponse) -> bool:
    return (one.text, one.tool_calls) == (other.text, other.tool_calls)


def _names(scope: BudgetScope, day: str) -> dict[Period, str]:
    return {"run": scope.run, "subject": scope.subject, "day": day}


class MemoryNotices:
    """Implements ``Notices``."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = RLock()
        self._claims: dict[str, datetime] = {}
        self._sent: set[str] = set()

    def claim(self, key: str) -> bool:
        now = self._clock.now()
        with self._lock:
            if key in self._sent:
                return False
            if now - self._claims.get(key, datetime.min.replace(tzinfo=UTC)) < HELD_FOR:
                raise notice_held(key)
            self._claims[key] = now
            return True

    def done(self, key: str) -> None:
        self._sent.add(key)

    def release(self, key: str) -> None:
        with self._lock:
            self._claims.pop(key, None)


class MemoryMessageGroups:
    """Implements ``MessageGroups``."""

    def __init__(self) -> None:
        self._kept: dict[str, MessageGroup] = {}

    def keep(self, group: MessageGroup) -> bool:
        if group.previous and group.previous not in self._kept:
            return False
        self._kept[group.head] = group
        return True

    def trail(self, head: str, *, most: int, known: Collection[str]) -> tuple[MessageGroup, ...]:
        found: list[MessageGroup] = []
        while head in self._kept and head not in known and len(found) < most:
            found.append(self._kept[head])
            head = self._kept[head].previous
        return tuple(reversed(found))

    def count(self, head: str, *, most: int) -> int:
        trail = self.trail(head, most=most, known=())
        whole = trail and not trail[0].previous
        return sum(len(group.lines) for group in trail) if whole else 0


class MemoryTraceAnchors:
    """Implements ``TraceAnchors``."""

    def __init__(self) -> None:
        self._anchors: dict[str, dict[str, Anchor]] = {}

    def anchor(self, subject: str, anchor: Anchor) -> None:
        self._anchors.setdefault(subject, {}).setdefault(anchor.entry, anchor)

    def anchors(self, subject: str) -> tuple[Anchor, ...]:
        return tuple(sorted(self._anchors.get(subject, {}).values(), key=lambda anchor: anchor.at))
