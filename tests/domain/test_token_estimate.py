"""Every part of a request counts before it is sent."""

from typing import Any

import pytest

from penwright.domain.token_estimate import estimate_answer, estimate_messages, estimate_request
from schemas.agent import AgentMessage, ToolCall, ToolOffer
from tests.support.scripted_model import model_request

WORDY = "word " * 400
"""500 tokens."""
CALL = ToolCall(id="a", name="read", arguments=WORDY)
OFFER = ToolOffer(name="read", description="Read.", parameters={"description": WORDY})


def test_a_request_in_plain_words_counts_as_its_conversation() -> None:
    assert estimate_request(model_request("One.", "Two.")) == estimate_messages(("One.", "Two."))


@pytest.mark.parametrize("more", [{"tools": (OFFER,)}, {"output_schema": {"description": WORDY}}])
def test_offered_tools_and_schemas_count(more: dict[str, Any]) -> None:
    plain, whole = estimate_request(model_request()), estimate_request(model_request(**more))

    assert whole - plain >= 500


def test_calls_of_earlier_turns_count() -> None:
    said = AgentMessage(role="assistant", tool_calls=(CALL, CALL))
    request = model_request().model_copy(update={"messages": (said,)})

    assert estimate_request(request) >= estimate_answer("", (CALL, CALL)) >= 1_000
