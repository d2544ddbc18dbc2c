"""Feedback after calls: which providers are due, and their messages for the model."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import ClassVar, Final, Literal, NamedTuple, assert_never

from penwright.agents.guardrails.guardrail import FeedbackProvider, Trajectory
from penwright.agents.guardrails.known_files import files_made
from penwright.agents.guardrails.triggers import (
    DeadlineNear,
    EveryCalls,
    EverySeconds,
    FileCreated,
    Span,
    Trigger,
)
from penwright.agents.state import Event, Reducer, SliceItem, StateView, one_per
from penwright.agents.tools.tool import Declared
from penwright.domain.text.escaping import attribute, clipped, element_text

_LONGEST_ERROR: Final = 300


class FeedbackGiven(SliceItem):
    """When a trigger of a provider last fired."""

    event_name: ClassVar[str] = "penwright.feedback-given"

    provider: str
    trigger: str
    """Its key."""
    call: int
    """Number of the call after which it fired."""
    at: datetime

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {cls: one_per("provider", "trigger")}


class FeedbackFailed(SliceItem):
    """A provider raised; a log for its developer."""

    event_name: ClassVar[str] = "penwright.feedback-failed"
    slice_policy: ClassVar[Literal["log"]] = "log"
    slice_keep: ClassVar[int] = 32

    provider: str
    call: int
    error: str


class FeedbackMessage(Declared):
    """A provider's message for the model."""

    provider: str
    text: str


class Delivery(NamedTuple):
    """The messages after a call, and the events that record them."""

    messages: tuple[FeedbackMessage, ...]
    """In the order of declaration."""
    events: tuple[Event, ...]
    """To be applied whether or not the call succeeded."""


def feedback_after(
    providers: Iterable[FeedbackProvider], trajectory: Trajectory, state: StateView
) -> Delivery:
    """Ask every provider with a trigger that fires; one that raises is recorded, and the others still run."""
    messages: list[FeedbackMessage] = []
    events: list[Event] = []
    for provider in providers:
        due = tuple(one for one in provider.triggers if _is_due(one, provider, trajectory, state))
        events += [_given(provider, trigger, trajectory) for trigger in due]
        match _said(provider, trajectory.model_copy(update={"fired": due}), state) if due else None:
            case FeedbackMessage() as message:
                messages.append(message)
            case FeedbackFailed() as failed:
                events.append(failed)
    return Delivery(tuple(messages), tuple(events))


def as_text(messages: Sequence[FeedbackMessage]) -> str:
    """The messages in the form that follows a call's result, one block each."""
    return "\n".join(
        f"<feedback from={attribute(one.provider)}>\n{_lines(one.text)}\n</feedback>" for one in messages
    )


class FixedText(FeedbackProvider):
    """Always gives the same text."""

    text: str

    def feedback(self, trajectory: Trajectory, state: StateView) -> str | None:
        return self.text


class RemainingTime(FeedbackProvider):
    """Gives the time left; nothing without a deadline."""

    name: str = "remaining-time"
    triggers: tuple[Trigger, ...] = (
        EverySeconds(every=timedelta(minutes=5)),
        DeadlineNear(within=timedelta(minutes=2)),
    )
    urgent: Span = timedelta(minutes=2)
    """From here on it urges the agent to finish."""

    def feedback(self, trajectory: Trajectory, state: StateView) -> str | None:
        left = trajectory.left
        if left is None:
            return None
        if left > self.urgent:
            return f"{_spoken(left)} are left for this task."
        return f"Only {_spoken(left)} are left. Finish what you have begun and give your answer now."


def _is_due(trigger: Trigger, provider: FeedbackProvider, trajectory: Trajectory, state: StateView) -> bool:
    last = _last(provider, trigger, state)
    match trigger:
        case EveryCalls(calls=calls):
            return trajectory.calls - (last.call if last else 0) >= calls
        case EverySeconds(every=every):
            return trajectory.now - (last.at if last else trajectory.started_at) >= every
        case FileCreated(path=path):
            return last is None and path in files_made(trajectory, state)
        case DeadlineNear(within=within):
            return last is None and trajectory.left is not None and trajectory.left <= within
        case _:
            assert_never(trigger)


def _last(provider: FeedbackProvider, trigger: Trigger, state: StateView) -> FeedbackGiven | None:
    given = state.all(FeedbackGiven)
    return next((one for one in given if (one.provider, one.trigger) == (provider.name, trigger.key)), None)


def _given(provider: FeedbackProvider, trigger: Trigger, trajectory: Trajectory) -> FeedbackGiven:
    return FeedbackGiven(
        provider=provider.name, trigger=trigger.key, call=trajectory.calls, at=trajectory.now
    )


def _said(
    provider: FeedbackProvider, trajectory: Trajectory, state: StateView
) -> FeedbackMessage | FeedbackFailed | None:
    try:
        text = provider.feedback(trajectory, state)
        message = FeedbackMessage(provider=provider.name, text=text) if text is not None else None
    except Exception as error:  # whatever a provider raises, or answers instead of text
        why = clipped(repr(error), _LONGEST_ERROR)
        return FeedbackFailed(provider=provider.name, call=trajectory.calls, error=why)
    return message if message and message.text.strip() else None


def _lines(text: str) -> str:
    return "\n".join(map(element_text, text.splitlines()))


def _spoken(span: timedelta) -> str:
    """Whole minutes from two on, else seconds; always rounded down."""
    seconds = int(span.total_seconds())
    return f"{seconds // 60} minutes" if seconds >= 120 else f"{seconds} seconds"
