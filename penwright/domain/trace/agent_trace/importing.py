"""Read our own exports back as records, to the byte; classify everything else for ``legacy``."""

import copy
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from penwright.domain.trace.agent_trace.exporting import (
    KEY,
    Unexportable,
    as_author,
    export_line,
    exported,
    is_shown,
)
from penwright.domain.trace.chain import Raw, canonical, read_lines, record_hash
from schemas.agent_trace import AgentTrace
from schemas.trace import SCHEMA

Kind = Literal["record", "legacy", "foreign", "broken"]


@dataclass(frozen=True, slots=True)
class Imported:
    """What one line of a file is."""

    number: int
    """From 1."""
    kind: Kind
    """``record``: one of ours, whole. ``legacy``: a line of the challenge. ``foreign``: of another tool."""
    value: Raw | None
    """The record, or the line's JSON; None if it is none."""
    reason: str = ""
    """Why it is broken."""


def imported(lines: Iterable[bytes]) -> Iterator[Imported]:
    """Every line that is not blank."""
    for number, row in enumerate(lines, start=1):
        if row.strip():
            yield _imported(number, row.strip(b"\r\n"))


def restored(trace: Raw) -> Raw:
    """The record an exported line was made of; ``KeyError`` and the like if it was made of none."""
    record: Raw = copy.deepcopy(trace["metadata"][KEY]["record"])
    record |= {
        name: trace[name] for name in ("id", "timestamp", "tool") if name not in record and name in trace
    }
    shown = iter(trace["files"])
    for file in record["files"]:
        if is_shown(file):
            _restore_file(file, next(shown))
    return record


def _restore_file(file: Raw, shown: Raw) -> None:
    file["relative_path"] = shown["path"]
    conversations = iter(shown["conversations"])
    for conversation in file["conversations"]:
        if conversation.get("ranges"):
            _restore_conversation(conversation, next(conversations))


def _restore_conversation(conversation: Raw, shown: Raw) -> None:
    conversation.setdefault("url", shown["url"])
    _restore_contributor(conversation, shown)
    for found, given in zip(conversation["ranges"], shown["ranges"], strict=True):
        found |= {name: given[name] for name in ("start_line", "end_line", "content_hash") if name in given}
        _restore_contributor(found, given)


def _restore_contributor(owner: Raw, shown: Raw) -> None:
    if "contributor" in shown:
        owner.setdefault("contributor", as_author(shown["contributor"]))


def _imported(number: int, row: bytes) -> Imported:
    try:
        # Any: the file may hold anything.
        value: Any = json.loads(row.decode())
    except (ValueError, RecursionError):
        return Imported(number, "broken", None, "it is no line of JSON in UTF-8")
    if not isinstance(value, dict):
        return Imported(number, "broken", None, "it is no JSON object")
    if value.get("schema") == SCHEMA:
        return _ledger_line(number, row, value)
    if "version" not in value:
        return Imported(number, "legacy", value)
    metadata = value.get("metadata")
    ours = metadata.get(KEY) if isinstance(metadata, dict) else None
    if isinstance(ours, dict) and isinstance(ours.get("legacy"), dict):
        return Imported(number, "legacy", ours["legacy"])
    if isinstance(ours, dict) and "record" in ours:
        return _exported_line(number, row, value)
    return Imported(number, "foreign", value)


def _ledger_line(number: int, row: bytes, value: Raw) -> Imported:
    fault = next(read_lines(row + b"\n")).fault
    return Imported(number, "broken", value, fault) if fault else Imported(number, "record", value)


def _exported_line(number: int, row: bytes, value: Raw) -> Imported:
    """Whatever was changed shows: in the record's own hash, or in that it is not what we would export."""
    try:
        AgentTrace.model_validate_json(row)
        record = restored(value)
        sound = record_hash(record) == record["integrity"]["hash"]
        again = export_line(exported(record, value.get("vcs", {}).get("revision")))
    except (ValidationError, Unexportable) as error:
        return Imported(number, "broken", value, f"it is not valid: {str(error).splitlines()[0]}")
    except (KeyError, TypeError, ValueError, AttributeError, StopIteration) as error:
        return Imported(number, "broken", value, f"a part of the record is missing ({error!r})")
    if not sound or again != canonical(value) + b"\n":
        return Imported(number, "broken", value, "it was altered after it was exported")
    return Imported(number, "record", record)
