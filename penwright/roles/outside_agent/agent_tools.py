"""The tools of an agent of the catalogue, as an outside harness is given them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from penwright.agents.tools.tool import Arguments
from penwright.errors import PenwrightError, Refused, UsageMistake
from penwright.roles.outside_agent.admission import OutsideTool
from schemas.agent import CallKind
from schemas.agent_run import OutsideAnswer


class AgentCall(Arguments):
    """A call of one of the agent's own tools, as it was received."""

    tool: str
    arguments: str
    """As JSON."""


class RunStatus(Arguments):
    """No arguments."""


STATUS: Final = OutsideTool(
    name="run_status",
    description=(
        "Read your instructions as they stand now, and how your run stands: its state, the calls that ended "
        "last, and what waits for a person. Changes nothing."
    ),
    params=RunStatus,
)
_WRONG: Final = frozenset[CallKind]({"invalid-arguments", "unknown-tool", "unavailable"})
_NEXT: Mapping[CallKind, str] = MappingProxyType(
    {
        "invalid-arguments": "fix the fields that are named, and call again",
        "unknown-tool": "call one of the tools that are listed",
        "unavailable": "call `run_status` to see what can be done now",
        "denied": "do what the message says, then repeat the call",
        "refused": "do not make the call again; go on without it",
        "over-budget": "call `final_answer` with what you have",
        "stale": "read again, and decide again",
        "cancelled": "tell the person you work for that the run is over",
    }
)
HINTS: Mapping[str, str] = MappingProxyType(
    {
        "run-ended": "tell the person you work for; a new run begins when the server is started again",
        "run-id-taken": "tell the person you work for; the server has to be started with another `--id`",
    }
)
"""Advice to an agent by error code, where it differs from a book's."""


def refusal_of(answer: OutsideAnswer, text: str) -> PenwrightError:
    """A call that did not succeed, as an error.

    Args:
        text: what the agent reads of it.
    """
    ended = f" The run is over: {answer.ended}." if answer.ended else ""
    kind = UsageMistake if answer.kind in _WRONG else Refused
    hint = HINTS["run-ended"] if answer.ended else _NEXT.get(answer.kind, "go on without it, or another way")
    return kind(answer.code or answer.kind, f"{text}{ended}", action_hint=hint, call=str(answer.number))
