"""History of the manuscript loop: one entry for every outcome, whatever it is."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, Literal

from pydantic import JsonValue

from penwright.domain.manuscript.policy import instructions_in_force
from schemas.agent_state import ActionEntry, CallEntry, LogEntry
from schemas.base import BlobRef, OpId
from schemas.manuscript import AskRole, ManuscriptInput, ManuscriptState, Reply
from schemas.manuscript_roles import SubScore
from schemas.prose import Finding

Outcome = Literal["done", "unchanged", "skipped", "refused", "failed"]
_CRITIQUE: Final = "critique_manuscript"
_NOTABLE: Final[tuple[Outcome, ...]] = ("refused", "failed", "unchanged")
FAULTS_FOUND: Final = "faults-found"
"""Code of a change that stands, with findings of the rules in it."""
_NOTABLE_CODES: Final = ("partly-applied", "over-limit", FAULTS_FOUND)
_MOST_TOLD: Final = 4
_FINDINGS: Final = "findings"
_MOST_FINDINGS: Final = 12
_LONGEST: Final = 900
"""Characters of a summary: a line, and why operations were not made."""


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
    results: BlobRef | None = None,
    findings: Sequence[Finding] = (),
    sub_scores: Sequence[SubScore] = (),
) -> ManuscriptState:
    """Add an entry about what a role did; its reply, its results and what rules found are kept under it."""
    facts: dict[str, JsonValue] = {
        "section": request.section,
        "agent_run": request.run_id,
        "reply": reply.model_dump() if reply else None,
        "results": results.model_dump() if results else None,
        "sub_scores": [each.model_dump(mode="json") for each in sub_scores],
        _FINDINGS: [each.model_dump(mode="json") for each in findings],
    }
    return noted(given, state, now, request.action, outcome, summary, code=code, score=score, facts=facts)


def findings_in(entries: Sequence[ActionEntry]) -> tuple[Finding, ...]:
    """Findings since the last but one critique, the newest last.

    Args:
        entries: as of ``told_history``.
    """
    since = entries[_told_from(entries) :]
    found = [Finding.model_validate(each) for entry in since for each in _listed(entry.detail.get(_FINDINGS))]
    return tuple(dict.fromkeys(found))[-_MOST_FINDINGS:]


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _told_from(entries: Sequence[ActionEntry]) -> int:
    """The number of the first entry after the last but one critique."""
    critiques = [at for at, each in enumerate(entries[:-1]) if each.action == _CRITIQUE]
    return critiques[-1] + 1 if critiques else 0


def told_history(entries: Sequence[ActionEntry]) -> str:
    """Tell the manager of the last action, and of refusals and overrulings since the last but one critique.

    Args:
        entries: the run's newest actions, oldest first.
    """
    since = entries[_told_from(entries) : -1]
    notable = [each for each in since if each.outcome in _NOTABLE or each.code in _NOTABLE_CODES]
    told = [*notable[-_MOST_TOLD:], *entries[-1:]]
    return "\n".join(f"{each.action}: {each.summary}" for each in told)


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
    """``text`` in one line, at most 900 characters."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
