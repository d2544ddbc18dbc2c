"""Ports: interfaces to the outside world. Each has a real adapter and an in-memory double."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, Protocol

from penwright.domain.trace.recorder.case import RecordCase
from penwright.domain.trace.source import TraceAnchors as TraceAnchors
from penwright.domain.trace.source import TraceSource as TraceSource
from schemas.agent import AgentMessage
from schemas.agent_run import ChainHead
from schemas.agent_state import (
    AgentState,
    LogEntry,
    Logged,
    PastValue,
    StateConflict,
    StateEvent,
    StateKey,
    StateWritten,
    Variable,
    WriteState,
)
from schemas.base import BlobRef, BookId, Effect, OpId
from schemas.documents import BookDocument, ReadDocument, SourceDocument, TargetFormat, WrittenDocument
from schemas.evals import SampleResult
from schemas.model import BudgetScope, ModelRequest, ModelResponse, Usage
from schemas.model_trial import ProbeReport
from schemas.notices import Notice
from schemas.overrides import OverrideSet
from schemas.records import BoardEntry, BoardRow, BookRow, Event, RunRow, Spending, SpendingBy, WorkspaceKind
from schemas.scholarly import Answer, Identifier, Query
from schemas.trace import (
    Recorded,
)
from schemas.workspace import (
    Claimed,
    Denial,
    FileVersion,
    LogFetched,
    MutationPlan,
    Previewed,
    Published,
    Pushed,
    Restored,
    Snapshot,
    Synced,
    Workspace,
)


class Clock(Protocol):
    """The time outside workflows."""

    def now(self) -> datetime:
        """Return the current time, timezone-aware, in UTC."""
        ...


class Tree(Protocol):
    """A committed tree, read lazily."""

    def kind(self, path: str) -> Literal["file", "folder", "link", "submodule"] | None:
        """Return what is at ``path``; None if nothing."""
        ...

    def content(self, path: str) -> bytes | None:
        """Return a file's content; None if there is no file."""
        ...

    def names(self, folder: str) -> tuple[str, ...]:
        """Return the names in a folder (``""`` is the top); empty if there is no such folder."""
        ...

    def blob(self, path: str) -> str:
        """Return the blob id of a file; empty if there is no file."""
        ...


@dataclass(frozen=True, slots=True)
class GateCase:
    """A plan, the tree that it would change, and the resulting content of each changed path."""

    plan: MutationPlan
    tip: Tree
    after: Mapping[str, bytes | str | None]
    """New content by path. None removes the file; a blob id (str) is content that moved there."""
    op_id: str = ""
    """Op id under which the plan is published; an approval is valid for it only."""


class Gate(Protocol):
    """Checks a plan against the branch tip, and reads nothing else."""

    def judge(self, case: GateCase) -> Denial | None:
        """Return why the plan is denied; None allows it. What cannot be determined is denied."""
        ...


class Recorder(Protocol):
    """Records why text changes, in the commit that changes it."""

    def record(self, case: RecordCase) -> Recorded:
        """Return the ledger files and trailers to add to the commit; empty if no governed text changes."""
        ...

    def heads(self, tip: Tree) -> tuple[str, ...]:
        """Return the hashes of the ledger's newest records at ``tip``; empty if none can be read."""
        ...


