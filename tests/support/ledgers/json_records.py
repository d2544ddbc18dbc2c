"""Records of the ledger as plain JSON; a test gives only the fields it is about."""

from datetime import UTC, datetime, timedelta
from typing import Any

from penwright.domain.trace.chain import Raw, as_raw, sealed
from schemas.trace import (
    Author,
    Conversation,
    EntityType,
    Former,
    Integrity,
    Mutation,
    MutationDetail,
    Node,
    Range,
    Removed,
    TracedFile,
    TraceIntent,
    TraceOp,
    TraceRecord,
    TraceTool,
    Vcs,
)

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
AI = Author(entity_type="AI", model_identifier="vendor/model")
HUMAN = Author(entity_type="HUMAN")
MIXED = Author(entity_type="MIXED")
UNKNOWN = Author(entity_type="UNKNOWN")
HASH = "prose1:" + 32 * "0"


# Any: fields of Range, as a test needs them.
def came(change: str, *heading: str, former: Former | None = None, **more: Any) -> Range:
    """A block that is now under ``heading``."""
    more.setdefault("before_block_hash", HASH if change == "replaced" else None)
    node = more.pop("node", Node(heading=heading, ordinal=1))
    return Range(
        start_line=1,
        end_line=1,
        content_hash="sha256:" + 64 * "0",
        block_hash=HASH,
        node=node,
        change=change,
        former=former,
        **more,
    )


def went(*heading: str, author: Author | None = None, intent: str | None = None) -> Removed:
    """A block that is gone from under ``heading``."""
    return Removed(block_hash=HASH, node=Node(heading=heading, ordinal=1), contributor=author, intent=intent)


# Any: fields of TracedFile.
def file(path: str, *rows: Range | Removed, by: Author = AI, op: str = "modify", **more: Any) -> TracedFile:
    """The changes of one contributor to ``path``."""
    conversation = Conversation(
        url="urn:penwright:test",
        contributor=by,
        ranges=tuple(row for row in rows if isinstance(row, Range)),
        removed=tuple(row for row in rows if isinstance(row, Removed)),
    )
    return TracedFile(relative_path=path, op=op, conversations=(conversation,), **more)


def record(*files: TracedFile, intent: str | None = "INT-001", minute: int = 0) -> Raw:
    """A sealed record, ``minute`` minutes after the start."""
    detail = MutationDetail.EVOLUTION
    made = TraceRecord(
        id=f"{minute:08}-0000-4000-8000-000000000000",
        timestamp=START + timedelta(minutes=minute),
        vcs=Vcs(revision_id=40 * "0", branch="main"),
        tool=TraceTool(name="book.close", version="0"),
        op=TraceOp(id="sha256:" + 64 * "0", key=f"test:{minute}"),
        intent=TraceIntent(id=intent, registry_digest="sha256:" + 64 * "0") if intent is not None else None,
        mutation=Mutation(coarse=detail.coarse, detail=detail, floor=detail),
        files=files,
        integrity=Integrity(prev=(), hash=""),
    )
    return sealed(as_raw(made), ())


ENTITY_TYPES: tuple[EntityType, ...] = ("AI", "HUMAN", "MIXED", "UNKNOWN")
