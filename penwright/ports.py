"""The outside world as the house sees it. Every port has a real adapter and an in-memory double."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from penwright.domain.trace.source import TraceIndex as TraceIndex
from penwright.domain.trace.source import TraceSource as TraceSource
from schemas.agent import AgentMessage
from schemas.agent_run import ChainHead
from schemas.base import BlobRef, BookId, Effect, OpId
from schemas.evals import SampleResult
from schemas.intents import Approval, IntentPin
from schemas.model import BudgetScope, ModelRequest, ModelResponse
from schemas.overrides import OverrideSet
from schemas.records import BookRow, Event, RunRow, Spending
from schemas.trace import (
    Anchored,
    MutationClass,
    Recorded,
)
from schemas.workspace import (
    Contributor,
    Denial,
    MutationPlan,
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
        """The present, timezone-aware, UTC."""
        ...


class Tree(Protocol):
    """A committed tree, read as far as it is asked about."""

    def kind(self, path: str) -> Literal["file", "folder", "link", "submodule"] | None:
        """What stands at ``path``; None if nothing."""
        ...

    def content(self, path: str) -> bytes | None:
        """A file's content; None if there is no file."""
        ...

    def names(self, folder: str) -> tuple[str, ...]:
        """Names in a folder, ``""`` being the top; empty if there is no such folder."""
        ...

    def blob(self, path: str) -> str:
        """Id of a file's content; empty if there is no file."""
        ...


@dataclass(frozen=True, slots=True)
class GateCase:
    """A plan, the tree it would change, and what it would make of each path it touches."""

    plan: MutationPlan
    tip: Tree
    after: Mapping[str, bytes | str | None]
    """New content by path. None removes the file; a blob id (str) keeps a content that moved there."""
    op_id: str = ""
    """The effect under which the plan is published; an approval holds for it alone."""


class Gate(Protocol):
    """Judges a plan against the branch tip, and reads nothing else."""

    def judge(self, case: GateCase) -> Denial | None:
        """None allows; whatever cannot be determined is a denial."""
        ...


@dataclass(frozen=True, slots=True)
class TextChange:
    """What a commit does to one file: content before and after, None for absent, and their blob ids."""

    before: bytes | None
    after: bytes | None
    blob_before: str | None
    blob_after: str | None
    moved_from: str = ""
    """The path it had before, where a file only got another name; contents are left out then."""


@dataclass(frozen=True, slots=True)
class RecordCase:
    """A commit to be, and what stands at the tip it is made on."""

    tip: Tree
    parent: str
    """Commit id of the tip."""
    branch: str
    changes: Mapping[str, TextChange]
    effect: Effect
    at: datetime
    tool: str
    contributor: Contributor
    model: str = ""
    pin: IntentPin | None = None
    declared: MutationClass | None = None
    approval: Approval | None = None
    anchored: Anchored | None = None
    """What this clone noted when it last wrote to the ledger."""


class Recorder(Protocol):
    """Writes down why text changes, in the commit that changes it."""

    def record(self, case: RecordCase) -> Recorded:
        """The ledger's new lines and what goes with them; nothing if no governed text changes."""
        ...

    def heads(self, tip: Tree) -> tuple[str, ...]:
        """Newest records of the ledger at ``tip``; none if it has none, or none that can be read."""
        ...


