"""One run: its state, its events, its model calls, and where to look further. It changes in place."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from gateway.desk.engine.pipelines import StepUnderWay
from gateway.desk.runs import listing as run_listing
from gateway.desk.runs import work_runs
from gateway.desk.runs.work_runs import ShownRun, WorkRun
from gateway.desk.works.inspecting import ModelCall
from gateway.desk.works.subjects import subject_of
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, document, link, outward, text
from gateway.ui.elements.moments import moment, relative_time
from gateway.ui.elements.money import money
from gateway.ui.elements.states import state
from gateway.ui.elements.steps import FINISHED, steps
from gateway.ui.elements.tables import Column, table
from gateway.ui.elements.under_way import under_way
from gateway.ui.frame import Frame, frame
from gateway.ui.live import live
from gateway.ui.parts.acting import action
from gateway.ui.parts.plots.figures import figures
from gateway.ui.parts.steering import buttons
from gateway.ui.visit import Visit


@dataclass(frozen=True, slots=True)
class _Shown:
    run: ShownRun
    steps: tuple[StepUnderWay, ...]
    """Steps it waits for now."""


async def page(visit: Visit) -> None:
    """``/runs/{run}``."""
    run = visit.params["run"]
    subject = subject_of((await visit.ask(run_listing.one, visit.principal, run)).subject)

    async def read() -> _Shown:
        running = await visit.ask_engine(work_runs.running_now)
        shown = await visit.ask(work_runs.shown, run, running)
        steps = await visit.ask_engine(work_runs.under_way, run) if shown.found.running else ()
        return _Shown(shown, steps)

    known = await live(visit, read, subject=subject)
    temporal = await visit.ask(work_runs.temporal_address, run)
    title = known.value.run.found.title
    with frame(title, here="/runs", crumbs=(("Runs", addresses.page("runs")),)) as made:
        known.part(lambda now: now.run, partial(_head, visit))
        known.part(
            lambda now: now.run.found, partial(_links, visit, temporal), differs_by=lambda now: now.run
        )
        known.part(
            lambda now: now.run.found,
            partial(_steering, visit, made),
            differs_by=lambda now: (now.running, now.paused),
        )
        known.part(lambda now: now.steps, lambda found: under_way(found, visit.services.now()))
        text("h2", "What happened")
        known.part(lambda now: now.run.events, lambda events: steps(events, visit.services.now()))
        known.part(lambda now: now.run.calls, partial(_calls, visit))
        known.look_while(lambda now: now.run.found.running)
        known.follow(made)


def _head(visit: Visit, shown: ShownRun) -> None:
    run = shown.found
    with box("p", classes="lead"):
        state(run.state)
        text("span", f" {_sentence(shown, visit.services.now())}")
    unknown = sum(call.cost_micros is None for call in shown.calls)
    words = {"Words": f"{run.words:,}"} if run.words else {}
    figures(
        words
        | {
            "Cost": money(run.cost_micros, unknown),
            "Model calls": f"{len(shown.calls)}",
            "Tokens": f"{sum(call.input_tokens + call.output_tokens for call in shown.calls):,}",
        }
    )


def _links(visit: Visit, temporal: str, run: WorkRun) -> None:
    with box(classes="row-of"):
        if run.kind:
            link(f"Open {run.title}", addresses.subject(run.kind, run.name))
        if temporal:
            outward("Temporal UI", temporal)
        if run.kind == "book" and "admin" in visit.principal.scopes:
            document("Evidence bundle", addresses.bundle(run.run))
        attribute(text("code", run.run), "title", "name of the run")


def _steering(visit: Visit, made: Frame, run: WorkRun) -> None:
    if run.running:
        with box(classes="row-of"):
            buttons(visit, made, [run])
            action(made, "Look again", _nothing, icon="refresh")


async def _nothing() -> str:
    return "this is how it stands now"


def _sentence(shown: ShownRun, now: datetime) -> str:
    run = shown.found
    began = f"began {relative_time(run.since, now)}" if run.since else ""
    ended = f"ended {relative_time(run.ended_at, now)}" if run.ended_at else ""
    why = f"{run.detail} ({run.code})" if run.code and run.detail else run.detail or run.code
    return ", ".join(part for part in (began, ended, why) if part)


def _agent(visit: Visit, call: ModelCall) -> str:
    """Which agent of the run; a session's writer is noted under the session's own name."""
    name, session = call.agent_run.rpartition("/")[2], visit.params["run"].rpartition("#")[2]
    return "writer" if name == session else name.replace("-", " ")


def _calls(visit: Visit, calls: tuple[ModelCall, ...]) -> None:
    now = visit.services.now()
    text("h2", f"Model calls ({len(calls)})")
    if not calls:
        text("p", "No model was asked.", classes="empty")
        return

    def at(call: ModelCall) -> None:
        moment(call.at, now)

    columns: tuple[Column[ModelCall], ...] = (
        Column("Call", lambda call: _agent(visit, call)),
        Column("Model", lambda call: call.answered_by),
        Column("When", at),
        Column("Tokens in", lambda call: f"{call.input_tokens:,}", number=True),
        Column("Tokens out", lambda call: f"{call.output_tokens:,}", number=True),
        Column(
            "Cost",
            lambda call: "unknown" if call.cost_micros is None else money(call.cost_micros),
            number=True,
        ),
        Column(
            "The model",
            lambda call: (
                call.mistake.replace("-", " ") or FINISHED.get(call.finish_reason, call.finish_reason)
            ),
        ),
    )
    table(columns, calls, caption="Model calls, oldest first")
