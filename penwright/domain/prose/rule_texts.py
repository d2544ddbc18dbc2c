"""Findings in words, for the author and for the writer."""

from schemas.prose import LONGEST_BEGINNING, Finding, Rule

_TEXTS: dict[Rule, str] = {
    "cut-end": "The prose stops in the middle of a sentence",
    "task-talk": "This talks about the task instead of telling the story",
    "loop": "The same sentences stand here again and again",
    "echo": "This repeats an earlier passage",
    "name-slip": "This name is nearly a known one",
    "unanswered": "An instruction of the author has no answer",
    "length": "The length is not what was wanted",
    "beat-untold": "The report says that this beat is told, but its quote does not stand in the prose",
    "worn-phrase": "This phrase stands more often than in the rest of the book",
    "not-but": "“Not this, but that” stands too often",
    "same-openings": "Paragraphs begin alike",
    "same-ends": "Paragraphs end alike",
    "tense": "The tense is not that of the book",
    "person": "The person who tells is not that of the book",
    "dialogue": "The share of dialogue is far from that of the approved prose",
    "never": "The author does not want this",
    "one-value": "This can have one value only",
    "age": "This age is lower than an earlier one",
    "kin": "These two cannot both be so",
    "dead-acts": "One who is dead acts",
    "lost-used": "What was lost is in use again",
    "canon": "Your own file says otherwise",
    "overdue": "This thread has waited long",
    "speaks-for-persona": "This speaks for the one whom the user plays",
    "heading": "This heading is not in order",
    "heading-dropped": "A heading is gone",
    "unsourced-number": "This number has no source",
}


OF_A_SESSION: frozenset[Rule] = frozenset({"unanswered", "length", "beat-untold"})
"""Rules that hold prose against what its session was asked, which the prose alone does not say."""


_WITH_EARLIER: frozenset[Rule] = frozenset({"echo", "loop"})


def is_of_a_session(line: str) -> bool:
    """Whether a finding, as it was ``described``, is one of these rules."""
    return line.startswith(tuple(_TEXTS[rule] for rule in OF_A_SESSION))


def described(finding: Finding) -> str:
    """A finding in one line: what is wrong, the quote, and the other side of it."""
    parts = [_TEXTS[finding.rule]]
    if finding.quote:
        parts.append(f"“{_shown(finding.quote, whole=finding.end - finding.start <= len(finding.quote))}”")
    said = ": ".join(parts)
    other = _line(finding.other)
    if other.casefold() in said.casefold():
        return said
    if finding.rule not in _WITH_EARLIER:
        return f"{said} ({other})"
    return f"{said}; earlier: “{_shown(finding.other, whole=len(finding.other) < LONGEST_BEGINNING)}”"


def _shown(passage: str, *, whole: bool) -> str:
    """A passage on one line; one of which only the beginning is kept ends with a whole word."""
    return _line(passage) if whole else f"{_line(passage.rpartition(' ')[0])} …"


def _line(text: str) -> str:
    return " ".join(text.split())


def of_rule(rule: Rule) -> str:
    """The fault that a rule finds, in words."""
    return _TEXTS[rule]
