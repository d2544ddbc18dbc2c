"""The pipelines by the first word of their runs' names: their runs in the engine, and who takes a message."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from gateway.desk.book import planning, reading, sessions
from gateway.desk.citations import auditing, scans
from gateway.desk.engine.connection import Engine
from gateway.desk.engine.pipelines import Message, Runs
from gateway.desk.manuscript import runs
from gateway.desk.scene import remembering, rounds
from gateway.desk.services import Services
from gateway.desk.works import registered
from gateway.desk.works.books import Book
from gateway.desk.works.documents import Document

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
