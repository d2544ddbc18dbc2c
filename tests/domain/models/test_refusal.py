"""The words in which models decline are known; prose that begins alike is prose."""

import pytest

from penwright.domain.models.refusal import declines, is_refusal
from schemas.agent import ToolCall
from schemas.model import ModelResponse, Usage
from tests.support.each import for_each

FINISHED = {"model": "sonnet", "provider": "litellm", "finish_reason": "stop", "usage": Usage()}


@for_each(
    "said",
    [
        "I'm sorry, but I can't help with that.",
        "I’m really sorry, but I can’t continue this. It violates the content policy.",
        "I cannot write this story.",
        "I cannot continue.",
        "I can't assist with that request.",
        "Sorry, I can't comply with that.",
        "I won't write explicit sexual content.",
        "I must decline to write this scene.",
        "I'm not comfortable writing this scene.",
        "I apologize, but I cannot fulfill this request.",
        "I understand you want a dark scene, but I'm not able to provide that content.",
        "I'm unable to continue with this story. If you'd like, I can help with another scene.",
        "As an AI language model, I cannot write such scenes.",
        "Es tut mir leid, aber ich kann dir dabei nicht helfen.",
        "Je suis désolé, mais je ne peux pas répondre à cette demande.",
        "Lo siento, pero no puedo ayudarte con eso.",
        "很抱歉，我无法协助您完成这个请求。",
        "申し訳ありませんが、そのリクエストにはお応えできません。",
    ],
)
def test_the_known_words_of_a_refusal_are_one(said: str) -> None:
    assert declines(f"\n{said}\n")


@for_each(
    "prose",
    [
        "",
        "I can't help it, she said.",
        "I can't help thinking of the lamp.",
        "I can't help you.",
        "“I'm sorry, but I can't help with that,” he said.",
        "I can't help with that, he said, and set the crate down.",
        "I'm sorry, she said, and shut the door.",
        "I'm sorry for your loss.",
        "I'm sorry, I can't answer you. The door is shut.",
        "I cannot write this story without naming her. The summer was hot.",
        "I cannot write this story. Every time I begin, the house burns down again.",
        "I can't continue like this, Mara thought.",
        "I cannot provide for two.",
        "I cannot create a world without you.",
        "I won't write to him again.",
        "I can't do that.",
        "As an aid to memory he tied a knot.",
        "As an AI, I have no sleep to lose, said the lamp.",
        "Unfortunately the lamp went out.",
        "Sorry. Done.",
        "Es tut mir leid, aber ich kann nicht bleiben.",
        "Lo siento, pero no puedo quedarme.",
        "对不起，我不能留下来。",
    ],
)
def test_prose_that_begins_like_a_refusal_is_none(prose: str) -> None:
    assert not declines(prose)


def test_a_long_text_that_begins_as_a_refusal_is_prose() -> None:
    opening = "I'm sorry, but I can't help with that."

    assert not declines(f"{opening} {'The rain went on and nobody moved in the yard. ' * 20}")


@pytest.mark.parametrize(
    ("fields", "refused"),
    [
        ({"text": "", "finish_reason": "refusal"}, True),
        ({"text": "<think>A lamp?</think>I can't help with that."}, True),
        ({"text": "The lamp went out."}, False),
        (
            {"text": "I can't help with that.", "tool_calls": (ToolCall(id="1", name="a", arguments="{}"),)},
            False,
        ),
    ],
)
def test_a_refusal_is_known_by_protocol_or_by_its_words(fields: dict[str, object], refused: bool) -> None:
    assert is_refusal(ModelResponse.model_validate(FINISHED | fields)) is refused
