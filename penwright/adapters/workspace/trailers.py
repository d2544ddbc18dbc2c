"""The trailers of a commit's message, found as git finds them.

Asked for trailers, git takes longer than for the whole message. Its own rules decide all the same, so that
``git log`` and ``git interpret-trailers`` show a person what we saw; but not what their configuration adds.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

Trailers = Sequence[tuple[str, str]]

# What git takes for space: fewer signs than Python does.
_SPACE = " \t\r\n"
_PLAIN = re.compile(r"(?:[A-Za-z0-9-]+: [^ \t\r\n].*(?<![ \t\r])\n)++")
"""A last paragraph of nothing but trailers, each in its line: what every engine writes."""
_NO_TITLE = frozenset(("", "#", *_SPACE))
_TOKEN = re.compile(r"([A-Za-z0-9-]+)[ \t]*:")
_SOME = re.compile(r"^[A-Za-z0-9-]+[ \t]*:", re.MULTILINE)
_FOLD = re.compile(r"\n[ \t\r\n]*")
_GENERATED = ("Signed-off-by: ", "(cherry picked from commit ")
_SCISSORS = "# ------------------------ >8 ------------------------\n"


def trailers_in(message: str) -> Trailers:
    """Names and values in their order, unfolded; ``message`` is a commit's, with its subject."""
    ahead, gap, last = message.rpartition("\n\n")
    # Below a comment or a blank beginning another paragraph may be the first or the last one.
    if gap and ahead[:1] not in _NO_TITLE and "\n#" not in ahead and _PLAIN.fullmatch(last):
        return [(name, value) for name, _, value in [row.partition(": ") for row in last[:-1].split("\n")]]
    return list(_sought(message)) if _SOME.search(message) else ()


def _sought(message: str) -> Iterator[tuple[str, str]]:
    """The same by every rule."""
    rows = _rows(message)
    while rows and _is_blank(rows[0]):
        del rows[0]
    rows = _without_comments(rows)
    for row in _unbroken(rows[_first(rows) :]):
        found = _TOKEN.match(row)
        if found:
            yield found[1], _FOLD.sub(" ", row[found.end() :].strip(_SPACE)).strip(_SPACE)


def _rows(message: str) -> list[str]:
    """Lines with their ends; the last one may lack it."""
    return [row for row in re.split(r"(?<=\n)", message) if row]


def _is_blank(row: str) -> bool:
    return not row.strip(_SPACE)


def _without_comments(rows: list[str]) -> list[str]:
    """Without what an editor's session leaves at the end: comments, blank lines, a list of conflicts."""
    if _SCISSORS in rows:
        rows = rows[: rows.index(_SCISSORS)]
    end, in_conflicts = 0, False
    for number, row in enumerate(rows):
        if row.startswith(("#", "\n")):
            end = end or number
        elif row == "Conflicts:\n":
            end, in_conflicts = end or number, True
        elif not (in_conflicts and row.startswith("\t")):
            end, in_conflicts = 0, False
    return rows[: end or len(rows)]


class _Counts(NamedTuple):
    """Lines of a paragraph that might be one of trailers."""

    trailers: int = 0
    others: int = 0
    folded: int = 0
    """Lines that go on with the one above them, whichever that will be."""
    generated: bool = False

    def with_row(self, row: str) -> "_Counts":
        """And a line above those."""
        if row.startswith(_GENERATED):
            return _Counts(self.trailers + 1, self.others, 0, True)
        if row[0] in _SPACE:
            return self._replace(folded=self.folded + 1)
        if _TOKEN.match(row):
            return self._replace(trailers=self.trailers + 1, folded=0)
        return self.closed()._replace(others=self.others + self.folded + 1)

    def closed(self) -> "_Counts":
        """Nothing stands above that the folded lines could go on with."""
        return self._replace(others=self.others + self.folded, folded=0)

    def are_trailers(self) -> bool:
        """Only trailers; or a quarter of them, with one that git itself has written."""
        return self.trailers * 3 >= self.others if self.generated else self.trailers > 0 and not self.others


def _first(rows: Sequence[str]) -> int:
    """Number of the line at which the trailers begin; the first paragraph is the title and has none."""
    title = next((n for n, row in enumerate(rows) if row[0] != "#" and _is_blank(row)), len(rows))
    counts, empty = _Counts(), True
    for number in range(len(rows) - 1, title - 1, -1):
        row = rows[number]
        if row[0] == "#":
            counts = counts.closed()
        elif not _is_blank(row):
            counts, empty = counts.with_row(row), False
        elif not empty:
            return number + 1 if counts.closed().are_trailers() else len(rows)
    return len(rows)


def _unbroken(rows: Sequence[str]) -> Iterator[str]:
    """Each trailer with the lines that go on with it."""
    held = ""
    for row in rows:
        if held and row[0] in _SPACE:
            held += row
            continue
        if held:
            yield held
        held = row if _TOKEN.match(row) else ""
    if held:
        yield held
