"""History of the manuscript loop: one entry for every outcome, whatever it is."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal

from pydantic import JsonValue

from penwright.domain.manuscript.policy import instructions_in_force
from schemas.agent_state import ActionEntry, CallEntry, LogEntry
from schemas.base import BlobRef, OpId
from schemas.manuscript import AskRole, ManuscriptInput, ManuscriptState, Reply

Outcome = Literal["done", "unchanged", "skipped", "refused", "failed"]
_LONGEST: Final = 500
"""Characters of a summary."""


# JSON: short facts.
def noted(
    given: ManuscriptInput,
    state: ManuscriptState,
    now: datetime,
    action: str,
    outcome: Outcome,
    summary: str,
    *,
    code: str = "",
    score: float | None = None,
    facts: Mapping[str, JsonValue] | None = None,
) -> ManuscriptState:
    """Add an entry about an action, to be stored with the next upkeep."""
    basis = {"basis": instructions_in_force(given, state)}
    entry = ActionEntry(
        op_id=OpId(f"{given.run_name}:entry-{state.entries}"),
        run=given.run_name,
        at=now,
        action=action,
        outcome=outcome,
        code=code,
        summary=shortened(summary),
        pass_index=state.pass_index,
        revision=state.revision,
        score=score,
        detail={name: value for name, value in {**basis, **(facts or {})}.items() if value},
    )
    return _with(state, entry).model_copy(update={"entries": state.entries + 1})


def noted_of(
    given: ManuscriptInput,
    state: ManuscriptState,
    now: datetime,
    request: AskRole,
    outcome: Outcome,
    summary: str,
    *,
    code: str = "",
    score: float | None = None,
    reply: BlobRef | None = None,
) -> ManuscriptState:
    """Add an entry about what a role did; ``reply`` is kept under it."""
    facts: dict[str, JsonValue] = {
        "section": request.section,
        "agent_run": request.run_id,
        "reply": reply.model_dump() if reply else None,
    }
    return noted(given, state, now, request.action, outcome, summary, code=code, score=score, facts=facts)


def with_call(state: ManuscriptState, call: CallEntry | None) -> ManuscriptState:
    """Add an entry about the model calls of a role."""
    return state if call is None else _with(state, call)


def _with(state: ManuscriptState, entry: LogEntry) -> ManuscriptState:
    upkeep = state.unkept.model_copy(update={"entries": (*state.unkept.entries, entry)})
    return state.model_copy(update={"unkept": upkeep})


def not_applied(
    given: ManuscriptInput, state: ManuscriptState, reply: Reply, now: datetime
) -> ManuscriptState:
    """Add an entry about operations that came too late; it keeps them."""
    summary = "The reply came after the run was told to end; it is kept and was not applied."
    return noted_of(
        given,
        state,
        now,
        reply.request,
        "skipped",
        summary,
        code="not-applied",
        reply=reply.edited.operations,
    )


def shortened(text: str) -> str:
    """``text`` in one line, at most 500 characters."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
