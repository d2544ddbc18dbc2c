"""Command lines that do not parse, answered with what was probably meant."""

from typing import Any

from typer.exceptions import TyperException

from penwright.domain.text.nearest import guess


class UnknownCommand(TyperException):
    """A word that is no command of its group."""

    exit_code = 2

    def __init__(self, message: str, ctx: Any, lead: str = "") -> None:  # Any: typer's context
        """``lead``: the commands that do what the word promises; empty: the group's help."""
        super().__init__(message)
        self.ctx = ctx
        self.lead = lead


def message_of(mistake: TyperException) -> str:
    """Explain the mistake; of an option that does not exist, with the nearest one."""
    option, near = getattr(mistake, "option_name", ""), getattr(mistake, "possibilities", None)
    if type(mistake).__name__ == "NoSuchOption" and option:
        return f"No such option {option!r}{guess((near or ())[:1])}"
    return mistake.format_message().replace(": Value error, ", ": ")


def step_of(mistake: TyperException) -> str:
    """Name the command to run instead."""
    if isinstance(mistake, UnknownCommand) and mistake.lead:
        return mistake.lead
    context = getattr(mistake, "ctx", None)
    return f"`{context.command_path} --help` shows how" if context else ""
