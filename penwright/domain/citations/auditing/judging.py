"""Judging of entries in an audit by the verdicts of registries."""

from collections.abc import Iterator
from typing import Final

from penwright.domain.citations.verdicts import listed
from schemas.citation_audit import AuditedEntry, CitedEntry, EntryState, FieldDifference
from schemas.scholarly import Author, Reference, Verdict, VerdictStatus

_PLAIN: Final[dict[VerdictStatus, EntryState]] = {
    "verified": "found",
    "mismatch": "differs",
    "not_found": "not_found",
    "retracted": "retracted",
    "unverifiable": "unclear",
}
_REMARKS: Final = frozenset({"concern", "correction"})
_SHOWN_AUTHORS: Final = 4
_OWN: Final = "no registry has it; it is one of the paper's own sources"


def audited(entry: CitedEntry, verdict: Verdict) -> AuditedEntry:
    """Return the entry with its state, the fields that differ, and what was published about the work."""
    record, state = verdict.record, _state(verdict)
    if entry.is_own and state == "not_found":
        state, verdict = "unclear", verdict.model_copy(update={"reason": _OWN})
    return AuditedEntry(
        key=entry.key,
        file=entry.file,
        line=entry.line,
        title=entry.claimed.title,
        state=state,
        reason=_dead(entry, verdict) if state == "dead" else verdict.reason,
        differs=tuple(_differences(entry.claimed, verdict)) if state in ("differs", "dead") else (),
        notices=verdict.notices,
        doi=(record.doi if record else "") or entry.claimed.doi,
        sources=verdict.confirmed_by,
        outages=verdict.outages if state == "unreachable" else (),
    )


def _state(verdict: Verdict) -> EntryState:
    state = _PLAIN[verdict.status]
    remarked = any(each.kind in _REMARKS for each in verdict.notices)
    if state == "unclear" and verdict.outages:
        return "unreachable"
    if state in ("found", "unclear") and remarked:
        return "corrected"
    if state == "differs" and verdict.fields and set(verdict.fields) <= set(verdict.unresolved):
        return "dead"
    return state


def _dead(entry: CitedEntry, verdict: Verdict) -> str:
    values = (f"{listed([each])} {getattr(entry.claimed, each)}" for each in verdict.fields)
    return f"the work exists, but no registry that was asked knows {' and '.join(values)}"


def _differences(claimed: Reference, verdict: Verdict) -> Iterator[FieldDifference]:
    for name in verdict.fields:
        recorded = _shown(getattr(verdict.record, name)) if verdict.record else ""
        yield FieldDifference(name=name, cited=_shown(getattr(claimed, name)), recorded=recorded)


def _shown(value: str | int | tuple[Author, ...] | None) -> str:
    if isinstance(value, tuple):
        names = [f"{each.given} {each.family}".strip() for each in value[:_SHOWN_AUTHORS]]
        return "; ".join([*names, "…"] if len(value) > _SHOWN_AUTHORS else names)
    return "" if value is None else str(value)
