"""Results of tool calls: built on the worker, shortened for the model, recorded as outcomes."""

import json
from collections.abc import Mapping, Sequence

from penwright.agents.guardrails.known_files import FileWritten
from penwright.agents.state import dump_event
from penwright.agents.tools.tool import Failed, Ok, Stale, Tool, ToolResult
from penwright.errors import ModelMistake, PassingError, PermanentError
from schemas.agent import CallKind, CallOutcome
from schemas.agent_run import (
    AgentRunResult,
    CallStatus,
    OpenCall,
    RunToolCall,
    StartChild,
    ToolCallResult,
)
from schemas.base import BlobRef, Cause
from schemas.workspace import Published

LONGEST_TOLD = 48 * 1024
"""Bytes of a result that a model reads; a history holds no payload above twice that."""
LONGEST_EVENTS = 32 * 1024
"""Bytes of a call's events together."""
_EXCERPT = 4 * 1024
PREVIEW = 500
"""Characters of a result that its outcome shows."""

_UNKNOWN = "Whether it did anything is not known. Go on without it, or look before you try again."

_LESS = "Ask for less at a time to read the rest."

_KINDS: dict[CallStatus, CallKind] = {
    "ok": "succeeded",
    "failed": "failed",
    "stale": "stale",
    "oversize": "oversize",
    "exhausted": "exhausted",
    "cancelled": "cancelled",
}


# On the worker's side.


def answer(tool: Tool, number: int, result: ToolResult) -> ToolCallResult:
    """Convert a handler's result; its text may be too long, see ``is_long``."""
    if not isinstance(result, Stale):
        result = _of_declared_events(tool, result)
    match result:
        case Ok():
            return _succeeded(tool, number, result)
        case Failed():
            text = f"{result.message} {result.hint}".strip() or "The call failed."
            events = tuple(dump_event(event) for event in result.events)
            return ToolCallResult(number=number, fate="failed", code=result.code, text=text, events=events)
        case Stale():
            changed = f" Changed since: {', '.join(result.paths)}." if result.paths else ""
            text = f"{result.message}{changed} Nothing was done; read again and decide again."
            return ToolCallResult(number=number, fate="stale", code="stale", text=text)


def of_published(published: Published) -> ToolResult:
    """Make the default result of a call from its published plan."""
    if published.denial is not None:
        denial = published.denial
        return Failed(
            code=denial.error_code.lower().replace("_", "-"), message=denial.message, hint=denial.action_hint
        )
    if published.outcome == "conflict":
        paths = tuple(each.path for each in published.conflicts)
        return Stale(message="Another writer changed the same passages meanwhile.", paths=paths)
    if published.commit is None:
        return Ok(text="The files say that already; nothing was changed.")
    merged = " A concurrent change of other passages was kept." if published.reconciled else ""
    return Ok(text=f"Published as {published.commit[:10]}.{merged}", commit=published.commit)


def _of_declared_events(tool: Tool, result: Ok | Failed) -> Ok | Failed:
    """The failure of a call that brings events its tool does not declare.

    One that has failed or published already stays as it is, without these events.
    """
    known = (*tool.events, *((FileWritten,) if tool.effect == "workspace-write" else ()))
    strange = sorted({type(each).__name__ for each in result.events if type(each) not in known})
    if not strange:
        return result
    named = f"The tool {tool.name!r} brought the event {', '.join(strange)}, which it does not declare"
    if isinstance(result, Ok) and not result.commit:
        hint = "Its author must name it in the tool's `events`. Go on without it."
        return Failed(code="event-not-declared", message=f"{named}.", hint=hint)
    kept = tuple(each for each in result.events if type(each) in known)
    if isinstance(result, Failed):
        return result.model_copy(update={"events": kept})
    text = f"{_told(result)}\n({named}; it was left out.)"
    return result.model_copy(update={"events": kept, "text": text})


def _told(result: Ok) -> str:
    return result.text or (result.value.model_dump_json() if result.value is not None else "Done.")


def with_files(result: ToolResult, files: Mapping[str, str]) -> ToolResult:
    """The result of a plan, from which the run learns of every file that its commit changed."""
    if not isinstance(result, Ok):
        return result
    told = {event.path for event in result.events if isinstance(event, FileWritten)}
    more = (FileWritten(path=path, digest=files[path]) for path in files if path not in told)
    return result.model_copy(update={"events": (*result.events, *more)})


def misplaced_plan(tool: Tool, result: Ok) -> Failed | None:
    """The failure of a call whose plan cannot be published as it is; None if it can."""
    if tool.effect != "workspace-write":
        return Failed(
            code="plan-not-allowed", message=f"{tool.name!r} is no tool that changes the workspace."
        )
    if result != Ok(plan=result.plan):
        return Failed(code="result-not-as-declared", message="A result with a plan has nothing else.")
    return None


def mistaken(tool: Tool, number: int, error: Exception) -> ToolCallResult | None:
    """Convert a handler's error into a result; None if a retry may help, so that it is raised.

    An external tool is attempted again only after a ``PassingError``; what else it raises says nothing about
    what it has done already.
    """
    if isinstance(error, PermanentError | ModelMistake):
        return ToolCallResult(number=number, fate="failed", code=error.code, text=error.message)
    if tool.effect != "external" or isinstance(error, PassingError):
        return None
    text = f"The tool {tool.name!r} failed: {error!r}. {_UNKNOWN}"
    return ToolCallResult(number=number, fate="failed", code="tool-failed", text=text)


