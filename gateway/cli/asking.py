"""Ask for confirmation, on a terminal only: stderr may go to a file, standard output to another program."""

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from io import UnsupportedOperation
from pathlib import Path

import typer

from gateway.cli.output import Interrupted
from penwright.errors import Refused


def on_terminal() -> bool:
    """Whether a person can be asked: stdin is a terminal."""
    return sys.stdin.isatty()


def confirm(
    question: str, *, sure: bool, first: str = "look with `--dry-run`", about: Sequence[str] = ()
) -> None:
    """Go on if ``sure`` or if a person says yes; otherwise ``Refused``, with nothing changed.

    Args:
        first: what to do before a yes.
        about: what stderr was told before; said again beside the question if stderr is a file.
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
        yes = agreed(question, about=about)
    except typer.Abort:
        raise Interrupted("nothing was changed") from None
    if not yes:
        raise Refused("declined", "declined; nothing was changed")


def check_id(kind: str, given: str, id: str, *, sure: bool) -> None:
    """Refuse (``not-an-id``) to remove something unasked that was called by its name.

    The same command, run once more, would find and remove another thing of that name.
    """
    if sure and given != id:
        raise Refused(
            "not-an-id",
            f"{given!r} is a name of the {kind} {id!r}, and not its id; nothing was removed",
            hint=f"with `--yes`, give the id: {shlex.quote(id)}",
        )


def confirm_by_name(question: str, name: str, *, given: str | None, about: Sequence[str] = ()) -> None:
    """Go on only if the person types ``name``, here or as the option's value."""
    if given is None and not on_terminal():
        raise Refused(
            "needs-yes",
            "cannot ask for confirmation: stdin is not a terminal; nothing was changed",
            hint=f"repeat with `--yes {name}`",
        )
    typed = given if given is not None else answer_to(f"{question}\nType {name} to go on", about=about)
    if typed.strip() != name:
        raise Refused("declined", f"{typed!r} is not {name!r}; nothing was changed", hint=f"type {name}")


def answer_to(question: str, *, usual: str | None = None, about: Sequence[str] = ()) -> str:
    """The text that is typed; Enter alone means ``usual``, if it is given. Ctrl-C raises ``Interrupted``."""
    try:
        with _shown(about):
            typed: str = typer.prompt(question, default=usual, show_default=bool(usual), err=True)
    except typer.Abort:
        raise Interrupted("nothing was changed") from None
    return typed


def agreed(question: str, *, usual: bool = False, about: Sequence[str] = ()) -> bool:
    """Whether the person says yes; Enter alone means ``usual``. Raises ``typer.Abort`` at Ctrl-C."""
    with _shown(about):
        return typer.confirm(question, default=usual, err=True)


@contextmanager
def _shown(about: Sequence[str]) -> Iterator[None]:
    """Have stderr be the terminal that stdin is while a question is asked, if it is a file."""
    place = "" if sys.stderr.isatty() else _terminal()
    if not place:
        yield
        return
    with Path(place).open("w", encoding="utf-8") as terminal, redirect_stderr(terminal):
        terminal.writelines(f"{line}\n" for line in about)
        yield


def _terminal() -> str:
    try:
        return os.ttyname(sys.stdin.fileno())
    except (OSError, UnsupportedOperation):
        return ""
