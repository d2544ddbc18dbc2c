"""Thoughts and calls in a model's text are no text of its answer, in any form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.models.thought import without_thought, without_thought_so_far
from tests.support.each import for_each

ANSWER = "The lamp went out.\n\nNora waited."
SHAPES = {
    "tags": f"<think>A lamp, then.</think>\n\n{ANSWER}",
    "tags in capitals": f"<THINK>A lamp.</THINK>{ANSWER}",
    "an empty thought": f"<think>\n\n</think>\n\n{ANSWER}",
    "a thought of many paragraphs": f"<think>\nFirst.\n\nThen.\n</think>\n{ANSWER}",
    "a tag with attributes": f'<thinking type="private">A lamp.</thinking>\n{ANSWER}',
    "thinking": f"<thinking>Lamp.</thinking>\n{ANSWER}",
    "thought": f"<thought>Lamp.</thought>\n{ANSWER}",
    "reasoning": f"<reasoning>Lamp.</reasoning>\n{ANSWER}",
    "reflection": f"<reflection>Lamp.</reflection>\n{ANSWER}",
    "scratchpad": f"<scratchpad>Lamp.</scratchpad>\n{ANSWER}",
    "analysis": f"<analysis>Lamp.</analysis>\n{ANSWER}",
    "a tag of Seed": f"<seed:think>Lamp.</seed:think>{ANSWER}",
    "a tag with a prefix": f"<thinking>Lamp.</thinking>\n{ANSWER}",
    "brackets of Magistral": f"[THINK]Lamp.[/THINK]{ANSWER}",
    "marks of Kimi": f"◁think▷Lamp.◁/think▷{ANSWER}",
    "marks of Command": f"<|START_THINKING|>Lamp.<|END_THINKING|><|START_RESPONSE|>{ANSWER}<|END_RESPONSE|>",
    "marks of Sky": "<|begin_of_thought|>Lamp.<|end_of_thought|>\n\n"
    f"<|begin_of_solution|>\n{ANSWER}\n<|end_of_solution|>",
    "channels of harmony": "<|channel|>analysis<|message|>Lamp.<|end|>"
    f"<|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>",
    "two channels of harmony": "<|channel|>analysis<|message|>Lamp.<|end|><|start|>assistant<|channel|>"
    f"commentary<|message|>Tell it.<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
    "a call in harmony": "<|channel|>commentary to=functions.read <|constrain|>json<|message|>{}<|call|>"
    f"<|start|>assistant<|channel|>final<|message|>{ANSWER}",
    "channels that lost their marks": f"analysisThe user wants a lamp.assistantfinal{ANSWER}",
    "a channel of Gemma": f"<|channel>thought\nLamp.<channel|>{ANSWER}",
    "sentences of Granite": f"Here is my thought process: a lamp.\n\nHere is my response:\n{ANSWER}",
    "sentences of Granite, short": f"Here's my thought process:\na lamp.\nHere's my response: {ANSWER}",
    "answer tags": f"<think>Lamp.</think><answer>{ANSWER}</answer>",
    "response tags": f"<think>Lamp.</think>\n<response>\n{ANSWER}\n</response>",
    "an end without its beginning": f"A lamp, then.\n</think>\n\n{ANSWER}",
    "an end of Magistral without its beginning": f"A lamp.[/THINK]{ANSWER}",
    "a thought in a thought": f"<think>A <think>lamp</think>, then.</think>{ANSWER}",
    "two thoughts": f"<think>One.</think>\n<think>Two.</think>\n{ANSWER}",
    "a thought in the middle": "The lamp went out.\n\n<think>And now?</think>\n\nNora waited.",
    "a thought at the end": f"{ANSWER}\n\n<think>Was that good?</think>",
    "a thought at the end without an end": f"{ANSWER}\n\n<think>Was that go",
    "a thought about a thought": f"<think>I must not write `</think> here.</think>{ANSWER}",
    "a fence left open in a thought": f"<think>\n```python\nx = 1\n</think>\n{ANSWER}",
    "a call": f'<tool_call>{{"name": "read", "arguments": {{}}}}</tool_call>\n{ANSWER}',
    "calls": f'<function_calls><invoke name="read"></invoke></function_calls>\n{ANSWER}',
    "an invocation": f'{ANSWER}\n<invoke name="read"><parameter name="p">1</parameter></invoke>',
    "a call in marks": f"<|tool_call_begin|>read<|tool_call_end|>{ANSWER}",
    "a call after the answer": f"{ANSWER}\n\n<tool_call>\n{{}}\n</tool_call>",
}
NOTHING = {
    "a thought without an end": "<think>Let me plan this. First",
    "a thought of Magistral without an end": "[THINK]Let me plan",
    "a channel without an end": "<|channel|>analysis<|message|>Let me plan",
    "nothing but a thought": "<think>Done.</think>",
    "nothing but calls": '[TOOL_CALLS][{"name": "read"}]',
}
PROSE = (
    "He wrote `<think>` on the board, and `</think>` below it.",
    "```html\n<think>kept</think>\n```\n\nThat is the form.",
    "a < b and c > d; [THINKING] is no mark.",
    "Analysis of the tides is old.",
    "Here is my house, and here is the sea.",
    'She typed "use the <think> tag" and went home.',
    "  two blanks before, a line end after\n",
    '{"reply": "The lamp went out.", "score": 0.5}',
)


@for_each("reply", [pytest.param(reply, id=name) for name, reply in SHAPES.items()])
def test_a_thought_is_taken_out_of_the_reply(reply: str) -> None:
    assert without_thought(reply) == ANSWER


@for_each("reply", [pytest.param(reply, id=name) for name, reply in NOTHING.items()])
def test_a_reply_of_thought_alone_holds_no_words(reply: str) -> None:
    assert without_thought(reply) == ""


@for_each("reply", PROSE)
def test_a_reply_without_thought_stays_as_it_is(reply: str) -> None:
    assert without_thought(reply) == reply


@given(st.text(alphabet="ab .\n<>/[]|`~◁▷think", max_size=60))
def test_no_reply_makes_the_reader_fail_or_adds_a_word(reply: str) -> None:
    kept = without_thought(reply)

    assert set(kept.split()) <= set(reply.split()) or len(kept) < len(reply)
    assert without_thought(kept) == kept


@for_each("reply", [pytest.param(reply, id=name) for name, reply in (SHAPES | NOTHING).items()])
def test_while_a_reply_comes_its_thoughts_are_not_shown(reply: str) -> None:
    late = {name for name in SHAPES if "without its beginning" in name or "lost their marks" in name}
    if any(SHAPES[name] == reply for name in late):
        return  # it shows only when the end has come
    shown = [without_thought_so_far(reply[:length]) for length in range(len(reply))]

    assert not any(
        word in each for each in shown for word in ("Let me plan", "A lamp", "Tell it", "And now?")
    )
