"""Pause, resume and kill: of one run, or of all that a list shows."""

from collections.abc import Sequence

from gateway.desk.engine.pipelines import Message
from gateway.desk.runs import pipelines
from gateway.desk.runs.work_runs import WorkRun
from gateway.desk.works.subjects import subject_of
from gateway.ui.elements.html import box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.confirm import confirmed
from gateway.ui.visit import Visit
from penwright.errors import PenwrightError
from schemas.control import KillRequest


def batch(visit: Visit, made: Frame, running: Sequence[WorkRun]) -> None:
    """Steer every run that the filters show; nothing hidden is touched."""
    if not running:
        return
    with box(classes="row-of"):
        text("span", f"{len(running)} running:", classes="soft")
        buttons(visit, made, running)


def buttons(visit: Visit, made: Frame, running: Sequence[WorkRun]) -> None:
    """Pause, resume and kill."""

    def to_all(message: Message, done: str) -> Act:
        async def act() -> str:
            return await _sent_to_all(visit, running, message, done)

        return act

    async def kill() -> str:
        request = KillRequest(who=visit.principal.name, reason="killed in the workspace")
        return await _sent_to_all(visit, running, request, "killed")

    if not all(run.paused for run in running):
        action(made, "Pause", to_all("pause", "paused"), icon="pause")
    if any(run.paused for run in running):
        action(made, "Resume", to_all("resume", "resumed"), icon="play_arrow")
    what = "this run" if len(running) == 1 else f"these {len(running)} runs"
    confirmed(made, "Kill", f"End {what}? What is written so far stays.", kill)


def sent(visit: Visit, subject: str, run: str, message: Message, done: str) -> Act:
    """A message to one run of any pipeline; ``run``: its workflow id, such as ``scene/ID``."""

    async def act() -> str:
        visit.require("run", subject)
        await visit.ask_engine(pipelines.send, run, message)
        return done

    return act


async def _sent_to_all(visit: Visit, running: Sequence[WorkRun], message: Message, done: str) -> str:
    """Send it to each; a run that refuses does not keep the others from it."""
    heard, troubles = 0, []
    for run in running:
        visit.require("run", subject_of(run.subject))
        try:
            await visit.ask_engine(pipelines.send, run.run, message)
            heard += 1
        except PenwrightError as error:
            troubles.append(f"{run.title}: {error.message}")
    return "; ".join([f"{heard} of {len(running)} {done}", *troubles])
