"""Costs of models, by subject, role, model or day, and their distance from the caps."""

from collections.abc import Mapping
from dataclasses import dataclass

from gateway.desk import pictures
from gateway.desk.operator import settings, spending
from gateway.desk.operator.spending import USUAL_DAYS, By, CapUse, Spent, per_cent
from gateway.desk.runs import work_runs
from gateway.ui import addresses
from gateway.ui.elements.filters import filters
from gateway.ui.elements.html import box, link, sentence, text
from gateway.ui.elements.moments import relative_time
from gateway.ui.elements.money import money
from gateway.ui.elements.tables import Column, table
from gateway.ui.frame import frame
from gateway.ui.live import live
from gateway.ui.parts.plots.charts import picture
from gateway.ui.parts.plots.figures import figures
from gateway.ui.visit import Visit
from penwright.domain.charts.values import Chart

_BY: dict[By, str] = {"subject": "work", "role": "role", "model": "model", "day": "day"}
_MEASURES = {"micros": "money", "tokens": "tokens", "calls": "calls"}


@dataclass(frozen=True, slots=True)
class _Shown:
    spent: tuple[Spent, ...]
    caps: tuple[CapUse, ...]
    charts: tuple[Chart, ...]
    titles: Mapping[str, str]
    """Of books, novels and scenes, by their ids."""


async def page(visit: Visit) -> None:
    """``/spending?by=``."""
    by: By = next((each for each in _BY if each == visit.query.get("by")), "subject")

    async def read() -> _Shown:
        spent = await visit.ask(spending.spent, visit.principal, by)
        caps = await visit.ask(spending.cap_uses, visit.principal)
        charts = await visit.ask(pictures.of_cost, visit.principal, days=USUAL_DAYS)
        # A work's id is one of the parts of a subject.
        works = set("/".join([*(each.name for each in spent), *(each.name for each in caps)]).split("/"))
        return _Shown(spent, caps, charts, await visit.ask(work_runs.titles, works))

    shown = await live(visit, read)
    file = await visit.ask(settings.written_in, visit.principal)
    with frame("Spending", here="/spending") as made:
        shown.part(lambda now: now.spent, _sums)
        text("h2", "Caps")
        shown.part(lambda now: (now.caps, now.titles), lambda both: _caps(visit, file, *both))
        text("h2", "What it was spent on")
        filters(
            "Add up by",
            "by",
            {each if each != "subject" else "": called for each, called in _BY.items()},
            {"by": by if by != "subject" else ""},
            "spending",
        )
        shown.part(lambda now: (now.spent, now.titles), lambda both: _table(by, *both))
        text("h2", f"The last {USUAL_DAYS} days")
        shown.part(lambda now: now.charts, _pictures)
        shown.follow(made)


def _sums(spent: tuple[Spent, ...]) -> None:
    unknown = sum(each.unknown_prices for each in spent)
    figures(
        {
            "Cost": money(sum(each.cost_micros or 0 for each in spent), unknown),
            "Calls": f"{sum(each.calls for each in spent):,}",
            "Tokens in": f"{sum(each.input_tokens for each in spent):,}",
            "Tokens out": f"{sum(each.output_tokens for each in spent):,}",
            "Calls of unknown price": f"{unknown:,}",
            "Answers that never came": f"{sum(each.possibly_billed for each in spent):,}",
        }
    )


def _caps(visit: Visit, written_in: str, caps: tuple[CapUse, ...], titles: Mapping[str, str]) -> None:
    if not caps:
        sentence(
            "No cap is set: no run pauses because of its cost. Caps are set under `[budgets]` in "
            f"`{written_in or 'penwright.toml'}`; a new file is read once the engine has been restarted.",
            classes="empty",
        )
        return
    columns: tuple[Column[CapUse], ...] = (
        Column("Of", lambda each: "all works today" if each.period == "day" else _title(each.name, titles)),
        Column("Counts", lambda each: _MEASURES[each.measure]),
        Column("Used", lambda each: _amount(each, each.used), number=True),
        Column("Cap", lambda each: _amount(each, each.cap), number=True),
        Column("At this pace", lambda each: _outlook(visit, each)),
    )
    table(columns, caps, caption="Caps, the fullest first")


def _title(named: str, titles: Mapping[str, str]) -> str:
    """The title of a subject of the store; of a document with its name behind it."""
    work, _, document = named.removeprefix("scene/").partition("/")
    return titles.get(work, work) + ("" if document in ("", "-") else f": {document}")


def _amount(use: CapUse, value: int) -> str:
    return money(value) if use.measure == "micros" else f"{value:,}"


def _outlook(visit: Visit, use: CapUse) -> str:
    at, now = use.forecast.reached_at, visit.services.now()
    if use.used >= use.cap:
        return "reached: runs pause"
    ends = f"{_amount(use, use.forecast.expected)} by midnight (UTC)" if use.forecast.expected else ""
    reached = f"reached {relative_time(at, now)}" if at else "not reached"
    return f"{reached}, {ends}" if ends else reached


def _table(by: By, spent: tuple[Spent, ...], titles: Mapping[str, str]) -> None:
    if not spent:
        text("p", "No model was asked yet.", classes="empty")
        return

    def name(each: Spent) -> str | None:
        kind, _, rest = each.name.partition("/")
        if by != "subject" or kind not in ("book", "novel", "scene") or not rest:
            return each.name or f"no {_BY[by]}"
        link(_title(rest, titles), addresses.subject(kind, rest))
        return None

    columns: tuple[Column[Spent], ...] = (
        Column(_BY[by].capitalize(), name),
        Column("Cost", lambda each: "unknown" if each.cost_micros is None else money(each.cost_micros), True),
        Column("Calls", lambda each: f"{each.calls:,}", True),
        Column("Of unknown price", lambda each: f"{each.unknown_prices:,}", True),
        Column("Tokens in", lambda each: f"{each.input_tokens:,}", True),
        Column("From a cache", lambda each: per_cent(each.cached_tokens, each.input_tokens), True),
        Column("Tokens out", lambda each: f"{each.output_tokens:,}", True),
        Column("Thought", lambda each: per_cent(each.thought_tokens, each.output_tokens), True),
    )
    table(columns, spent, caption=f"Spending by {_BY[by]}")


def _pictures(charts: tuple[Chart, ...]) -> None:
    if not any(value for chart in charts for each in chart.series for value in each.values):
        text("p", "Nothing was paid for in these days.", classes="empty")
    with box(classes="pictures"):
        for each in charts:
            picture(each)
