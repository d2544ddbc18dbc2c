"""Finish a run: accept the model's answer, ask for a repair, or send the agent back to work."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel

from penwright.agents.calls.checking import LONGEST_ARGUMENTS, RejectedCall
from penwright.agents.calls.results import LONGEST_TOLD
from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.output import FINAL_ANSWER, FROM_MODEL, dumped, loaded
from penwright.agents.guardrails.completion import Done, SentBack, Unfinished, completion_of, world_checkers
from penwright.agents.guardrails.guardrail import Completion, Trajectory
from penwright.agents.loop import turns
from penwright.agents.loop.recording import ended
from penwright.agents.loop.run import Run
from penwright.agents.state import StateView
from penwright.domain.models.structured_output import LONGEST_TEXT, FieldProblem, Misfit, find_structured
from penwright.errors import BrokenDefinition
from schemas.agent import AgentMessage, ToolCall
from schemas.agent_run import CheckerVerdict, EndReason, ModelAnswered
from schemas.base import Cause


@dataclass(frozen=True, slots=True)
class Reply:
    """The final reply of a model."""

    text: str = ""
    answers: tuple[str, ...] = ()
    """Arguments of its calls of ``final_answer``, in their order, as received."""
    cut_off: bool = False
    """Whether it stopped at the token limit."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer of the declared type; not finalized yet."""

    value: BaseModel | str


