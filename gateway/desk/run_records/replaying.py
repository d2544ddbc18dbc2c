"""Replay recorded runs with the current code."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from temporalio.client import WorkflowHistory
from temporalio.runtime import Runtime, TelemetryConfig
from temporalio.worker import Replayer

from gateway.desk.run_records.bundles import Bundle
from penwright.agents.definition.manifest import definition_digest
from penwright.errors import NotFound
from penwright.roles import catalogue
from workers.temporal_plugin import PLUGIN

_MESSAGE = re.compile(r'message: "((?:[^"\\]|\\.)+)"')
_SHORTEST = 3
"""Events: a run starts, and its first task is scheduled and begun."""
_SUFFIX = "EventAttributes"

# Any, here and below: JSON.
Json = Any


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first step of a history at which today's code would do something else."""

    history: str
    event: int | None
    """Its id in the history; None when the run cannot even begin."""
    step: str
    """Recorded step there."""
    why: str


@dataclass(frozen=True, slots=True)
class Replay:
    """Result of replaying a bundle."""

    divergences: tuple[Divergence, ...]
    """At most one for each history; empty when every one passes."""
    histories: int
    changed: tuple[str, ...]
    """Agents whose definition differs from the one that the run was pinned to."""


async def replayed(bundle: Bundle) -> Replay:
    """Replay every history of a bundle with the code of today; the agents must be registered."""
    histories = _histories(bundle)
    return Replay(await divergences(histories), len(histories), tuple(_changed(bundle)))


async def divergences(histories: Sequence[tuple[str, str, Mapping[str, Json]]]) -> tuple[Divergence, ...]:
    """Replay each history (path, workflow id, JSON); empty when every one passes."""
    # Temporal's own warnings would be printed into the answer.
    quiet = Runtime(telemetry=TelemetryConfig(logging=None))
    replayer = Replayer(workflows=[], plugins=[PLUGIN], runtime=quiet)
    found = []
    for path, workflow_id, history in histories:
        if await _failure(replayer, workflow_id, history["events"]) is not None:
            found.append(await _first(replayer, path, workflow_id, history))
    return tuple(found)


async def _first(replayer: Replayer, path: str, workflow_id: str, history: Mapping[str, Json]) -> Divergence:
    """Find where a history parts: the end of its shortest beginning that does not replay.

    What the SDK says of a divergence does not always name the event.
    """
    events = history["events"]
    passes, parts = min(_SHORTEST, len(events)) - 1, len(events)
    while parts - passes > 1:
        middle = (passes + parts) // 2
        if await _failure(replayer, workflow_id, events[:middle]) is None:
            passes = middle
        else:
            parts = middle
    why = _words(await _failure(replayer, workflow_id, events[:parts]))
    if parts <= _SHORTEST:
        return Divergence(path, None, "", why)
    return Divergence(path, int(events[parts - 1]["eventId"]), _step(events[parts - 1], history), why)


async def _failure(replayer: Replayer, workflow_id: str, events: Sequence[Json]) -> Exception | None:
    history = WorkflowHistory.from_json(workflow_id, json.dumps({"events": events}))
    return (await replayer.replay_workflow(history, raise_on_replay_failure=False)).replay_failure


def _words(failure: Exception | None) -> str:
    """Find the failure's message, without the SDK's wrapping."""
    said = str(failure)
    found = _MESSAGE.search(said)
    return found[1].replace('\\"', '"') if found else said


def _step(event: Mapping[str, Json], history: Mapping[str, Json]) -> str:
    """An event in words, such as ``ACTIVITY_TASK_SCHEDULED call_model``."""
    kind = str(event.get("eventType", "")).removeprefix("EVENT_TYPE_")
    facts = _facts(event)
    began = facts.get("scheduledEventId") or facts.get("initiatedEventId")
    named = _facts(_event(history, began)) if began else facts
    name = named.get("activityType", named.get("workflowType", {})).get("name", "")
    return f"{kind} {name}".strip()


def _event(history: Mapping[str, Json], number: str) -> Mapping[str, Json]:
    found: list[Mapping[str, Json]] = [each for each in history["events"] if each["eventId"] == number]
    return found[0] if found else {}


def _facts(event: Mapping[str, Json]) -> Mapping[str, Json]:
    found: list[Mapping[str, Json]] = [event[name] for name in event if name.endswith(_SUFFIX)]
    return found[0] if found else {}


def _histories(found: Bundle) -> list[tuple[str, str, Any]]:
    return [
        (path, run["workflow_id"], found.json(path))
        for run in found.manifest["runs"]
        for path in sorted(found.files)
        if path.startswith(f"{run['folder']}/history-")
    ]


def _changed(found: Bundle) -> Iterator[str]:
    """Agents whose definition is another one today than the run was pinned to."""
    for run in found.manifest["runs"]:
        try:
            today = definition_digest(catalogue.find(run["agent"]).definition)
        except NotFound:
            today = ""
        if run["definition"] and run["definition"] != today:
            yield run["agent"]
