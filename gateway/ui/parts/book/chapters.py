"""The chapters of a book."""

import re
from collections.abc import Sequence

from gateway.ui.elements.html import text
from gateway.ui.elements.states import state
from gateway.ui.elements.tables import Column, table
from penwright.domain.book.chapters import ChapterLine

_PLANNED = 2
"""Chapters without an outline that are shown."""


def chapters(lines: Sequence[ChapterLine]) -> None:
    """One row for each chapter: words, target and state."""

    def stands(line: ChapterLine) -> None:
        state(line.state)

    columns: tuple[Column[ChapterLine], ...] = (
        Column("Chapter", lambda line: _called(line)),
        Column("State", stands),
        Column("Words", lambda line: f"{line.words:,}", number=True),
        Column("Target", lambda line: f"{line.target:,}", number=True),
    )
    planned = [line for line in lines if line.state == "planned"]
    shown = [line for line in lines if line.state != "planned"] + planned[:_PLANNED]
    table(columns, shown, caption="Chapters")
    if more := len(lines) - len(shown):
        text("p", f"{more} more are planned.", classes="soft")


def _called(line: ChapterLine) -> str:
    is_numbered = re.search(rf"(?<!\d){line.number}(?!\d)", line.title)
    return line.title if is_numbered else f"{line.number}. {line.title}"
