"""Soft findings: a draft that does not sound like its book, or says one thing too often."""

from collections.abc import Sequence

from penwright.domain.prose.findings import findings
from penwright.domain.prose.indexing import index_of
from schemas.prose import BookIndex, Draft
from tests.support.each import for_each
from tests.support.prose.measuring import STORY

TEXT = STORY.read_text(encoding="utf-8")
BOOK = index_of([TEXT], "English")
PLAIN = "Nobody spoke on the way home. The rain had stopped, and the road shone like a river."
LINES = (
    "The river was high and it carried branches past the landing all morning long.",
    "Two men were mending a net on the wall, and neither had anything to say to the other.",
    "Snow had come early that year, and it lay on the roofs until the end of the month.",
    "Her brother had the key, but he was asleep in the loft and could not be woken.",
    "Nothing was left of the old bridge except a pier that stood in the reeds.",
    "A lamp was lit in the kitchen, and the smell of bread went out over the yard.",
)


def rules(
    prose: str, index: BookIndex = BOOK, *, language: str = "English", never: Sequence[str] = ()
) -> list[str]:
    """Rules of the soft findings; each quote stands where it says."""
    found = findings(Draft(prose=prose, language=language, never=tuple(never)), index)
    assert all(prose.startswith(each.quote, each.start) for each in found)
    return [each.rule for each in found if not each.hard]


def test_a_draft_in_the_voice_of_its_book_has_none() -> None:
    assert rules("\n\n".join(LINES)) == []


def test_a_phrase_that_the_book_does_not_use_as_often_is_worn() -> None:
    worn = [f"{line} The air was thick with silence." for line in LINES[:4]]

    assert "worn-phrase" in rules(" ".join(worn))
    assert "worn-phrase" not in rules(" ".join(worn), index_of([TEXT, *worn * 30], "English"))
    assert "worn-phrase" not in rules(" ".join(worn), BookIndex())


@for_each(
    "language, turn",
    [
        ("English", "It was not a lamp but a star."),
        ("English", "It wasn't a lamp. It was a star."),
        ("German", "Es war nicht eine Lampe, sondern ein Stern."),
        ("fr", "Ce n'est pas une lampe mais une étoile."),
        ("es", "No era una lámpara, sino una estrella."),
    ],
)
def test_the_third_turn_of_not_but_is_one_too_many(language: str, turn: str) -> None:
    index = index_of([], language)

    assert rules(f"{turn} {PLAIN} {turn}", index, language=language) == []
    assert rules(f"{turn} {PLAIN} {turn} {PLAIN} {turn}", index, language=language) == ["not-but"]


def test_paragraphs_that_begin_or_end_alike_are_a_habit_from_the_fourth_on() -> None:
    begun = [f"She knew {line[0].lower()}{line[1:]}" for line in LINES]
    ended = [f"{line[:-1]} in the dark." for line in LINES]

    assert rules("\n\n".join(begun)) == ["same-openings"]
    assert rules("\n\n".join(ended)) == ["same-ends"]
    assert rules("\n\n".join([*begun[:3], *LINES[3:]])) == []


def test_a_draft_in_another_tense_drifts() -> None:
    now = "\n\n".join(LINES).replace("was", "is").replace("had", "has").replace("were", "are")
    twice = f"{now}\n\nThe house is empty and the road is wet; the boat has a hole that nobody sees."

    assert rules(twice) == ["tense"]
    assert rules(f"“{twice}”".replace("\n\n", " ")) == ["dialogue"]
    assert rules(twice, BookIndex()) == []


def test_a_draft_that_another_person_tells_drifts() -> None:
    told = "I was late, and my father was angry with me. I had lost his key, so that I was sent to bed. "

    assert rules(told * 2 + "I was glad of it, for my legs had no strength; I was asleep at once.") == [
        "person"
    ]


def test_the_dialogue_of_a_draft_is_compared_with_the_book() -> None:
    talk = "\n\n".join(f"“{line}”" for line in LINES)

    assert rules(talk) == ["dialogue"]
    assert rules(talk, index_of([talk.replace("the", f"the {at}") for at in range(60)], "English")) == []


def test_prose_that_still_waits_is_no_measure_of_dialogue() -> None:
    talk = "\n\n".join(f"“{line}”" for line in LINES)
    waiting = "\n\n".join(talk.replace("the", f"the {at}") for at in range(60))

    assert rules(talk, index_of([TEXT], "English", waiting=waiting)) == ["dialogue"]
    assert rules(talk, index_of([], "English", waiting=waiting)) == []


def test_words_that_the_author_does_not_want_are_found_in_any_case_and_line() -> None:
    prose = "A Tapestry\nof light hung there. The tapestries of lightning did not."

    assert rules(prose, never=("tapestry of light", " ", "(…)", "testament to")) == ["never"]


@for_each("language", ["Finnish", "Chinese", "Klingon", ""])
def test_a_language_without_data_is_silent(language: str) -> None:
    told = "I am here. " * 3 + " ".join(LINES)

    assert rules(told, index_of([TEXT], language), language=language) == []
