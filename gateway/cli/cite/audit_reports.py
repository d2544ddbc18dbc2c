"""Audits of citations in words, and as SARIF for programs that show findings beside a text."""

import json
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any, Final

from gateway.cli.output import columns
from gateway.desk.citations.auditing import Audited
from penwright.domain.citations.answers import reason_of
from penwright.domain.text.counted import counted
from penwright.domain.text.escaping import printable
from schemas.citation_audit import WRONG, AuditedEntry, AuditReport, EntryState, PlacedFinding
from schemas.scholarly import EditorialNotice

_ORDER: Final[tuple[EntryState, ...]] = (
    *("retracted", "not_found", "dead", "differs", "corrected", "unclear", "unreachable", "found"),
)
_TOLD: Final[dict[EntryState, str]] = {
    "found": "found",
    "differs": "differ",
    "not_found": "not found",
    "retracted": "retracted",
    "corrected": "corrected",
    "dead": "with a dead identifier",
    "unclear": "unclear",
    "unreachable": "unreachable",
}
_RULES: Final[dict[EntryState, str]] = {
    "retracted": "The work was retracted or withdrawn.",
    "not_found": "No registry has the work.",
    "dead": "No registry knows the identifier of the work.",
    "differs": "The entry differs from the registry's record.",
    "corrected": "A correction or an expression of concern was published.",
    "unclear": "Something is left to a person.",
    "unreachable": "A registry did not answer; this says nothing about the work.",
}
_SHORT: Final = 60


def lines(done: Audited) -> list[str]:
    """Count the entries, then list what is not plainly found, what is wrong first."""
    report, counts = done.report, done.result.counts
    told = ", ".join(f"{counts[state]} {_TOLD[state]}" for state in reversed(_ORDER) if counts.get(state))
    head = f"{counted(len(report.entries), 'entry', 'entries')}{': ' if told else ''}{told}."
    shown = sorted(
        (each for each in report.entries if each.state != "found"), key=lambda each: _ORDER.index(each.state)
    )
    table = columns([("state", "key", "where", "what"), *map(_cells, shown)]) if shown else []
    found = [f"{_place(each)}: {each.message} ({each.code})" for each in report.findings]
    return [head, *map(printable, (*table, *found)), *_advice(done)]


def _advice(done: Audited) -> Iterator[str]:
    if done.result.outcome == "stopped":
        yield f"It was stopped by {done.result.stopped_by}: {done.result.message}."
    if done.result.counts.get("unreachable"):
        yield "What is unreachable was not judged; `--wait` asks again after the time the registries name."


def _cells(entry: AuditedEntry) -> tuple[str, ...]:
    state = entry.state.replace("_", " ")
    return state, entry.key, _place(entry), "; ".join(_what(entry))


def _what(entry: AuditedEntry) -> Iterator[str]:
    yield from (f"{each.name}: {_cut(each.cited)} → {_cut(each.recorded)}" for each in entry.differs)
    yield from map(_notice, entry.notices)
    yield from (f"{each.source} {reason_of(each)}" for each in entry.outages)
    if not (entry.differs or entry.notices or entry.outages):
        yield entry.reason


def _notice(notice: EditorialNotice) -> str:
    day = f" of {notice.date}" if notice.date else ""
    address = f", https://doi.org/{notice.doi}" if notice.doi else ""
    return f"{notice.kind}{day} by {notice.source}{address}"


def _place(found: AuditedEntry | PlacedFinding) -> str:
    return f"{found.file}:{found.line}" if found.line else found.file


def _cut(text: str) -> str:
    return (text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…") or "none"


def sarif(report: AuditReport) -> str:
    """Return every entry that is not plainly found, and every finding, as a SARIF log."""
    results = [_result(each) for each in report.entries if each.state != "found"]
    results += [_located(each.code, "error", each.message, each) for each in report.findings]
    rules = [{"id": state, "shortDescription": {"text": told}} for state, told in _RULES.items()]
    driver = {"name": "penwright cite audit", "version": version("penwright"), "rules": rules}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return f"{json.dumps(log, ensure_ascii=False, indent=2)}\n"


def _result(entry: AuditedEntry) -> dict[str, Any]:  # Any: JSON
    level = "error" if entry.state in WRONG else "note" if entry.state == "unreachable" else "warning"
    return _located(entry.state, level, f"{entry.key}: {'; '.join(_what(entry))}", entry)


def _located(
    rule: str, level: str, message: str, found: AuditedEntry | PlacedFinding
) -> dict[str, Any]:  # Any: JSON
    place: dict[str, Any] = {"artifactLocation": {"uri": found.file}}
    if found.line:
        place["region"] = {"startLine": found.line}
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": printable(message)},
        "locations": [{"physicalLocation": place}],
    }
