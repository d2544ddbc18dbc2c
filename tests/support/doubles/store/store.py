"""The store in memory: every port of it."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from penwright.adapters.message_chains import CachedMessageChains
from penwright.domain.trace.source import TraceAnchors
from penwright.ports.agents import AgentLogs, AgentStates, MessageChains
from penwright.ports.blobs import Blobs
from penwright.ports.clock import Clock
from penwright.ports.drafts import Drafts
from penwright.ports.library import PassageIndex
from penwright.ports.models import ModelLedger
from penwright.ports.notices import Notices
from penwright.ports.records import EventFeed, Records
from penwright.ports.scenes import Memories, Scenes, Worlds
from penwright.ports.seats import Seats
from penwright.ports.web import Credentials, KeptAnswers
from schemas.budgets import Caps
from tests.support.doubles.agent_states import MemoryAgentLogs, MemoryAgentStates
from tests.support.doubles.drafts import MemoryDrafts
from tests.support.doubles.eval_results import MemoryEvalResults
from tests.support.doubles.passages import MemoryPassages
from tests.support.doubles.scenes import MemoryMemories, MemoryScenes, MemoryWorlds, Shelf
from tests.support.doubles.seats import MemorySeats
from tests.support.doubles.store.blobs import MemoryBlobs
from tests.support.doubles.store.ledger import MemoryLedger
from tests.support.doubles.store.messages import MemoryMessageGroups
from tests.support.doubles.store.notices import MemoryNotices
from tests.support.doubles.store.records import MemoryFeed, MemoryRecords
from tests.support.doubles.store.trace import MemoryTraceAnchors
from tests.support.doubles.web_access import MemoryCredentials, MemoryKeptAnswers


@dataclass(frozen=True, slots=True)
class MemoryStore:
    """Every port of the store, in memory."""

    blobs: Blobs
    records: Records
    feed: EventFeed
    ledger: ModelLedger
    notices: Notices
    trace: TraceAnchors
    messages: MessageChains
    evals: MemoryEvalResults
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

    def together(self) -> AbstractContextManager[None]:
        """No transaction: a process that is lost takes its memory with it."""
        return nullcontext()

    def ping(self) -> None:
        """Do nothing: memory is always reachable."""

    def close(self) -> None:
        """Do nothing: no connection is open."""


def memory_store(*, clock: Clock, caps: Caps | None = None) -> MemoryStore:
    """An empty store."""
    ledger = MemoryLedger(clock, caps or Caps())
    records = MemoryRecords(clock, lambda book_id: ledger.spent("subject", book_id))
    credentials = MemoryCredentials()
    shelf = Shelf(credentials.withdraw, records.holds)
    blobs = MemoryBlobs(ledger)
    return MemoryStore(
        blobs=blobs,
        records=records,
        feed=MemoryFeed(records),
        ledger=ledger,
        notices=MemoryNotices(clock),
        trace=MemoryTraceAnchors(),
        messages=CachedMessageChains(MemoryMessageGroups()),
        evals=MemoryEvalResults(),
        agent_states=MemoryAgentStates(records),
        agent_logs=MemoryAgentLogs(clock, records.publish),
        worlds=MemoryWorlds(shelf),
        scenes=MemoryScenes(shelf, clock, blobs, records.publish),
        memories=MemoryMemories(shelf),
        seats=MemorySeats(shelf),
        passages=MemoryPassages(),
        drafts=MemoryDrafts(clock),
        credentials=credentials,
        answers=MemoryKeptAnswers(),
    )
