"""Contradictions in a book: rules over facts that the prose tells, each with the two quotes.

A rule decides by located quotes alone. What is only said, believed, remembered, dreamt or planned contradicts
nothing. A finding rewrites nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from penwright.domain.book.files.unfilled import filled_in
from penwright.domain.continuity.known import Known, KnownEntity, KnownFact, KnownThread, Place
from penwright.domain.continuity.telling import is_named
from schemas.continuity import Cited, ContinuityFinding
from schemas.prose import ContinuityRule

ONE_VALUE = frozenset({"eyes", "born", "birthday", "name", "surname", "blood"})
"""Traits that have one value for ever."""
_ACTS = frozenset({"holds", "with", "promised", "knows"})
"""Traits that only the living have."""
_KIN: Mapping[str, str] = {
    **dict.fromkeys(("mother", "father", "parent"), "parent"),
    **dict.fromkeys(("son", "daughter", "child"), "child"),
    **dict.fromkeys(("brother", "sister", "sibling", "twin"), "sibling"),
    **dict.fromkeys(("husband", "wife", "spouse"), "spouse"),
    **dict.fromkeys(("uncle", "aunt"), "uncle"),
    **dict.fromkeys(("nephew", "niece"), "nephew"),
    **dict.fromkeys(("grandfather", "grandmother"), "grandparent"),
    **dict.fromkeys(("grandson", "granddaughter"), "grandchild"),
}
_OF = re.compile(
    r"(?:the |a |an )?(?:elder |younger |older |twin |only |half-)*([a-z]+) of (.+)", re.IGNORECASE
)
_AGE = re.compile(r"\b(\d{1,3})\b")
_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *(
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ),
)
_TENS = (*("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"),)
_ARTICLES = frozenset({"a", "an", "the", "her", "his", "their", "its"})
_WAITS = 12
"""Chapters after which a thread without a further step is overdue; a due one after ``_DUE``."""
_DUE = 3
_LINE = re.compile(
    r"^\s*(?:[-*+]\s+)?(?:\*\*|__)?([\w ]{2,30}?)(?:\*\*|__)?\s*:\s*(?:\*\*|__)?\s*(\S.*?)\s*$"
)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(\S.*?)\s*$")


def contradictions(story: Known, chapter: int, files: Mapping[str, str]) -> tuple[ContinuityFinding, ...]:
    """Everything in which the story contradicts itself or the author's files; hard ones first.

    Args:
        chapter: the current one.
        files: the author's own, such as Characters.md, by path.
    """
    found: list[ContinuityFinding] = []
    for facts in story.by_entity.values():
        told = [each for each in facts if each.mode == "told"]
        for rule in (_one_value, _age, _kin, _dead_acts):
            found += rule(told)
    found += _lost_used([each for each in story.facts if each.mode == "told"])
    found += _canon(story, files)
    found += _overdue(story.threads, chapter)
    return tuple(sorted(set(found), key=_place))


def _place(finding: ContinuityFinding) -> tuple[bool, int, str, str]:
    return not finding.hard, finding.later.chapter, finding.later.quote, finding.rule


def _finding(
    rule: ContinuityRule, earlier: KnownFact, later: KnownFact, *, hard: bool = True
) -> ContinuityFinding:
    return ContinuityFinding(
        rule=rule,
        about=later.entity,
        trait=later.trait,
        earlier=_cited(earlier.place, earlier.value, earlier.number),
        later=_cited(later.place, later.value, later.number),
        hard=hard,
    )


def _cited(place: Place, value: str, fact: int = 0) -> Cited:
    return Cited(chapter=place.chapter, quote=place.quote, value=value, block=place.block, fact=fact)


def _one_value(told: Sequence[KnownFact]) -> Iterator[ContinuityFinding]:
    """The first value of each trait with each other one."""
    values: dict[str, list[KnownFact]] = {}
    for each in told:
        known_values = values.setdefault(each.trait, [])
        if each.trait in ONE_VALUE and all(differ(each.value, other.value) for other in known_values):
            if known_values:
                yield _finding("one-value", known_values[0], each)
            known_values.append(each)


def differ(one: str, other: str) -> bool:
    """Whether two values cannot both hold; one that only says more does not differ."""
    first, second = _words(one), _words(other)
    return bool(first and second) and not (first <= second or second <= first)


def _words(value: str) -> frozenset[str]:
    words = frozenset(re.findall(r"\w+", value.casefold()))
    return words - _ARTICLES or words


def _age(told: Sequence[KnownFact]) -> Iterator[ContinuityFinding]:
    """An age that is lower later."""
    ages = [(age, each) for each in told if each.trait == "age" and (age := years(each.value)) is not None]
    for (one, earlier), (other, later) in combinations(ages, 2):
        if other < one:
            yield _finding("age", earlier, later)
            return


def years(value: str) -> int | None:
    """The number in an age, in digits or in English words below one hundred; None if there is none."""
    if digits := _AGE.search(value):
        return int(digits[1])
    words = re.findall(r"[a-z]+", value.casefold())
    for at, word in enumerate(words):
        if word in _TENS:
            ones = (
                _NUMBERS.index(words[at + 1]) if words[at + 1 : at + 2] and words[at + 1] in _NUMBERS else 0
            )
            return 10 * (_TENS.index(word) + 2) + (ones if ones < 10 else 0)
        if word in _NUMBERS:
            return _NUMBERS.index(word)
    return None


def _kin(told: Sequence[KnownFact]) -> Iterator[ContinuityFinding]:
    """One cannot be brother and son of the same one."""
    kin = [(found, each) for each in told if each.trait == "kin" and (found := _relation(each.value))]
    for ((one, first), earlier), ((other, second), later) in combinations(kin, 2):
        if first == second and one != other:
            yield _finding("kin", earlier, later)
            return


def _relation(value: str) -> tuple[str, str] | None:
    """The kind of relation, and to whom."""
    found = _OF.fullmatch(value.strip(" ."))
    kind = _KIN.get(found[1].casefold()) if found else None
    return (kind, found[2].casefold()) if found and kind else None


def _dead_acts(told: Sequence[KnownFact]) -> Iterator[ContinuityFinding]:
    death = next((each for each in told if each.trait == "dead"), None)
    if death is None:
        return
    later = (each for each in told if each.place.order > death.place.order)
    acts = next((each for each in later if each.trait in _ACTS or each.trait == "place"), None)
    if acts is not None:
        yield _finding("dead-acts", death, acts, hard=acts.trait in _ACTS)


def _lost_used(told: Sequence[KnownFact]) -> Iterator[ContinuityFinding]:
    """A thing that was lost is held again, and was not found between."""
    lost: dict[str, KnownFact] = {}
    for each in told:
        if each.trait == "lost":
            lost[_thing(each)] = each
        elif each.trait in ("found", "owns"):
            lost.pop(_thing(each), None)
        elif each.trait == "holds":
            for name in [name for name in lost if is_named(name, each.value)]:
                yield _finding("lost-used", lost.pop(name), each)


def _thing(fact: KnownFact) -> str:
    """The thing that a fact of losing or finding is about: its value, or its entity."""
    words = [word for word in fact.value.split() if word.casefold() not in (*_ARTICLES, "yes")]
    return " ".join(words) or fact.entity


def _canon(story: Known, files: Mapping[str, str]) -> Iterator[ContinuityFinding]:
    """A trait of one value that the author's files give otherwise."""
    for path, text in files.items():
        for entity, trait, value in _stated(filled_in(text), story.entities):
            for fact in story.by_entity.get(entity.name, ()):
                if fact.mode == "told" and fact.trait == trait and differ(value, fact.value):
                    earlier = Cited(file=path, quote=f"{trait}: {value}", value=value)
                    later = _cited(fact.place, fact.value, fact.number)
                    yield ContinuityFinding(
                        rule="canon", about=entity.name, trait=trait, earlier=earlier, later=later, hard=True
                    )
                    break


