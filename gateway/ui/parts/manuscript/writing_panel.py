"""AI Write and Revise: what a run is told, what it may cost, its beginning, and the bar while it works."""

from nicegui import ui

from gateway.desk.manuscript import estimating, runs
from gateway.desk.manuscript.estimating import RoleEstimate
from gateway.desk.manuscript.runs import LoopOptions
from gateway.desk.works.documents import Document
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.elements.money import estimated, money
from gateway.ui.elements.states import state
from gateway.ui.elements.tables import Column, table
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, acted, action
from gateway.ui.parts.manuscript.drafting import Drafting
from gateway.ui.parts.shared.words import words
from gateway.ui.parts.steering import sent
from gateway.ui.parts.tag_choice import tag_choice
from gateway.ui.visit import Visit
from penwright.domain.text.counted import counted
from penwright.errors import UsageMistake
from schemas.agent_state import MOST_HUNKS, MOST_PASSES


class WritingPanel:
    """Instructions, passes, minimum score and edits at once of the next run."""

    def __init__(self, visit: Visit, frame: Frame, found: Document) -> None:
        self._visit, self._frame, self._found = visit, frame, found

    def draw(self, now: Drafting) -> None:
        """The form; one button begins a run, or goes on with what an earlier one has left."""
        settings = now.stands.settings
        with box(classes="row-of knobs"):
            self._passes = ui.number("Passes", value=settings.max_passes, min=1, max=MOST_PASSES, precision=0)
            self._score = ui.number("Minimum score", value=settings.min_score, min=0, max=1, step=0.05)
            self._hunks = ui.number(
                "Edits at once", value=settings.max_hunks, min=1, max=MOST_HUNKS, precision=0
            )
            for each in (self._passes, self._score, self._hunks):
                each.props("outlined dense")
            self._tag = tag_choice(self._visit, "manuscript")
        if now.stage not in ("idle", "paused"):
            text("p", "A run goes on; Stop ends it before another one begins.", classes="soft")
            return
        if now.stage == "paused":
            text("p", "The run is paused; Resume, above, goes on.", classes="soft")
            return
        line = now.stands.line
        goes_on = bool(settings.sections_drafted) and (line is None or line.outcome != "finished")
        field = words(
            self._frame,
            "Instructions",
            "Resume" if goes_on else "Start",
            self._start,
            place=f"{self._found.name}/instructions",
            text=settings.instructions,
            icon="edit_note",
        )
        if goes_on:
            drafted, planned = len(settings.sections_drafted), len(settings.section_plan)
            text("p", f"{drafted} of {planned} planned sections are written.", classes="soft")
        with field:
            button = ui.button("What may it cost?", on_click=field.tell, color=None)
            button.props("no-caps unelevated").classes("plain")
        field.on_told(self._told)
        self._costs = box(classes="costs")

    def _wanted(self, said: str | None) -> LoopOptions:
        passes, score, hunks = (_number(each.value) for each in (self._passes, self._score, self._hunks))
        return LoopOptions(
            instructions=said,
            max_passes=None if passes is None else int(passes),
            min_score=score,
            max_hunks=None if hunks is None else int(hunks),
            tag=self._tag(),
            who=self._visit.principal.name,
        )

    async def _start(self, said: str) -> str:
        self._visit.require("run", f"novel/{self._found.novel.novel_id}")
        wanted = self._wanted(said)
        begun = await self._visit.ask_engine(runs.write, self._found, wanted, wait=None)
        return "the run has begun" if begun.fresh else "a run goes on already; nothing was started"

    async def _told(self, said: str) -> None:
        """The browser says what stands in the field; the estimate is of that."""

        async def act() -> str:
            if not said.strip():
                raise UsageMistake("no-instructions", "write what the run should do, then ask again")
            return await self._estimate(said)

        await acted(self._frame, act)

    async def _estimate(self, said: str) -> str:
        rows = await self._visit.ask(estimating.estimate_now, self._found, self._wanted(said))
        total = estimated([each.cost_micros for each in rows])
        self._costs.clear()
        with self._costs:
            _table(rows)
        return (
            f"at most about {counted(sum(each.calls for each in rows), 'call')}, {total}; nothing was started"
        )


def revising(visit: Visit, frame: Frame, found: Document) -> None:
    """One instruction for one revision."""

    async def take(said: str) -> str:
        visit.require("run", f"novel/{found.novel.novel_id}")
        await visit.ask_engine(runs.revise, found, said, who=visit.principal.name, wait=None)
        return "the revision has begun"

    text(
        "p",
        "One instruction, carried out in one revision; the change is a commit of its own.",
        classes="soft",
    )
    words(frame, "What to change", "Revise", take, place=f"{found.name}/revise", icon="edit_note")


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _table(rows: tuple[RoleEstimate, ...]) -> None:
    columns: tuple[Column[RoleEstimate], ...] = (
        Column("Role", lambda each: each.role),
        Column("Model", lambda each: each.model),
        Column("Calls", lambda each: f"{each.calls}", number=True),
        Column("Tokens", lambda each: f"{each.input_tokens + each.output_tokens:,}", number=True),
        Column(
            "Cost",
            lambda each: "unknown" if each.cost_micros is None else money(each.cost_micros),
            number=True,
        ),
    )
    table(columns, rows, caption="What a run may cost that needs all its passes")


def run_bar(visit: Visit, made: Frame, found: Document, now: Drafting) -> None:
    """Draw what is done now; without a run, how the last one ended."""
    line, settings = now.stands.line, now.stands.settings
    with box(classes="round-line"):
        state(now.stage if now.stage != "idle" or line is None else line.outcome or "idle")
        told = [] if now.stage == "idle" else [f"pass {settings.pass_index} of {settings.max_passes}"]
        told.append(found.novel.length(now.stands.text.words if now.stands.text else 0))
        if line and line.score is not None:
            told.append(f"score {line.score:.2f}, {settings.min_score:.2f} wanted")
        if line:
            told.append(f"{money(line.cost_micros, line.unknown_prices)} so far")
        with box("ol"):
            for each in told:
                text("li", each)
        subject, run = f"novel/{found.novel.novel_id}", f"manuscript/{found.name}"
        if now.stage == "paused":
            resume = sent(visit, subject, run, "resume", "resumed")
            action(made, "Resume", resume, look="main", icon="play_arrow")
        elif now.stage != "idle":
            pause = sent(visit, subject, run, "pause", "paused after the step in hand")
            action(made, "Pause", pause, icon="pause")
        if now.stage != "idle":
            stop = action(made, "Stop", stopped(visit, found), look="danger", icon="stop")
            attribute(stop, "aria-keyshortcuts", "s")
    for said in filter(None, (line.trouble, line.scan_detail) if line else ()):
        text("p", said, classes="soft")


def stopped(visit: Visit, found: Document) -> Act:
    """End the run after the call in hand."""

    async def act() -> str:
        visit.require("run", f"novel/{found.novel.novel_id}")
        await visit.ask_engine(runs.stop, found, "stopped in the workspace", who=visit.principal.name)
        return "it ends after the call in hand; what is written stays"

    return act
