"""The part of ``penwright status`` about books, novels and scenes."""

import asyncio
from collections.abc import Sequence
from typing import Any

from gateway.desk.runs.under_way import Listed, UnderWay, under_way
from gateway.desk.services import Services
from penwright.domain.text.escaping import printable
from schemas.board import Attention

_ASKED = ("temporal", "postgres")
"""Processes that are asked what is under way."""
_MOST = 20
"""Lines that are printed; JSON has all."""


# Any: a JSON document.
def with_work(
    services: Services, document: dict[str, Any], lines: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """The document and lines of the processes, with what is under way; without an engine, as they are."""
    if not document["running"]:
        return document, list(lines)
    if silent := [name for name in document["silent"] if name in _ASKED]:
        # Asking what runs would wait for them.
        trouble = f"no answer from {' and '.join(silent)}"
        return document | {"work": [], "work_trouble": trouble}, [*lines, f"work      not known: {trouble}"]
    listed = asyncio.run(under_way(services))
    work = [_data(each) for each in listed.lines]
    return document | {"work": work, "work_trouble": listed.trouble}, [*lines, *_lines(listed)]


def _data(line: UnderWay) -> dict[str, Any]:  # Any: part of the document
    attention = [each.model_dump() for each in line.attention]
    return {
        "kind": line.kind,
        "subject": line.subject,
        "state": line.state,
        "detail": line.detail,
        "attention": attention,
    }


def _lines(listed: Listed) -> list[str]:
    unknown = [f"  not all of it is known: {listed.trouble}"] if listed.trouble else []
    if not listed.lines:
        return ["work      nothing runs, and nothing needs you", *unknown]
    said = [text for line in listed.lines[:_MOST] for text in _line(line)]
    more = len(listed.lines) - _MOST
    rest = [f"  and {more} more: `penwright status --json` has all"] if more > 0 else []
    return ["work", *said, *rest, *unknown]


def _line(line: UnderWay) -> list[str]:
    detail = f": {printable(line.detail)}" if line.detail else ""
    return [f"  {line.kind} {line.subject}, {line.state}{detail}", *map(_reason, line.attention)]


def _reason(one: Attention) -> str:
    commands = " or ".join(f"`{each}`" for each in (one.command, one.also) if each)
    return f"    {printable(one.reason)}; next: {commands}"
