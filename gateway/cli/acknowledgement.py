"""Output after a run was paused, resumed, stopped or killed: the same for every pipeline."""

from typing import Literal

from gateway.cli.output import Printer
from gateway.desk.engine.pipelines import Message


def print_acknowledgement(
    out: Printer, what: str, message: Message | Literal["stop"], means: str, ids: dict[str, str]
) -> None:
    """Say that a run has heard a message.

    Args:
        what: the run to people, such as ``The round of harbour``.
        means: what it does now, such as ``goes on``.
        ids: names of the run's subject for programs.
    """
    name = message if isinstance(message, str) else "kill"
    data = {"status": "acknowledged", "message": name, "means": means, **ids}
    out.result(data, f"{what} has heard it and {means}.")
