"""Costs of models, as far as a caller may know, and their distance from the caps."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final, Literal

from gateway.desk.principals import Principal, require
from gateway.desk.services import CommandStore, Services
from gateway.desk.works.subjects import sees_stored, subject_of
from penwright.domain.models.pace import DAYS, Forecast, end_of_day, forecast, per_second
from schemas.budgets import Cap
from schemas.model import BudgetScope
from schemas.records import Spending

By = Literal["subject", "role", "model", "day"]
Measure = Literal["tokens", "micros", "calls"]

USUAL_DAYS: Final = 30
_MEASURES: Final[tuple[Measure, ...]] = ("micros", "tokens", "calls")


@dataclass(frozen=True, slots=True)
class Spent:
    """Use by one subject, role, model or day."""

    name: str
    """A subject as rights name it, a role, a model, or a day as ``2026-03-14``."""
    calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    """Of the input: read from a vendor's cache."""
    thought_tokens: int
    """Of the output: thought, as far as vendors count it."""
    cost_micros: int | None
    """Of the calls whose price is known, in millionths of a US dollar; None if no price is known."""
    unknown_prices: int
    """Calls whose price is unknown."""
    possibly_billed: int
    """Attempts whose answer never came; the vendor may have billed them."""


@dataclass(frozen=True, slots=True)
class CapUse:
    """Use of a cap."""

    period: Literal["day", "subject"]
    name: str
    """The day, or the subject as the store names it: a book by its id, a document as ``<novel>/<scene>``."""
    measure: Measure
    used: int
    """Amount paid for models; calls under way are not in it."""
    cap: int
    forecast: Forecast


def spent(services: Services, principal: Principal, by: By, *, days: int = USUAL_DAYS) -> tuple[Spent, ...]:
    """List what was used, the dearest first; by day, the newest first.

    Args:
        days: how many days are added up, today included; a subject is told over its whole life.
    """
    require(principal, "read")
    since = services.now().astimezone(UTC).date() - timedelta(days - 1)
    with services.open_store() as store:
        seen = _seen(store, principal)
        if by == "subject":
            found = _lives(store, seen, services.now())
        else:
            # A caller who may see everything also sees calls for what has no subject.
            only = None if principal.subjects is None else seen
            found = store.ledger.grouped(by, since=since, subjects=only)
    rows = sorted((_spent(name, each) for name, each in found.items()), key=lambda row: row.name)
    if by == "day":
        return tuple(reversed(rows))
    return tuple(sorted(rows, key=lambda row: -(row.cost_micros or 0)))


def cap_uses(services: Services, principal: Principal) -> tuple[CapUse, ...]:
    """Each cap of the day and of the caller's subjects with its use, the fullest first.

    The caps of the day are for callers who may see every subject: they count all of them together.
    """
    require(principal, "read")
    caps = services.caps()
    with services.open_store() as store:
        uses = [*_of_subjects(store, _seen(store, principal), caps.subject, services.now())]
        if principal.subjects is None:
            uses += _of_day(store, caps.day, services.now())
    return tuple(sorted(uses, key=lambda use: -use.used / max(1, use.cap)))


def per_cent(part: int, whole: int) -> str:
    """``62 %``; empty for no part."""
    return f"{100 * part / whole:.0f} %" if part and whole else ""


def _seen(store: CommandStore, principal: Principal) -> tuple[str, ...]:
    return tuple(each for each in store.ledger.subjects() if sees_stored(principal, each))


def _lives(store: CommandStore, stored: Sequence[str], now: datetime) -> Mapping[str, Spending]:
    sums: dict[str, Spending] = {}
    for each in stored:
        found = store.ledger.spending(BudgetScope(run="", subject=each), day=now)["subject"]
        name = subject_of(each)
        sums[name] = _sum(sums[name], found) if name in sums else found
    return sums


def _of_day(store: CommandStore, cap: Cap, now: datetime) -> Iterator[CapUse]:
    used = store.ledger.spending(BudgetScope(run="", subject=""), day=now)["day"]
    by_day = store.ledger.grouped("day", since=_first(now))
    for measure, most in _caps(cap):
        pace = _pace(by_day, measure, now)
        outlook = forecast(_amount(used, measure), most, pace, now, end_of_day(now))
        yield CapUse("day", used.scope, measure, _amount(used, measure), most, outlook)


def _of_subjects(store: CommandStore, stored: Sequence[str], cap: Cap, now: datetime) -> Iterator[CapUse]:
    caps = _caps(cap)
    if not caps:
        return
    for each in stored:
        used = store.ledger.spending(BudgetScope(run="", subject=each), day=now)["subject"]
        by_day = store.ledger.grouped("day", since=_first(now), subjects=[each])
        for measure, most in caps:
            outlook = forecast(_amount(used, measure), most, _pace(by_day, measure, now), now)
            yield CapUse("subject", each, measure, _amount(used, measure), most, outlook)


def _caps(cap: Cap) -> list[tuple[Measure, int]]:
    found: Mapping[Measure, int | None] = {"micros": cap.micros, "tokens": cap.tokens, "calls": cap.calls}
    return [(measure, most) for measure in _MEASURES if (most := found[measure]) is not None]


def _pace(by_day: Mapping[str, Spending], measure: Measure, now: datetime) -> float:
    return per_second({date.fromisoformat(day): _amount(each, measure) for day, each in by_day.items()}, now)


def _first(now: datetime) -> date:
    return now.astimezone(UTC).date() - timedelta(DAYS - 1)


def _amount(spending: Spending, measure: Measure) -> int:
    if measure == "tokens":
        return spending.input_tokens + spending.output_tokens
    return spending.calls if measure == "calls" else spending.cost_micros


def _spent(name: str, each: Spending) -> Spent:
    known = each.calls > each.unknown_prices or not each.calls
    return Spent(
        name=name,
        calls=each.calls,
        input_tokens=each.input_tokens,
        output_tokens=each.output_tokens,
        cached_tokens=each.cached_tokens,
        thought_tokens=each.thought_tokens,
        cost_micros=each.cost_micros if known else None,
        unknown_prices=each.unknown_prices,
        possibly_billed=each.possibly_billed,
    )


def _sum(one: Spending, other: Spending) -> Spending:
    fields = (name for name in Spending.model_fields if name != "scope")
    return Spending(scope=one.scope, **{name: getattr(one, name) + getattr(other, name) for name in fields})
