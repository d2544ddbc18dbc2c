"""The ledger of changes: which blocks changed, by whom, and under which intent.

Names on disk are those of the seed document; Agent Trace 0.1.0 is an export. Every number is an integer, so
that canonical JSON needs no rules for fractions.
"""

from datetime import datetime
from enum import StrEnum
from typing import Literal, NamedTuple

from pydantic import ConfigDict, Field

from schemas.base import CommitSha, Value

SCHEMA = "orchestration.trace/1"

EntityType = Literal["AI", "HUMAN", "MIXED", "UNKNOWN"]
BlockKind = Literal[
    "heading", "paragraph", "list", "quote", "code", "table", "break", "footnote", "comment", "front-matter"
]


class MutationClass(StrEnum):
    """Whether a change only says the same in another form."""

    AST_REFACTOR = "AST_REFACTOR"
    INTENT_EVOLUTION = "INTENT_EVOLUTION"


class MutationDetail(StrEnum):
    """What a change did to the blocks, from the least to the most."""

    MECHANICAL = "MECHANICAL"
    RELOCATION = "RELOCATION"
    LINE_EDIT = "LINE_EDIT"
    EVOLUTION = "EVOLUTION"

    @property
    def coarse(self) -> MutationClass:
        """The class it counts as."""
        evolution = self is MutationDetail.EVOLUTION
        return MutationClass.INTENT_EVOLUTION if evolution else MutationClass.AST_REFACTOR


class Named(Value):
    """A value whose field names on disk may be words Python keeps for itself."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class Author(Value):
    """Who wrote a block."""

    entity_type: EntityType
    model_identifier: str | None = None
    """``provider/model``; only for AI and MIXED."""


class Node(Value):
    """Where a block stands. A hint for readers: identity is the block hash with its context."""

    heading: tuple[str, ...] = ()
    """Titles of the headings above it, outermost first."""
    kind: BlockKind = "paragraph"
    ordinal: int = 0
    """Its place among the blocks under its heading, from 1."""


class Former(Value):
    """The block that was replaced or moved, as far as it differs from what it became."""

    path: str | None = None
    """The file it was in, if that was another."""
    heading: tuple[str, ...] | None = None
    """Titles of the headings it stood under, if those were others."""
    contributor: Author | None = None
    """Who had written it, if that is not who wrote the block as it stands now."""
    intent: str | None = None
    """Its intent; meant only beside a contributor."""


class Range(Value):
    """One block as it stands after the change."""

    start_line: int
    end_line: int
    """Lines of the file after the change, from 1, both included."""
    content_hash: str
    """``sha256:`` of the exact lines, CRLF as LF, no line end behind the last."""
    block_hash: str
    """``prose1:`` of the block without comments, NFC, blanks collapsed."""
    node: Node
    ctx: tuple[str, str] = ("", "")
    """Short hashes of the blocks before and behind; empty at the ends of the file."""
    change: Literal["added", "replaced", "moved"]
    before_block_hash: str | None = None
    """Block this one replaced."""
    former: Former | None = None
    """What it was; for a block that was replaced or moved."""
    similarity: int | None = None
    """Likeness to that block, per cent."""
    contributor: Author | None = None
    """Who wrote the block, where that is not who made the change: a move keeps its author."""
    intent: str | None = None
    """Intent it was first written under, where that is not the record's."""


class Removed(Value):
    """One block that is gone."""

    block_hash: str
    node: Node
    contributor: Author | None = None
    """Who had written it, if known."""
    intent: str | None = None


class Related(Value):
    """What a change belongs to: ``specification``, ``approval`` and the like."""

    type: str
    value: str


class Conversation(Value):
    """What one contributor did to a file."""

    url: str
    """The run that made the change, as a URN."""
    contributor: Author
    ranges: tuple[Range, ...] = ()
    removed: tuple[Removed, ...] = ()
    related: tuple[Related, ...] = ()


class TracedFile(Value):
    """One changed file."""

    relative_path: str
    path_before: str | None = None
    """The path a renamed file had."""
    op: Literal["create", "modify", "delete", "rename"]
    blob_before: str | None = None
    blob_after: str | None = None
    conversations: tuple[Conversation, ...] = ()


class Mutation(Named):
    """How much a change changes."""

    coarse: MutationClass = Field(alias="class")
    detail: MutationDetail
    declared: MutationClass | None = None
    floor: MutationDetail
    """The least it may be called, as computed."""
    similarity: int | None = None
    """Least likeness among its replaced blocks, per cent."""


