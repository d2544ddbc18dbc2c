"""Read our own exports back as records, to the byte; nothing else is taken."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from penwright.domain.trace.agent_trace.exporting import KEY, Unexportable, exported
from penwright.domain.trace.chain import Raw, line_of, read_lines
from schemas.agent_trace import AgentTrace


@dataclass(frozen=True, slots=True)
class Imported:
    """One line of an imported file."""

    number: int
    """From 1."""
    record: Raw | None
    """None if the line is no unaltered record of ours."""
    reason: str = ""
    """Reason why there is no record; empty if there is one."""


class _NotOurs(Exception):
    """A line is no unaltered record of ours; the message says why."""


def imported(lines: Iterable[bytes]) -> Iterator[Imported]:
    """Every line that is not blank."""
    for number, row in enumerate(lines, start=1):
        if row.strip():
            try:
                yield Imported(number, _record(row.strip(b"\r\n")))
            except _NotOurs as error:
                yield Imported(number, None, str(error))


def _record(row: bytes) -> Raw:
    """The record of a line of the ledger or of an export."""
    line = next(read_lines(row + b"\n"))
    if line.record is not None and "schema" in line.record:
        if line.fault:
            raise _NotOurs(line.fault)
        return line.record
    try:
        return _exported_record(AgentTrace.model_validate_json(row))
    except ValidationError as error:
        why = error.errors(include_url=False, include_input=False)[0]["msg"]
        raise _NotOurs(f"it is no line of a ledger, and not valid Agent Trace: {why}") from None


def _exported_record(trace: AgentTrace) -> Raw:
    """Whatever was changed shows: in the record's own hash, or in that it is not what we would export."""
    ours = (trace.metadata or {}).get(KEY)
    record = ours.get("record") if isinstance(ours, dict) else None
    if not isinstance(record, dict):
        raise _NotOurs("it is a record by another tool")
    try:
        altered = exported(record, trace.vcs.revision if trace.vcs else None) != trace
    except Unexportable:
        altered = True
    if altered or next(read_lines(line_of(record))).fault:
        raise _NotOurs("it was altered after it was exported")
    return record
