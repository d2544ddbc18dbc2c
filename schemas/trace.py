"""The ledger of changes: which blocks changed, by whom, and under which intent.

Names on disk are those of the seed document; Agent Trace 0.1.0 is an export format. All numbers are integers,
so that canonical JSON needs no rules for fractions.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal, NamedTuple

from pydantic import AwareDatetime, ConfigDict, Field, StringConstraints

from schemas.base import CommitSha, Value

SCHEMA = "orchestration.trace/1"

_Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
_BlockHash = Annotated[str, StringConstraints(pattern=r"^prose1:[0-9a-f]{32}$")]
_ObjectId = Annotated[str, StringConstraints(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]
_Uuid = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
_Positive = Annotated[int, Field(ge=1)]

EntityType = Literal["AI", "HUMAN", "MIXED", "UNKNOWN"]
BlockKind = Literal[
    "heading", "paragraph", "list", "quote", "code", "table", "break", "footnote", "comment", "front-matter"
]


class MutationClass(StrEnum):
    """Whether a change keeps the meaning (refactor) or changes it (evolution)."""

    AST_REFACTOR = "AST_REFACTOR"
    INTENT_EVOLUTION = "INTENT_EVOLUTION"


class MutationDetail(StrEnum):
    """Class of a change to the blocks, from the smallest kind to the largest."""

    MECHANICAL = "MECHANICAL"
    RELOCATION = "RELOCATION"
    LINE_EDIT = "LINE_EDIT"
    EVOLUTION = "EVOLUTION"

    @property
    def coarse(self) -> MutationClass:
        """The mutation class of this kind."""
        evolution = self is MutationDetail.EVOLUTION
        return MutationClass.INTENT_EVOLUTION if evolution else MutationClass.AST_REFACTOR


class Named(Value):
    """A value with aliases for field names that are Python keywords."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class Author(Value):
    """Author of a block."""

    entity_type: EntityType
    model_identifier: str | None = None
    """``provider/model``. With UNKNOWN: a model edited text of unknown origin."""
    other_models: tuple[str, ...] | None = None
    """Further models that had a part in it; never empty."""

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that is named."""
        return (*((self.model_identifier,) if self.model_identifier else ()), *(self.other_models or ()))


class Node(Value):
    """Location of a block. A hint for readers: a block is identified by its hash and context."""

    heading: tuple[str, ...] = ()
    """Titles of the headings above it, outermost first."""
    kind: BlockKind = "paragraph"
    ordinal: int = 0
    """Position among the blocks under the same heading, from 1."""


class Former(Value):
    """The replaced or moved block; a field is None if it equals that of the new block."""

    path: str | None = None
    """Its file."""
    heading: tuple[str, ...] | None = None
    """Titles of the headings above it."""
    contributor: Author | None = None
    """Its author."""
    intent: str | None = None
    """Its intent; valid only with ``contributor``."""


class Range(Value):
    """One block after the change."""

    start_line: _Positive
    end_line: _Positive
    """Lines of the file after the change, from 1, inclusive."""
    content_hash: _Digest
    """``sha256:`` of the exact lines, CRLF as LF, no line end after the last."""
    block_hash: _BlockHash
    """``prose1:`` of the block without comments, NFC, blanks collapsed."""
    node: Node
    ctx: tuple[str, str] = ("", "")
    """Short hashes of the blocks before and after; empty at the ends of the file."""
    change: Literal["added", "replaced", "moved"]
    before_block_hash: str | None = None
    """Hash of the replaced block."""
    former: Former | None = None
    """The block before the change, if it was replaced or moved."""
    similarity: int | None = None
    """Similarity to the replaced block, in percent."""
    contributor: Author | None = None
    """Author of the block, if not the one who made the change: a moved block keeps its author."""
    intent: str | None = None
    """Intent under which the block was written, if it differs from the record's."""


class Removed(Value):
    """One removed block."""

    block_hash: _BlockHash
    node: Node
    contributor: Author | None = None
    """Its author, if known."""
    intent: str | None = None


class Related(Value):
    """Something related to a change: a ``specification``, an ``approval``, a tag of ``overrides``."""

    type: str
    value: str


class Conversation(Value):
    """The changes of one contributor to a file."""

    url: str
    """The run that made the change, as a URN."""
    contributor: Author
    ranges: tuple[Range, ...] = ()
    removed: tuple[Removed, ...] = ()
    related: tuple[Related, ...] = ()