@dataclass(frozen=True, slots=True)
class Repair:
    """The model may answer again."""

    code: str
    message: str
    """For the model."""
    problems: tuple[FieldProblem, ...]
    attempt: int
    """Which of the definition's repairs this is, from 1."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """There is no answer, and no repair is left."""

    code: str
    message: str
    """For people."""
    problems: tuple[FieldProblem, ...]
    repairs: int


def read_reply(definition: AgentDefinition, reply: Reply, *, repaired: int) -> Answered | Repair | Unusable:
    """Parse the answer in ``reply``.

    Calls of ``final_answer`` count before text, and the last candidate that fits before earlier ones.
    A reply that was cut off holds no answer, even if the rest could be repaired.

    Args:
        repaired: repairs of this run so far.
    """
    found = _cut_off(reply) or (
        _plain(reply) if definition.output is None else _structured(definition.output, reply)
    )
    if isinstance(found, Answered):
        return found
    if repaired < definition.repairs:
        return Repair(found.code, found.message, found.problems, repaired + 1)
    return Unusable(
        found.code,
        f"The model of agent {definition.key!r} gave no usable answer in {repaired + 1} attempts. "
        f"The last complaint was: {found.message} Give the role another model, or allow more repairs.",
        found.problems,
        repaired,
    )


@dataclass(frozen=True, slots=True)
class _Complaint:
    code: str
    message: str
    problems: tuple[FieldProblem, ...] = ()


def _cut_off(reply: Reply) -> _Complaint | None:
    if not reply.cut_off:
        return None
    return _Complaint("cut-off", "The reply was cut off at its longest. Answer again, and shorter.")


def _plain(reply: Reply) -> Answered | _Complaint:
    text = reply.text.strip()
    if len(text) > LONGEST_TEXT:
        return _oversize(text)
    return Answered(text) if text else _Complaint("empty-reply", "The reply was empty. Answer in words.")


def _structured(kind: type[BaseModel], reply: Reply) -> Answered | _Complaint:
    texts = reply.answers or (reply.text,)
    misfits: list[Misfit] = []
    for text in reversed(texts):
        found = find_structured(text, kind, context={FROM_MODEL: True})
        if not isinstance(found, Misfit):
            return Answered(found.value)
        misfits.append(found)
    return _oversize(texts[-1]) if len(texts[-1]) > LONGEST_TEXT else _unfit(misfits[0])


def _oversize(text: str) -> _Complaint:
    return _Complaint(
        "oversize-reply",
        f"The reply was {len(text)} characters long, and {LONGEST_TEXT} are read. Answer again, and shorter.",
    )


def _unfit(misfit: Misfit) -> _Complaint:
    if misfit.code != "invalid-output":
        return _Complaint(misfit.code, misfit.message)
    lines = [f"- {each.field or 'the whole'}: {each.message}" for each in misfit.problems]
    message = "\n".join(
        ["The answer does not fit its schema:", *lines, "Answer again with one object that does."]
    )
    return _Complaint(misfit.code, message, misfit.problems)


def finalized(definition: AgentDefinition, answer: Answered, state: StateView) -> BaseModel | str:
    """The answer with its hidden fields filled, ready to be stored.

    Raises:
        BrokenDefinition: ``finalize-failed`` when the hook raises or returns what its type does not allow.
    """
    if definition.finalize is None or isinstance(answer.value, str):
        return answer.value
    try:
        value = definition.finalize(answer.value, state)
        if type(value) is not type(answer.value):
            raise TypeError(f"it returned {type(value).__name__}, not {type(answer.value).__name__}")
        return loaded(type(value), dumped(value))
    except Exception as error:  # any error of the definition's own code
        raise BrokenDefinition(
            "finalize-failed",
            f"The finalize hook of agent {definition.key!r} failed: {error}. Fix the definition.",
            agent=definition.key,
        ) from error


_LONGEST_COMPLAINT = 600
_MOST_COMPLAINTS = 10
_NOTHING_SAID = Cause(code="empty-reply", message="The reply held no answer.")


def is_answer(run: Run, call: ToolCall) -> bool:
    """Whether a call gives the final answer; an outside harness has no other way to give one."""
    return (run.definition.answers_in_json or run.given.outside) and call.name == FINAL_ANSWER


def concluded(run: Run, answer: ModelAnswered, now: datetime) -> Run:
    """Handle a turn without calls except the answer: end the run, or tell the model what is missing."""
    found = _read(run, answer, repaired=run.state.repairs)
    run = run if isinstance(found, Answered) else _complained(run, found)
    match found:
        case Answered():
            return _answer_taken(run, found, now)
        case Repair():
            run = run.with_state(repairs=run.state.repairs + 1)
            return _replied(run, RejectedCall("invalid-arguments", found.code, found.message), now)
        case Unusable():
            run = run.with_state(output_at=answer.text_at)
            ending = EndReason(outcome="failed", code=found.code, message=found.message)
            return _closed(
                run, RejectedCall("invalid-arguments", found.code, found.message), now
            ).with_end_reason(ending)


def _complained(run: Run, found: Repair | Unusable) -> Run:
    """Keep what was wrong with an answer, also once the model has mended it."""
    said = f"{found.code}: {found.message}"[:_LONGEST_COMPLAINT]
    return run.with_state(complaints=(*run.state.complaints, said)[-_MOST_COMPLAINTS:])


def _read(run: Run, answer: ModelAnswered, *, repaired: int) -> Answered | Repair | Unusable:
    if answer.mistake is not None:
        return _unread(run, answer.mistake, repaired)
    if run.definition.reads is not None:
        return _arrived(run, answer, repaired)
    if answer.text_at is not None or answer.cut_calls:
        return _unread(run, _too_long(answer), repaired)
    finals = tuple(call.arguments for call in answer.calls if is_answer(run, call))
    reply = Reply(text=answer.text, answers=finals, cut_off=answer.finish_reason == "length")
    return read_reply(run.definition, reply, repaired=repaired)


def _arrived(run: Run, answer: ModelAnswered, repaired: int) -> Answered | Repair | Unusable:
    """The answer that the worker has parsed."""
    assert run.definition.output is not None, "a reader makes an output"
    if answer.answer is None:
        return _unread(run, answer.unread or _NOTHING_SAID, repaired)
    return Answered(loaded(run.definition.output, answer.answer))


def _too_long(answer: ModelAnswered) -> Cause:
    """The cause for an answer too long for a history; its text is stored, but it does not count."""
    size = answer.text_at.size if answer.text_at else LONGEST_ARGUMENTS
    said = f"The answer was {size} bytes long, and at most {LONGEST_TOLD} can be taken."
    return Cause(code="oversize-reply", message=f"{said} Answer again, and shorter.")


def _unread(run: Run, why: Cause, repaired: int) -> Repair | Unusable:
    """A reply that is unusable without parsing; it counts as one of the allowed repairs."""
    if repaired < run.definition.repairs:
        return Repair(why.code, why.details.get("ask", why.message), (), repaired + 1)
    message = f"The model gave no usable answer in {repaired + 1} attempts. The last complaint: {why.message}"
    return Unusable(why.code, message, (), repaired)


def _answer_taken(run: Run, found: Answered, now: datetime) -> Run:
    run = _with_output(run, value := finalized(run.definition, found, run.slices))
    if world_checkers(run.definition.completion):
        return run.with_state(checking=True)
    return _judged(run, value, run.trajectory(now), now)


def checked(run: Run, verdicts: Sequence[CheckerVerdict], now: datetime) -> Run:
    """Judge the answer, once the checkers have looked at the world."""
    given, kind = run.state.output, run.definition.output
    value = given if isinstance(given, str) or kind is None else loaded(kind, given)
    looked = {each.checker: Completion(complete=each.complete, reason=each.reason) for each in verdicts}
    trajectory = run.trajectory(now).model_copy(update={"looked": looked})
    assert isinstance(value, str | BaseModel), "an answer was taken before it is checked"
    return _judged(run.with_state(checking=False), value, trajectory, now)


def _judged(run: Run, value: BaseModel | str, trajectory: Trajectory, now: datetime) -> Run:
    """End the run with the answer, or send the agent back to work."""
    rounds = run.state.rounds
    verdict = completion_of(
        run.definition.completion,
        trajectory,
        value,
        run.slices,
        rounds=rounds,
        most=run.limits.completion_rounds,
    )
    match verdict:
        case Done():
            return _closed(run, RejectedCall("succeeded", "", "Taken."), now).with_end_reason(
                EndReason(outcome="completed")
            )
        case SentBack(reason):
            return _replied(
                run.with_state(rounds=rounds + 1), RejectedCall("failed", "incomplete", reason), now
            )
        case Unfinished(reason):
            ending = EndReason(outcome="unfinished", code="incomplete", message=reason)
            return _closed(run, RejectedCall("failed", "incomplete", reason), now).with_end_reason(ending)


def _with_output(run: Run, value: BaseModel | str) -> Run:
    return run.with_state(output=value if isinstance(value, str) else dumped(value))


def _replied(run: Run, rejected: RejectedCall, now: datetime) -> Run:
    """Tell the model why its answer is rejected: as the result of its call, or as the user."""
    if run.state.open_calls:
        return _closed(run, rejected, now)
    message = AgentMessage(role="user", content=rejected.message)
    return run.with_message(message).with_entry("agent-told", now, code=rejected.code)


def _closed(run: Run, rejected: RejectedCall, now: datetime) -> Run:
    """Record ``rejected`` as the result of every call that gave the answer."""
    while run.state.open_calls:
        run = ended(run, run.state.open_calls[0], rejected, now)
    return run


def last_words(run: Run, answer: ModelAnswered, now: datetime) -> Run:
    """End the run with the model's last reply, whatever it is."""
    why_last = run.state.winding
    assert why_last is not None, "a last turn has an end reason"
    found = _read(run, answer, repaired=run.definition.repairs)
    if isinstance(found, Answered):
        run = _with_output(run, finalized(run.definition, found, run.slices))
    run = turns.opened(run.with_state(output_at=answer.text_at), answer.calls, answer.cut_calls)
    why = RejectedCall(
        "over-budget", "last-turn", "The call was not made: the turn before was the last for calls."
    )
    return _closed(run, why, now).with_end_reason(why_last)
