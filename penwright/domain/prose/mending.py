"""The edits by which a writer mends its own prose; they are taken only if they make it better."""

import re
from collections.abc import Sequence

from penwright.domain.text import edit_blocks, patches
from penwright.errors import ModelMistake
from schemas.prose import Finding

MOST_EDITS = 8
_SOFT = 3
"""From so many soft findings on they are sent back."""
_LENGTH = 0.10
"""Share by which the length may change."""
_NO_PROSE = re.compile(
    r"^[ \t]*(?:={2,}|#{1,6}[ \t]|`{3,}|~{3,}|@{3,}|> \*\*\[).*$|<!--|-->|</?\w+>|\x00", re.MULTILINE
)
_NOT_BY_EDITS = frozenset({"length", "unanswered"})
"""Rules whose faults a few edits do not mend."""


def is_worth_mending(findings: Sequence[Finding]) -> bool:
    """Whether findings are sent back to the writer: a hard one, or three soft ones."""
    hard, soft = _counts(findings)
    return hard > 0 or soft >= _SOFT


def mended(prose: str, reply: str) -> str:
    """The prose after the edits in a reply, at most ``MOST_EDITS``; as it was if there is none to be read.

    Edits that put in or take out what is no prose (a marker, a comment, a heading, a plan) are not made.
    """
    try:
        asked = edit_blocks.parse(reply)
    except ModelMistake:
        return prose
    if any(_NO_PROSE.search(each.replace) or "<!--" in each.find for each in asked.operations):
        return prose
    made = patches.apply(asked.operations, prose, max_hunks=MOST_EDITS, keep_citations=False).text.strip("\n")
    return made or prose


def is_better(before: Sequence[Finding], after: Sequence[Finding], *, words: tuple[int, int]) -> bool:
    """Whether edits are taken: not more findings, hard or soft, fewer of one kind, and about the same length.

    Args:
        words: of the prose before and after.
    """
    (hard_before, soft_before), (hard, soft) = _counts(before), _counts(after)
    fewer = hard <= hard_before and soft <= soft_before and hard + soft < hard_before + soft_before
    return fewer and abs(words[1] - words[0]) <= _LENGTH * words[0]


def _counts(findings: Sequence[Finding]) -> tuple[int, int]:
    """Hard and soft findings that edits can mend."""
    mendable = [each for each in findings if each.rule not in _NOT_BY_EDITS]
    hard = sum(each.hard for each in mendable)
    return hard, len(mendable) - hard
