"""Replies of the cast in JSON or fences: the words are taken out, or the model is asked again."""

import json

import pytest

from penwright.errors import ModelMistake
from penwright.roles.scene.state_block import shown
from schemas.director_round import SceneRole
from schemas.scene_roles import Spoken
from tests.support.scenes.replies import blobs, read

WORDS = "“No,” she says. {Nothing} moves."
_SAID = json.dumps(WORDS, ensure_ascii=False)
TAKEN = {
    "an object": f'{{"response": {_SAID}}}',
    "an object that names who speaks": f'{{"name": "Ann", "Text": {_SAID}, "reasoning": "She is wary."}}',
    "a list of one": f'[{{"content": {_SAID}}}]',
    "an object with a state": f'{{"dialogue": {_SAID}, "state": {{"mood": "wary"}}}}',
    "an object with fields of a state": f'{{"reply": {_SAID}, "mood": "wary"}}',
    "a fenced object": f'```json\n{{"reply": {_SAID}}}\n```',
    "a fence without a word": f"```\n{WORDS}\n```",
    "a fence of Markdown": f"~~~markdown\n{WORDS}\n~~~",
    "a bare state at the end": f'{WORDS}\n\n{{"mood": "wary"}}',
}
REFUSED = {
    "an error object": '{"error": {"message": "rate limit", "code": 429}}',
    "a fenced error": '```json\n{"error": "overloaded"}\n```',
    "prose and an error": f'{WORDS}\n{{"error": "stream broken"}}',
    "an announced object": f'Here is the reply:\n\n```json\n{{"reply": {_SAID}}}\n```',
    "the words twice": f'{WORDS}\n{{"text": {_SAID}}}',
    "a plan": '{"actingCharacters": [{"name": "Ann"}]}',
    "two texts": f'{{"dialogue": {_SAID}, "narration": "Rain."}}',
    "a vendor's answer": f'{{"choices": [{{"message": {{"content": {_SAID}}}}}]}}',
    "JSON in JSON": json.dumps({"reply": '{"text": "No."}'}),
    "an object that is cut off": f'{{"reply": {_SAID[:-9]}',
    "a state alone": '{"mood": "wary"}',
    "an empty object": "{}",
}
KEPT = (
    WORDS,
    '{Nothing} moves. "No."',
    "[The quay]\n\n---\n\nRain.",
    'On the screen:\n\n```json\n{"door": "open"}\n```',
    'The note says:\n\n{"door": "open"}\n\nShe burns it.',
    '"No."',
    "She types ```rm -rf``` and waits.",
)


@pytest.mark.parametrize("role", ["character", "narrator"])
def test_no_json_and_no_fence_around_a_reply_is_stored_as_speech(role: SceneRole) -> None:
    kept = blobs()

    def said(reply: str) -> str:
        found = read(role, reply, kept=kept)
        if isinstance(found, ModelMistake):
            return found.code
        assert isinstance(found, Spoken)
        return kept.get(found.text).decode()

    assert {form: said(reply) for form, reply in TAKEN.items()} == dict.fromkeys(TAKEN, WORDS)
    assert {form: said(reply) for form, reply in REFUSED.items()} == dict.fromkeys(REFUSED, "invalid-output")
    assert [said(reply) for reply in KEPT] == list(KEPT)


def test_the_state_that_an_object_reports_counts() -> None:
    moods = {
        form: found.reported.mood
        for form, reply in TAKEN.items()
        if isinstance(found := read("character", reply), Spoken)
    }

    assert {form for form, mood in moods.items() if mood == "wary"} == {
        form for form in TAKEN if "state" in form
    }


def test_nothing_of_a_reply_in_json_or_a_fence_is_shown_while_it_comes() -> None:
    wrapped = [reply for form, reply in TAKEN.items() if form != "a bare state at the end"]

    for reply in (*wrapped, REFUSED["an error object"], REFUSED["a plan"]):
        assert {shown(reply[:end]) for end in range(len(reply) + 1)} == {""}, reply
    assert shown("[The qu") == "[The qu"
