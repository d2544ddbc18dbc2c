"""Engine markers in text: taking them out, and writing them."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from penwright.domain.text.ink_comments import Comment, Span

_ANNOTATION = r"[ \t]*>?[ \t]*\*\*\[Rework\]\*\*[ \t]*:?"
_ANNOTATION_START = re.compile(rf"\s*{_ANNOTATION}", re.IGNORECASE)
_ANNOTATION_LINE = re.compile(rf"^{_ANNOTATION}.*$", re.IGNORECASE | re.MULTILINE)


class Cut:
    """A text with some spans taken out, and where the positions of the old text are in the new one."""

    def __init__(self, text: str, spans: Iterable[Span]) -> None:
        kept: list[str] = []
        self._starts: list[int] = []
        self._before: list[int] = []
        behind = removed = 0
        for start, end in sorted(spans):
            if end > behind:
                first = max(start, behind)
                kept.append(text[behind:first])
                self._starts.append(first)
                self._before.append(removed)
                removed += end - first
                behind = end
        kept.append(text[behind:])
        self._removed = removed
        self.text = "".join(kept)

    def position(self, old: int) -> int:
        """Where ``old`` went; a position inside a span that was taken out is where the span stood."""
        index = bisect_left(self._starts, old) - 1
        if index < 0:
            return old
        following = self._before[index + 1] if index + 1 < len(self._before) else self._removed
        length = following - self._before[index]
        return old - self._before[index] - min(length, old - self._starts[index])


def own_line(text: str, start: int, end: int) -> Span:
    """The whole line, its end included, when nothing but this span stands on it; else the span."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    if text[line_start:start].strip() or text[end:line_end].strip():
        return start, end
    return line_start, min(line_end + 1, len(text))


def original_end(markers: Sequence[Comment], index: int) -> Comment | None:
    """The marker that closes the old version which ``markers[index]`` opens; a rework's end does it too."""
    following = markers[index + 1] if index + 1 < len(markers) else None
    return following if following and following.text in {"ORIGINAL:END", "REWORKED:END"} else None


def annotation_readings(body: str) -> tuple[tuple[str, str], ...]:
    """Every way to read a rework's annotation: (the instruction it quotes, the text behind it).

    An instruction may have run over several lines, so its end is uncertain: each further line is one reading.
    """
    found = _ANNOTATION_START.match(body)
    if found is None:
        return ()
    lines = body[found.end() :].split("\n")
    readings = []
    for count in range(1, min(len(lines), 40) + 1):
        quoted = [line.strip().removeprefix(">").strip() for line in lines[:count]]
        readings.append((" ".join(quoted), "\n".join(lines[count:])))
    return tuple(readings)


def annotation_length(body: str) -> int:
    """How much of ``body`` is annotation: the quote lines at its beginning, and blank lines behind them."""
    found = _ANNOTATION_START.match(body)
    if found is None:
        return 0
    end = body.find("\n", found.end())
    while end >= 0 and body[end + 1 :].startswith(">"):
        end = body.find("\n", end + 1)
    return len(body) - len(body[end:].lstrip("\n")) if end >= 0 else len(body)


def annotation_span(body: str) -> Span:
    """Where the annotation stands, wherever an author has put it; empty when there is none."""
    found = _ANNOTATION_LINE.search(body)
    if found is None:
        return 0, 0
    return found.start(), found.start() + annotation_length(body[found.start() :])


def without_annotations(text: str) -> str:
    """Text without the lines that say which instruction a rework answers."""
    return _ANNOTATION_LINE.sub("", text)


def rework_block(instruction: str, text: str, original: str) -> str:
    """A rework as it waits for the author, with the text it replaces to compare."""
    lines = ["<!-- INK:REWORKED:START -->"]
    if instruction:
        lines += [f"> **[Rework]** {' '.join(instruction.split())}", ""]
    lines.append(text)
    if original:
        lines += ["<!-- INK:ORIGINAL:START -->", original, "<!-- INK:ORIGINAL:END -->"]
    lines.append("<!-- INK:REWORKED:END -->")
    return "\n".join(lines)


def new_block(prose: str) -> str:
    """New prose between its markers."""
    return f"<!-- INK:NEW:START -->\n{prose}\n<!-- INK:NEW:END -->"


def chapter_marker(number: int) -> str:
    """Says that the prose behind it was written for another chapter than the prose in front."""
    return f"<!-- INK:CHAPTER:{number} -->"
