"""Replies of the cast in JSON, tags or fences: the words are taken out, or the model is asked again."""

import json

import pytest

from penwright.errors import ModelMistake
from penwright.roles.scene.speech.shown import shown
from schemas.director_round import SceneRole
from schemas.scene_roles import Spoken
from tests.support.scenes.replies import blobs, read

WORDS = "“No,” she says. {Nothing} moves."
_SAID = json.dumps(WORDS, ensure_ascii=False)
_FULL = f'{{"text": {_SAID}, "mood": "wary"}}'
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
    "a state behind the last sentence": f'{WORDS} {{"mood": "wary"}}',
    "a state that was cut off": f'{WORDS}\n{{"mood": "wary", "loc',
    "a state before the words": f'{{"state": {{"mood": "wary"}}}}\n\n{WORDS}',
    "an announced object": f'Here is the reply:\n\n```json\n{{"reply": {_SAID}}}\n```',
    "an announced state": f"Sure, here it is:\n```json\n{_FULL}\n```\n\nLet me know if it fits.",
    "an object with a word on its state": f"{_FULL}\nHope that helps!",
    "a fence with words and a state": f"```json\n{_FULL}\n```",
    "the words twice": f'{WORDS}\n{{"text": {_SAID}}}',
    "nested with a state": f'{{"reply": {{"dialogue": {_SAID}, "newState": {{"mood": "wary"}}}}}}',
    "another key": f'{{"characterResponse": {_SAID}, "position": "by the door", "turn": 3}}',
    "a call of a tool": f'<tool_call>{{"name": "speak", "arguments": {{"text": {_SAID}}}}}</tool_call>',
    "a vendor's answer": f'{{"choices": [{{"message": {{"content": {_SAID}}}}}]}}',
    "an object without its end and a state": f'{{"state": {{"mood": "wary"}}, "text": {_SAID}',
    "an object in single quotes": f"{{'text': '{WORDS}'}}",
    "the word json": f'json\n{{"text": {_SAID}}}',
    "tags": f"<response>{WORDS}</response>",
    "tags with a state": f'<reply><text>{WORDS}</text><state>{{"mood": "wary"}}</state></reply>',
    "a tag for a state at the end": f"{WORDS}\n\n<state><mood>wary</mood></state>",
    "a tag without its end": f"<response>\n{WORDS}",
}
JOINED = {
    "what is done and said": ('{"action": "She waits.", "dialogue": "No."}', "She waits.\n\n“No.”"),
    "a list": ('[{"text": "She waits."}, {"text": "Rain."}]', "She waits.\n\nRain."),
    "broken quotes": ('{"text": "She said "no" and left."}', 'She said "no" and left.'),
    "an object that is cut off": ('{"text": "She waits. And', "She waits. And"),
}
REFUSED = {
    "an error object": '{"error": {"message": "rate limit", "code": 429}}',
    "a fenced error": '```json\n{"error": "overloaded"}\n```',
    "prose and an error": f'{WORDS}\n{{"error": "stream broken"}}',
    "a plan": '{"actingCharacters": [{"name": "Ann"}]}',
    "words of two speakers": '[{"name": "Ann", "text": "No."}, {"name": "Bob", "text": "Yes."}]',
    "a value of unknown meaning": '{"text": "She waits.", "whisper": "I know."}',
    "prose behind an object": '{"text": "She waits."}\n\n“Who is there?” Bob asks, and “no” he says.',
    "JSON in JSON": json.dumps({"reply": '{"text": "No."}'}),
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
    "<i>No</i>, she thinks.",
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
    assert {form: said(reply) for form, (reply, _) in JOINED.items()} == {
        form: text for form, (_, text) in JOINED.items()
    }


def test_the_state_that_an_object_reports_counts() -> None:
    moods = {
        form: found.reported.mood
        for form, reply in TAKEN.items()
        if isinstance(found := read("character", reply), Spoken)
    }

    assert {form for form, mood in moods.items() if mood == "wary"} == {
        form for form in TAKEN if "state" in form
    }


def test_no_sign_of_json_tags_or_a_fence_is_shown_while_a_reply_comes() -> None:
    replies = (*TAKEN.values(), *(reply for reply, _ in JOINED.values()), *REFUSED.values())

    for reply in replies:
        for end in range(len(reply) + 1):
            so_far = shown(reply[:end])
            assert not {*'[<`"'} & {*so_far.replace(WORDS, "")}, (reply, so_far)
    assert shown("[The qu") == "[The qu"
