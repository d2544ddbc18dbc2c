"""Values that the verifier keeps of each record."""

from typing import NamedTuple

from schemas.trace import TraceRecord


class FileChange(NamedTuple):
    """One file of a record."""

    path: str
    op: str
    path_before: str
    before: str | None
    """Blob id."""
    after: str | None


class RecordHeader(NamedTuple):
    """Circumstances of a recorded change; equal ones are kept once."""

    tool: str
    contributor: str
    intent: str
    digest: str
    """Of the intent's entry as selected."""
    coarse: str
    declared: str
    detail: str
    floor: str
    matched: tuple[str, ...]
    approver: str
    """Person who approved a denial; empty if no approval was needed."""
    excused: tuple[str, ...]
    """Denials that were approved."""

    @classmethod
    def of(cls, record: TraceRecord) -> "RecordHeader":
        """The fields of a record."""
        mutation, intent, decision = record.mutation, record.intent, record.decision
        talks = (talk for file in record.files for talk in file.conversations)
        first = next(talks, None)
        return cls(
            tool=record.tool.name,
            contributor=first.contributor.entity_type if first else "UNKNOWN",
            intent=intent.id if intent else "",
            digest=intent.registry_digest if intent else "",
            coarse=mutation.coarse,
            declared=mutation.declared or "",
            detail=mutation.detail,
            floor=mutation.floor,
            matched=intent.matched if intent else (),
            approver=decision.by if decision else "",
            excused=decision.codes if decision else (),
        )


class RecordEntry(NamedTuple):
    """A record as the other levels need it; what it did to blocks is not kept."""

    id: str
    hash: str
    segment: str
    line: int
    parent: str
    """Commit it says it was made on."""
    header: RecordHeader
    files: tuple[FileChange, ...]
    prev: tuple[str, ...]
    """Hashes of the records it follows."""

    @classmethod
    def of(cls, record: TraceRecord, segment: str, line: int) -> "RecordEntry":
        """Build the entry of a record; its header may be replaced by an equal one."""
        return cls(
            id=record.id,
            hash=record.integrity.hash,
            segment=segment,
            line=line,
            parent=record.vcs.revision_id,
            header=RecordHeader.of(record),
            files=tuple(
                FileChange(
                    file.relative_path, file.op, file.path_before or "", file.blob_before, file.blob_after
                )
                for file in record.files
            ),
            prev=record.integrity.prev,
        )
