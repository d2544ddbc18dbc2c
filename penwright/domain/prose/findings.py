"""Everything that is wrong with a draft: one pure function for each rule, and a table of them.

No rule asks a model. Where a language gives a rule no ground it finds nothing: better a fault that is missed
than one that is no fault.
"""

from collections.abc import Callable, Iterable, Mapping

from penwright.domain.prose import voice
from penwright.domain.prose.checked import Checked, Place, checked
from penwright.domain.prose.intended import parted
from penwright.domain.prose.name_slips import name_slips
from penwright.domain.prose.repeats import echoes, loops
from penwright.domain.prose.task import cut_ends, lengths, talk, unanswered, untold_beats
from schemas.prose import LONGEST_QUOTE, BookIndex, Draft, Finding, Rule

_HARD: Mapping[Rule, Callable[[Checked], Iterable[Place]]] = {
    "cut-end": cut_ends,
    "task-talk": talk,
    "loop": loops,
    "echo": echoes,
    "name-slip": name_slips,
    "unanswered": unanswered,
    "length": lengths,
    "beat-untold": untold_beats,
}
_SOFT: Mapping[Rule, Callable[[Checked], Iterable[Place]]] = {
    "worn-phrase": voice.worn_phrases,
    "not-but": voice.not_but,
    "same-openings": voice.same_openings,
    "same-ends": voice.same_ends,
    "tense": voice.tense,
    "person": voice.person,
    "dialogue": voice.dialogue,
    "never": voice.never,
}


def findings(draft: Draft, index: BookIndex) -> tuple[Finding, ...]:
    """The faults of a draft, hard ones first, each rule's in the order of the text; no intended ones.

    Args:
        index: of the book without the draft.
    """
    return parted(every_finding(draft, index), draft.intended)[0]


def every_finding(draft: Draft, index: BookIndex) -> tuple[Finding, ...]:
    """As ``findings``, with those that the author means so; rules that are switched off find nothing."""
    given = checked(draft, index)
    return tuple(
        finding(rule, place, given.prose, hard=hard)
        for rules, hard in ((_HARD, True), (_SOFT, False))
        for rule, places in rules.items()
        if rule not in draft.off
        for place in places(given)
    )


def finding(rule: Rule, place: Place, prose: str, *, hard: bool) -> Finding:
    """A place of a text as what a rule found there."""
    quote = prose[place.start : min(place.end, place.start + LONGEST_QUOTE)]
    return Finding(rule=rule, quote=quote, start=place.start, end=place.end, hard=hard, other=place.other)
