"""Every part of a request counts before it is sent."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.models.token_estimate import estimate_answer, estimate_request, estimate_tokens
from schemas.agent import AgentMessage, ToolCall, ToolOffer
from tests.support.agents.scripted_model import model_request
from tests.support.each import for_each

WORDY = "word " * 400
"""500 tokens."""
CALL = ToolCall(id="a", name="read", arguments=WORDY)
OFFER = ToolOffer(name="read", description="Read.", parameters={"description": WORDY})


@given(st.text(st.characters(codec=None)))
def test_a_token_is_four_ascii_letters_two_other_ones_or_an_ideograph(text: str) -> None:
    narrow = sum(ord(letter) < 0x80 for letter in text)
    wide = sum(ord(letter) >= 0x2E80 for letter in text)

    assert estimate_tokens(text) == -(-narrow // 4) + -(-(len(text) - narrow - wide) // 2) + wide


@for_each(
    "text, tokens", [("", 0), ("abcd", 1), ("abcde", 2), ("éé", 1), ("灯火", 2), ("🕯", 1), ("\u2e7f", 1)]
)
def test_letters_count_by_how_vendors_cut_them(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@pytest.mark.parametrize("more", [{"tools": (OFFER,)}, {"output_schema": {"description": WORDY}}])
def test_offered_tools_and_schemas_count(more: dict[str, Any]) -> None:
    plain, whole = estimate_request(model_request()), estimate_request(model_request(**more))

    assert whole - plain >= 500


def test_calls_of_earlier_turns_count() -> None:
    said = AgentMessage(role="assistant", tool_calls=(CALL, CALL))
    request = model_request().model_copy(update={"messages": (said,)})

    assert estimate_request(request) >= estimate_answer("", (CALL, CALL)) >= 1_000
