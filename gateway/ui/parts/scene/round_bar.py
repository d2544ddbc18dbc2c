"""The round that runs in a line, with Pause, Resume and Stop."""

from gateway.desk.scene import changes, rounds
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link, sentence, text
from gateway.ui.elements.next_steps import words_for
from gateway.ui.elements.states import state
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.scene.held_plan import PLACE
from gateway.ui.parts.scene.playing import Playing
from gateway.ui.parts.steering import sent
from gateway.ui.visit import Visit
from penwright.domain.control import shown_outcome
from penwright.domain.scene.board import unfinished
from penwright.domain.scene.round_line import round_line
from penwright.domain.text.counted import counted
from schemas.scene import NumberedRound

_STATES = {
    "completed": "completed",
    "completed-with-errors": "failed",
    "failed": "failed",
    "stopped": "stopped",
    "killed": "killed",
}


def round_bar(visit: Visit, frame: Frame, playing: Playing) -> None:
    """Draw what is done, what is done now, and what comes; without a round, how the last one ended."""
    played, view = playing.running, playing.shown.view
    if stands := unfinished(playing.scene):
        with box("p", classes="lead"):
            state("importing")
            text("span", f" {stands}. {words_for('import-unfinished', '')}.")
        return
    if played is None:
        with box("p", classes="lead"):
            newest = playing.shown.rounds[-1] if playing.shown.rounds else None
            ended = shown_outcome(newest.status, newest.code) if newest else ""
            state(_STATES.get(ended, "idle"))
            is_hidden = newest is not None and newest.status == "undone"
            why = f": {newest.reason}" if newest and newest.reason and not is_hidden else ""
            text("span", f" {counted(view.rounds, 'round')} so far{why}.")
            if is_hidden and newest:
                again = brought_back(visit, playing.scene.id, newest)
                action(frame, f"Bring {newest.name.words} back", again, icon="redo")
            if newest:
                action(frame, "Take the last round back", _taken_back(visit, playing.scene.id), icon="undo")
        return
    subject = f"scene/{playing.scene.id}"
    with box(classes="round-line"):
        state("paused" if playing.paused else "waits for approval" if playing.held else "writing")
        if playing.held:
            link("See the plan", f"{addresses.page('scenes', playing.scene.id)}#{PLACE}")
        text("span", f"Round {played.number}", classes="soft")
        with box("ol"):
            for says, when in round_line(played, playing.scene.settings, view.cast):
                shown = text("li", says, classes=when)
                if when == "now":
                    attribute(shown, "aria-current", "step")
        if playing.paused:
            resume = sent(visit, subject, subject, "resume", "resumed")
            action(frame, "Resume", resume, look="main", icon="play_arrow")
        else:
            pause = sent(visit, subject, subject, "pause", "paused after the step in hand")
            action(frame, "Pause", pause, icon="pause")
        stop = action(frame, "Stop", stopped(visit, playing.scene.id), look="danger", icon="stop")
        attribute(stop, "aria-keyshortcuts", "s")
    if playing.progress and (playing.paused or playing.progress.code):
        sentence(playing.progress.detail, classes="soft")


def _taken_back(visit: Visit, scene: str) -> Act:
    async def act() -> str:
        visit.require("write", f"scene/{scene}")
        _, done = await visit.ask(changes.undo, scene, who=visit.principal.name)
        hidden = f"{len(done.messages)} of its messages are hidden, none deleted"
        return f"{done.name.words} is taken back; {hidden}"

    return act


def brought_back(visit: Visit, scene: str, hidden: NumberedRound) -> Act:
    """Show a hidden round again: one that was taken back, or another take of the newest one."""

    async def act() -> str:
        visit.require("write", f"scene/{scene}")
        who = visit.principal.name
        _, done = await visit.ask(changes.redo, scene, hidden.number, hidden.take, who=who)
        return f"{done.name.words} is back, with its {counted(len(done.messages), 'message')}"

    return act


def stopped(visit: Visit, scene: str) -> Act:
    """End the round in mid-reply."""

    async def act() -> str:
        visit.require("run", f"scene/{scene}")
        await visit.ask_engine(rounds.stop, scene, "", who=visit.principal.name)
        return "stopped; what was written so far stays as a reply"

    return act
