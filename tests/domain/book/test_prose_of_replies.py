"""Of a writer's reply only the prose becomes the book's: no talk about the task, no loop, no cut sentence."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.book.review.session_reply import parse_session_reply
from penwright.domain.prose.loops import is_loop
from penwright.domain.prose.task_talk import is_talk
from penwright.errors import ModelMistake
from penwright.roles.ink_writer.answer import SessionOutput, SessionTask, read_answer
from schemas.base import BlobRef
from tests.support.each import for_each

PROSE = (
    "The lamp went out before the boat had turned. Mara counted to nine, leaned out over the thwart and felt "
    "for the rope; it was wet, and somebody held its other end.\n\n"
    "“Let go,” she said. Nobody answered. The tide drew the boat towards the light, a hand's breadth, then a "
    "yard, and the rope went slack.\n\n"
    "On the quay a door closed. She waited until the steps were gone, and began to row."
)
NEW = f"<!-- INK:NEW:START -->\n{PROSE}\n<!-- INK:NEW:END -->"
CUT = PROSE[: PROSE.index("the steps were")]
REPORT = "=== REPORT ===\nsummary: {}\ninstructions answered: 0\narcs closed: {}\n=== END ==="
TALK = (
    "Sure! Here's the next scene:",
    "Certainly, here is the new prose in your voice.",
    "Here is the continuation:",
    "Below is the chapter.",
    "Okay, let me plan this session.",
    "Let me plan the session: Mara finds the rope, then the door closes.",
    "The user wants me to write 300 words.",
    "We need to write 300 words in the voice of the narrator.",
    "I need to follow the outline and write 250 words.",
    "I’ll write the next passage now.",
    "Understood. Here is the passage you asked for.",
    "Your task is to create a new chapter and answer with the instructions of your book.",
    "*(Word count: 300)*",
    "**Word count:** 312",
    "Words: 300",
    "~300 words",
    "[End of scene]",
    "Let me know if you'd like any changes!",
    "I hope this scene meets your needs.",
    "Would you like me to continue?",
    "Feel free to adjust the ending.",
    "This session continues from the last paragraph and moves the arc forward.",
)
STORY = (
    "Here is the harbour, and here the light.",
    "Let me tell you a story, she said.",
    "Let me begin at the beginning.",
    "Let me know whether you will come.",
    "I hope this finds you well.",
    "I will write no more tonight; the lamp is low.",
    "I will write the book my father could not.",
    "We need to leave before dawn.",
    "Okay. She put the lamp down.",
    "Of course the sea took him.",
    "“Let me know if the chapter pleases you,” he said.",
    "Words failed him.",
)


def prose_of(text: str) -> str:
    return parse_session_reply(text, words_wanted=90).new_prose


@for_each("paragraph", TALK)
def test_talk_about_the_task_is_known(paragraph: str) -> None:
    assert is_talk(paragraph)


@for_each("paragraph", STORY)
def test_a_story_that_begins_like_it_is_none(paragraph: str) -> None:
    assert not is_talk(paragraph)


@for_each("talk", TALK)
def test_talk_around_the_prose_does_not_become_the_book(talk: str) -> None:
    for said in (f"{talk}\n\n{PROSE}", f"{PROSE}\n\n{talk}", f"{talk}\n\n---\n\n{PROSE}\n\n---\n\n{talk}"):
        assert prose_of(said) == PROSE
        assert prose_of(f"{said}\n\n{REPORT.format('They met.', 'no')}") == PROSE


@given(before=st.text(), after=st.text())
def test_where_a_block_exists_only_its_inside_is_prose(before: str, after: str) -> None:
    outside = [
        part.replace("<", "").replace(">", "").replace("`", "").replace("~", "") for part in (before, after)
    ]

    assert prose_of(f"{outside[0]}\n\n{NEW}\n\n{outside[1]}") == PROSE


def test_notes_before_a_rule_are_not_prose() -> None:
    notes = "Let me plan the scene.\n\n1. Mara finds the rope.\n2. The door closes.\n\nThe mood is grey."

    assert prose_of(f"{notes}\n\n***\n\n{PROSE}") == PROSE


def test_what_is_left_out_is_counted() -> None:
    (warning,) = parse_session_reply(f"A stray line.\n\n{NEW}", words_wanted=90).warnings

    assert "3 words outside of the prose" in warning


@for_each(
    "text, code",
    [
        ("\n\n".join(TALK[:6]), "task-talk"),
        (f"<!-- INK:NEW:START -->\n{TALK[11]}\n<!-- INK:NEW:END -->", "task-talk"),
        (PROSE + "\n\nThis is how the tide comes in." * 40, "loop"),
    ],
)
def test_a_reply_without_a_story_is_refused(text: str, code: str) -> None:
    with pytest.raises(ModelMistake) as caught:
        prose_of(text)

    assert caught.value.code == code


def test_a_refrain_is_no_loop() -> None:
    verses = "\n\n".join(
        f"The {day} came, and the boats went out.\n\nNobody lit the lamp." for day in "abcdef"
    )

    assert not is_loop(f"{PROSE}\n\n{verses}\n\n{PROSE.upper()}")


def test_a_reply_cut_anywhere_goes_on_without_a_break() -> None:
    for offset in range(len(PROSE) - 200, len(PROSE)):
        told = _session(f"<!-- INK:NEW:START -->\n{PROSE[:offset]}", cut_off=True)
        assert told.first.cut
        assert PROSE.startswith(told.prose_of(told.first))

        more = told.go_on(f"<!-- INK:NEW:START -->\n{PROSE[offset:]}\n<!-- INK:NEW:END -->")
        assert told.prose_of(more) == PROSE


def test_a_sentence_begun_anew_replaces_its_beginning() -> None:
    told = _session(f"<!-- INK:NEW:START -->\n{CUT}", cut_off=True)

    assert told.first.stops_in == "She waited until"
    more = told.go_on("<!-- INK:NEW:START -->\nShe waited until the moon was gone.\n<!-- INK:NEW:END -->")
    assert told.prose_of(more).endswith("a door closed. She waited until the moon was gone.")
    assert not more.cut


class _Texts:
    """Long texts in memory."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def put(self, content: bytes) -> BlobRef:
        digest = hashlib.sha256(content).hexdigest()
        self._kept[digest] = content
        return BlobRef(sha256=digest, size=len(content))

    def get(self, ref: BlobRef) -> bytes:
        return self._kept[ref.sha256]


