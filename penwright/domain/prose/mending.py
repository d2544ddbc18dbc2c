"""The edits by which a writer mends its own prose; they are taken only if they make it better."""

from collections.abc import Sequence

from penwright.domain.text import edit_blocks, patches
from penwright.domain.text.ink_comments import parse_comments
from penwright.errors import ModelMistake
from schemas.prose import Finding

MOST_EDITS = 8
_SOFT = 3
"""From so many soft findings on they are sent back."""
_LENGTH = 0.10
"""Share by which the length may change."""
_NOT_BY_EDITS = frozenset({"length", "unanswered"})
"""Rules whose faults a few edits do not mend."""


def is_worth_mending(findings: Sequence[Finding]) -> bool:
    """Whether findings are sent back to the writer: a hard one, or three soft ones."""
    hard, soft = _counts([each for each in findings if each.rule not in _NOT_BY_EDITS])
    return hard > 0 or soft >= _SOFT


def mended(prose: str, reply: str) -> str:
    """The prose after the edits in a reply, at most ``MOST_EDITS``; as it was if there is none to be read."""
    try:
        asked = edit_blocks.parse(reply)
    except ModelMistake:
        return prose
    made = patches.apply(asked.operations, prose, max_hunks=MOST_EDITS, keep_citations=False).text.strip("\n")
    return prose if not made or _notes(made) != _notes(prose) else made


def _notes(prose: str) -> list[tuple[str, str]]:
    """INK comments, which an edit must neither add nor take out."""
    return [(each.kind, each.text) for each in parse_comments(prose)]


def is_better(before: Sequence[Finding], after: Sequence[Finding], *, words: tuple[int, int]) -> bool:
    """Whether edits are taken: fewer hard findings, no more soft ones, and about the same length.

    Args:
        words: of the prose before and after.
    """
    (hard_before, soft_before), (hard, soft) = _counts(before), _counts(after)
    fewer = hard < hard_before or (hard == hard_before == 0 and soft < soft_before)
    return fewer and soft <= soft_before and abs(words[1] - words[0]) <= _LENGTH * words[0]


def _counts(findings: Sequence[Finding]) -> tuple[int, int]:
    hard = sum(each.hard for each in findings)
    return hard, len(findings) - hard
