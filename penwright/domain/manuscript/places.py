"""Positions in the scenes of a joined text's lines; scenes are joined without their comments."""

import re
from collections.abc import Iterator, Mapping

_COMMENT = re.compile(r"<!(?=--).*?-->", re.DOTALL)
_GONE = "\0"
"""Stands for a line end that goes with its comment; no scene has one."""


def places_of(scenes: Mapping[str, str]) -> tuple[tuple[str, int], ...]:
    """Scene and line, from 1, of each line of the joined text: a blank line stands between two scenes.

    Args:
        scenes: texts with LF and with their comments, by name, in order.
    """
    found: list[tuple[str, int]] = []
    for scene, text in scenes.items():
        numbers = list(_numbers(text))
        if numbers:
            found += [(scene, numbers[0])] if found else []
            found += [(scene, number) for number in numbers]
    return tuple(found)


def _numbers(text: str) -> Iterator[int]:
    """The line number of each line that stays, from the first to the last that is not empty."""
    kept = _COMMENT.sub(lambda comment: _GONE * comment[0].count("\n"), text)
    lines, line = list[tuple[int, str]](), 1
    for each in kept.split("\n"):
        ahead = len(each) - len(each.lstrip(_GONE))
        lines.append((line + ahead, each.replace(_GONE, "")))
        line += 1 + each.count(_GONE)
    filled = [at for at, (_, said) in enumerate(lines) if said]
    if any(lines[at][1].strip() for at in filled):
        yield from (number for number, _ in lines[filled[0] : filled[-1] + 1])