class _Told:
    """A session whose writer answered once."""

    def __init__(self, text: str, *, cut_off: bool) -> None:
        self._blobs = _Texts()
        self.first = self._read(text, None, cut_off=cut_off)

    def go_on(self, text: str, model: str = "scripted") -> SessionOutput:
        return self._read(text, self.first.model_dump(mode="json"), cut_off=False, model=model)

    def prose_of(self, output: SessionOutput) -> str:
        blocks = self._blobs.get(output.prose).decode()
        return blocks.partition("START -->\n")[2].partition("\n<!-- INK:NEW:END")[0]

    def _read(self, text: str, before: JsonValue, *, cut_off: bool, model: str = "scripted") -> SessionOutput:
        task = SessionTask(language="English", words_wanted=90)
        raw = RawReply(text, (task,), before, model, False, self._blobs, cut_off)
        output = read_answer(raw)
        assert isinstance(output, SessionOutput)
        return output


def _session(text: str, *, cut_off: bool) -> _Told:
    return _Told(text, cut_off=cut_off)


def test_reports_of_both_halves_are_kept() -> None:
    first = (
        f"<!-- INK:NEW:START -->\n{PROSE[:200]}\n<!-- INK:NEW:END -->\n\n{REPORT.format('A rope.', 'yes')}"
    )
    told = _session(first, cut_off=False)

    more = told.go_on(
        f"<!-- INK:NEW:START -->\n{PROSE[200:]}\n<!-- INK:NEW:END -->\n{REPORT.format('A door.', 'no')}"
    )

    assert (more.summary, more.arcs_closed) == ("A rope. A door.", False)


def test_every_model_that_answered_is_named_once() -> None:
    told = _session(f"<!-- INK:NEW:START -->\n{CUT}", cut_off=True)

    assert [told.go_on(REPORT, model).model for model in ("other", "scripted")] == [
        "scripted, other",
        "scripted",
    ]


def test_a_session_that_stays_cut_ends_with_its_last_whole_sentence() -> None:
    told = _session(f"<!-- INK:NEW:START -->\n{CUT}", cut_off=True)

    more = told.go_on(REPORT)

    assert told.prose_of(more).endswith("On the quay a door closed.")
    assert "an unfinished sentence of 3 words" in more.warnings[0]


def test_a_continuation_that_repeats_the_prose_adds_only_what_is_new() -> None:
    first = PROSE.rpartition("\n")[0]
    told = _session(f"<!-- INK:NEW:START -->\n{first}\n<!-- INK:NEW:END -->", cut_off=False)

    again = told.go_on(f"<!-- INK:NEW:START -->\n{PROSE}\n<!-- INK:NEW:END -->")

    assert told.prose_of(again) == PROSE
