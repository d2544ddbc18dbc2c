"""Open the store of a process: all its ports over one pool."""

from collections.abc import Callable
from dataclasses import dataclass

from penwright.adapters.message_chains import CachedMessageChains
from penwright.adapters.store.agent_logs import PostgresAgentLogs
from penwright.adapters.store.agent_states import PostgresAgentStates
from penwright.adapters.store.blobs import PostgresBlobs
from penwright.adapters.store.caps import Caps
from penwright.adapters.store.database import Database
from penwright.adapters.store.effects import PostgresEffects
from penwright.adapters.store.eval_results import PostgresEvalResults
from penwright.adapters.store.feed import PostgresFeed
from penwright.adapters.store.ledger import PostgresLedger
from penwright.adapters.store.message_groups import PostgresMessageGroups
from penwright.adapters.store.notices import PostgresNotices
from penwright.adapters.store.records import PostgresRecords
from penwright.adapters.store.scenes import PostgresMemories, PostgresScenes, PostgresWorlds
from penwright.adapters.store.trace_index import PostgresTraceIndex
from penwright.ports import (
    AgentLogs,
    AgentStates,
    Blobs,
    Clock,
    Effects,
    EvalResults,
    EventFeed,
    MessageChains,
    ModelLedger,
    Notices,
    Records,
    TraceIndex,
)
from penwright.ports.scenes import Memories, Scenes, Worlds

POOL_SIZE = 10
"""Connections kept open."""


@dataclass(frozen=True, slots=True)
class Store:
    """Every port that PostgreSQL implements, over one pool."""

    blobs: Blobs
    records: Records
    feed: EventFeed
    ledger: ModelLedger
    notices: Notices
    effects: Effects
    trace: TraceIndex
    messages: MessageChains
    evals: EvalResults
    agent_states: AgentStates
    agent_logs: AgentLogs
    worlds: Worlds
    scenes: Scenes
    memories: Memories
    database: Database

    def ping(self) -> None:
        """Make one round trip; raises ``StoreUnavailable``."""
        self.database.ping()

    def close(self) -> None:
        """Close the pool's connections. Idempotent."""
        self.database.close()


def open_store(
    url: str, *, clock: Clock, caps: Caps | Callable[[], Caps] | None = None, pool_size: int = POOL_SIZE
) -> Store:
    """Return the store at ``url``, which must be migrated; it connects on first use.

    ``caps``: the caps, or a function that returns them, called before every model call.

    Raises:
        UsageMistake: ``bad-database-url``.
    """
    database = Database(url, pool_size=pool_size)
    records = PostgresRecords(database, clock)
    blobs = PostgresBlobs(database, clock)
    return Store(
        blobs=blobs,
        records=records,
        feed=PostgresFeed(database, records),
        ledger=PostgresLedger(database, clock, caps if callable(caps) else lambda: caps or Caps()),
        notices=PostgresNotices(database, clock),
        effects=PostgresEffects(database, clock),
        trace=PostgresTraceIndex(database),
        messages=CachedMessageChains(PostgresMessageGroups(database, clock)),
        evals=PostgresEvalResults(database, clock),
        agent_states=PostgresAgentStates(database, clock),
        agent_logs=PostgresAgentLogs(database, clock),
        worlds=PostgresWorlds(database, clock),
        scenes=PostgresScenes(database, clock, blobs),
        memories=PostgresMemories(database),
        database=database,
    )
