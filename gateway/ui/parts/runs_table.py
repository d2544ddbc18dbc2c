"""Runs as a table."""

from collections.abc import Sequence
from datetime import datetime

from gateway.desk.runs.work_runs import WorkRun
from gateway.ui import addresses
from gateway.ui.elements.html import link
from gateway.ui.elements.moments import moment
from gateway.ui.elements.money import money
from gateway.ui.elements.states import state
from gateway.ui.elements.tables import Column, table

_NAMES = {
    "book-session": "session",
    "manuscript": "manuscript run",
    "citation-scan": "citation scan",
    "director-round": "round",
}


_CHANGES = {
    **dict.fromkeys(("saved", "merged", "unchanged"), "edit"),
    **dict.fromkeys(("rolled_back", "restored", "reset"), "restore"),
}
"""By their outcomes, changes of a book that are filed as its sessions are."""


def _kind(run: WorkRun) -> str:
    named = _NAMES.get(run.pipeline, run.pipeline.replace("-", " "))
    return _CHANGES.get(run.state, named) if run.pipeline == "book-session" else named


def runs_table(runs: Sequence[WorkRun], now: datetime) -> None:
    """One row for each run: what it works on, its state, since when, words and cost."""

    def subject(run: WorkRun) -> None:
        link(run.title, addresses.page("runs", run.run))

    def stands(run: WorkRun) -> None:
        state(run.state)

    def began(run: WorkRun) -> None:
        moment(run.since, now)

    columns: tuple[Column[WorkRun], ...] = (
        Column("Work", subject),
        Column("Run", _kind),
        Column("State", stands),
        Column("What", lambda run: run.detail or "–"),
        Column("Began", began),
        Column("Words", lambda run: f"{run.words:,}" if run.words else "–", number=True),
        Column("Cost", lambda run: money(run.cost_micros, run.unknown_prices), number=True),
    )
    table(columns, runs, caption="Runs, newest first")
