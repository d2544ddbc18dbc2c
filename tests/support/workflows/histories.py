"""Recorded workflow histories: where they lie, and how a machine's traces are taken out of them."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from temporalio.client import WorkflowHistory

FOLDER = Path(__file__).parents[2] / "histories"

Json = Any  # a JSON value

_DROPPED = frozenset({"stackTrace", "lastHeartbeatDetails", "searchAttributesSizeBytes"})
_IDENTITIES = frozenset({"identity", "workerIdentity"})


def recorded() -> list[Path]:
    """Every recorded history."""
    return sorted(FOLDER.glob("*.json"))


def load(file: Path) -> WorkflowHistory:
    """A history as a replayer takes it."""
    return WorkflowHistory.from_json(file.stem, file.read_text(encoding="utf-8"))


def save(name: str, history: WorkflowHistory, replaced: Mapping[str, str]) -> Path:
    """Keep a history without stack traces and identities; ``replaced``: a machine's text to a neutral one."""
    file = FOLDER / f"{name}.json"
    FOLDER.mkdir(exist_ok=True)
    clean = scrubbed(json.loads(history.to_json()), replaced)
    file.write_text(json.dumps(clean, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    return file


def scrubbed(value: Json, replaced: Mapping[str, str]) -> Json:
    """``value`` with the replacements made, in payloads too; the same for the same input."""
    if isinstance(value, dict):
        return {name: _field(name, each, replaced) for name, each in value.items() if name not in _DROPPED}
    if isinstance(value, list):
        return [scrubbed(each, replaced) for each in value]
    return _plain(value, replaced) if isinstance(value, str) else value


def texts(value: Json) -> list[str]:
    """Every text in a history, payloads decoded."""
    if isinstance(value, dict):
        return [text for name, each in value.items() for text in (name, *_texts_of(name, each))]
    if isinstance(value, list):
        return [text for each in value for text in texts(each)]
    return [value] if isinstance(value, str) else []


def _texts_of(name: str, value: Json) -> list[str]:
    return [_decoded(value)] if name == "data" and isinstance(value, str) else texts(value)


def _field(name: str, value: Json, replaced: Mapping[str, str]) -> Json:
    if name in _IDENTITIES:
        return "recorder"
    if name == "data" and isinstance(value, str):
        return base64.b64encode(_plain(_decoded(value), replaced).encode("utf-8", "surrogateescape")).decode()
    return scrubbed(value, replaced)


def _decoded(data: str) -> str:
    return base64.b64decode(data).decode("utf-8", "surrogateescape")


def _plain(text: str, replaced: Mapping[str, str]) -> str:
    for found, neutral in replaced.items():
        text = text.replace(found, neutral)
    return text
