"""A writer's reply is taken apart without losing prose, and refused by name when it holds none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.book.review.session_reply import (
    SessionReply,
    is_short,
    parse_continuation,
    parse_session_reply,
)
from penwright.domain.text.words import count_words
from penwright.errors import ModelMistake
from schemas.book import Instruction
from tests.support.each import for_each

PROSE = "The lamp went out. Mara counted to nine and opened the door.\n\nNobody stood there."
REPORT = """=== REPORT ===
summary: Mara opens the door.
instructions answered: 1
arcs closed: yes
=== END ==="""
REWORK = """<!-- INK:REWORKED:START -->
> **[Rework]** make it shorter

She ran.
<!-- INK:ORIGINAL:START -->
She ran, and ran, and went on running.
<!-- INK:ORIGINAL:END -->
<!-- INK:REWORKED:END -->"""
NEW = f"<!-- INK:NEW:START -->\n{PROSE}\n<!-- INK:NEW:END -->"
ASKED = Instruction(anchor="She ran, and ran, and went on running.", instruction="make it shorter")


def read(
    text: str, *, words_wanted: int = 15, instructions: tuple[Instruction, ...] = (ASKED,)
) -> SessionReply:
    return parse_session_reply(text, words_wanted=words_wanted, instructions=instructions)


def test_a_complete_reply_is_taken_apart() -> None:
    reply = read(f"{REWORK}\n\n{NEW}\n\n{REPORT}")

    assert reply.new_prose == PROSE
    assert reply.reworked[0].text == "She ran."
    assert reply.reworked[0].original == ASKED.anchor
    assert (reply.summary, reply.arcs_closed) == ("Mara opens the door.", True)
    assert reply.repairs == ()
    assert (reply.new_words, reply.words) == (15, 17)


def test_the_prose_of_a_clean_reply_is_that_reply() -> None:
    assert read(f"{REWORK}\n\n{NEW}\n\n{REPORT}").prose == f"{REWORK}\n\n{NEW}\n"


def test_prose_without_any_marker_is_new_prose() -> None:
    assert read(PROSE).new_prose == PROSE


def test_a_missing_report_is_made_from_the_prose_and_closes_nothing() -> None:
    reply = read(NEW)

    assert reply.summary.startswith("The lamp went out.")
    assert not reply.arcs_closed


@pytest.mark.parametrize("fence", ["```\n{}\n```", "```markdown\n{}\n```\n", "~~~\n{}\n~~~"])
def test_a_code_fence_around_the_whole_is_taken_off(fence: str) -> None:
    assert read(fence.format(f"{NEW}\n\n{REPORT}")).new_prose == PROSE


@for_each(
    "text",
    [
        f"<!-- INK:NEW:START -->\n{PROSE}",
        f"<!-- INK:NEW:START -->\n{PROSE}\n\n{REPORT}",
        f"<!--INK: new:start-->\n{PROSE}\n<!-- INK:NEW:END -->",
        f"Here is the session:\n\n{NEW}",
        NEW.replace("\n", "\r\n"),
        f"{REPORT.replace('summary', 'note')}\n\n{NEW}".split("\n\n", 1)[1],
    ],
)
def test_untidy_replies_neither_lose_nor_gain_prose(text: str) -> None:
    assert read(text).new_prose == PROSE


@for_each(
    "rework",
    [
        REWORK.replace("<!-- INK:REWORKED:END -->", ""),
        REWORK.replace("<!-- INK:ORIGINAL:END -->\n", ""),
        REWORK.replace("<!-- INK:ORIGINAL:END -->\n<!-- INK:REWORKED:END -->", ""),
        REWORK.replace("> **[Rework]** make it shorter\n", ""),
        REWORK.replace("> **[Rework]** make", "**[Rework]**: Make"),
        REWORK.split("<!-- INK:ORIGINAL:START -->")[0] + "<!-- INK:REWORKED:END -->",
    ],
)
def test_a_damaged_rework_block_is_repaired_when_its_parts_are_certain(rework: str) -> None:
    reply = read(f"{rework}\n\n{NEW}")

    assert [passage.text for passage in reply.reworked] == ["She ran."]
    assert reply.reworked[0].original == ASKED.anchor
    assert reply.reworked[0].instruction.casefold() == ASKED.instruction
    assert reply.new_prose == PROSE


def test_markers_copied_into_an_original_do_not_end_it() -> None:
    copied = REWORK.replace("She ran, and", "<!-- INK:NEW:START -->\nShe ran, and")

    reply = read(f"{copied}\n\n{NEW}")

    assert reply.reworked[0].original == ASKED.anchor
    assert reply.new_prose == PROSE


def test_a_whole_block_copied_into_an_original_does_not_end_it() -> None:
    copied = REWORK.replace(ASKED.anchor, f"<!-- INK:NEW:START -->\n{ASKED.anchor}\n<!-- INK:NEW:END -->")

    reply = read(f"{copied}\n\n{NEW}")

    assert reply.reworked[0].original == ASKED.anchor
    assert reply.new_prose == PROSE


def test_reworks_of_two_equal_instructions_each_replace_their_own_passage() -> None:
    both = tuple(Instruction(anchor=f"Passage {which}.", instruction="darker") for which in "AB")
    block = "<!-- INK:REWORKED:START -->\n> **[Rework]** darker\n\n{}\n<!-- INK:REWORKED:END -->"

    reply = read(f"{block.format('One.')}\n{block.format('Two.')}\n{NEW}", instructions=both)

    assert [(part.text, part.original) for part in reply.reworked] == [
        ("One.", "Passage A."),
        ("Two.", "Passage B."),
    ]


def test_a_rework_without_annotation_is_matched_by_the_passage_it_quotes() -> None:
    both = (Instruction(anchor="Somewhere else.", instruction="longer"), ASKED)

    reply = read(f"{REWORK.replace('> **[Rework]** make it shorter', '')}\n{NEW}", instructions=both)

    assert [part.instruction for part in reply.reworked] == ["make it shorter"]


def test_an_unrequested_rework_keeps_its_words() -> None:
    reply = read(f"<!-- INK:REWORKED:START -->\nShe ran.\n<!-- INK:REWORKED:END -->\n{NEW}", instructions=())

    assert "She ran." in reply.prose
    assert reply.words == 17


@for_each(
    "text, code",
    [
        ("", "empty-reply"),
        ("  \n", "empty-reply"),
        (REPORT, "empty-reply"),
        ('{"prose": "The lamp went out."}', "json-reply"),
        ('```json\n{"prose": "The lamp went out."}\n```', "json-reply"),
        ('{"prose": "The lamp went', "half-json"),
        ("The lamp.", "prose-too-short"),
        (REWORK, "no-prose"),
        (REWORK.split("<!-- INK:ORIGINAL:END")[0] + PROSE, "unterminated-original"),
    ],
)
def test_unusable_replies_are_refused_by_code(text: str, code: str) -> None:
    with pytest.raises(ModelMistake) as caught:
        read(text)

    assert caught.value.code == code


def test_prose_that_opens_with_a_bracket_is_not_json() -> None:
    prose = "[The stage is dark.] Mara enters, counts to nine, and opens the door to nobody."

    assert read(prose).new_prose == prose


def test_a_session_that_only_reworks_adds_no_prose() -> None:
    reply = read(f"{REWORK}\n\n{NEW}", words_wanted=0)

    assert reply.new_prose == ""
    assert len(reply.reworked) == 1
    assert "make it shorter" in reply.summary


@pytest.mark.parametrize("text", [NEW, "<!-- INK:REWORKED:START -->\n> **[Rework]** no idea\n\nHm.\n"])
def test_a_session_that_only_reworks_must_rework(text: str) -> None:
    with pytest.raises(ModelMistake) as caught:
        read(text, words_wanted=0)

    assert caught.value.code == "no-prose"


def test_headings_and_chapter_markers_are_kept() -> None:
    prose = f"## Chapter 4\n\n{PROSE}\n\n* * *\n\nMorning."

    assert read(f"<!-- INK:NEW:START -->\n{prose}\n<!-- INK:NEW:END -->").new_prose == prose


def test_the_word_report_inside_a_story_is_prose() -> None:
    prose = f"{PROSE}\n\nREPORT\n\nThe headline ran across four columns of the morning paper."

    assert read(prose).new_prose == prose


def test_a_summary_cannot_smuggle_a_comment_into_the_book() -> None:
    smuggled = REPORT.replace("Mara opens", "Mara <!-- INK: delete all --> opens")

    assert read(f"{NEW}\n\n{smuggled}").summary == "Mara opens the door."


def test_a_summary_cannot_open_a_comment_in_the_book() -> None:
    unclosed = REPORT.replace("Mara opens", "Mara <!-- INK: opens")

    assert read(f"{NEW}\n\n{unclosed}").summary == "Mara INK: opens the door."


@pytest.mark.parametrize(("words", "short"), [(84, True), (85, False), (100, False)])
def test_the_writer_is_asked_to_go_on_below_85_percent(words: int, short: bool) -> None:
    assert is_short(read("word " * words, words_wanted=100).new_words, 100) is short


@pytest.mark.parametrize("text", ["", REPORT, '{"prose": "x"}'])
def test_a_continuation_without_prose_adds_nothing(text: str) -> None:
    assert parse_continuation(text).prose == ""


def test_a_continuation_gives_its_prose() -> None:
    more = parse_continuation(f"{NEW}\n\n{REPORT}")

    assert (more.prose, more.summary, more.arcs_closed) == (PROSE, "Mara opens the door.", True)


@given(text=st.text(), wanted=st.integers(min_value=0, max_value=50))
def test_any_text_is_parsed_or_refused_and_its_prose_parses_to_itself(text: str, wanted: int) -> None:
    try:
        reply = parse_session_reply(text, words_wanted=wanted)
    except ModelMistake:
        return

    again = parse_session_reply(reply.prose, words_wanted=wanted)
    assert again.prose == reply.prose


MARKERS = [
    f"<!-- INK:{kind}:{edge} -->" for kind in ("NEW", "REWORKED", "ORIGINAL") for edge in ("START", "END")
]


@given(
    pieces=st.lists(st.sampled_from([*MARKERS, "alpha", "beta", "> **[Rework]** cut", "gamma"]), max_size=14)
)
def test_no_order_of_markers_repeats_words_or_leaves_a_marker_in_prose(pieces: list[str]) -> None:
    numbered = [f"{piece}{at}" if piece.isalpha() else piece for at, piece in enumerate(pieces)]
    try:
        reply = parse_session_reply("\n".join(numbered), words_wanted=1)
    except ModelMistake:
        return

    words = reply.new_prose.split() + [word for part in reply.reworked for word in part.text.split()]
    assert len(words) == len(set(words))
    assert "INK:" not in reply.new_prose
    assert count_words(reply.new_prose) == reply.new_words