class Workspaces(Protocol):
    """Git repositories that hold text. All calls block; all effects are idempotent by ``op_id``."""

    def kept_open(self, workspace: Workspace) -> AbstractContextManager[None]:
        """Let the calls that this thread makes on ``workspace`` inside share one opened repository."""
        ...

    def check(self, workspace: Workspace) -> None:
        """Raise ``BrokenWorkspace`` if the repository is in a state that we must not touch."""
        ...

    def preview(
        self,
        workspace: Workspace,
        effect: Effect,
        patterns: Sequence[str],
        *,
        known: Sequence[str],
        engine: Sequence[str] = (),
        names: Sequence[str] = (),
        tool: str = "",
        remote: bool = True,
    ) -> Previewed:
        """Read the files as ``sync`` would leave them; no commit is made, and no branch moves.

        Args:
            patterns: globs as for ``snapshot``; so are ``names``.
            known: as for ``sync``; so is ``engine``.
            tool: the tool that is to publish afterwards.
            remote: fetch, and take in what the remote has; else only people's unsaved edits.

        Raises:
            BrokenWorkspace: ``unrelated-histories``.
        """
        ...

    def sync(
        self,
        workspace: Workspace,
        effect: Effect,
        *,
        known: Sequence[str],
        engine: Sequence[str],
        after: Previewed | None = None,
    ) -> Synced:
        """Commit people's edits under their names, fetch, and merge the remote branch.

        People's edits are those since the newest commit with a ``Penwright-Sync`` trailer.

        Args:
            known: globs of untracked paths that may be committed.
            engine: globs of files that the engine owns; their changes are never reported as a person's.
            after: the preview just before, whose fetch is not repeated.
        """
        ...

    def snapshot(
        self,
        workspace: Workspace,
        patterns: Sequence[str],
        *,
        names: Sequence[str] = (),
        at: str | None = None,
    ) -> Snapshot:
        """Read the files that match ``patterns`` (globs) at ``at``, or at the branch tip.

        ``names``: globs of files of which only the blob ids are read, because they may be long.
        """
        ...

    def text(self, workspace: Workspace, blob: str) -> str | None:
        """Return the text of a blob by its id; None if the repository has no such blob, or it is not text."""
        ...

    def save_human_edits(
        self,
        workspace: Workspace,
        effect: Effect,
        *,
        known: Sequence[str],
        engine: Sequence[str],
        left: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Commit a person's unsaved edits under their name, without fetching; returns the paths.

        ``left``: paths whose edits stay in the folder.
        """
        ...

    def find(self, workspace: Workspace, effect: Effect) -> Published | None:
        """Return what an earlier attempt of ``effect`` published, with its trailers; None if nothing."""
        ...

    def publish(self, plan: MutationPlan, effect: Effect) -> Published:
        """Commit ``plan``. Every change of text goes through this method."""
        ...

    def push(self, workspace: Workspace, effect: Effect) -> Pushed:
        """Push branch, tags and archives to the remote, without force."""
        ...

    def claim(self, workspace: Workspace, effect: Effect) -> Claimed:
        """Push the commit of ``effect``, which is the newest, and its tag: both or none.

        If the remote has moved meanwhile, the commit is taken back, so that it can be planned again on what
        the remote has now.

        Raises:
            RemoteUnavailable: the remote did not answer; the commit stays.
        """
        ...

    def take_back(self, workspace: Workspace, effect: Effect) -> bool:
        """Undo what the engine committed and merged for ``effect`` and its parts; people's saved edits stay.

        Returns:
            False, and nothing is undone, if something else is the newest, or the remote has it.
        """
        ...

    def restore(
        self,
        workspace: Workspace,
        effect: Effect,
        *,
        target: str | None,
        undo: bool,
        known: Sequence[str] = (),
    ) -> Restored:
        """Archive everything since ``target``, including unsaved edits, and roll back to it; or undo that.

        ``known``: globs of untracked paths to archive too; they stay in the worktree.
        """
        ...

    def archive(self, workspace: Workspace, effect: Effect, *, known: Sequence[str] = ()) -> Restored:
        """Archive the present state and change nothing; done before a reset, so that undo can restore it."""
        ...

    def maintain(self, workspace: Workspace) -> bool:
        """Pack the repository if it has grown; returns whether it was packed."""
        ...

    def pack(self, workspace: Workspace) -> int | None:
        """Pack what sessions left loose, whatever its size; returns the bytes freed, None if there is little.

        Raises ``WorkspaceBusy`` at once while another process changes the repository.
        """
        ...

    def fetch_log(self, workspace: Workspace, *, anyway: bool = False) -> LogFetched:
        """Fetch the branch and the logs of the ledger if no log is known here, or ``anyway``.

        Moves no branch, takes 20 seconds at most, asks no questions, and raises nothing for a silent remote.
        """
        ...

    def unpushed(self, workspace: Workspace) -> int:
        """Count the commits of the branch that the remote is not known to have; 0 without a remote."""
        ...

    def changed_at(self, workspace: Workspace, path: str) -> datetime | None:
        """Return when the newest commit that changed ``path`` was made; None if no commit did."""
        ...

    def versions(self, workspace: Workspace, path: str, *, limit: int = 50) -> tuple[FileVersion, ...]:
        """Return the newest commits that changed ``path``, newest first; empty if none did."""
        ...

    def tags(self, workspace: Workspace) -> tuple[str, ...]:
        """Return the session tags since the last reset, oldest first."""
        ...

    def can_undo(self, workspace: Workspace) -> bool:
        """Whether a rollback or reset of the branch is left to undo."""
        ...

    def trace(self, workspace: Workspace) -> AbstractContextManager[TraceSource]:
        """Open the ledger and its history at the tip for reading."""
        ...

    def tree(self, workspace: Workspace) -> AbstractContextManager[Tree]:
        """Open the files at the tip for reading, from one thread at a time."""
        ...


class Documents(Protocol):
    """Converts documents of other programs. Calls block; nothing is fetched, memory and time are bounded.

    Every method raises ``PermanentError`` ``documents-missing`` where the converter is not installed, and
    ``document-too-slow`` or ``document-too-large`` when a bound is reached.
    """

    def read(self, document: SourceDocument) -> ReadDocument:
        """Return the text; raises ``UsageMistake`` ``document-broken`` or ``document-unsafe``."""
        ...

    def write(self, book: BookDocument, to: TargetFormat) -> WrittenDocument:
        """Return the file; the same book gives the same text in it."""
        ...


class Blobs(Protocol):
    """Long texts by content hash."""

    def put(self, content: bytes) -> BlobRef:
        """Store ``content``. Idempotent."""
        ...

    def get(self, ref: BlobRef) -> bytes:
        """Return the content, verified against its hash; raises ``NotFound`` if it is missing or damaged."""
        ...


class Records(Protocol):
    """Books, runs and events."""

    def register(self, book: BookRow) -> None:
        """Enter a book or novel, or where it is now."""
        ...

    def book(self, book_id: BookId) -> BookRow | None:
        """Return the book or novel with this id; None if none is registered."""
        ...

    def books(self, kind: WorkspaceKind = "book") -> tuple[BookRow, ...]:
        """Return what is registered of one kind, by id."""
        ...

    def enter(self, entries: Sequence[BoardEntry]) -> None:
        """Store entries about books; one that is older than the stored one is skipped. Idempotent."""
        ...

    def board(self, book_id: BookId | None = None) -> tuple[BoardRow, ...]:
        """Return every registered book, or one, with its entries and its cost, by id; one query."""
        ...

    def forget(self, book_id: BookId) -> bool:
        """Remove a book and its entries, but not its runs; returns whether it was registered."""
        ...

    def note(self, run: RunRow, events: Sequence[Event]) -> None:
        """Upsert the run and append its events in one transaction; an event stored before is skipped.

        A later note updates the run's stage, but never removes or lowers outcome, words, cost or start.
        """
        ...

    def runs(
        self,
        *,
        subject: str | None = None,
        pipeline: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> tuple[RunRow, ...]:
        """Return the newest runs, newest first; ``before``: only those that were noted before this run."""
        ...

    def run(self, run: str) -> RunRow | None:
        """Return a run by its name (``workflow id#session``); None if there is none."""
        ...

    def events_after(
        self, cursor: int, *, run: str | None = None, subject: str | None = None, limit: int = 500
    ) -> tuple[Event, ...]:
        """Return the events after ``cursor``, in order; of one run, or about one subject."""
        ...

    def newest_event(self) -> int:
        """Return the cursor of the newest event; 0 if there is none."""
        ...


class EventFeed(Protocol):
    """Events as they happen."""

    def follow(self, cursor: int, *, run: str | None = None) -> AsyncIterator[Event]:
        """Yield every event after ``cursor``, then new ones; a reader that reconnects misses none."""
        ...


class AgentStates(Protocol):
    """The variables that manuscript agents keep, by document and version. All calls block.

    Every method raises ``UsageMistake`` ``bad-state-key`` for names that cannot be stored.
    """

    def read(self, key: StateKey) -> AgentState | None:
        """Return the newest version; None if nothing was stored."""
        ...

    def write(self, request: WriteState) -> StateWritten | StateConflict:
        """Store a change and its event in one transaction, if the base is the newest version.

        Idempotent by op id: a repeat returns the state as the first attempt left it.
        """
        ...

    def at(self, key: StateKey, version: int) -> AgentState | None:
        """Return a version; None if there is none, or if a value of it was pruned."""
        ...

    def past(self, key: StateKey, variable: Variable, *, limit: int = 50) -> tuple[PastValue, ...]:
        """Return the values of one variable, newest first, the present one included."""
        ...

    def of(self, principal: str, novel: str | None = None) -> tuple[AgentState, ...]:
        """Return the newest version of each document, by novel and scene."""
        ...

    def events_after(self, key: StateKey, cursor: int, *, limit: int = 500) -> tuple[StateEvent, ...]:
        """Return changes of state and log after ``cursor``, each once, in the order of their commits."""
        ...


class AgentLogs(Protocol):
    """What manuscript agents did: actions and calls, by document; append-only. All calls block."""

    def append(self, entries: Sequence[tuple[StateKey, LogEntry]]) -> int:
        """Append what is not stored yet, by kind and op id, with one event per document, in one transaction.

        Returns how many were appended.
        """
        ...

    def read(
        self,
        key: StateKey,
        *,
        after: int = 0,
        run: str | None = None,
        kind: Literal["action", "call"] | None = None,
        limit: int = 500,
    ) -> tuple[Logged, ...]:
        """Return entries after the number ``after``, oldest first."""
        ...

    def newest(
        self, key: StateKey, *, run: str | None = None, kind: Literal["action", "call"] | None = None
    ) -> Logged | None:
        """Return the last entry; None if there is none."""
        ...

    def find(self, kind: Literal["action", "call"], op_id: OpId) -> Logged | None:
        """Return an entry by its op id; None if there is none."""
        ...


class EvalResults(Protocol):
    """Results of evals by run, sample and the digest of the sample's inputs."""

    def put(self, run: str, inputs: str, result: SampleResult) -> SampleResult:
        """Store ``result`` unless there is one for the key; returns the stored one."""
        ...

    def get(self, run: str, sample: str, inputs: str) -> SampleResult | None:
        """Return the result of a sample; None if it has not finished with these inputs."""
        ...

    def finished(self, run: str, wanted: Mapping[str, str]) -> tuple[SampleResult, ...]:
        """Return the results for ``wanted`` (sample -> inputs) that are finished, ordered by sample."""
        ...

    def of_run(self, run: str) -> tuple[SampleResult, ...]:
        """Return the newest result of each sample, ordered by sample."""
        ...


class OverrideFiles(Protocol):
    """Override sets by agent and tag, outside the code they change."""

    def read(self, namespace: str, key: str, tag: str) -> OverrideSet | None:
        """Return a set; None if there is none. Raises ``UsageMistake`` if it cannot be read."""
        ...

    def keep(self, overrides: OverrideSet) -> OverrideSet:
        """Store ``overrides`` unless its tag has a set already; returns the stored one."""
        ...

    def replace(self, before: OverrideSet, after: OverrideSet) -> None:
        """Replace ``before`` by ``after``; raises ``Refused`` if the stored set is no longer ``before``."""
        ...

    def tags(self, namespace: str, key: str) -> tuple[str, ...]:
        """Return the tags for which an agent has sets, sorted."""
        ...


class ScholarlySources(Protocol):
    """One scholarly source, or several asked at the same time. No method raises for what a source does."""

    async def search(self, query: Query) -> Answer:
        """Return at most ``query.limit`` records of each source; an outage is part of the answer."""
        ...

    async def resolve(self, identifier: Identifier) -> Answer:
        """Return the records with this identifier; a source that knows no such identifiers is not asked."""
        ...


class LanguageModel(Protocol):
    """A language model."""

    async def complete(self, request: ModelRequest) -> ModelResponse:
        """Make one call without retries; raises ``ModelUnavailable``, ``ModelFinal`` or ``ModelMistake``."""
        ...


class ModelProbes(Protocol):
    """The configured language models, tried one at a time."""

    async def probe(self, name: str, effect: Effect, *, timeout_s: float) -> ProbeReport:
        """Ask a model of the settings as they are now four short questions, which no budget counts.

        Raises:
            UsageMistake: the settings cannot be read.
            ModelFinal: ``unknown-model``.
            ModelFinal, ModelUnavailable, ModelMistake: the plain question failed.
        """
        ...


class ModelLedger(Protocol):
    """Every model call by op id, and the budgets."""

    def stored(self, effect: Effect) -> ModelResponse | None:
        """Return the answer of an earlier attempt; None if there is none."""
        ...

    def reserve(self, request: ModelRequest, *, estimate_micros: int | None, estimate_tokens: int) -> None:
        """Reserve money and tokens before the call; raises ``BudgetSpent`` if a cap would be exceeded."""
        ...

    def settle(self, request: ModelRequest, response: ModelResponse) -> None:
        """Store the answer and replace the reservation by the real usage, in one transaction."""
        ...

    def release(self, request: ModelRequest) -> None:
        """Release the reservation of a call that brought no answer, and cost nothing."""
        ...

    def lose(self, request: ModelRequest, estimate: Usage) -> None:
        """Replace the reservation of a call that brought no answer by what its vendor may bill.

        Charged once for each reservation. An answer that arrives later is charged as well.
        """
        ...

    def spending(self, scope: BudgetScope, *, day: datetime) -> Mapping[str, Spending]:
        """Return the spending by period: ``run``, ``subject`` and ``day``."""
        ...

    def subjects(self) -> tuple[str, ...]:
        """What calls were answered for: books by id, documents as ``<novel>/<scene>``; sorted."""
        ...

    def grouped(
        self, by: SpendingBy, *, since: date, subjects: Sequence[str] | None = None
    ) -> Mapping[str, Spending]:
        """Return the spending since a UTC day by role, model or day; of ``subjects`` alone unless None.

        By day and of all subjects, it is what the cap of the day counts. Else the cost is that of answered
        calls whose price is known; lost calls and a second answer to one call do not count.
        """
        ...


class MessageChains(Protocol):
    """The messages of agents' runs, each stored once; a head identifies all messages up to it."""

    def append(self, head: ChainHead | None, messages: Sequence[AgentMessage]) -> ChainHead:
        """Append ``messages`` after ``head`` (None, or one without messages: at the beginning). Idempotent.

        Without messages, it only checks the chain. Raises ``ChainBroken`` if messages are missing.
        """
        ...

    def messages(self, head: ChainHead) -> tuple[AgentMessage, ...]:
        """Return all messages up to ``head``; raises ``ChainBroken`` if one is missing or was changed."""
        ...

    def holds(self, head: ChainHead) -> bool:
        """Whether every message up to ``head`` is stored; their content is not verified."""
        ...


class Outbox(Protocol):
    """Takes notifications that are sent later, while the caller goes on."""

    async def post(self, notice: Notice) -> None:
        """Have ``notice`` sent once; repeating its key is harmless."""
        ...


class Notices(Protocol):
    """Which notifications were sent, by key."""

    def claim(self, key: str) -> bool:
        """Return True to send now, False if it was sent; ``PassingError`` while another attempt sends."""
        ...

    def done(self, key: str) -> None:
        """Record that it was sent: no claim succeeds again."""
        ...

    def release(self, key: str) -> None:
        """Release the claim of a notification that could not be sent."""
        ...


class Notifier(Protocol):
    """Notifies people."""

    def notify(self, *, title: str, body: str, key: str, data: Mapping[str, object]) -> tuple[str, ...]:
        """Send to every channel; returns those that failed. A channel gets each ``key`` once."""
        ...
