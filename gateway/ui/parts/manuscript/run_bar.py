"""The run on a document in a line: pass, step, words, score and cost, with Pause, Resume and Stop."""

from gateway.desk.manuscript import runs
from gateway.desk.works.documents import Document
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.elements.money import money
from gateway.ui.elements.states import state
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.manuscript.drafting import Drafting
from gateway.ui.parts.steering import sent
from gateway.ui.visit import Visit


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
