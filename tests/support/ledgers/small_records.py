"""The smallest valid records of the ledger."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

from penwright.domain.trace import chain
from schemas.trace import (
    SCHEMA,
    Author,
    Conversation,
    Mutation,
    MutationDetail,
    Node,
    Range,
    Removed,
    TracedFile,
    TraceIntent,
    TraceRecord,
)

DAWN = datetime(2026, 3, 1, 6, tzinfo=UTC)
MODEL = Author(entity_type="AI", model_identifier="demo/quill")


def a_hash(name: str) -> str:
    """A block hash that looks like one."""
    return f"prose1:{chain.digest(name.encode()).removeprefix('sha256:')[:32]}"


def a_range(
    name: str,
    *heading: str,
    ordinal: int = 1,
    before: str | None = None,
    block_hash: str = "",
    ctx: tuple[str, str] = ("", ""),
) -> Range:
    """A paragraph that came, or that replaced another."""
    return Range(
        start_line=max(ordinal, 1),
        end_line=max(ordinal, 1),
        content_hash=chain.digest(name.encode()),
        block_hash=block_hash or a_hash(name),
        node=Node(heading=heading, ordinal=ordinal),
        ctx=ctx,
        change="replaced" if before else "added",
        before_block_hash=a_hash(before) if before else None,
    )


def a_removal(name: str, *heading: str, ordinal: int = 1) -> Removed:
    """A paragraph that is gone."""
    return Removed(block_hash=a_hash(name), node=Node(heading=heading, ordinal=ordinal))


def a_file(*blocks: Range | Removed, path: str = "Book.md", by: Author = MODEL) -> TracedFile:
    """One changed file."""
    talk = Conversation(
        url="urn:penwright:book/lamp",
        contributor=by,
        ranges=tuple(each for each in blocks if isinstance(each, Range)),
        removed=tuple(each for each in blocks if isinstance(each, Removed)),
    )
    return TracedFile(relative_path=path, op="modify", conversations=(talk,))


def a_record(
    name: str,
    *blocks: Range | Removed,
    intent: str | None = "INT-001",
    minute: int = 0,
    prev: Sequence[str] = (),
    files: Sequence[TracedFile] = (),
    detail: MutationDetail = MutationDetail.EVOLUTION,
) -> TraceRecord:
    """A record with its place in the chain; ``name`` makes it another one."""
    traced = tuple(files) or ((a_file(*blocks),) if blocks else ())
    pinned = TraceIntent(id=intent, registry_digest="sha256:0") if intent is not None else None
    mutation = Mutation(coarse=detail.coarse, detail=detail, floor=detail)
    raw = {
        "schema": SCHEMA,
        "id": str(uuid5(NAMESPACE_URL, name)),
        "timestamp": (DAWN + timedelta(minutes=minute)).isoformat().replace("+00:00", "Z"),
        "vcs": {"type": "git", "revision_id": "0" * 40, "relation": "parent", "branch": "main"},
        "tool": {"name": "test", "version": "1"},
        "op": {"id": chain.digest(name.encode()), "key": name, "part": 1, "parts": 1},
        **({"intent": pinned.model_dump(mode="json")} if pinned else {}),
        "mutation": mutation.model_dump(mode="json", by_alias=True, exclude_none=True),
        "files": [file.model_dump(mode="json", exclude_none=True) for file in traced],
    }
    return TraceRecord.model_validate(chain.sealed(raw, prev))


def hash_of(record: TraceRecord) -> str:
    """Its own hash."""
    return record.integrity.hash


def a_chain(count: int, *, intent: str = "INT-001", first: Sequence[str] = ()) -> list[TraceRecord]:
    """Records that follow each other, a minute apart, each with one new paragraph."""
    made: list[TraceRecord] = []
    for number in range(count):
        prev = (hash_of(made[-1]),) if made else tuple(first)
        block = a_range(f"p{number}", "Chapter 1", ordinal=number + 1)
        made.append(a_record(f"r{number}", block, intent=intent, minute=number, prev=prev))
    return made


def lines_of(records: Sequence[TraceRecord]) -> bytes:
    """The records as lines of a segment."""
    return b"".join(chain.line_of(chain.as_raw(record)) for record in records)
