"""Paths of the trace in a workspace."""

import re
from collections.abc import Iterable

FOLDER = ".orchestration"
LEDGER = f"{FOLDER}/agent_trace.jsonl"
"""The open segment; every commit that changes governed text adds to it."""
CLOSED = f"{FOLDER}/agent_trace"
"""Folder of the closed segments: of their hundreds no commit but the one that adds to them has to know."""
MANIFEST = f"{FOLDER}/agent_trace.manifest.jsonl"
"""One line per closed segment."""
MAP = f"{FOLDER}/intent_map.md"
LESSONS = f"{FOLDER}/AGENT.md"
ATTRIBUTES = f"{FOLDER}/.gitattributes"
"""Makes a merge by hand keep the lines of both sides; the map is then rebuilt."""
ATTRIBUTES_CLOSED = b"agent_trace/*.jsonl merge=union\n"
ATTRIBUTES_TEXT = b"agent_trace*.jsonl merge=union\n" + ATTRIBUTES_CLOSED + b"intent_map.md merge=union\n"

SEGMENT_BYTES = 128 * 1024
"""From this size on the open segment is closed: every commit writes the open one again."""
LINE_BYTES = 60_000
"""Most bytes of one record; a larger change has several."""

_SEGMENT = re.compile(re.escape(CLOSED) + r"/([1-9][0-9]*)\.jsonl")


def segment_path(number: int) -> str:
    """Path of a closed segment; numbers begin with 1."""
    return f"{CLOSED}/{number}.jsonl"


def segment_number(path: str) -> int | None:
    """The number in a closed segment's name; None for other files."""
    found = _SEGMENT.fullmatch(path)
    return int(found[1]) if found else None


def segment_numbers(names: Iterable[str]) -> list[int]:
    """Numbers of the closed segments among the names in their folder, in order."""
    return sorted(filter(None, (segment_number(f"{CLOSED}/{name}") for name in names)))


def is_ledger(path: str) -> bool:
    """Whether this file is made of lines that never change and whose order means nothing."""
    return path in (LEDGER, MANIFEST) or segment_number(path) is not None
