"""Whether a sentence that has a claim's words asserts the claim, denies it, or only mentions it.

Rules of words, without grammar: each of them can only take ``says`` away from a sentence, never give it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from penwright.domain.citations.support.words import DOWN, UP, stem, terms_of, words_of

Assent = Literal["asserts", "denies", "mentions"]

_CLAUSE = re.compile(r"[,;:](?=\s)|\s[–—]\s|\b(?:and|but|while|whereas|although|though)\b")
_YEAR = re.compile(r"1\d{3}|20\d\d")
_NO: Final = frozenset(
    (
        *("no", "not", "never", "none", "neither", "nor", "without", "cannot", "fail", "fails"),
        *("failed", "lack", "lacks", "lacked", "hardly", "scarcely", "barely", "rarely", "seldom"),
    )
)
_OPEN: Final = frozenset(
    (
        *("whether", "if", "may", "might", "could", "would", "should", "perhaps", "possibly", "myth"),
        *("claim", "claims", "claimed", "believe", "believed", "believes", "belief", "assume", "assumed"),
        *("suppose", "supposed", "supposedly", "alleged", "allegedly", "hypothesis", "hypotheses"),
        *("hypothesise", "hypothesised", "hypothesize", "hypothesized", "thought", "argued", "contended"),
        *("conjecture", "conjectured", "rumour", "rumoured", "unclear", "unknown", "doubt", "doubtful"),
        *("unproven", "debated", "disputed", "expected", "predicted", "said", "asked", "wonder"),
    )
)
"""Words of a sentence that leaves open what it tells, or tells it as another's."""
_REFUTED: Final = frozenset(
    (
        *("refute", "refutes", "refuted", "contradict", "contradicts", "contradicted", "disprove"),
        *("disproved", "false", "wrong", "mistaken", "untrue", "retracted", "overturned"),
    )
)
_TURNING: Final = ("however", "but", "yet", "nevertheless", "nonetheless", "instead", "this", "that", "later")
"""Beginnings of a sentence that may take back the one before."""
_CAUSES: Final = frozenset(
    (
        *("cause", "causes", "caused", "causing", "because", "leads", "lead", "led", "produces"),
        *("produced", "due", "makes", "made", "drives", "triggers", "triggered"),
    )
)
_TOGETHER: Final = frozenset(
    (
        *("associated", "association", "correlated", "correlates", "correlation", "linked", "link"),
        *("related", "coincides", "coincided", "accompanied"),
    )
)
_ALL: Final = frozenset(("all", "every", "each", "always", "entire", "entirely", "everywhere", "everyone"))
_WIDE: Final = (
    (_ALL, _ALL),
    (frozenset(("most", "mostly", "majority", "usually")), _ALL | {"most", "mostly", "majority", "usually"}),
    (frozenset(("only", "solely", "exclusively")), frozenset(("only", "solely", "exclusively", "alone"))),
)
"""Words of a wide claim, and those of which its source needs one."""
_OPPOSITES: Final = tuple(
    (stem(one), stem(other))
    for one, other in (
        *(("before", "after"), ("early", "late"), ("earlier", "later"), ("first", "last")),
        *(("warm", "cold"), ("hot", "cold"), ("wet", "dry"), ("rich", "poor"), ("young", "old")),
        *(("younger", "older"), ("strong", "weak"), ("stronger", "weaker"), ("north", "south")),
        *(("northern", "southern"), ("east", "west"), ("eastern", "western"), ("male", "female")),
        *(("men", "women"), ("boys", "girls"), ("positive", "negative"), ("success", "failure")),
        *(("succeeded", "failed"), ("safe", "dangerous"), ("harmful", "harmless")),
        *(("present", "absent"), ("accepted", "rejected"), ("supported", "opposed"), ("won", "lost")),
        *(("protect", "harm"), ("public", "private"), ("urban", "rural"), ("summer", "winter")),
        *(("imports", "exports"), ("inside", "outside"), ("above", "below"), ("causes", "prevents")),
        *(("gains", "losses"), ("major", "minor"), ("common", "rare"), ("effective", "ineffective")),
        *(("possible", "impossible"), ("large", "small"), ("heavy", "light"), ("fast", "slow")),
        *(("begins", "ends"), ("high", "low"), ("maximum", "minimum"), ("always", "never")),
    )
)


