"""``penwright trace verify`` and ``map``: does the ledger say the truth, and the map what the ledger says?"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gateway.cli.output import Printer
from gateway.cli.trace.opening import commit_id, opened
from gateway.cli.trace.reports import plain
from gateway.desk.services import Services

if TYPE_CHECKING:
    from penwright.domain.trace.verifying.anchors import StoredAnchors
    from penwright.domain.trace.verifying.report import VerifyReport, VerifyState
    from penwright.ports import TraceSource
    from schemas.trace import Anchor, Finding
    from schemas.workspace import Workspace

_STATE = "penwright/trace-verify.json"
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
    full: bool,
) -> bool:
    """Print what the verifier finds; whether any of it counts."""
    from penwright.domain.trace.verifying.report import VerifyOptions
    from penwright.domain.trace.verifying.verifier import verify as verified

    with opened(services, book, out) as (source, workspace):
        known = None if full else _remembered(workspace)
        options = VerifyOptions(
            since=commit_id(workspace, since) if since else None, intent=intent, path=path, strict=strict
        )
        report = verified(source, options, known, source.progress, stored=_kept(services, workspace))
        if report.state is not None:
            _remember(workspace, report.state)
    counted = report.counted(strict=strict)
    out.result(
        {**report.model_dump(mode="json", exclude={"state"}), "clean": not counted},
        list(_report_lines(report, counted)),
    )
    return counted > 0


def _kept(services: Services, workspace: "Workspace") -> "StoredAnchors":
    """The log as the database keeps it; nothing, where it speaks of another copy of the book."""

    def kept(since: "Mapping[str, datetime]", /) -> "Sequence[Anchor] | None":
        from gateway.desk import books
        from penwright.errors import EngineUnavailable, StoreUnavailable

        folder = Path(workspace.path)
        book = books.at(services, folder, laid_out=False)
        try:
            with services.open_store() as store:
                row = store.records.book(book.book_id)
                here = row is not None and Path(row.path).resolve() == folder.resolve()
                return store.trace.anchors(book.book_id, since=since) if here else ()
        except (EngineUnavailable, StoreUnavailable):
            return None

    return kept


def map_(services: Services, book: str, out: Printer, *, check: bool) -> bool:
    """Print the map made anew, or with ``check`` whether the committed one is the same."""
    from penwright.domain.trace.layout import MAP

    with opened(services, book, out) as (source, _):
        made, committed = _map(source), source.at(source.tip, MAP)
    current = committed is not None and committed == made.encode()
    if check:
        said = (
            f"{MAP} is up to date."
            if current
            else f"{MAP} is missing; the next change of text writes it."
            if committed is None
            else f"{MAP} differs from what the ledger says; the next change of text makes it anew."
        )
        out.result({"path": MAP, "current": current}, said)
        return not current
    out.result({"path": MAP, "current": current, "map": made}, made.rstrip("\n"))
    return False


def _map(source: "TraceSource") -> str:
    from penwright.domain.intents.registry import REGISTRY, BrokenRegistry, read_registry
    from penwright.domain.trace.indexing import heads_of
    from penwright.domain.trace.intent_map.mapping import fold, parse, render, rescued
    from penwright.domain.trace.layout import MAP
    from penwright.domain.trace.reading import lines

    text = (source.at(source.tip, MAP) or b"").decode("utf-8", "replace")
    parsed = parse(text)
    try:
        intents = read_registry(source.at(source.tip, REGISTRY)).intents
    except BrokenRegistry:
        intents = ()
    state = fold(placed.line.record for placed in lines(source) if placed.line.record)
    notes = parsed[1] if parsed else rescued(text)
    names = {intent.id: intent.name for intent in intents}
    return render(state, names=names, notes=notes, heads=heads_of(source))


def _report_lines(report: "VerifyReport", counted: int) -> Iterator[str]:
    shown: Counter[str] = Counter()
    for each in sorted(report.findings, key=lambda each: _ORDER.index(each.severity)):
        shown[each.code] += 1
        if shown[each.code] <= _MOST:
            yield from _finding_lines(each, first=shown[each.code] == 1)
    for code, count in shown.items():
        if count > _MOST:
            yield f"… and {count - _MOST:,} more {code}; --json has them all."
    fates = ", ".join(f"{count:,} {fate}" for fate, count in report.blocks.items()) or "none"
    looked = f"{report.judged:,} of {report.records:,}" if report.incremental else f"{report.records:,}"
    yield (
        f"{looked} records and {report.commits:,} commits looked at, up to {report.tip[:10]}; "
        f"blocks: {fates}."
    )
    yield f"{counted:,} findings." if counted else "Clean."


_ORDER: Sequence[str] = ("error", "warning", "info")


def _finding_lines(each: "Finding", *, first: bool) -> Iterator[str]:
    where = f"{plain(each.path)}:{each.line}" if each.path and each.line else plain(each.path)
    facts = [
        where,
        f"record {each.record}" if each.record else "",
        f"commit {each.commit[:10]}" if each.commit else "",
    ]
    told = ", ".join(fact for fact in facts if fact)
    yield f"{each.severity:7}  {each.code}  {plain(each.message)}" + (f"  ({told})" if told else "")
    if first and each.hint:
        yield f"         next: {each.hint}"


def _state_file(workspace: "Workspace") -> Path | None:
    from penwright.adapters.scaffold.repository_folder import git

    folder = git(Path(workspace.path), "rev-parse", "--absolute-git-dir", check=False)
    return Path(folder) / _STATE if folder else None


def _remembered(workspace: "Workspace") -> "VerifyState | None":
    """What the last clean look left; None where there is none, or none that can be read."""
    from pydantic import ValidationError

    from penwright.domain.trace.verifying.report import VerifyState

    file = _state_file(workspace)
    try:
        return VerifyState.model_validate_json(file.read_bytes()) if file else None
    except (OSError, ValidationError):
        return None


def _remember(workspace: "Workspace", state: "VerifyState") -> None:
    """Keep it for the next time; where that cannot be, the next look takes longer."""
    file = _state_file(workspace)
    if file is None:
        return
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(exist_ok=True)
        with beside.open("wb") as open_file:
            open_file.write(state.model_dump_json().encode())
            open_file.flush()
            os.fsync(open_file.fileno())
        beside.replace(file)
    except OSError:
        beside.unlink(missing_ok=True)
