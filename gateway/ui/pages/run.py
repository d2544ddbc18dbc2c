"""One run: its state, its events, its model calls, and where to look further."""

from datetime import datetime

from gateway.desk import work_runs
from gateway.desk.manuscript.inspecting import ModelCall
from gateway.desk.work_runs import ShownRun
from gateway.ui import addresses
from gateway.ui.frame import Frame, frame
from gateway.ui.parts.html import attribute, box, link, outward, text
from gateway.ui.parts.moments import moment, told
from gateway.ui.parts.money import money
from gateway.ui.parts.states import state
from gateway.ui.parts.steering import buttons
from gateway.ui.parts.steps import steps
from gateway.ui.parts.tables import Column, table
from gateway.ui.visit import Visit


async def page(visit: Visit) -> None:
    """``/runs/{run}``."""
    run = visit.params["run"]
    visit.require("read", work_runs.scoped(run))
    running = await visit.ask_engine(work_runs.running_now)
    shown = await visit.ask(work_runs.shown, run, running)
    temporal = await visit.ask(work_runs.temporal_address, run)
    now = visit.services.now()
    with frame(shown.found.title, here="/runs", crumbs=(("Runs", addresses.page("runs")),)) as made:
        _head(visit, made, shown, temporal, now)
        text("h2", "What happened")
        steps(shown.events, now)
        text("h2", f"Model calls ({len(shown.calls)})")
        _calls(shown.calls, now)


def _head(visit: Visit, made: Frame, shown: ShownRun, temporal: str, now: datetime) -> None:
    run = shown.found
    with box("p", classes="lead"):
        state(run.state)
        text("span", f" {_sentence(shown, now)}")
    unknown = sum(call.cost_micros is None for call in shown.calls)
    figures = (
        ("Words", f"{run.words:,}"),
        ("Cost", money(run.cost_micros, unknown)),
        ("Model calls", f"{len(shown.calls)}"),
        ("Tokens", f"{sum(call.input_tokens + call.output_tokens for call in shown.calls):,}"),
    )
    with box("dl", classes="figures"):
        for name, value in figures:
            with box():
                text("dt", name)
                text("dd", value)
    with box(classes="row-of"):
        if run.kind:
            link(f"Open {run.title}", addresses.subject(run.kind, run.subject))
        if temporal:
            outward("Temporal UI", temporal)
        attribute(text("code", run.run), "title", "name of the run")
    if run.running:
        with box(classes="row-of"):
            buttons(visit, made, [run])


def _sentence(shown: ShownRun, now: datetime) -> str:
    run = shown.found
    began = f"began {told(run.since, now)}" if run.since else ""
    ended = f"ended {told(run.ended_at, now)}" if run.ended_at else ""
    why = f"{run.detail} ({run.code})" if run.code and run.detail else run.detail or run.code
    return ", ".join(part for part in (began, ended, why) if part)


def _calls(calls: tuple[ModelCall, ...], now: datetime) -> None:
    if not calls:
        text("p", "No model was asked.", classes="empty")
        return

    def at(call: ModelCall) -> None:
        moment(call.at, now)

    columns: tuple[Column[ModelCall], ...] = (
        Column("Agent", lambda call: call.agent_run.rpartition("/")[2]),
        Column("Model", lambda call: call.model),
        Column("When", at),
        Column("In", lambda call: f"{call.input_tokens:,}", number=True),
        Column("Out", lambda call: f"{call.output_tokens:,}", number=True),
        Column(
            "Cost",
            lambda call: "unknown" if call.cost_micros is None else money(call.cost_micros),
            number=True,
        ),
        Column("Ended", lambda call: call.mistake or call.finish_reason),
    )
    table(columns, calls, caption="Model calls, oldest first")
