"""Calls of models and what they cost, in memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from threading import RLock
from typing import Literal

from penwright.adapters.store.blobs import reference
from penwright.adapters.store.caps import Use, check_caps
from penwright.adapters.store.ledger import answered_meanwhile, make_reservation, utc_day
from penwright.ports.clock import Clock
from schemas.base import Effect
from schemas.budgets import PERIODS, Caps, Period
from schemas.model import BudgetScope, ModelRequest, ModelResponse, Usage
from schemas.records import Spending, SpendingBy


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
            **usage.model_dump(exclude={"cost_micros"}),
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
