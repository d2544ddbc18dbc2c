"""Where the trace lies in a workspace."""

import re

FOLDER = ".orchestration"
LEDGER = f"{FOLDER}/agent_trace.jsonl"
"""The open segment; every commit that changes governed text adds to it."""
MANIFEST = f"{FOLDER}/agent_trace.manifest.jsonl"
"""One line per closed segment."""
MAP = f"{FOLDER}/intent_map.md"
LESSONS = f"{FOLDER}/AGENT.md"
ATTRIBUTES = f"{FOLDER}/.gitattributes"
"""Tells git, when a person merges by hand, that the lines of both sides stay; the map is then made anew."""
ATTRIBUTES_TEXT = b"agent_trace*.jsonl merge=union\nintent_map.md merge=union\n"

SEGMENT_BYTES = 128 * 1024
"""From this size on the open segment is closed: a commit writes the open one anew."""
LINE_BYTES = 60_000
"""Most bytes of one record; a larger change has several."""

_SEGMENT = re.compile(re.escape(FOLDER) + r"/agent_trace\.(\d+)\.jsonl")


def segment_path(number: int) -> str:
    """Where a closed segment stands; numbers begin with 1."""
    return f"{FOLDER}/agent_trace.{number}.jsonl"


def segment_number(path: str) -> int | None:
    """The number in a closed segment's name; None for other files."""
    found = _SEGMENT.fullmatch(path)
    return int(found[1]) if found else None


def is_ledger(path: str) -> bool:
    """Whether this file is made of lines that never change and whose order means nothing."""
    return path in (LEDGER, MANIFEST) or segment_number(path) is not None