class Workspaces(Protocol):
    """Git repositories that hold text. All calls block; all effects are idempotent by ``op_id``."""

    def kept_open(self, workspace: Workspace) -> AbstractContextManager[None]:
        """Let the calls that this thread makes on ``workspace`` inside share one opened repository."""
        ...

    def check(self, workspace: Workspace) -> None:
        """Raise ``BrokenWorkspace`` when the repository is in a state we must not touch."""
        ...

    def sync(
        self, workspace: Workspace, effect: Effect, *, known: Sequence[str], engine: Sequence[str]
    ) -> Synced:
        """Commit human edits as theirs, fetch, and reconcile with the remote branch.

        ``known``: globs of untracked paths that belong to the book and may be committed.
        ``engine``: globs of files the engine owns; a change there is never reported as human.
        Human edits are those since the newest commit that carries a ``Penwright-Sync`` trailer.
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

        ``names``: globs of files whose blob ids alone are wanted; a long book is not read to be counted.
        """
        ...

    def save_human_edits(
        self, workspace: Workspace, effect: Effect, *, known: Sequence[str], engine: Sequence[str]
    ) -> tuple[str, ...]:
        """Commit what a person left unsaved, as theirs, without fetching; returns the paths."""
        ...

    def find(self, workspace: Workspace, effect: Effect) -> Published | None:
        """What an earlier attempt of ``effect`` published, its trailers included; None if nothing."""
        ...

    def publish(self, plan: MutationPlan, effect: Effect) -> Published:
        """Make one commit of ``plan``: the single choke point for changes of text."""
        ...

    def push(self, workspace: Workspace, effect: Effect) -> Pushed:
        """Bring branch, tags and archives to the remote without force."""
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
        """Archive everything since ``target``, unsaved edits included, and go back to it (or undo that).

        ``known``: globs of untracked paths to archive as well; they stay in the worktree.
        """
        ...

    def archive(self, workspace: Workspace, effect: Effect, *, known: Sequence[str] = ()) -> Restored:
        """Archive the present and change nothing; a reset does it first, so that undo can bring it back."""
        ...

    def maintain(self, workspace: Workspace) -> bool:
        """Pack the repository if it has grown; whether it had."""
        ...

    def unpushed(self, workspace: Workspace) -> int:
        """Commits of the branch that the remote is not known to have; 0 without a remote."""
        ...

    def tags(self, workspace: Workspace) -> tuple[str, ...]:
        """Session tags of this life of the book, oldest first."""
        ...

    def trace(self, workspace: Workspace) -> AbstractContextManager[TraceSource]:
        """The ledger and its history at the tip, to read while the context lasts."""
        ...

    def tree(self, workspace: Workspace) -> AbstractContextManager[Tree]:
        """The files at the tip, to read while the context lasts, from one thread at a time."""
        ...


class Blobs(Protocol):
    """Long texts by content hash."""

    def put(self, content: bytes) -> BlobRef:
        """Keep ``content``; storing it twice is storing it once."""
        ...

    def get(self, ref: BlobRef) -> bytes:
        """The content, verified against its hash; ``NotFound`` if it was never kept."""
        ...

    def sweep(self, *, keep_days: int, referenced: Collection[str]) -> int:
        """Forget what was last put over ``keep_days`` ago; returns how many.

        Kept whatever their age: hashes in ``referenced``, and the stored answers of model calls.
        """
        ...


class Records(Protocol):
    """Books, runs and events."""

    def register(self, book: BookRow) -> None: ...

    def book(self, book_id: BookId) -> BookRow | None: ...

    def books(self) -> tuple[BookRow, ...]: ...

    def note(self, run: RunRow, events: Sequence[Event]) -> None:
        """Upsert the run and append its events in one transaction; an event seen before is skipped.

        A later note of the same run moves its stage on; it never takes back an outcome, words, cost or start.
        """
        ...

    def runs(
        self, *, subject: str | None = None, pipeline: str | None = None, limit: int = 50
    ) -> tuple[RunRow, ...]:
        """Newest first."""
        ...

    def run(self, run: str) -> RunRow | None:
        """One run, by its name."""
        ...

    def events_after(self, cursor: int, *, run: str | None = None, limit: int = 500) -> tuple[Event, ...]: ...


class EventFeed(Protocol):
    """Events as they happen."""

    def follow(self, cursor: int, *, run: str | None = None) -> AsyncIterator[Event]:
        """Every event after ``cursor``, then new ones; a reader that reconnects misses nothing."""
        ...