class TraceIntent(Value):
    """The intent a change was made under."""

    id: str
    registry_digest: str
    """Digest of the intent's entry as selected."""
    matched: tuple[str, ...] = ()
    """Scope patterns that allowed it."""


class Decision(Value):
    """What a person decided about a change that the gate would have denied."""

    approval: str
    decided: Literal["approved"]
    by: str
    plan_digest: str
    codes: tuple[str, ...]
    reason: str = ""


class TraceOp(Value):
    """The effect that made the change."""

    id: str
    """``sha256:`` of the op id."""
    key: str
    """The op id: workflow, session, position."""
    part: int = 1
    """A large change has several records; they are numbered from 1."""
    parts: int = 1


class Vcs(Value):
    """The commit a change was made on; its own cannot stand in it."""

    type: Literal["git"] = "git"
    revision_id: str
    relation: Literal["parent"] = "parent"
    branch: str


class TraceTool(Value):
    """What made the change."""

    name: str
    version: str


class Integrity(Value):
    """The record's place in the chain."""

    alg: Literal["sha256+jcs"] = "sha256+jcs"
    prev: tuple[str, ...]
    """Hashes of the records that were heads when this one was made; several after a merge."""
    hash: str
    """``sha256:`` of the canonical JSON of the record without this member."""


class TraceRecord(Named):
    """One line of ``agent_trace.jsonl``."""

    schema_name: str = Field(SCHEMA, alias="schema")
    id: str
    """UUID, made from the op id, so that a repeated attempt makes the same."""
    timestamp: datetime
    vcs: Vcs
    tool: TraceTool
    op: TraceOp
    intent: TraceIntent | None = None
    """None for people's own edits."""
    mutation: Mutation
    files: tuple[TracedFile, ...] = ()
    decision: Decision | None = None
    integrity: Integrity


class LedgerFile(Value):
    """One segment of the ledger as it stands at a commit."""

    path: str
    blob: str


# Plain tuples, for git tells of a hundred thousand at once, and what is made of each is felt.
class Anchor(NamedTuple):
    """One entry of the log outside the branch: what the ledger was when a commit was made."""

    entry: str
    """Commit id of the entry itself."""
    clone: str
    """Which clone of the repository wrote it."""
    kind: Literal["record", "revocation"]
    """A revocation says that a rollback took the branch back on purpose."""
    at: datetime
    commit: str
    """Commit of the branch it speaks of."""
    heads: tuple[str, ...]
    """Hashes of the newest records of the ledger at that commit."""
    ledger: str
    """Blob id of the open segment there; empty if there is none."""
    op_id: str = ""


class Anchored(Value):
    """The ledger as this clone last left it: what is still the same needs no check."""

    heads: tuple[str, ...]
    ledger: str
    """Blob id of the open segment."""
    map: str = ""
    """Blob id of the map."""


class Recorded(Value):
    """What the ledger adds to a commit."""

    files: dict[str, bytes] = {}
    """New contents by path: the open segment, a closed one, the map."""
    trailers: tuple[tuple[str, str], ...] = ()
    heads: tuple[str, ...] = ()
    """Newest records after the commit; empty when nothing was recorded."""
    damage: str = ""
    """Why the ledger at the tip cannot be continued; nothing else is set then."""


class PathChange(NamedTuple):
    """What a commit did to one file, against its first parent."""

    path: str
    before: str | None
    """Blob id."""
    after: str | None


class TracedCommit(NamedTuple):
    """One commit of the branch, as the verifier sees it."""

    sha: CommitSha
    parents: tuple[str, ...]
    at: datetime
    author: str
    trailers: dict[str, str]
    paths: tuple[PathChange, ...]
    """Changed files; empty for a merge, whose parents tell."""


class Finding(Value):
    """One thing the verifier has to say."""

    code: str
    """Stable, upper case: ``CHAIN_HASH_MISMATCH``."""
    level: int
    """0 parse, 1 chain, 2 anchor, 3 coverage, 4 re-find, 5 policy."""
    severity: Literal["error", "warning", "info"]
    """Only errors and warnings make ``trace verify`` exit with 1; warnings only with ``--strict``."""
    message: str
    hint: str = ""
    path: str = ""
    line: int = 0
    """Line of the ledger segment, from 1."""
    record: str = ""
    commit: str = ""
    intent: str = ""
