"""``penwright trace export`` and ``import``: records for others, and back."""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from gateway.cli.output import Printer
from gateway.cli.trace.opening import opened
from gateway.cli.trace.reports import plain
from gateway.desk.durable_file import durable_file
from gateway.desk.services import Services
from penwright.domain.text.counted import counted
from penwright.domain.trace.agent_trace import Exchanged, exchanged, imported
from penwright.domain.trace.chain import line_of
from penwright.domain.trace.layout import is_ledger
from penwright.errors import NotFound, Refused, UsageMistake

Data = dict[str, Any]  # Any: JSON

_NO_COMMIT = "exported without a revision: no commit names this record"


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
        meaning = _NO_COMMIT if fault.line else f"left out: {fault.fault}"
        out.note(f"{fault.segment}:{fault.number}: {meaning}")
    return bool(faults)


def import_(services: Services, file: str, out: Printer, to: Path | None) -> bool:
    """Print records as ledger lines; whether any line was left out."""
    with _reading(services, file) as lines:
        found = list(imported(lines))
    taken = [line_of(each.record) for each in found if each.record is not None]
    others = [each for each in found if each.record is None]
    with _lines_to(to, out) as write:
        for line in taken:
            write(line)
    data = {
        "records": len(taken) if to else [_json(line) for line in taken],
        "out": str(to) if to else None,
        "left_out": [{"line": each.number, "reason": each.reason} for each in others],
    }
    _tell(out, data, to, f"Wrote {counted(len(taken), 'line')} of the ledger to {to}.")
    for each in others:
        out.note(f"line {each.number}: left out: {plain(each.reason)}")
    out.note(
        f"{counted(len(taken), 'record')}, {counted(len(others), 'line')} left out. "
        "Nothing was put into the book."
    )
    return bool(others)


def _tell(out: Printer, data: Data, to: Path | None, said: str) -> None:
    """The lines themselves are the answer, unless they went to a file or JSON is wanted."""
    if to is not None or out.as_json:
        out.result(data, said)


@contextmanager
def _lines_to(to: Path | None, out: Printer) -> Iterator[Any]:  # Any: a function of one line
    """Open the target of lines: a new file, which appears whole or not at all, or stdout; none for JSON."""
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
        raise Refused(
            "would-overwrite",
            f"{str(to)!r} exists; nothing was written",
            hint="name another file with `--output`",
        )


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
