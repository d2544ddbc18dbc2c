"""A change that another process came before: both texts, and how either becomes the one that stands."""

import json
from typing import Any

import typer

from gateway.cli.output import EXIT_REFUSED, Printer
from gateway.cli.tables import block
from gateway.desk.worlds.storing import Clash, Conflict, Subject
from penwright.errors import Refused


def print_conflict(out: Printer, subject: Subject[Any], met: Conflict, kept: str, step: str) -> None:
    """Print both values of every field in conflict, and leave with exit code 3.

    Args:
        kept: where the text is that was not stored.
        step: the options of ``edit`` that put it over the other.
    """
    names = ", ".join(clash.field for clash in met.clashes)
    error = Refused(
        "stale",
        f"{names} of {subject.title} changed after version {met.based_on}, which this change is based on; "
        f"nothing was stored, and your text is in {kept}",
        hint=f"to put yours over it: `{subject.command} {step}`",
    )
    if out.as_json:
        told = {"status": "conflict", "code": error.code, "error": error.message}
        clashes = {each.field: {"mine": each.mine, "theirs": each.theirs} for each in met.clashes}
        more = {"next": error.details["hint"], "version": met.version, "kept": kept, "conflicts": clashes}
        out.result({**told, **more}, "")
        raise typer.Exit(EXIT_REFUSED)
    out.result({}, [line for clash in met.clashes for line in _lines(clash, met.version)])
    raise error


def _lines(clash: Clash, version: int) -> list[str]:
    mine, theirs = block(_text(clash.mine)), block(_text(clash.theirs))
    return [f"{clash.field}: yours", *mine, f"{clash.field}: theirs (version {version})", *theirs]


def _text(value: Any) -> str:  # Any: JSON
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
