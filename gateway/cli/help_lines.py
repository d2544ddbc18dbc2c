"""Help of commands in lines of a terminal."""

import re
from collections.abc import Iterable
from typing import Any

import typer

_COMMAND = re.compile(r"`[^`]+`")
_JOINED = str.maketrans(" -", "\xa0\u2011")
"""A sign after which a line may end -> one that looks the same, after which none does."""
_PARTED = str.maketrans("\xa0\u2011", " -")
_Formatter: Any = typer.Context.formatter_class
"""Any: typer does not name this class in public."""


class HelpLines(_Formatter):  # type: ignore[misc]
    """Breaks help between words, and never inside of a command between backticks."""

    def write_text(self, text: str) -> None:
        super().write_text(_whole(text))

    def write_dl(self, rows: Iterable[tuple[str, str]], **columns: Any) -> None:  # Any: passed on
        super().write_dl([(name, _whole(text)) for name, text in rows], **columns)

    def getvalue(self) -> str:
        return str(super().getvalue()).translate(_PARTED)


class HelpContext(typer.Context):
    """The context of a command whose help is written by ``HelpLines``."""

    formatter_class = HelpLines


def _whole(text: str) -> str:
    return _COMMAND.sub(lambda found: " ".join(found[0].split()).translate(_JOINED), text)
