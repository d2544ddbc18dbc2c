"""Update the chapter list and the status line of a book's README."""

import re
from collections.abc import Mapping

from penwright.domain.text.counted import counted

_LIST = "<!-- INK:README:CHAPTERS -->"
_STATUS = re.compile(r"^(- \*\*Status:\*\*)[^\r\n]*", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


def chapter_title(number: int, outline: str) -> str:
    """Return the first heading of an outline, or else ``Chapter N``."""
    found = _HEADING.search(outline)
    return found[1].strip() if found else f"Chapter {number}"


def begin_readme(text: str) -> str:
    """Return the README of a book that has not begun."""
    return _updated(text, _chapters({}, 1, done=False), "Not begun")


def update_readme(text: str, outlines: Mapping[int, str], *, current: int) -> str:
    """Return the README of a book in progress: chapters up to ``current``, the last one open."""
    return _updated(text, _chapters(outlines, current, done=False), f"In progress — Chapter {current}")


def finish_readme(text: str, outlines: Mapping[int, str], *, chapters: int, length: str) -> str:
    """Return the README of a sealed book."""
    return _updated(
        text,
        _chapters(outlines, chapters, done=True),
        f"Complete — {counted(chapters, 'chapter')}, {length}",
    )


def _chapters(outlines: Mapping[int, str], last: int, *, done: bool) -> str:
    lines = []
    for number in range(1, last + 1):
        mark = "✓" if done or number < last else "*(in progress)*"
        lines.append(f"{number}. **{chapter_title(number, outlines.get(number, ''))}** {mark}")
    return "\n".join(lines)


def _updated(text: str, chapters: str, status: str) -> str:
    """Replace status and list; the list only if its marker and the line of dashes after it exist."""
    line_end = "\r\n" if "\r\n" in text else "\n"
    text = _STATUS.sub(lambda found: f"{found[1]} {status}", text, count=1)
    marker = text.find(_LIST)
    if marker < 0:
        return text
    begin = marker + len(_LIST)
    dashes = re.compile(r"^---", re.MULTILINE).search(text, begin)
    if dashes is None:
        return text
    listed = chapters.replace("\n", line_end)
    return f"{text[:begin]}{line_end * 2}{listed}{line_end * 2}{text[dashes.start() :]}"
