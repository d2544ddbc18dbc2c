"""Check a tool call before it runs: resolve the tool, its visibility, strict arguments, policies. All pure.

A call that passes is ``Ready``; any other becomes a ``RejectedCall``, its result. Approval, budget and
ordering follow in ``loop``; the result of a call that was made is built in ``results``.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, JsonValue, ValidationError

from penwright.agents.digests import json_digest
from penwright.agents.guardrails.guardrail import Allow, Call, Deny, Policy
from penwright.agents.state import State
from penwright.agents.tools.tool import Tool
from penwright.domain.text.nearest import nearest
from penwright.domain.text.strict_json import read_json
from schemas.agent import CallKind
from schemas.agent_run import OpenCall

LONGEST_ARGUMENTS = 48 * 1024
"""Bytes of JSON; with its other fields, an order stays below the largest payload of a history."""
_MOST_PROBLEMS = 10
_MOST_NAMES = 20


@dataclass(frozen=True, slots=True)
class AvailableTools:
    """The tools that the agent can call in the present state."""

    tools: Mapping[str, Tool]
    policies: Mapping[str, tuple[Policy, ...]]
    """The policies of each tool, outermost first."""
    known: Collection[str]
    """Names of the tools that the model may know of, hidden ones too."""


@dataclass(frozen=True, slots=True)
class RejectedCall:
    """A call that was not made, and the message for the model."""

    kind: CallKind
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Ready:
    """A call that may be made if files match ``facts`` by then."""

    call: Call
    arguments: dict[str, JsonValue]
    facts: Mapping[str, str]

    @property
    def tool(self) -> Tool:
        return self.call.tool


def check_call(asked: OpenCall, available: AvailableTools, state: State) -> Ready | RejectedCall:
    """Check a call up to its approval."""
    tool = _resolved(asked, available)
    if isinstance(tool, RejectedCall):
        return tool
    params = parsed(asked, tool)
    if isinstance(params, RejectedCall):
        return params
    call = Call(tool=tool, params=params, number=asked.number)
    facts = _allowed(call, available.policies.get(tool.name, ()), state)
    if isinstance(facts, RejectedCall):
        return facts
    return Ready(call, params.model_dump(mode="json"), facts)


def is_exclusive(tool: Tool) -> bool:
    """Whether a call changes something; it then runs alone and is never interrupted."""
    return tool.effect in ("workspace-write", "external")


def needs_approval(tool: Tool) -> bool:
    """Whether a person must allow the call; external effects need it unless their tool says otherwise."""
    return tool.effect == "external" if tool.approval is None else tool.approval


def approval_digest(ready: Ready) -> str:
    """The digest that a person approves: of the tool and all its arguments."""
    return json_digest({"tool": ready.tool.name, "arguments": ready.arguments})


def _resolved(asked: OpenCall, available: AvailableTools) -> Tool | RejectedCall:
    name = asked.call.name
    if (tool := available.tools.get(name)) is not None:
        return tool
    if name in available.known:
        return RejectedCall(
            "unavailable",
            "tool-unavailable",
            f"The tool {name!r} is not available now. {_offer(available)}",
        )
    hint = "".join(f"Did you mean {near!r}? " for near in nearest(name, available.tools))
    return RejectedCall(
        "unknown-tool", "unknown-tool", f"There is no tool {name[:64]!r}. {hint}{_offer(available)}"
    )


def _offer(available: AvailableTools) -> str:
    names = sorted(available.tools)
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"Use one of: {', '.join(names[:_MOST_NAMES])}{more}." if names else "No tool can be used now."


def parsed(asked: OpenCall, tool: Tool) -> BaseModel | RejectedCall:
    """The arguments as the tool's own type: nothing unknown, nothing coerced."""
    text = asked.call.arguments.strip() or "{}"
    if asked.cut or len(text.encode("utf-8", "surrogatepass")) > LONGEST_ARGUMENTS:
        return RejectedCall(
            "oversize",
            "arguments-too-long",
            f"The arguments of {tool.name!r} were longer than {LONGEST_ARGUMENTS} bytes, and the call was "
            "not made. Make several smaller calls.",
        )
    if isinstance(fault := _json_fault(text), str):
        return _invalid(tool, [fault])
    try:
        return tool.params.model_validate_json(text, strict=True, extra="forbid")
    except ValidationError as error:
        return _invalid(tool, _problems(error))
    except Exception as error:  # whatever a validator of the tool's own raises
        return _invalid(tool, [f"they could not be checked: {error!r}"])


def _json_fault(text: str) -> str | None:
    """Say why the text is not a JSON object; None if it is one."""
    try:
        value = read_json(text.encode("utf-8", "surrogatepass"))
    except ValueError as error:
        return f"they are not JSON: {error}"
    return None if isinstance(value, dict) else "they must be one JSON object"


def _problems(error: ValidationError) -> list[str]:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    problems = [f"{'.'.join(map(str, one['loc'])) or 'the whole'}: {one['msg']}" for one in found]
    more = len(problems) - _MOST_PROBLEMS
    return [*problems[:_MOST_PROBLEMS], *([f"and {more} more"] if more > 0 else [])]


def _invalid(tool: Tool, problems: list[str]) -> RejectedCall:
    fields = ", ".join(tool.params.model_fields) or "none"
    lines = "\n".join(f"- {problem}" for problem in problems)
    return RejectedCall(
        "invalid-arguments",
        "invalid-arguments",
        f"The arguments of {tool.name!r} do not fit, and the call was not made:\n{lines}\n"
        f"Its fields are: {fields}. Correct them and call again.",
    )


def _allowed(call: Call, policies: tuple[Policy, ...], state: State) -> Mapping[str, str] | RejectedCall:
    """The facts that all policies require, or the first denial."""
    facts: dict[str, str] = {}
    for policy in policies:
        verdict = _verdict(policy, call, state)
        if isinstance(verdict, Deny):
            return RejectedCall("denied", verdict.code, verdict.reason)
        for path, digest in verdict.facts.items():
            if facts.setdefault(path, digest) != digest:
                reason = f"Two policies want {path!r} to be different things, so nothing may be done to it."
                return RejectedCall("denied", "policies-disagree", reason)
    return facts


def _verdict(policy: Policy, call: Call, state: State) -> Allow | Deny:
    """The policy's verdict; a policy that fails denies."""
    try:
        verdict = policy.check(call, state.seen_by(policy.name))
        if isinstance(verdict, (Allow, Deny)):
            return verdict
        why = f"it answered {verdict!r}"
    except Exception as error:  # whatever a policy raises
        why = repr(error)
    reason = f"The policy {policy.name!r} could not judge the call of {call.tool.name!r}: {why}."
    return Deny(code="policy-failed", reason=reason)