def assent(claim: str, sentence: str, after: str = "", known: frozenset[str] = frozenset()) -> Assent:
    """Return what a sentence that has a claim's words does to the claim.

    Args:
        after: the sentence behind it, which may take it back.
        known: stems that need not stand in it, such as its author's name.
    """
    clause = _nearest_clause(claim, sentence)
    is_apart = _is_negated(claim) is not _is_negated(sentence)
    is_denied = is_apart and _is_negated(claim) is not _is_negated(clause)
    turns = is_denied + _turns(claim, clause)
    if turns % 2 == 1:
        return "denies"
    if turns or is_apart:
        return "mentions"
    ours, theirs = _numbers(claim, known), _numbers(sentence)
    if not all(_in_order(ours, theirs, form) for form in ("%", "year", "count")):
        return "denies" if _are_others(ours, theirs) else "mentions"
    return (
        "mentions" if _is_less(claim, sentence, known) or _is_left_open(claim, sentence, after) else "asserts"
    )


def is_turning(word: str) -> bool:
    """Whether a stem is one of a pair of opposites, so that its absence may be a denial."""
    return any(word in pair for pair in _OPPOSITES)


def _turns(claim: str, clause: str) -> int:
    """Number of ways in which the words of a clause turn the claim round; two of them may be none."""
    ours, theirs = _direction(claim), _direction(clause)
    stems = {stem(word) for word in words_of(clause)}
    own = {stem(word) for word in words_of(claim)}
    opposite = any(
        (a in own and b not in own and b in stems and a not in stems)
        or (b in own and a not in own and a in stems and b not in stems)
        for a, b in _OPPOSITES
    )
    return sum((ours * theirs == -1, opposite, _is_swapped(claim, clause)))


def _direction(text: str) -> int:
    words = set(words_of(text))
    up, down = bool(words & UP), bool(words & DOWN)
    return 0 if up == down else 1 if up else -1


def _is_negated(text: str) -> bool:
    words = words_of(text.replace("not only", ""))
    if "neither" in words:
        words = [each for each in words if each != "nor"]
    return sum(each in _NO or each.endswith(("n't", "n’t")) for each in words) % 2 == 1


def _is_swapped(claim: str, clause: str) -> bool:
    """Whether what the claim compares with is what the clause compares."""
    (_, ours), (front, back) = _compared(claim), _compared(clause)
    return len(ours & front) > len(ours & back)


def _compared(text: str) -> tuple[frozenset[str], frozenset[str]]:
    front, than, back = text.partition(" than ")
    if not than:
        return frozenset(), frozenset()
    return frozenset(each.stem for each in terms_of(front)), frozenset(each.stem for each in terms_of(back))


def _nearest_clause(claim: str, sentence: str) -> str:
    """The clause that has most of the claim's words; the whole sentence, if none has nearly all of them."""
    wanted = {each.stem for each in terms_of(claim) if each.kind != "direction"}
    clauses = _CLAUSE.split(sentence)
    best = max(clauses, key=lambda each: len(wanted & {term.stem for term in terms_of(each)}))
    held = wanted & {term.stem for term in terms_of(best)}
    return best if len(held) >= 0.6 * len(wanted) else sentence


def _numbers(text: str, known: frozenset[str] = frozenset()) -> Sequence[str]:
    return [each.stem for each in terms_of(text) if each.kind == "number" and each.stem not in known]


def _in_order(ours: Sequence[str], theirs: Sequence[str], form: str) -> bool:
    rest: Iterator[str] = (each for each in theirs if _form(each) == form)
    return all(each in rest for each in ours if _form(each) == form)


def _are_others(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether a number that is missing has another of its form in its place."""
    if sorted(ours) == sorted(theirs):
        return True
    missing = [each for each in ours if each not in theirs]
    return bool(missing) and all(any(_form(each) == _form(other) for other in theirs) for each in missing)


def _form(number: str) -> str:
    return "%" if number.endswith("%") else "year" if _YEAR.fullmatch(number) else "count"


def _is_less(claim: str, sentence: str, known: frozenset[str]) -> bool:
    """Whether the sentence lacks a name, a direction, a cause or the reach of the claim."""
    ours, theirs = set(words_of(claim)), set(words_of(sentence))
    stems = {each.stem for each in terms_of(sentence)}
    needed = {each.stem for each in terms_of(claim) if each.kind in ("name", "direction")} - known
    if needed - stems:
        return True
    if ours & _CAUSES and theirs & _TOGETHER and not theirs & _CAUSES:
        return True
    return any(ours & wide and not theirs & enough for wide, enough in _WIDE)


def _is_left_open(claim: str, sentence: str, after: str) -> bool:
    if sentence.rstrip(" \n”’\"'").endswith("?"):
        return True
    if (set(words_of(sentence)) & _OPEN) - set(words_of(claim)):
        return True
    behind = words_of(after)
    return behind[:1] != [] and behind[0] in _TURNING and (_is_negated(after) or bool(set(behind) & _REFUTED))
