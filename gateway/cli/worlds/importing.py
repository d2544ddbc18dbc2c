"""Importing several files: each by itself, so that one that is refused leaves the others in."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import typer

from gateway.cli import output
from gateway.cli.output import EXIT_FAILED, Printer
from gateway.cli.tables import block
from penwright.domain.text.escaping import printable
from penwright.errors import PassingError, PenwrightError
from schemas.cards import FieldReport

Imported = TypeVar("Imported")


def import_files(
    out: Printer,
    files: Sequence[Path],
    take: Callable[[Path], Imported],
    data: Callable[[Imported], dict[str, Any]],  # Any: JSON
    lines: Callable[[Imported], list[str]],
) -> None:
    """Take every file in, print what became of each, and fail if one was refused; a single one raises."""
    if len(files) == 1:
        made = take(files[0])
        out.result({"status": "imported", "imported": [data(made)], "failed": []}, lines(made))
        return
    done: list[Imported] = []
    failed: list[tuple[Path, PenwrightError]] = []
    for file in files:
        try:
            done.append(take(file))
        except PassingError:
            if not done:
                raise  # the store is away: it is for all files
            failed += [(left, _away()) for left in files[len(done) + len(failed) :]]
            break
        except PenwrightError as error:
            failed.append((file, error))
    text = [line for made in done for line in lines(made)]
    text += [line for file, error in failed for line in _failure_lines(file, error)]
    told = {"status": "partly-imported" if failed else "imported", "imported": [data(made) for made in done]}
    out.result({**told, "failed": [_failure(*each) for each in failed]}, text)
    if failed:
        raise typer.Exit(EXIT_FAILED)


def report_lines(report: Sequence[FieldReport], *, verbose: bool) -> list[str]:
    """Return what is said of fields that mean something else here, or nothing: one line, or one for each."""
    told = [each for each in report if each.fate != "kept"]
    if verbose or not told:
        return [line for each in told for line in block(_told(each))]
    adapted = sum(each.fate == "adapted" for each in told)
    fates = {"adapted": adapted, "unsupported": len(told) - adapted}
    counts = ", ".join(f"{count} {fate}" for fate, count in fates.items() if count)
    return [f"  fields with another meaning here, or none: {counts} (`--verbose` names them)"]


def _told(each: FieldReport) -> str:
    name = " ".join(part for part in (each.at, each.field) if part) or "the rest"
    return f"{each.fate}: {name}{f': {each.why}' if each.why else ''}"


def _failure_lines(file: Path, error: PenwrightError) -> list[str]:
    told = f"{printable(str(file))}: error[{error.code}]: {error.message}"
    return [told, f"  next: {output.next_step(error)}"]


def _failure(file: Path, error: PenwrightError) -> dict[str, str]:
    step = output.next_step(error)
    return {"file": str(file), "code": error.code, "error": error.message, "next": step}


def _away() -> PenwrightError:
    return PassingError("not-tried", "the engine went away before this file", hint="import it again")