def raised(tool: Tool, error: Exception, attempts: int) -> Failed:
    """The failure of a call without effects outside, whose handler raised ``error`` each time."""
    said = f"{error!r}"[:PREVIEW]
    message = f"The tool {tool.name!r} failed in each of {attempts} attempts: {said}."
    return Failed(code="tool-failed", message=message, hint="Ask otherwise, or go on without it.")


def interrupted(tool: Tool) -> PermanentError:
    """The error of an external call whose worker stopped meanwhile."""
    return PermanentError("call-interrupted", f"the worker stopped while {tool.name!r} was called.")


def _succeeded(tool: Tool, number: int, result: Ok) -> ToolCallResult:
    events = tuple(dump_event(event) for event in result.events)
    undeclared = (
        result.value is not None and tool.result is not None and type(result.value) is not tool.result
    )
    if result.commit or not (undeclared or _bulky(events)):
        return ToolCallResult(
            number=number, fate="ok", text=_told(result), events=events, commit=result.commit
        )
    # Nothing was published, so the call may still fail as a whole.
    if undeclared:
        text = f"The tool {tool.name!r} answered with a {type(result.value).__name__}, which it may not."
        return ToolCallResult(number=number, fate="failed", code="result-not-as-declared", text=text)
    return _too_much(tool, number)


def _bulky(events: Sequence[object]) -> bool:
    return sum(len(str(event).encode("utf-8", "surrogatepass")) for event in events) > LONGEST_EVENTS


def _too_much(tool: Tool, number: int) -> ToolCallResult:
    text = f"The tool {tool.name!r} answered with more than can be kept. Ask for less at a time."
    return ToolCallResult(number=number, fate="oversize", code="result-too-long", text=text)


def is_long(carried: ToolCallResult) -> bool:
    """Whether the text must be stored, and shortened to an excerpt."""
    return len(carried.text.encode("utf-8", "surrogatepass")) > LONGEST_TOLD


def excerpted(carried: ToolCallResult, whole: BlobRef) -> ToolCallResult:
    """The answer with the beginning and the end of its text; all of it is kept at ``whole``."""
    said = f"the result is {whole.size} bytes long; here are its beginning and its end. {_LESS}"
    return carried.model_copy(update={"text": _excerpt(carried.text, said), "whole_at": whole})


def unstored(carried: ToolCallResult) -> ToolCallResult:
    """The answer as far as a history can hold it, where the store does not take its text."""
    if not is_long(carried):
        return carried
    said = f"here are its beginning and its end; the rest could not be stored. {_LESS}"
    return carried.model_copy(update={"text": _excerpt(carried.text, said)})


def _excerpt(text: str, said: str) -> str:
    return f"{text[:_EXCERPT]}\n\n[… {said} …]\n\n{text[-_EXCERPT // 4 :]}"


def refused_as_long(tool: Tool, carried: ToolCallResult) -> ToolCallResult:
    """The result of a pure tool that is too long; inside the workflow nothing can be stored."""
    return _too_much(tool, carried.number)


# On the workflow's side.


def lost(order: RunToolCall | StartChild, cause: Cause) -> ToolCallResult:
    """The result of a call whose infrastructure stayed unavailable."""
    text = f"The tool {order.tool!r} could not be reached: {cause.message} {_UNKNOWN}"
    return ToolCallResult(number=order.number, fate="exhausted", code=cause.code, text=text)


def cut(order: RunToolCall | StartChild, why: Cause) -> ToolCallResult:
    """The result of an interrupted call, see ``stopping.interruption_cause``."""
    text = f"The call of {order.tool!r} was interrupted: {why.message}."
    return ToolCallResult(number=order.number, fate="cancelled", code=why.code, text=text)


def child_ended(order: StartChild, result: AgentRunResult) -> ToolCallResult:
    """A sub-agent's result as the answer of the call that started it."""
    output = result.output if isinstance(result.output, str) else _json(result.output)
    fate: CallStatus = "failed"
    if result.outcome in ("completed", "cancelled"):
        fate = "ok" if result.outcome == "completed" else "cancelled"
    why = "" if fate == "ok" else f"The sub-agent ended {result.outcome}: {result.message} "
    had = f"It had so far: {output}" if why and output else output
    return ToolCallResult(
        number=order.number,
        fate=fate,
        code=result.code,
        text=f"{why}{had}".strip() or "Done.",
        whole_at=result.output_at,
        commit=result.commit or "",
        spent=result.spent,
    )


def _json(output: object) -> str:
    return "" if output is None else json.dumps(output, ensure_ascii=False)


def outcome_of(asked: OpenCall, carried: ToolCallResult) -> CallOutcome:
    """The record of a call's outcome."""
    return CallOutcome(
        number=asked.number,
        key=asked.key,
        call_id=asked.call.id,
        tool=asked.call.name[:64],
        kind=_KINDS[carried.fate],
        code=carried.code,
        message=carried.text[:PREVIEW],
        result=carried.whole_at,
        commit=carried.commit,
    )
