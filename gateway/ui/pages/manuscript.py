"""One document: its text, and beside it the workspace in which agents write, cite and revise."""

from gateway.desk import registered
from gateway.desk.book.sessions import quietly
from gateway.desk.manuscript import runs
from gateway.desk.manuscript.runs import Document
from gateway.desk.manuscript.standing import DocumentStanding, standing
from gateway.ui import addresses
from gateway.ui.frame import Frame, frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.ai_workspace import TABS, ai_workspace
from gateway.ui.parts.charts import picture
from gateway.ui.parts.filters import filters
from gateway.ui.parts.following import reload_after
from gateway.ui.parts.html import box, link, text
from gateway.ui.parts.money import money
from gateway.ui.parts.prose import prose
from gateway.ui.parts.states import state
from gateway.ui.parts.tables import Column, table
from gateway.ui.visit import Visit
from penwright.domain.charts.made import score_per_pass
from schemas.agent_state import ActionEntry


async def page(visit: Visit) -> None:
    """``/manuscripts/{novel}/{scene}?tab=``."""
    novel, scene = visit.params["novel"], visit.params["scene"]
    visit.require("read", f"novel/{novel}")
    found = await visit.ask(registered.document, novel, scene)
    stands = await visit.ask_engine(standing, found)
    tab = visit.query.get("tab", "")
    title = found.novel.title if scene == "-" else f"{found.novel.title}: {scene}"
    with frame(title, here="/manuscripts", crumbs=(("Manuscripts", addresses.page("manuscripts")),)) as made:
        _head(visit, made, found, stands)
        with box(classes="drafting"):
            with box("section", label="Text"):
                text("h2", "Text")
                link("Write", addresses.page("manuscripts", novel, scene, "write"))
                _text(stands)
            with box("section", label="AI workspace"):
                text("h2", "AI workspace")
                shown = {"tab": tab if tab in TABS else ""}
                filters("AI workspace", "tab", TABS, shown, "manuscripts", novel, scene)
                ai_workspace(visit, made, found, stands, tab)
        text("h2", "What was done")
        _curve(stands.actions)
        _actions(stands.actions)


def _head(visit: Visit, made: Frame, found: Document, stands: DocumentStanding) -> None:
    line = stands.line
    with box("p", classes="lead"):
        state(line.state if line else "idle")
        words = stands.text.words if stands.text else 0
        score = f", score {line.score:.2f}" if line and line.score is not None else ""
        cost = f", {money(line.cost_micros)} so far" if line else ""
        text("span", f" {words:,} words{score}{cost}")
    if line and line.state != "idle":
        reload_after(runs.watch(visit.services, found, quietly, lambda: None))
    if line and line.state == "paused":
        action(made, "Resume", _sent(visit, found, "resume"), look="main")
    elif line and line.state != "idle":
        with box(classes="row-of"):
            action(made, "Pause", _sent(visit, found, "pause"))
            action(made, "Stop after this step", _stopped(visit, found), look="danger")


def _sent(visit: Visit, found: Document, message: str) -> Act:
    async def act() -> str:
        visit.require("run", f"novel/{found.novel.novel_id}")
        await visit.ask_engine(runs.send, found, "pause" if message == "pause" else "resume")
        return f"{message}d"

    return act


def _stopped(visit: Visit, found: Document) -> Act:
    async def act() -> str:
        visit.require("run", f"novel/{found.novel.novel_id}")
        await visit.ask_engine(runs.stop, found, "stopped in the workspace", who=visit.principal.name)
        return "it ends after the call in hand"

    return act


def _text(stands: DocumentStanding) -> None:
    if stands.text is None or not stands.text.text.strip():
        text("p", "Nothing is written yet.", classes="empty")
        return
    with box(classes="card paper"):
        prose(stands.text.text)


def _curve(actions: tuple[ActionEntry, ...]) -> None:
    scores = [each.score for each in actions if each.score is not None]
    if len(scores) > 1:
        picture(score_per_pass(scores))


def _actions(actions: tuple[ActionEntry, ...]) -> None:
    if not actions:
        text("p", "No agent has worked on it yet.", classes="empty")
        return

    def stands(each: ActionEntry) -> None:
        state(each.outcome)

    columns: tuple[Column[ActionEntry], ...] = (
        Column("Action", lambda each: each.action.replace("_", " ")),
        Column("Outcome", stands),
        Column("Summary", lambda each: each.summary),
        Column("Score", lambda each: "–" if each.score is None else f"{each.score:.2f}", number=True),
    )
    table(columns, tuple(reversed(actions)), caption="Actions, newest first")
