"""Composition root of scenes: activities of rounds, and of the prompts and memories beside the models."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

from activities.director_round import DirectorRoundActivities
from penwright.adapters.store import Store
from penwright.domain.lore.index import LoreIndexes
from workers.model_catalog import catalog
from workers.settings import Loaded
from workers.wiring import asks_of

Activity = Callable[..., Any]  # Any: an activity's own types


def round_activities(store: Store) -> Sequence[Activity]:
    """Return what rounds ask of the store, on the queue ``penwright``."""
    return asks_of(DirectorRoundActivities(store.worlds, store.scenes, store.blobs, store.records))


def brief_activities(loaded: Loaded, store: Store) -> Sequence[Activity]:
    """Return the activities of ``briefs_queue``; this process counts tokens and makes vectors."""
    # Imported here: no other process counts tokens or makes vectors.
    from activities.scene_briefing import SceneBriefing
    from activities.scene_memory import SceneMemoryActivities
    from penwright.adapters.tokens import CountedOnce, LitellmTokens
    from workers.embedding import embeddings_of

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
    remembering = SceneMemoryActivities(store.worlds, store.scenes, store.memories, made)
    return [*asks_of(briefing), *asks_of(remembering)]
