"""Lines of the engine's logs, in words: those of our processes and of Temporal are JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_QUIET = frozenset({"process", "logger"})


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line that was JSON."""

    at: str
    level: str
    what: str
    """Event, and the last error, if one is told; stack traces stay in the file."""
    facts: Mapping[str, Any]  # Any: JSON

    @property
    def said(self) -> str:
        """Without time and level."""
        return " ".join([self.what, *(f"{name}={value}" for name, value in self.facts.items())])


def parsed(line: str) -> LogLine | None:
    """Return the parts of a line; None if it is not JSON."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    if not isinstance(entry, dict):
        return None
    # The first name of each pair is ours, the second Temporal's.
    at = str(entry.pop("timestamp", "") or entry.pop("time", ""))
    what = str(entry.pop("event", "") or entry.pop("msg", "")).partition("\n")[0]
    match entry.pop("exception", None):
        case [{"exc_type": kind, "exc_value": said}, *_]:
            what += f" · {kind}: {said}"
        case _:
            pass
    level = str(entry.pop("level", "")).lower()
    return LogLine(at, level, what, {key: entry[key] for key in entry if key not in _QUIET})


def in_words(text: str) -> str:
    """The lines of a log as one sentence part, without times."""
    found = [(line, parsed(line)) for line in text.splitlines() if line.strip()]
    return "; ".join(known.said if known else line.strip() for line, known in found)
