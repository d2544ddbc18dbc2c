"""Ask for confirmation, on a terminal only."""

import sys

import typer

from gateway.cli.output import Interrupted
from penwright.errors import Refused


def on_terminal() -> bool:
    """Whether stdin and stderr are a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def confirm(question: str, *, sure: bool, first: str = "look with `--dry-run`") -> None:
    """Go on if ``sure`` or if a person says yes; otherwise ``Refused``, with nothing changed.

    ``first``: what to do before a yes.
    """
    if sure:
        return
    if not on_terminal():
        raise Refused(
            "needs-yes",
            "cannot ask for confirmation: stdin is not a terminal; nothing was changed",
            hint=f"{first}, then repeat with `--yes`",
        )
    try:
        agreed = typer.confirm(question, err=True)
    except typer.Abort:
        raise Interrupted("nothing was changed") from None
    if not agreed:
        raise Refused("declined", "declined; nothing was changed")


def confirm_by_name(question: str, name: str, *, given: str | None) -> None:
    """Go on only if the person types ``name``, here or as the option's value."""
    if given is None and not on_terminal():
        raise Refused(
            "needs-yes",
            "cannot ask for confirmation: stdin is not a terminal; nothing was changed",
            hint=f"repeat with `--yes {name}`",
        )
    try:
        typed = given if given is not None else typer.prompt(f"{question}\nType {name} to go on", err=True)
    except typer.Abort:
        raise Interrupted("nothing was changed") from None
    if typed.strip() != name:
        raise Refused("declined", f"{typed!r} is not {name!r}; nothing was changed", hint=f"type {name}")
