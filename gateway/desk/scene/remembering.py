"""The run that remembers and sums up a scene: begun for an import, with an estimate; steered; its trouble."""

import asyncio
from dataclasses import dataclass
from math import ceil
from typing import Final

from gateway.desk.engine import messages
from gateway.desk.engine.pipelines import Message
from gateway.desk.scene.imports import Imported
from gateway.desk.scene.rounds import scene_of
from gateway.desk.services import Services
from gateway.desk.works.books import new_session
from penwright.adapters.models.prices import cost_micros
from penwright.domain.models.choice import entry_for
from penwright.domain.scene.memory.run import MESSAGES, PIPELINE
from penwright.errors import PenwrightError, Refused
from schemas.model_catalog import ModelEntry
from schemas.worlds import Scene
from workers.model_catalog import catalog

_PORTION: Final = 6_000
"""Tokens of messages that one call of a summariser has room for, roughly."""
_INSTRUCTIONS: Final = 1_500
_SUMMARY: Final = 500


@dataclass(frozen=True, slots=True)
class MemoryOutlook:
    """Work that is done in the background, and about what it costs."""

    rounds: int
    """Rounds that are remembered; that asks no model but the one for vectors."""
    messages: int
    """Messages that are summed up."""
    calls: int
    model: str
    input_tokens: int
    output_tokens: int
    cost_micros: int | None
    """None if the price is unknown."""
    warning: str = ""
    """Reason why it was not started; the next round of the scene starts it."""


async def begin(services: Services, done: Imported) -> MemoryOutlook:
    """Have an imported scene remembered and summed up; where nothing runs, its next round has it done."""
    scene, warning = done.scene.id, ""
    try:
        async with services.engine() as engine:
            await engine.rounds.remember(scene, new_session(services.now()))
    except PenwrightError as error:
        warning = error.message
    return _outlook(services, done, warning)


async def send(services: Services, named: str, message: Message) -> Scene:
    """Kill, pause or resume the run that remembers a scene; returns once that is confirmed.

    Raises:
        Refused: ``nothing-remembers``: none runs.
        EngineUnavailable: no worker confirmed it in time.
    """
    scene = await asyncio.to_thread(scene_of, services, named)
    nothing = Refused(
        "nothing-remembers",
        f"no run makes memories or a summary of {scene.id!r}",
        hint=f"`penwright scene continue {scene.id}` plays on, and the run begins after its round",
    )
    async with services.engine() as engine:
        await messages.send(engine.memory_runs, scene.id, message, nothing)
    return scene


def trouble(services: Services, scene: str) -> str:
    """Say why the newest run for a scene could not make all memories, or a summary; empty if it could."""
    with services.open_store() as store:
        newest = next(iter(store.records.runs(subject=f"scene/{scene}", pipeline=PIPELINE, limit=1)), None)
    return str(newest.detail.get("message", "")) if newest and newest.outcome == "failed" else ""


def _outlook(services: Services, done: Imported, warning: str) -> MemoryOutlook:
    entry = _model(services)
    is_long = done.rounds > done.scene.settings.summarise_after
    tokens = done.older_tokens if is_long else 0
    calls = max(ceil(tokens / _PORTION), ceil(done.older / MESSAGES)) if is_long else 0
    read, written = tokens + calls * _INSTRUCTIONS, calls * _SUMMARY
    return MemoryOutlook(
        rounds=done.rounds,
        messages=done.older if is_long else 0,
        calls=calls,
        model=entry.name if entry else "no model",
        input_tokens=read,
        output_tokens=written,
        cost_micros=_cost(entry, read, written) if calls else 0,
        warning=warning,
    )


def _model(services: Services) -> ModelEntry | None:
    """The summariser's model; None if the settings name an unknown one, which its calls will say."""
    try:
        return entry_for(catalog(services.loaded().settings), "summariser")
    except PenwrightError:
        return None


def _cost(entry: ModelEntry | None, read: int, written: int) -> int | None:
    return cost_micros(entry, input_tokens=read, output_tokens=written) if entry else None
