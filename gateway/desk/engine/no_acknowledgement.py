"""Messages for a run that does not confirm a message."""

from gateway.desk.engine.pipelines import Acknowledgement
from penwright.errors import EngineUnavailable, PenwrightError


def require_heard(name: str, answer: Acknowledgement, nothing: PenwrightError) -> None:
    """Raise ``nothing`` if no run took a message, and ``not_acknowledged`` if no worker took it up."""
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