class EvalResults(Protocol):
    """Results of evals by run, sample and the digest of all that went into one."""

    def put(self, run: str, inputs: str, result: SampleResult) -> SampleResult:
        """Keep ``result`` unless its place has one; returns the one that stands."""
        ...

    def get(self, run: str, sample: str, inputs: str) -> SampleResult | None:
        """What became of a sample; None if it has not finished with these inputs."""
        ...

    def finished(self, run: str, wanted: Mapping[str, str]) -> tuple[SampleResult, ...]:
        """Results of those samples that finished with the inputs ``wanted`` (by sample), by sample."""
        ...

    def of_run(self, run: str) -> tuple[SampleResult, ...]:
        """The newest result of each sample, by sample."""
        ...


class OverrideFiles(Protocol):
    """Override sets by agent and tag, outside the code they change."""

    def read(self, namespace: str, key: str, tag: str) -> OverrideSet | None:
        """A set; None if there is none. ``UsageMistake`` for one that cannot be read."""
        ...

    def keep(self, overrides: OverrideSet) -> OverrideSet:
        """Keep ``overrides`` unless its tag has a set already; returns the one that stands."""
        ...

    def replace(self, before: OverrideSet, after: OverrideSet) -> None:
        """Put ``after`` where ``before`` stands; ``Refused`` if something else stands there by now."""
        ...

    def tags(self, namespace: str, key: str) -> tuple[str, ...]:
        """Tags that an agent has sets for, sorted."""
        ...


class LanguageModel(Protocol):
    """A provider of answers."""

    async def complete(self, request: ModelRequest) -> ModelResponse:
        """One call, no retries; raises ``ModelUnavailable``, ``ModelFinal`` or ``ModelMistake``."""
        ...


class ModelLedger(Protocol):
    """Every model call by op id, and the budgets."""

    def stored(self, effect: Effect) -> ModelResponse | None:
        """The answer of an earlier attempt, if one arrived."""
        ...

    def reserve(self, request: ModelRequest, *, estimate_micros: int | None, estimate_tokens: int) -> None:
        """Set money and tokens aside before the call; raises ``BudgetSpent`` at a cap."""
        ...

    def settle(self, request: ModelRequest, response: ModelResponse) -> None:
        """Store the answer and replace the reservation by what was used, in one transaction."""
        ...

    def release(self, request: ModelRequest) -> None:
        """Give a reservation back after a call that brought no answer."""
        ...

    def spending(self, scope: BudgetScope, *, day: datetime) -> Mapping[str, Spending]:
        """What was used, by ``run``, ``subject`` and ``day``."""
        ...


class MessageChains(Protocol):
    """The messages of agents' runs, each kept once; a head names every message up to it."""

    def append(self, head: ChainHead | None, messages: Sequence[AgentMessage]) -> ChainHead:
        """Keep ``messages`` behind ``head`` (None: at the beginning); twice is once.

        Without messages it makes sure that the chain is there. Raises ``ChainBroken`` where it is not.
        """
        ...

    def messages(self, head: ChainHead) -> tuple[AgentMessage, ...]:
        """All messages up to ``head``, verified; ``ChainBroken`` where one is missing or was changed."""
        ...

    def holds(self, head: ChainHead) -> bool:
        """Whether every message up to ``head`` is kept; their content is not looked at."""
        ...


class Notices(Protocol):
    """Which notifications were sent: one row per key."""

    def claim(self, key: str) -> bool:
        """True: send it now. False: it was sent. Raises ``PassingError`` while another attempt is sending."""
        ...

    def done(self, key: str) -> None:
        """It was sent; no claim succeeds again."""
        ...

    def release(self, key: str) -> None:
        """It could not be sent; the next claim need not wait."""
        ...


class Effects(Protocol):
    """Results of effects that live in the store, by op id."""

    # Results are whatever JSON the activity made of its outcome.
    def once(self, op_id: OpId) -> dict[str, Any] | None:
        """The result an earlier attempt kept, if any."""
        ...

    def keep(self, op_id: OpId, result: Mapping[str, Any]) -> dict[str, Any]:
        """Keep ``result`` unless one is kept; returns the one that stands."""
        ...


class Notifier(Protocol):
    """Tells people."""

    def notify(self, *, title: str, body: str, key: str, data: Mapping[str, object]) -> tuple[str, ...]:
        """Send to every channel; returns those that failed. ``key`` makes repeats harmless."""
        ...
