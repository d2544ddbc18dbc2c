"""The waiting prose, passage by passage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.book.review.closing import held_warnings
from penwright.domain.book.review.markers import new_block, rework_block
from penwright.domain.book.review.passages import Decision, decided, notes_without_prose, passages
from penwright.domain.book.review.waiting_prose import read_waiting
from penwright.errors import UsageMistake
from tests.support.each import for_each

REVIEW = "\n\n".join(
    (
        "The tide came in. <!-- INK: slower -->",
        rework_block("make it shorter", "She left.", "She stood up, and then, after all, she left."),
        new_block("The boat was gone.\n\nSo was the rope."),
    )
)
"""A passage with a note, a reworked one, and two new ones."""


def decision(verdict: str, number: int, text: str = "") -> Decision:
    return Decision(passages(REVIEW)[number].id, verdict, text)  # type: ignore[arg-type]


def test_passages_stand_in_story_order_with_their_notes() -> None:
    found = passages(REVIEW)

    assert [each.kind for each in found] == ["new", "reworked", "new", "new"]
    assert [each.text for each in found] == [
        "The tide came in.",
        "She left.",
        "The boat was gone.",
        "So was the rope.",
    ]
    assert found[0].notes == ("slower",)
    assert found[1].before == "She stood up, and then, after all, she left."
    assert found[1].answered == "make it shorter"


def test_a_note_in_a_paragraph_of_its_own_stands_at_the_passage_before_and_goes_with_it() -> None:
    review = "The tide came in.\n\n<!-- INK: slower -->\n\nThe boat was gone.\n"
    first, second = passages(review)

    assert (first.text, first.notes) == ("The tide came in.", ("slower",))
    assert (second.text, second.notes) == ("The boat was gone.", ())
    assert decided(review, [Decision(first.id, "reject")]) == "The boat was gone.\n"
    more = decided(review, [Decision(first.id, "comment", "and darker")])
    assert passages(more)[0].notes == ("slower", "and darker")


@pytest.mark.parametrize(
    ("review", "told"),
    [
        ("<!-- INK: begin with rain -->\n", ("begin with rain",)),
        ("# One\n\n<!-- INK: shorter -->\n\n<!-- INK: and darker -->\n", ("shorter", "and darker")),
        ("The tide came in.\n\n<!-- INK: slower -->\n", ()),
        ("# One\n", ()),
        ("", ()),
    ],
)
def test_notes_of_a_review_without_prose_stand_at_no_passage(review: str, told: tuple[str, ...]) -> None:
    assert notes_without_prose(review) == told


def test_a_note_alone_after_a_rework_is_shown_there_and_stays_when_that_is_decided() -> None:
    review = rework_block("shorter", "She left.", "She stood up, and left.") + "\n\n<!-- INK: name her -->\n"
    (only,) = passages(review)

    assert only.notes == ("name her",)
    accepted = decided(review, [Decision(only.id, "accept")])
    assert passages(accepted)[0].notes == ("name her",)


@pytest.mark.parametrize(
    "review",
    [
        "<!-- INK: begin later -->\n\nThe tide came in.\n",
        "## Ebb <!-- INK: begin later -->\n\nThe tide came in.\n",
        "The tide came in.\n\n## Ebb <!-- INK: begin later -->\n",
    ],
)
def test_every_note_is_shown_at_some_passage(review: str) -> None:
    assert [each.notes for each in passages(review)] == [("begin later",)]


def test_a_heading_is_no_passage_and_stays_what_ever_is_decided() -> None:
    review = "## Ebb\n\nThe tide came in.\n\n#1 was the boat.\n"
    first, second = passages(review)

    assert (first.text, second.text) == ("The tide came in.", "#1 was the boat.")
    assert "## Ebb" in decided(review, [Decision(first.id, "reject"), Decision(second.id, "reject")])


def test_accepting_a_reworked_passage_drops_its_old_text() -> None:
    after = decided(REVIEW, [decision("accept", 1)])

    assert "She left." in after
    assert "She stood up" not in after
    assert "REWORKED" not in after


def test_rejecting_a_reworked_passage_brings_the_old_text_back() -> None:
    after = decided(REVIEW, [decision("reject", 1)])

    assert "She stood up, and then, after all, she left." in read_waiting(after).text
    assert "She left." not in after


def test_the_notes_of_a_reworked_passage_stand_beside_its_texts_and_stay_in_the_file() -> None:
    review = rework_block("shorter", "She left. <!-- INK: why? -->", "She <!-- INK: who? --> left.")
    (found,) = passages(review)

    assert (found.text, found.before, found.notes) == ("She left.", "She  left.", ("why?",))
    assert decided(review, [Decision(found.id, "accept")]).strip() == "She left. <!-- INK: why? -->"
    assert decided(review, [Decision(found.id, "reject")]).strip() == "She <!-- INK: who? --> left."


def test_rejecting_a_new_passage_takes_it_out_and_nothing_else() -> None:
    after = decided(REVIEW, [decision("reject", 2)])

    assert [each.text for each in passages(after)] == ["The tide came in.", "She left.", "So was the rope."]


def test_accepting_a_new_passage_changes_nothing() -> None:
    assert decided(REVIEW, [decision("accept", 2)]) == REVIEW


def test_a_comment_becomes_a_note_that_the_next_session_answers() -> None:
    after = decided(REVIEW, [decision("comment", 3, "who took\nit?")])

    assert passages(after)[3].notes == ("who took it?",)
    assert "So was the rope. <!-- INK: who took it? -->" in after


def test_several_decisions_are_carried_out_at_once() -> None:
    after = decided(
        REVIEW, [decision("reject", 0), decision("accept", 1), decision("replace", 3, "No rope.")]
    )

    assert [each.text for each in passages(after)] == ["She left.", "The boat was gone.", "No rope."]


@pytest.mark.parametrize("note", ["", "  ", "ends --> here", "a -- b", "x" * 2_001])
def test_a_note_that_is_none_is_refused_by_name(note: str) -> None:
    with pytest.raises(UsageMistake) as refused:
        decided(REVIEW, [decision("comment", 0, note)])

    assert refused.value.code == "bad-note"


def test_a_passage_that_was_changed_meanwhile_is_not_decided() -> None:
    gone = decision("reject", 2)
    now = REVIEW.replace("The boat was gone.", "The boat was there.")

    with pytest.raises(UsageMistake) as refused:
        decided(now, [gone])

    assert refused.value.code == "unknown-passage"


def test_equal_paragraphs_have_ids_of_their_own() -> None:
    found = passages("Same.\n\nSame.")

    assert len({each.id for each in found}) == 2
    assert [each.text for each in passages(decided("Same.\n\nSame.", [Decision(found[1].id, "reject")]))] == [
        "Same."
    ]


def test_a_blank_line_in_code_divides_no_passage() -> None:
    assert len(passages("Before.\n\n```\none\n\ntwo\n```\n\nAfter.")) == 3


@given(st.lists(st.text(alphabet="ab \n`<>!-IN:K", max_size=30), max_size=6))
def test_any_file_can_be_read_and_every_passage_rejected(parts: list[str]) -> None:
    review = "\n\n".join(parts)

    for each in passages(review):
        decided(review, [Decision(each.id, "reject")])


@for_each(
    "comment",
    [
        "<!-- INK shorter -->",
        "<!-- INK: shorter",
        "<!-- INK: -->",
        "<!-- IKN: shorter -->",
        "<!\u2013 INK: shorter \u2013>",
        "<!-- shorter",
        "<!-- INK: shorter -- >",
        "<!-- INK: shorter ->",
        "&lt;!-- INK: shorter --&gt;",
        "[INK: shorter]",
    ],
)
def test_a_broken_note_counts_as_no_word_and_says_how_many_it_holds(comment: str) -> None:
    waiting = read_waiting(f"One two three.\n\n{comment}\n\nFour five.\n")

    (warning,) = held_warnings(waiting)
    assert waiting.words == 5
    assert warning.endswith(
        " The prose from there on waits until you do, with all that sessions add: 5 words now."
    )
