"""Open the store of a process: all its ports over one pool."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from penwright.adapters.message_chains import CachedMessageChains
from penwright.adapters.sealing import Keys
from penwright.adapters.store.agent_logs import PostgresAgentLogs
from penwright.adapters.store.agent_states import PostgresAgentStates
from penwright.adapters.store.blobs import PostgresBlobs
from penwright.adapters.store.database import Database
from penwright.adapters.store.drafts import PostgresDrafts
from penwright.adapters.store.eval_results import PostgresEvalResults
from penwright.adapters.store.feed import PostgresFeed
from penwright.adapters.store.ledger import PostgresLedger
from penwright.adapters.store.message_groups import PostgresMessageGroups
from penwright.adapters.store.notices import PostgresNotices
from penwright.adapters.store.passages import PostgresPassages
from penwright.adapters.store.records import PostgresRecords
from penwright.adapters.store.retention import PostgresRetention
from penwright.adapters.store.scenes import PostgresMemories, PostgresScenes, PostgresSeats, PostgresWorlds
from penwright.adapters.store.trace_anchors import PostgresTraceAnchors
from penwright.adapters.store.used_keys import UsedKeys
from penwright.adapters.store.web_access import PostgresCredentials, PostgresKeptAnswers
from penwright.domain.trace.source import TraceAnchors
from penwright.ports.agents import AgentLogs, AgentStates, MessageChains
from penwright.ports.blobs import Blobs
from penwright.ports.clock import Clock
from penwright.ports.drafts import Drafts
from penwright.ports.evals import EvalResults
from penwright.ports.library import PassageIndex
from penwright.ports.models import ModelLedger
from penwright.ports.notices import Notices
from penwright.ports.records import EventFeed, Records
from penwright.ports.retention import Retention
from penwright.ports.scenes import Memories, Scenes, Worlds
from penwright.ports.seats import Seats
from penwright.ports.web import Credentials, KeptAnswers
from schemas.budgets import Caps

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
    trace: TraceAnchors
    messages: MessageChains
    evals: EvalResults
    agent_states: AgentStates
    agent_logs: AgentLogs
    worlds: Worlds
    scenes: Scenes
    memories: Memories
    seats: Seats
    passages: PassageIndex
    drafts: Drafts
    credentials: Credentials
    answers: KeptAnswers
    retention: Retention
    database: Database
    keys: UsedKeys

    def together(self) -> AbstractContextManager[None]:
        """Have all changes of the caller be one transaction: all or none."""
        self.keys.for_writing()  # noted for the process, too, which a rollback would not take back
        return self.database.together()

    def ping(self) -> None:
        """Make one round trip; raises ``StoreUnavailable``."""
        self.database.ping()

    def close(self) -> None:
        """Close the pool's connections. Idempotent."""
        self.database.close()


def open_store(
    url: str,
    *,
    clock: Clock,
    caps: Caps | Callable[[], Caps] | None = None,
    pool_size: int = POOL_SIZE,
    keys: Keys | None = None,
) -> Store:
    """Return the store at ``url``, which must be migrated; it connects on first use.

    Args:
        caps: the caps, or a function that returns them, called before every model call.
        keys: what texts and messages are encrypted with.

    Raises:
        UsageMistake: ``bad-database-url``.
    """
    database = Database(url, pool_size=pool_size)
    records = PostgresRecords(database, clock)
    used = UsedKeys(database, clock, keys)
    blobs = PostgresBlobs(database, clock, used)
    return Store(
        blobs=blobs,
        records=records,
        feed=PostgresFeed(database, records),
        ledger=PostgresLedger(database, clock, caps if callable(caps) else lambda: caps or Caps(), used),
        notices=PostgresNotices(database, clock),
        trace=PostgresTraceAnchors(database),
        messages=CachedMessageChains(PostgresMessageGroups(database, clock, used)),
        evals=PostgresEvalResults(database, clock),
        agent_states=PostgresAgentStates(database, clock),
        agent_logs=PostgresAgentLogs(database, clock),
        worlds=PostgresWorlds(database, clock),
        scenes=PostgresScenes(database, clock, blobs),
        memories=PostgresMemories(database),
        seats=PostgresSeats(database),
        passages=PostgresPassages(database, clock),
        drafts=PostgresDrafts(database, clock),
        credentials=PostgresCredentials(database),
        answers=PostgresKeptAnswers(database),
        retention=PostgresRetention(database, clock, used),
        database=database,
        keys=used,
    )
