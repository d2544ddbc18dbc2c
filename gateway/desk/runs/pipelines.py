"""The pipelines by the first word of their runs' names: their runs in the engine, and messages to them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from gateway.desk.agents import runs as agent_runs
from gateway.desk.book import planning, reading, sessions
from gateway.desk.citations import auditing, scans
from gateway.desk.engine.connection import Engine
from gateway.desk.engine.pipelines import Message, Runs
from gateway.desk.manuscript import runs
from gateway.desk.principals import Principal, require
from gateway.desk.scene import remembering, rounds
from gateway.desk.services import Services
from gateway.desk.works import registered
from gateway.desk.works.books import Book
from gateway.desk.works.documents import Document
from gateway.desk.works.subjects import subject_of
from penwright.errors import Refused
from schemas.control import KillRequest
from schemas.records import RunRow

Send = Callable[[Services, str, Message], Awaitable[object]]
"""Kills, pauses or resumes the run of a name; returns once that is confirmed."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """One pipeline as its runs are listed and steered."""

    kind: Literal["book", "novel", "scene"]
    """Its subject."""
    runs: Callable[[Engine], Runs]
    send: Send


def _of_book(send: Callable[[Services, Book, Message], Awaitable[None]]) -> Send:
    async def sent(services: Services, name: str, message: Message) -> None:
        await send(services, await asyncio.to_thread(registered.book, services, name), message)

    return sent


def _of_document(send: Callable[[Services, Document, Message], Awaitable[None]]) -> Send:
    async def sent(services: Services, name: str, message: Message) -> None:
        novel, _, scene = name.partition("/")
        await send(services, await asyncio.to_thread(registered.document, services, novel, scene), message)

    return sent


PIPELINES: Mapping[str, Pipeline] = {
    "book": Pipeline("book", lambda engine: engine.pipelines, _of_book(sessions.send)),
    "continuity": Pipeline("book", lambda engine: engine.readings, _of_book(reading.send)),
    "planning": Pipeline("book", lambda engine: engine.plannings, _of_book(planning.send)),
    "manuscript": Pipeline("novel", lambda engine: engine.manuscripts, _of_document(runs.send)),
    "citations": Pipeline("novel", lambda engine: engine.scans, _of_document(scans.send)),
    "audit": Pipeline("novel", lambda engine: engine.audits, _of_document(auditing.send)),
    "scene": Pipeline("scene", lambda engine: engine.rounds, rounds.send),
    "scene-memory": Pipeline("scene", lambda engine: engine.memory_runs, remembering.send),
}


async def steer(services: Services, principal: Principal, row: RunRow, message: Message) -> None:
    """Tell a run of any pipeline something; returns once it has confirmed that.

    Raises:
        Refused: ``not-permitted``, ``not-steered-here``, or the run has ended.
        EngineUnavailable: no worker confirmed it in time.
    """
    require(principal, "run", subject_of(row.subject))
    prefix, _, rest = row.run.partition("/")
    if row.ended_at is not None or row.outcome:
        raise Refused(
            "run-ended", f"the run {row.run!r} has ended", hint="only a run that goes on can be told"
        )
    if prefix == "agent":
        await agent_runs.send(services, rest, message, done=_participle(message))
    else:
        await send(services, row.run, message)


async def send(services: Services, run: str, message: Message) -> None:
    """Kill, pause or resume the run of this name; returns once that is confirmed.

    Raises:
        Refused: ``not-steered-here``, or it has ended.
        EngineUnavailable: the engine does not run, or no worker confirmed it in time.
    """
    first, _, name = run.partition("#")[0].partition("/")
    if first not in PIPELINES:
        raise Refused("not-steered-here", f"{run!r} is not steered here", hint="see `penwright run --help`")
    await PIPELINES[first].send(services, name, message)


def _participle(message: Message) -> str:
    if isinstance(message, KillRequest):
        return "killed"
    return "paused" if message == "pause" else "resumed"
