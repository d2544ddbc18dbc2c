"""Composition root of scenes: activities of rounds, and of the prompts and memories beside the models."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

from activities.director_round import DirectorRoundActivities
from penwright.adapters.store import Store
from penwright.domain.lore.index import LoreIndexes
from penwright.errors import UsageMistake
from penwright.ports.scenes import Embeddings
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
    from penwright.adapters.tokens import CountedOnce, LitellmTokens

    made = embeddings(loaded)
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
    return asks_of(briefing)


def embeddings(loaded: Loaded) -> Embeddings:
    """Return what makes vectors of memories.

    Raises:
        UsageMistake: ``unknown-embeddings``.
    """
    from penwright.adapters.embeddings import LitellmEmbeddings, NoEmbeddings, WordLlamaEmbeddings

    wanted = loaded.settings.memory.embeddings
    if wanted == "wordllama":
        return WordLlamaEmbeddings()
    if wanted == "none":
        return NoEmbeddings()
    entry = next((each for each in catalog(loaded.settings).models if each.name == wanted), None)
    if entry is None or entry.provider != "litellm":
        raise UsageMistake(
            "unknown-embeddings",
            f"memory.embeddings is {wanted!r}, and [models] has no vendor's model of that name",
            hint="use `wordllama`, `none`, or the name of an embedding model in [models]",
        )
    return LitellmEmbeddings(entry, loaded.environ.get(entry.key_env, "") if entry.key_env else "")
