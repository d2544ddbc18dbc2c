"""Composition root of scenes: activities of rounds, and of the prompts and memories beside the models."""

import asyncio
from collections.abc import Callable, Sequence
from secrets import token_hex
from threading import Lock
from typing import Any

from temporalio.client import Client

from activities.director_round import DirectorRoundActivities
from activities.scene_memory import SceneMemoryRunActivities, TemporalSceneMemory
from penwright.adapters.clock import SystemClock
from penwright.adapters.store import Store
from penwright.domain.lore.index import LoreIndexes
from workers.embedding import embeddings_model, embeddings_of
from workers.model_catalog import catalog
from workers.settings import Loaded, Settings
from workers.wiring import activity_methods

Activity = Callable[..., Any]  # Any: an activity's own types


def round_activities(settings: Settings, store: Store) -> Sequence[Activity]:
    """Return what rounds and the runs that remember them ask of the store, on the queue ``penwright``."""
    queues = settings.worker
    memory = TemporalSceneMemory(queues.queue, queues.model_queue)
    playing = DirectorRoundActivities(store.worlds, store.scenes, store.blobs, store.records, memory)
    remembering = SceneMemoryRunActivities(store.worlds, store.scenes, store.memories, store.records)
    return [*activity_methods(playing), *activity_methods(remembering)]


def brief_activities(loaded: Loaded, store: Store) -> Sequence[Activity]:
    """Return the activities of ``briefs_queue``; this process counts tokens and makes vectors."""
    # Imported here: no other process counts tokens or makes vectors.
    from activities.memory_indexing import MemoryIndexingActivities, TemporalBacklog
    from activities.scenes.briefing import SceneBriefing
    from activities.scenes.memory import SceneMemoryActivities
    from penwright.adapters.tokens import CountedOnce, LitellmTokens

    made = embeddings_of(loaded, store.ledger)
    counter = CountedOnce(LitellmTokens(catalog(loaded.settings)))
    briefing = SceneBriefing(
        store.worlds,
        store.scenes,
        store.memories,
        made,
        counter,
        store.blobs,
        LoreIndexes(lock=Lock()),
    )
    queues = loaded.settings.worker
    backlog = TemporalBacklog(queues.queue, queues.model_queue)
    remembering = SceneMemoryActivities(store.worlds, store.scenes, store.memories, made, backlog)
    indexing = MemoryIndexingActivities(store.memories, made, store.records)
    return [*activity_methods(briefing), *activity_methods(remembering), *activity_methods(indexing)]


async def index_memories(settings: Settings, store: Store, client: Client) -> None:
    """Have vectors made, if memories lack those of the settings' model: it may have been changed."""
    from activities.memory_indexing import TemporalBacklog

    model, queues = embeddings_model(settings), settings.worker
    if not model or not (await asyncio.to_thread(store.memories.counted, model)).without:
        return
    session = f"{SystemClock().now():%Y%m%dT%H%M%SZ}-{token_hex(3)}"
    await TemporalBacklog(queues.queue, queues.model_queue, lambda: client).wanted(session)
