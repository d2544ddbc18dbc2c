"""Messages to runs, and the errors for those that do not confirm one."""

from gateway.desk.engine.pipelines import Acknowledgement, Message, Runs
from penwright.errors import EngineUnavailable, PenwrightError


async def send(runs: Runs, name: str, message: Message, nothing: PenwrightError) -> None:
    """Kill, pause or resume a run; returns once that is confirmed.

    Raises:
        PenwrightError: ``nothing``, if none runs.
        EngineUnavailable: the error of ``not_acknowledged``.
    """
    answer = await runs.signal(name, message)
    if answer.found == "nothing":
        raise nothing
    if not answer.heard:
        raise not_acknowledged(name, answer)


def not_acknowledged(name: str, answer: Acknowledgement) -> EngineUnavailable:
    """The error for a message to ``name`` that no worker took up in time.

    Its code is ``run-stuck`` if the run goes no further, else ``not-acknowledged``.
    """
    if answer.stuck:
        return EngineUnavailable(
            "run-stuck",
            f"{name!r} cannot take up the message: {answer.stuck}",
            hint="`penwright logs workflows` has more; the work on disk and in the store stays as it is",
        )
    return EngineUnavailable(
        "not-acknowledged",
        f"the message to {name!r} is recorded, but no worker took it up within 5 seconds",
        hint="it acts as soon as a worker runs; `penwright status` shows the workers",
    )
