"""``penwright trace verify`` and ``map``: check the ledger, and the map against the ledger."""

from collections import Counter
from collections.abc import Iterator, Sequence

from gateway.cli.output import Printer
from gateway.cli.trace.opening import opened
from gateway.cli.trace.reports import plain
from gateway.desk.services import Services
from gateway.desk.trace import traces
from penwright.domain.text.counted import counted as number_of
from penwright.domain.trace.layout import MAP
from penwright.domain.trace.verifying.report import FACTS, VerifyReport
from schemas.trace import Finding

_MOST = 20
"""Findings of one code that are shown one by one."""


def verify(
    services: Services,
    book: str,
    out: Printer,
    since: str,
    intent: str,
    path: str,
    strict: bool,
) -> bool:
    """Print what the verifier finds; whether any of it counts."""
    with opened(services, book, out) as (source, workspace):
        report = traces.verified(
            services, source, workspace, since=since, intent=intent, path=path, strict=strict
        )
    counted = report.counted(strict=strict)
    out.result(
        {**report.model_dump(mode="json", exclude={"newest"}), "clean": report.clean},
        list(_report_lines(report, counted)),
    )
    return counted > 0


def map_(services: Services, book: str, out: Printer, *, check: bool) -> bool:
    """Print the rebuilt map, or with ``check`` whether the committed one is the same."""
    with opened(services, book, out) as (source, _):
        made, committed = traces.map_of(source)
    current = committed is not None and committed == made.encode()
    if check:
        said = (
            f"{MAP} is up to date."
            if current
            else f"{MAP} is missing; the next change of text writes it."
            if committed is None
            else f"{MAP} differs from what the ledger says; the next change of text rebuilds it."
        )
        out.result({"path": MAP, "current": current}, said)
        return not current
    out.result({"path": MAP, "current": current, "map": made}, made.rstrip("\n"))
    return False


def _report_lines(report: VerifyReport, counted: int) -> Iterator[str]:
    shown: Counter[str] = Counter()
    for each in sorted(report.findings, key=lambda each: _ORDER.index(each.severity)):
        shown[each.code] += 1
        if shown[each.code] <= _MOST:
            yield from _finding_lines(each, first=shown[each.code] == 1)
    for code, count in shown.items():
        if count > _MOST:
            yield f"… and {count - _MOST:,} more {code}; --json has them all."
    fates = ", ".join(f"{count:,} {fate}" for fate, count in report.blocks.items()) or "none"
    yield (
        f"{number_of(report.records, 'record')} and {number_of(report.commits, 'commit')} looked at, "
        f"up to {report.tip[:10]}; "
        f"blocks: {fates}."
    )
    yield _conclusion(report, counted)


def _conclusion(report: VerifyReport, counted: int) -> str:
    if not report.anchored and not report.records:
        return "No ledger here: nothing was verified."
    also = "" if report.anchored else " Not anchored: only the branch itself was there to compare with."
    if counted:
        return f"{counted:,} findings.{also}"
    if warnings := report.warnings - (not report.anchored):
        said = "1 warning, which counts" if warnings == 1 else f"{warnings:,} warnings, which count"
        return f"No errors; {said} with --strict.{also}"
    return "Clean." if report.anchored else f"No findings.{also}"


_ORDER: Sequence[str] = ("error", "warning", "info")


def _finding_lines(each: Finding, *, first: bool) -> Iterator[str]:
    where = f"{plain(each.path)}:{each.line}" if each.path and each.line else plain(each.path)
    facts = [
        where,
        f"record {each.record}" if each.record else "",
        f"commit {each.commit[:10]}" if each.commit else "",
    ]
    details = ", ".join(fact for fact in facts if fact)
    yield f"{each.severity:7}  {each.code}  {plain(each.message)}" + (f"  ({details})" if details else "")
    if first and each.hint:
        yield f"         {'note' if each.code in FACTS else 'next'}: {each.hint}"
