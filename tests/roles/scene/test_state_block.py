"""What of a reply is prose, what reports a state, and what may be shown of it while it comes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.roles.scene.speech.shown import shown
from penwright.roles.scene.state_block import parted
from schemas.director import StatePatch
from tests.support.each import for_each
from tests.support.scenes.replies import SPOKEN

PROSE = "She turns the sign.\n\n---\n\n[CLOSED] {so}"


@for_each(
    "block",
    [
        '```state\n{"mood": "wary"}\n```',
        '```state {"mood": "wary"} ```',
        '````State\n{"Mood": "wary", "location": "default", "position": "left"}\n````\n\n',
        '~~~state\n{"mood": "wary",}\n~~~',
        "```state\n{mood: 'wary'}\n```",
        '```state\n{"characterState": {"mood": ["wary"], "clothing": null, "intentions": ""}}\n```',
        '```json\n{"mood": "wary"}\n```',
    ],
)
def test_a_last_block_reports_a_state_and_is_no_prose(block: str) -> None:
    found = parted(f"{PROSE}\n\n{block}")

    assert (found.prose, found.reported, found.block) == (PROSE, StatePatch(mood="wary"), "read")


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        ('```state\n{"mood": "wary"', "it has no end"),
        ("```state\nwary\n```", "it holds no JSON object"),
        ('```state\n{"hunger": "much"}\n```', "it names no field of a state"),
        ("```state\n```", "it holds no JSON object"),
        ("```state", "it has no end"),
    ],
)
def test_a_broken_block_reports_nothing_and_the_prose_stands(block: str, problem: str) -> None:
    found = parted(f"{PROSE}\n\n{block}")

    assert (found.prose, found.reported, found.block) == (PROSE, StatePatch(), "broken")
    assert problem in found.problem


@for_each(
    "prose",
    [
        PROSE,
        'The note says:\n\n```state\n{"mood": "wary"}\n```\n\nShe burns it.',
        'On the screen:\n\n```json\n{"door": "open"}\n```',
        "```\ncode\n```",
        '{"response": "She nods."}',
        "He counts: ```state of things```, he says.",
    ],
)
def test_everything_else_is_prose_and_stays_whole(prose: str) -> None:
    assert parted(prose) == (prose, StatePatch(), "none", "")


def test_while_a_reply_comes_its_state_is_not_shown() -> None:
    reply = SPOKEN
    prose = parted(reply).prose
    before = ""

    for end in range(len(reply) + 1):
        now = shown(reply[:end])
        assert now.startswith(before)
        assert prose.startswith(now), now
        before = now
    assert before == prose


PARTS = ["a ", "\n", "```", "```state", "```json\n", '{"mood": "x"}', "<think>", "~~~"]


@given(st.lists(st.sampled_from(PARTS)))
def test_what_is_shown_is_always_a_beginning_of_the_same_text(parts: list[str]) -> None:
    text = "".join(parts)
    longest = ""

    for end in range(len(text) + 1):
        now = shown(text[:end])
        assert now.startswith(longest) or longest.startswith(now)
        longest = max(longest, now, key=len)


@given(st.text(max_size=400))
def test_any_text_is_parted_without_losing_a_word_of_prose(text: str) -> None:
    found = parted(text)

    assert found.prose in text
    if found.block == "none" and not text.lstrip().lower().startswith(("<think", "<reasoning")):
        assert found.prose == text.strip()
