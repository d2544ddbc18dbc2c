"""A made-up agent's calls, as its guardrails see them."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from pydantic import BaseModel

from penwright.agents.definition.run_slices import BUILT_IN, learned
from penwright.agents.guardrails.guardrail import Allow, Call, Deny, Policy, Trajectory
from penwright.agents.state import State, apply, empty_state, registry
from penwright.agents.tools.tool import Failed, Ok, Tool, ToolResult
from schemas.agent import CallKind, CallOutcome, EffectClass

START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


class OnPath(BaseModel):
    """Arguments of a tool that names a file."""

    path: str


class OnPaths(BaseModel):
    """Arguments of a tool that names many."""

    sources: list[str]
    target: str | None = None


class NoArguments(BaseModel):
    """Arguments of a tool that wants none."""


def a_tool(name: str, *, params: type[BaseModel] = NoArguments, effect: EffectClass = "read") -> Tool:
    return Tool(name=name, description=name, params=params, effect=effect, handler=_never)


def _never(_params: BaseModel, _state: object) -> ToolResult:
    return Failed(code="never", message="guardrails do not carry anything out")


def a_call(name: str, params: BaseModel | None = None, *, effect: EffectClass = "read") -> Call:
    params = params or NoArguments()
    return Call(tool=a_tool(name, params=type(params), effect=effect), params=params, number=1)


def an_outcome(call: Call, kind: CallKind = "succeeded", *, number: int = 1) -> CallOutcome:
    return CallOutcome(
        number=number, key=f"run/call/{number}", call_id="", tool=call.tool.name, kind=kind, message=""
    )


class Guarded:
    """A run with policies that check each call and record it, as in the loop."""

    def __init__(self, *policies: Policy) -> None:
        self.policies = policies
        self.state = empty_state(registry(BUILT_IN, {one.name: one.memory for one in policies}))

    def may(self, call: Call) -> Allow | Deny:
        """The first denial, else the files that all policies expect."""
        facts: dict[str, str] = {}
        for policy in self.policies:
            verdict = policy.check(call, self.state.seen_by(policy.name))
            if isinstance(verdict, Deny):
                return verdict
            facts |= verdict.facts
        return Allow(facts=facts)

    def make(self, call: Call, *events: BaseModel, kind: CallKind = "succeeded") -> None:
        """The call is made and emits these events."""
        if kind == "succeeded":
            state = apply(self.state, Ok(events=events).events)
            self.state = learned(self.policies, call, an_outcome(call, kind), state)


def a_trajectory(
    *,
    calls: int = 0,
    after: timedelta = timedelta(0),
    deadline: timedelta | None = None,
    files: Iterable[str] = (),
) -> Trajectory:
    """So many calls, the newest remembered, so long after the start, with these files made."""
    return Trajectory(
        outcomes=tuple(
            an_outcome(a_call("act"), number=number) for number in range(max(1, calls - 2), calls + 1)
        ),
        started_at=START,
        now=START + after,
        deadline=None if deadline is None else START + deadline,
        files={path: f"digest of {path}" for path in files},
    )


def a_state(*events: BaseModel) -> State:
    """The built-in slices after these events."""
    return apply(empty_state(registry(BUILT_IN)), events)
