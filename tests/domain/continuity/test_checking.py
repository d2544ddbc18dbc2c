"""Contradictions of a book are found by rules over quoted facts; what may differ stays silent."""

from collections.abc import Sequence

from penwright.domain.continuity.checking import contradictions, years
from penwright.domain.continuity.deciding import on_finding, sorted_by
from penwright.domain.continuity.known import known
from schemas.continuity import Decisions, Fact, Mode, ThreadStep
from tests.domain.continuity.stories import fact, reading, thread, told
from tests.support.each import for_each

Line = tuple[str, str, str] | tuple[str, str, str, Mode]
"""Whom a fact is about, its trait and value, and its mode if the narrator does not tell it."""


def found(*lines: Line, files: dict[str, str] | None = None) -> list[str]:
    """Rules that find something in paragraphs with one fact each, a chapter each."""
    texts = [f"{each[0]} and {each[1]} in sentence {at}." for at, each in enumerate(lines)]
    blocks = tuple(block for at, text in enumerate(texts, 1) for block in told(text, chapter=at))
    stated: Sequence[Fact] = [
        fact(*each[:3], text, *each[3:]) for each, text in zip(lines, texts, strict=True)
    ]
    story = known([reading(texts, *stated)], blocks)
    return [each.rule for each in contradictions(story, len(lines), files or {})]


@for_each(
    "lines, rule",
    [
        ([("Mara", "eyes", "grey"), ("Mara", "eyes", "green")], "one-value"),
        ([("Mara", "birthday", "3 May"), ("Mara", "birthday", "in June")], "one-value"),
        ([("Mara", "surname", "Quill"), ("Mara", "surname", "Quint")], "one-value"),
        ([("Mara", "age", "forty-one"), ("Mara", "age", "38")], "age"),
        ([("Mara", "kin", "sister of Ash"), ("Mara", "kin", "mother of Ash")], "kin"),
        ([("Mara", "dead", "yes"), ("Mara", "holds", "the lamp")], "dead-acts"),
        ([("Mara", "lost", "the lamp"), ("Mara", "holds", "the lamp")], "lost-used"),
        ([("lamp", "lost", "yes"), ("Mara", "holds", "the lamp")], "lost-used"),
    ],
)
def test_a_contradiction_of_each_family_is_found_once(lines: list[Line], rule: str) -> None:
    assert found(*lines) == [rule]
    assert found(*lines, *lines[1:]) == [rule]


@for_each(
    "lines",
    [
        [("Mara", "eyes", "grey"), ("Mara", "eyes", "dark grey")],
        [("Mara", "eyes", "grey"), ("Ash", "eyes", "green")],
        [("Mara", "eyes", "grey"), ("Mara", "eyes", "green", "said")],
        [("Mara", "eyes", "grey"), ("Mara", "eyes", "green", "dreamt")],
        [("Mara", "hair", "red"), ("Mara", "hair", "black")],
        [("Mara", "age", "38"), ("Mara", "age", "41")],
        [("Mara", "age", "forty-one"), ("Mara", "age", "twelve", "remembered")],
        [("Mara", "kin", "sister of Ash"), ("Mara", "kin", "aunt of Ida")],
        [("Mara", "kin", "younger sister of Ash"), ("Mara", "kin", "twin of Ash")],
        [("Mara", "dead", "yes", "believed"), ("Mara", "holds", "the lamp")],
        [("Mara", "holds", "the lamp"), ("Mara", "dead", "yes")],
        [("Mara", "dead", "yes"), ("Mara", "holds", "the lamp", "remembered")],
        [("Mara", "lost", "the lamp"), ("Mara", "found", "the lamp"), ("Mara", "holds", "the lamp")],
        [("Mara", "lost", "the lamp"), ("Mara", "holds", "the lamplight")],
    ],
)
def test_what_may_differ_is_no_contradiction(lines: list[Line]) -> None:
    assert found(*lines) == []


@for_each(
    "text, rules",
    [
        ("# Mara\n\n- Eyes: green\n", ["canon"]),
        ("- Name: Mara\n- Eyes: green\n", ["canon"]),
        ("**Mara**: the keeper\n- **Eyes**: green\n", ["canon"]),
        ("# Mara\n\n- Eyes: grey\n\n# Ash\n\n- Eyes: green\n", []),
        ("# Mara\n\n- Eyes: [their colour]\n", []),
        ("Eyes: green\n", []),
    ],
)
def test_the_authors_files_are_held_against_the_prose(text: str, rules: list[str]) -> None:
    assert found(("Mara", "eyes", "grey"), files={"Global Material/Characters.md": text}) == rules


def test_a_thread_that_nobody_touched_is_overdue() -> None:
    planted = "Who had burnt the ledger?"

    def rules(step: ThreadStep, chapter: int) -> list[str]:
        story = known([reading([planted], step)], told(planted, chapter=1))
        return [each.rule for each in contradictions(story, chapter, {})]

    assert rules(thread("ledger", "planted", planted), 12) == []
    assert rules(thread("ledger", "planted", planted), 13) == ["overdue"]
    assert rules(thread("ledger", "due", planted), 4) == ["overdue"]
    assert rules(thread("ledger", "paid", planted), 40) == []


def test_an_intended_contradiction_is_silent_while_both_quotes_stand() -> None:
    grey, green, blue = "Mara had grey eyes.", "Mara had green eyes.", "Mara’s eyes were blue."
    texts = (grey, green, blue)
    read = [reading(texts, *(fact("Mara", "eyes", each.split()[-2], each) for each in texts[:2]))]
    read.append(reading([blue], fact("Mara", "eyes", "blue", blue), at="2026-02-01T00:00:00+00:00"))
    (first,) = contradictions(known(read, told(grey, green)), 1, {})

    decisions = Decisions(intended=(on_finding(first),))
    sorted_now = sorted_by((first,), decisions)
    changed = contradictions(known(read, told(grey, blue)), 1, {})

    assert (sorted_now.left, sorted_now.intended) == ((), (first,))
    assert sorted_by(changed, decisions).left == changed


@for_each(
    "value, number",
    [
        ("41", 41),
        ("forty-one", 41),
        ("about thirty", 30),
        ("nine years old", 9),
        ("seventeen", 17),
        ("old", None),
    ],
)
def test_an_age_is_read_in_digits_and_in_words(value: str, number: int | None) -> None:
    assert years(value) == number
