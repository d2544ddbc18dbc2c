"""Edits of new prose, by its writer or an editor; they are taken only if they do not make it worse."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penwright.domain.prose.task import LONGEST, SHORTEST
from penwright.domain.text import edit_blocks, patches
from penwright.domain.text.counted import counted
from penwright.domain.text.words import count_words
from penwright.errors import ModelMistake
from schemas.patching import EditReply, Operation, Patched
from schemas.prose import Finding

MOST_EDITS = 8
"""Of the writer."""
_SOFT = 3
"""From so many soft findings on they are sent back."""
_LENGTH = 0.10
"""Share by which the length may change, repeats apart."""
_NO_PROSE = re.compile(
    r"^[ \t]*(?:={2,}|#{1,6}[ \t]|`{3,}|~{3,}|@{3,}|> \*\*\[).*$|<!--|-->|</?\w+>|\x00", re.MULTILINE
)
_REPEATS = frozenset({"echo", "loop"})
_GAP = re.compile(r"\n{3,}")
_NOT_BY_EDITS = frozenset({"length", "unanswered"})
"""Rules whose faults a few edits do not mend."""


def is_worth_mending(findings: Sequence[Finding]) -> bool:
    """Whether findings are sent back to the writer: a hard one, or three soft ones."""
    hard, soft = _counts(_mendable(findings))
    return hard > 0 or soft >= _SOFT


def mended(prose: str, reply: str) -> tuple[str, str]:
    """The prose after the edits in a reply, at most ``MOST_EDITS``, and why it is as it was; empty if not.

    Edits that put in or take out what is no prose (a marker, a comment, a heading, a plan) are not made.
    """
    try:
        asked = edits_in(reply).operations
    except ModelMistake as mistake:
        return prose, f"the writer's reply held no usable edits ({mistake.code})"
    text = applied(asked, prose, most=MOST_EDITS).text
    if text != prose:
        return text, ""
    return prose, "none of the writer's edits could be made" if asked else "the writer proposed no edits"


def edits_in(reply: str) -> EditReply:
    """The edits in a reply.

    Raises:
        ModelMistake: as ``edit_blocks.parse``; ``no-prose`` if one puts in or takes out what is no prose.
    """
    asked = edit_blocks.parse(reply)
    if any(_NO_PROSE.search(each.replace) or "<!--" in each.find for each in asked.operations):
        raise ModelMistake("no-prose", "The edits put in or take out something that is no prose.")
    return asked


def applied(operations: Sequence[Operation], prose: str, *, most: int) -> Patched:
    """The prose after the first ``most`` edits, without empty lines around it; as it was if none is left."""
    made = patches.apply(operations, prose, max_hunks=most, new_citations=None)
    text = _GAP.sub("\n\n", made.text).strip("\n")  # a paragraph that is gone leaves two empty lines
    return made.model_copy(update={"text": text or prose})


@dataclass(frozen=True, slots=True)
class Edited:
    """Prose before and after some edits, and the words that were wanted; 0 if no length was asked for."""

    before: str
    after: str
    wanted: int


def why_no_better(before: Sequence[Finding], after: Sequence[Finding], edited: Edited) -> str:
    """The reason not to take a writer's edits; empty if there are fewer findings, not more of a kind, and the
    length is about the same, see ``why_worse``.
    """
    mendable, left = _mendable(before), _mendable(after)
    if worse := why_worse(mendable, left, edited):
        return worse
    return "" if len(left) < len(mendable) else "as much would be found as before"


def why_worse(before: Sequence[Finding], after: Sequence[Finding], edited: Edited) -> str:
    """The reason not to take an editor's edits; empty if no kind has more findings, and the length is about
    the same: within a tenth, or shorter by that and the repeats in ``before`` where that is the length that
    was wanted, or nearer to it.
    """
    for kind, had, has in zip(("hard", "soft"), _counts(before), _counts(after), strict=True):
        if has > had:
            return f"{counted(has, f'{kind} finding')} would be left where there were {had}"
    had, has = count_words(edited.before), count_words(edited.after)
    if abs(has - had) <= _LENGTH * had:
        return ""
    may_go = sum(count_words(edited.before[start:end]) for start, end in _repeats(before))
    fits = SHORTEST * edited.wanted <= has <= LONGEST * edited.wanted
    nearer = abs(has - edited.wanted) < abs(had - edited.wanted)
    if edited.wanted and had - may_go - _LENGTH * had <= has < had and (fits or nearer):
        return ""
    return f"{had} words would become {has}, which is more than a tenth"


def _repeats(findings: Sequence[Finding]) -> Iterator[tuple[int, int]]:
    """The places of repeated passages, none of them twice."""
    end = 0
    for each in sorted((each for each in findings if each.rule in _REPEATS), key=lambda each: each.start):
        if each.end > end:
            yield max(each.start, end), each.end
            end = each.end


def _mendable(findings: Sequence[Finding]) -> list[Finding]:
    """Findings that edits can mend."""
    return [each for each in findings if each.rule not in _NOT_BY_EDITS]


def _counts(findings: Sequence[Finding]) -> tuple[int, int]:
    """Hard and soft ones."""
    hard = sum(each.hard for each in findings)
    return hard, len(findings) - hard
