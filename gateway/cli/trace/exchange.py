"""``penwright trace export`` and ``import``: records for others, records by others."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from gateway.cli.output import Printer
from gateway.cli.trace.opening import opened
from gateway.cli.trace.reports import plain
from gateway.desk.durable_file import durable_file
from gateway.desk.services import Services
from penwright.domain.trace.agent_trace.exchange import Exchanged, exchanged
from penwright.domain.trace.agent_trace.importing import Imported, imported
from penwright.domain.trace.agent_trace.legacy import Claim, Verdict, claims_of, judged
from penwright.domain.trace.chain import line_of
from penwright.domain.trace.layout import is_ledger
from penwright.errors import NotFound, UsageMistake

Data = dict[str, Any]  # Any: JSON

_MEANINGS = {
    "NO_COMMIT": "exported without a revision: no commit names this record",
    "UNVERIFIABLE": "exported without a revision: a record by others whose hash is nowhere in the history",
}
_REASONS = {
    "NO_DIGEST": "it has no SHA-256 that could be looked for",
    "PATH_NEVER_COMMITTED": "this file was never committed",
    "CONTENT_NEVER_COMMITTED": "no committed version of the file has this content",
}


def export(services: Services, book: str, out: Printer, to: Path | None) -> bool:
    """Write the ledger in the exchange format; whether any line has a flaw."""
    faults: list[Exchanged] = []
    records: list[Data] = []
    count = 0
    with opened(services, book, out) as (source, _), _lines_to(to, out) as write:
        for each in exchanged(source):
            if each.fault:
                faults.append(each)
            if each.line:
                count += 1
                write(each.line)
                if to is None and out.as_json:
                    records.append(_json(each.line))
    data = {
        "records": count if to else records,
        "out": str(to) if to else None,
        "faults": [{"path": f.segment, "line": f.number, "fault": f.fault} for f in faults],
    }
    _tell(out, data, to, f"Exported {count:,} records to {to}.")
    for fault in faults:
        meaning = _MEANINGS.get(fault.fault, f"left out: {fault.fault}")
        out.note(f"{fault.segment}:{fault.number}: {meaning}")
    return bool(faults)


@dataclass(slots=True)
class _Taken:
    """What a file holds."""

    lines: list[bytes] = field(default_factory=list)
    """Lines of the ledger."""
    others: list[Imported] = field(default_factory=list)
    """Records by others."""
    broken: list[Imported] = field(default_factory=list)

    def take(self, each: Imported) -> None:
        if each.kind == "record" and each.value is not None:
            self.lines.append(line_of(each.value))
        else:
            (self.broken if each.kind == "broken" else self.others).append(each)


def import_(services: Services, file: str, book: str, out: Printer, to: Path | None) -> bool:
    """Print records as ledger lines, and how far those by others are borne out; whether any is not."""
    taken = _Taken()
    with _reading(services, file) as lines:
        for each in imported(lines):
            taken.take(each)
    verdicts = _verdicts(services, book, out, taken.others)
    with _lines_to(to, out) as write:
        for line in taken.lines:
            write(line)
    judged = [(each, list(_judged(each, verdicts))) for each in taken.others]
    data = {
        "records": len(taken.lines) if to else [_json(line) for line in taken.lines],
        "out": str(to) if to else None,
        "others": [_other_data(each, found) for each, found in judged],
        "broken": [{"line": each.number, "reason": each.reason} for each in taken.broken],
    }
    _tell(out, data, to, f"Wrote {len(taken.lines):,} lines of the ledger to {to}.")
    for note in _import_notes(taken, judged):
        out.note(note)
    return bool(taken.broken) or any(not _is_verified(found) for _, found in judged)


def _verdicts(
    services: Services, book: str, out: Printer, others: Sequence[Imported]
) -> dict[Claim, Verdict]:
    """Each hash by others, looked for in the book's history; that is opened only if there is one."""
    claims = {claim for each in others if each.value is not None for claim in claims_of(each.value)}
    if not claims:
        return {}
    with opened(services, book, out) as (source, _):
        return judged(source, claims)


def _judged(each: Imported, verdicts: dict[Claim, Verdict]) -> Iterator[Verdict]:
    return (verdicts[claim] for claim in claims_of(each.value or {}))


def _is_verified(found: Sequence[Verdict]) -> bool:
    return bool(found) and all(verdict.found for verdict in found)


def _other_data(each: Imported, found: Sequence[Verdict]) -> Data:
    return {
        "line": each.number,
        "kind": each.kind,
        "verified": _is_verified(found),
        "ranges": [
            {
                "path": verdict.claim.path,
                "start_line": verdict.claim.start,
                "end_line": verdict.claim.end,
                "commit": verdict.found.commit if verdict.found else None,
                "how": verdict.found.how if verdict.found else None,
                "reason": verdict.reason or None,
            }
            for verdict in found
        ],
    }


def _import_notes(taken: _Taken, judged: Sequence[tuple[Imported, list[Verdict]]]) -> Iterator[str]:
    for each in taken.broken:
        yield f"line {each.number}: left out: {each.reason}"
    for each, found in judged:
        name = "a record of the challenge" if each.kind == "legacy" else "a record by another tool"
        yield f"line {each.number}: {name}, {'verified' if _is_verified(found) else 'unverifiable'}"
        if not found:
            yield "  it names no lines"
        for verdict in found:
            claim = verdict.claim
            said = (
                f"re-found in commit {verdict.found.commit[:10]} (the {verdict.found.how})"
                if verdict.found
                else _REASONS[verdict.reason]
            )
            yield f"  {plain(claim.path)}:{claim.start}-{claim.end}: {said}"
    counts = f"{len(taken.lines):,} of our records, {len(judged):,} by others, {len(taken.broken):,} broken"
    yield f"{counts}. Nothing was put into the book."


def _tell(out: Printer, data: Data, to: Path | None, said: str) -> None:
    """The lines themselves are the answer, unless they went to a file or JSON is wanted."""
    if to is not None or out.as_json:
        out.result(data, said)


@contextmanager
def _lines_to(to: Path | None, out: Printer) -> Iterator[Any]:  # Any: a function of one line
    """Where lines go: a new file, which appears whole or not at all, or standard output; nowhere for JSON."""
    if to is None:
        sys.stdout.flush()
        yield (lambda line: None) if out.as_json else _print
        return
    _check(to)
    with durable_file(to, over=True) as file:
        yield file.write


def _print(line: bytes) -> None:
    sys.stdout.write(line.decode("utf-8", "backslashreplace"))


def _check(to: Path) -> None:
    parts = to.absolute().parts
    if any(is_ledger("/".join(parts[-depth:])) for depth in (2, 3)):
        raise UsageMistake(
            "not-into-the-ledger",
            f"{str(to)!r} belongs to the ledger, which only sessions write; name another",
        )
    if to.exists():
        raise UsageMistake("file-exists", f"{str(to)!r} exists already and was left alone; name a new file")


@contextmanager
def _reading(services: Services, file: str) -> Iterator[Iterable[bytes]]:
    if file == "-":
        incoming: BinaryIO | None = services.incoming()
        if incoming is None:
            raise UsageMistake(
                "nothing-to-read", "- reads standard input, and that is a terminal; name a file"
            )
        yield incoming
        return
    if not Path(file).exists():
        raise NotFound("no-such-file", f"there is no file {file!r}", hint="name the file to read, or -")
    with Path(file).open("rb") as opened_file:
        yield opened_file


def _json(line: bytes) -> Data:
    found: Data = json.loads(line)
    return found
