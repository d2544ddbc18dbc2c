"""Memories without vectors, and a worker that brings them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from temporalio.client import Client
from temporalio.worker import Worker

from activities.memory_indexing import MemoryIndexingActivities, TemporalBacklog
from penwright.adapters.clock import SystemClock
from schemas.memory import Charge, Memory, Vectors
from schemas.memory_indexing import WORKFLOW_ID
from tests.adapters.store.scenes.builders import a_scene, an_effect
from tests.support.doubles.store import memory_store
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import activity_methods


@dataclass
class Numbers:
    """The number of letters of each text; before it answers, ``meanwhile`` may change the world."""

    failure: Exception | None = None
    meanwhile: Any = None
    asked: list[tuple[str, ...]] = field(default_factory=list)
    model: str = "numbers"

    def embed(self, texts: Sequence[str], charge: Charge) -> Vectors:
        self.asked.append(tuple(texts))
        if self.meanwhile is not None:
            self.meanwhile()
        if self.failure is not None:
            raise self.failure
        return Vectors(model=self.model, dimensions=1, vectors=tuple((float(len(text)),) for text in texts))


@dataclass
class Library:
    """A store whose memories lack vectors, and how to ask for them."""

    client: Client
    store: Any
    numbers: Numbers
    backlog: TemporalBacklog
    scene: str

    def remember(self, *texts: str) -> None:
        fields = {"scene": self.scene, "world": "coast", "character": "ann", "round": 1}
        at = an_effect().issued_at
        made = [Memory(id=f"m/{uuid4().hex}", text=text, at=at, **fields) for text in texts]
        self.store.memories.remember(made, None)

    async def ended(self) -> Any:
        """Wait for the run that is under way, and any that follows it; return how it ended."""
        return await self.client.get_workflow_handle(WORKFLOW_ID).result()


@asynccontextmanager
async def library(client: Client, numbers: Numbers) -> AsyncIterator[Library]:
    store, queue = memory_store(clock=SystemClock()), f"library-{uuid4().hex[:8]}"
    scene = a_scene(store, "Ann")
    activities = MemoryIndexingActivities(store.memories, numbers, store.records)
    backlog = TemporalBacklog(queue, "", lambda: client)
    async with Worker(client, task_queue=queue, workflows=WORKFLOWS, activities=activity_methods(activities)):
        yield Library(client, store, numbers, backlog, scene.id)