class TracedFile(Value):
    """One changed file."""

    relative_path: Annotated[str, StringConstraints(min_length=1)]
    path_before: str | None = None
    """Former path of a renamed file."""
    op: Literal["create", "modify", "delete", "rename"]
    blob_before: _ObjectId | None = None
    blob_after: _ObjectId | None = None
    conversations: tuple[Conversation, ...] = ()


class Mutation(Named):
    """Class and detail of a change."""

    coarse: MutationClass = Field(alias="class")
    detail: MutationDetail
    declared: MutationClass | None = None
    floor: MutationDetail
    """Computed minimum of ``detail``."""
    similarity: int | None = None
    """Lowest similarity among its replaced blocks, in percent."""


class TraceIntent(Value):
    """The intent under which a change was made."""

    id: str
    registry_digest: str
    """Digest of the intent's entry when it was selected."""
    matched: tuple[str, ...] = ()
    """Scope patterns that allowed the change."""


class Decision(Value):
    """A person's approval of a change that the gate would have denied."""

    approval: str
    decided: Literal["approved"]
    by: str
    plan_digest: str
    codes: tuple[str, ...]
    reason: str = ""


class TraceOp(Value):
    """The effect that made the change."""

    id: _Digest
    """``sha256:`` of the op id."""
    key: str
    """The op id: workflow, session, position."""
    part: _Positive = 1
    """Number of this record, from 1, if a large change has several."""
    parts: _Positive = 1


class Vcs(Value):
    """The parent commit of a change; a record cannot contain its own commit's id."""

    type: Literal["git"] = "git"
    revision_id: _ObjectId
    relation: Literal["parent"] = "parent"
    branch: str


class TraceTool(Value):
    """The program that made the change."""

    name: str
    version: str


class Integrity(Value):
    """Links of the record in the hash chain."""

    alg: Literal["sha256+jcs"] = "sha256+jcs"
    prev: tuple[str, ...]
    """Hashes of the preceding head records; several after a merge."""
    hash: str
    """``sha256:`` of the canonical JSON of the record without this field."""


class TraceRecord(Named):
    """One line of ``agent_trace.jsonl``."""

    schema_name: str = Field(SCHEMA, alias="schema")
    id: _Uuid
    """UUID derived from the op id, so that every attempt has the same."""
    timestamp: AwareDatetime
    vcs: Vcs
    tool: TraceTool
    op: TraceOp
    intent: TraceIntent | None = None
    """None for people's edits."""
    mutation: Mutation
    files: tuple[TracedFile, ...] = ()
    decision: Decision | None = None
    integrity: Integrity


class LedgerFile(Value):
    """One segment of the ledger at a commit."""

    path: str
    blob: str


# NamedTuples, not models: git yields up to 100 000 at a time, so construction cost matters.
class Anchor(NamedTuple):
    """One entry of the anchor log, which is outside the branch: the ledger's state at a commit."""

    entry: str
    """Commit id of the entry itself."""
    clone: str
    """Id of the clone that wrote it."""
    kind: Literal["record", "revocation"]
    """A revocation records that a rollback rewound the branch on purpose."""
    at: datetime
    commit: str
    """The branch commit that it describes."""
    heads: tuple[str, ...]
    """Hashes of the ledger's newest records at that commit."""
    ledger: str
    """Blob id of the open segment at that commit; empty if there is none."""
    op_id: str = ""


class Recorded(Value):
    """Files and trailers that the ledger adds to a commit."""

    files: dict[str, bytes] = {}
    """New contents by path: open segment, closed segment, intent map."""
    trailers: tuple[tuple[str, str], ...] = ()
    heads: tuple[str, ...] = ()
    """Hashes of the newest records after the commit; empty if nothing was recorded."""
    damage: str = ""
    """Reason why the ledger at the tip cannot be continued; the other fields are then empty."""


class PathChange(NamedTuple):
    """The change of one file in a commit, compared with its first parent."""

    path: str
    before: str | None
    """Blob id."""
    after: str | None


class TracedCommit(NamedTuple):
    """One commit of the branch, for the verifier."""

    sha: CommitSha
    parents: tuple[str, ...]
    at: datetime
    author: str
    trailers: dict[str, str]
    paths: tuple[PathChange, ...]
    """Changed files; empty for a merge, because its parents have them."""


class Finding(Value):
    """One finding of the verifier."""

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
