"""Calls of models as the API tells them."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel

from gateway.desk.works.inspecting import CallView, ModelCall
from schemas.agent import AgentMessage


class CallShown(BaseModel):
    """One call of a model."""

    call_id: str
    agent_run: str
    at: datetime
    model: str
    instead_of: str
    """The model that was away or refused, so that this one, its fallback, answered."""
    overrides: str
    """Tag of the override set with which the agent worked; empty: none."""
    demo: bool
    finish_reason: str
    mistake: str
    """Code of why the reply could not be used; empty if it could."""
    input_tokens: int
    output_tokens: int
    cost_micros: int | None
    """Null where no price is known."""


class CallWithTexts(CallShown):
    """One call, with what the model was sent and what it said."""

    messages: list[AgentMessage]
    """The system text first."""
    reply: AgentMessage | None
    """Null if it could not be used."""
    missing: str
    """Reason why texts are not there; empty if they are."""


class CallsShown(BaseModel):
    """Calls, oldest first."""

    items: list[CallShown]


def shown_calls(found: Sequence[ModelCall]) -> CallsShown:
    """The calls in a list."""
    return CallsShown(items=[_shown(each) for each in found])


def shown_texts(found: CallView) -> CallWithTexts:
    """A call with its texts."""
    return CallWithTexts(
        **_shown(found.call).model_dump(),
        messages=list(found.messages),
        reply=found.reply,
        missing=found.missing,
    )


def _shown(call: ModelCall) -> CallShown:
    return CallShown(
        call_id=call.op_id,
        agent_run=call.agent_run,
        at=call.at,
        model=call.model,
        instead_of=call.instead_of,
        overrides=call.overrides,
        demo=call.demo,
        finish_reason=call.finish_reason,
        mistake=call.mistake,
        input_tokens=call.input_tokens,
        output_tokens=call.output_tokens,
        cost_micros=call.cost_micros,
    )