def _stated(text: str, entities: Sequence[KnownEntity]) -> Iterator[tuple[KnownEntity, str, str]]:
    """Lines ``Eyes: grey`` below a heading or a line that names an entity."""
    about: KnownEntity | None = None
    for line in text.splitlines():
        heading, pair = _HEADING.match(line), _LINE.match(line)
        if heading:
            about = _named(heading[1], entities)
        elif pair and pair[1].casefold() in ONE_VALUE and about:
            yield about, pair[1].casefold(), pair[2]
        elif pair and (owner := _named(pair[1], entities)):
            about = owner
        elif pair and pair[1].casefold() == "name":
            about = _named(pair[2], entities)


def _named(text: str, entities: Sequence[KnownEntity]) -> KnownEntity | None:
    return next((each for each in entities if any(is_named(name, text) for name in each.names)), None)


def _overdue(threads: Sequence[KnownThread], chapter: int) -> Iterator[ContinuityFinding]:
    for each in threads:
        step, place = each.steps[-1]
        waits = _DUE if step == "due" else _WAITS
        if each.is_open and chapter - place.chapter >= waits:
            first = each.steps[0]
            yield ContinuityFinding(
                rule="overdue",
                about=each.name,
                trait="thread",
                earlier=_cited(first[1], first[0]),
                later=_cited(place, step),
                hard=False,
            )
