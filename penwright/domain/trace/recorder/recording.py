"""Make the ledger's lines for a commit from the tip and the changes."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC

from penwright.domain.intents.governed import GovernedPaths
from penwright.domain.intents.registry import REGISTRY, BrokenRegistry, Registry, read_registry
from penwright.domain.intents.scope import Scope
from penwright.domain.intents.tools import kind_of
from penwright.domain.text.comparing.changes import BlockChange, changes_of
from penwright.domain.text.comparing.descent import descents
from penwright.domain.text.globs import Globs
from penwright.domain.text.mutation_floor import Floor, minimum_mutation_class
from penwright.domain.trace import chain
from penwright.domain.trace.authors import declared_author
from penwright.domain.trace.intent_map.carried import MapStates
from penwright.domain.trace.intent_map.mapping import notes_in, render
from penwright.domain.trace.layout import CLOSED, LINE_BYTES, MAP, segment_numbers, segment_path
from penwright.domain.trace.recorder.authorship import Authorship, author_of, origins_in, with_origins
from penwright.domain.trace.recorder.commit_context import CommitContext, RecordCase, TextChange
from penwright.domain.trace.recorder.origins import Origins, recent_blocks
from penwright.domain.trace.recorder.rows import conversation_of, hashes_asked, hashes_of_new
from penwright.domain.trace.segments import DamagedLedger, Ledger, Tip, grown, read_ledger
from schemas.intents import Approval
from schemas.pipeline import PipelineProfile
from schemas.trace import (
    SCHEMA,
    Author,
    Decision,
    Integrity,
    Mutation,
    MutationClass,
    Range,
    Recorded,
    Related,
    Removed,
    TracedFile,
    TraceIntent,
    TraceOp,
    TraceRecord,
    TraceTool,
    Vcs,
)

_ROWS = 40
"""Blocks in one record at most; with the longest titles they stay below the longest line."""
_SEGMENTS_BACK = 4
"""Closed segments looked through for a block's first author; older text counts as unknown."""
_LARGEST_DELETED = 256 * 1024
"""Bytes up to which a deleted file's blocks are listed one by one."""


class LedgerRecorder:
    """Writes a record of every change of governed text, into the commit that makes it.

    Args:
        lock: held around what is kept between commits; owners shared by threads pass a ``threading.Lock``.
    """

    def __init__(
        self, version: str, profile: PipelineProfile, lock: AbstractContextManager[object] | None = None
    ) -> None:
        self._version = version
        self._profile = profile
        self._governed = GovernedPaths(profile)
        self._kept = Globs.of(profile.kept)
        self._maps = MapStates(lock or nullcontext())

    def heads(self, tip: Tip) -> tuple[str, ...]:
        """Newest records of the ledger at ``tip``; none if it has none, or none that can be read."""
        try:
            return read_ledger(tip).heads
        except DamagedLedger:
            return ()

    def record(self, case: RecordCase) -> Recorded:
        """The ledger's new lines and what goes with them; nothing if no governed text changes."""
        if kind_of(case.context.tool, self._profile) == "engine":
            # An intent may allow the engine to move text, which stays that of the intent it was written for.
            case = replace(case, context=replace(case.context, pin=None))
        changes = {path: change for path, change in case.changes.items() if path in self._governed}
        if not changes and case.context.tool not in self._profile.opening_tools:
            return Recorded()
        try:
            ledger = read_ledger(case.tip)
        except DamagedLedger as damage:
            return Recorded(damage=str(damage))
        return self._recorded(case, ledger, changes) if changes else Recorded()

    def _recorded(self, case: RecordCase, ledger: Ledger, changes: Mapping[str, TextChange]) -> Recorded:
        blocks = changes_of({path: _texts(change) for path, change in changes.items()})
        texts = {path: change.before for path, change in changes.items()}
        parts = descents(blocks, texts)
        recent = recent_blocks(
            _newest_first(case.tip, ledger.open), hashes_asked(blocks, parts), hashes_of_new(blocks, parts)
        )
        authorship = Authorship(
            _mover(case.context),
            Origins(recent, texts),
            parts,
            case.context.pin.intent_id if case.context.pin else None,
        )
        registry = _registry(case.tip)
        files = [_traced(case, registry, path, changes[path], blocks[path], authorship) for path in changes]
        known = origins_in(case.former)
        files = [with_origins(file, known) for file in files] if known else files
        weighed = {path: change for path, change in changes.items() if not self._keeps(case, path)}
        floor = minimum_mutation_class(
            {path: blocks[path] for path in weighed},
            created=_created(weighed),
            unlisted=[path for path, change in weighed.items() if _is_unlisted(change)],
            canon=self._profile.canon,
            most=1,
        )
        mutation = _mutation(case, floor)
        records = list(self._records(case, mutation, _matched(case, registry, changes), files))
        raws, lines = _chained([chain.as_raw(record) for record in records], ledger.heads)
        heads = (raws[-1]["integrity"]["hash"],)
        return Recorded(
            files={
                **grown(case.tip, ledger, b"".join(lines)),
                MAP: self._mapped(case, ledger, registry, records, heads),
            },
            trailers=_trailers(raws, mutation),
            heads=heads,
        )

    def _mapped(
        self,
        case: RecordCase,
        ledger: Ledger,
        registry: Registry | None,
        records: Sequence[TraceRecord],
        heads: tuple[str, ...],
    ) -> bytes:
        """The map with the new records, and the notes of the present one."""
        state = self._maps.taken(ledger.heads, lambda: _oldest_first(case.tip, ledger.open))
        for record in records:
            state.apply(record)
        self._maps.keep(heads, state)
        names = {intent.id: intent.name for intent in registry.intents} if registry else {}
        notes = notes_in((case.tip.content(MAP) or b"").decode("utf-8", "replace"))
        return render(state.tallies(), names=names, notes=notes).encode()

    def _keeps(self, case: RecordCase, path: str) -> bool:
        """Whether the engine writes here of its own accord, beside the text that the commit is about."""
        return kind_of(case.context.tool, self._profile) in ("engine", "writer") and path in self._kept

    def _records(
        self, case: RecordCase, mutation: Mutation, intent: TraceIntent | None, files: Sequence[TracedFile]
    ) -> Iterator[TraceRecord]:
        # An approval is a record of its own, before the change it allows.
        parts = [*([()] if case.context.approval else []), *_parts(files)]
        for number, part in enumerate(parts, start=1):
            op = TraceOp(
                id=chain.digest(case.context.effect.op_id.encode()),
                key=case.context.effect.op_id,
                part=number,
                parts=len(parts),
            )
            yield TraceRecord(
                schema_name=SCHEMA,
                id=_uuid(f"{case.context.effect.op_id}:{number}"),
                timestamp=case.at.astimezone(UTC).replace(microsecond=0),
                vcs=Vcs(revision_id=case.parent, branch=case.branch),
                tool=TraceTool(name=case.context.tool or "penwright", version=self._version),
                op=op,
                intent=intent,
                mutation=mutation,
                files=part,
                decision=None if part else _decision(case.context.approval),
                integrity=Integrity(prev=(), hash=""),
            )


def _mover(context: CommitContext) -> Author:
    """Author of the new words: as declared, or the author of the commit."""
    if context.authorship:
        return declared_author(context.authorship, context.model)
    return author_of(context.contributor, context.model)


def _oldest_first(tip: Tip, open_segment: bytes) -> Iterator[bytes]:
    for number in segment_numbers(tip.names(CLOSED)):
        yield tip.content(segment_path(number)) or b""
    yield open_segment


def _newest_first(tip: Tip, open_segment: bytes) -> Iterator[bytes]:
    yield open_segment
    for number in reversed(segment_numbers(tip.names(CLOSED))[-_SEGMENTS_BACK:]):
        yield tip.content(segment_path(number)) or b""


def _texts(change: TextChange) -> tuple[bytes | None, bytes | None]:
    """Texts to compare; none where a file only moved, or is too long to list what it lost."""
    return (None, None) if change.moved_from or _is_unlisted(change) else (change.before, change.after)


def _is_unlisted(change: TextChange) -> bool:
    return change.after is None and len(change.before or b"") > _LARGEST_DELETED


def _created(changes: Mapping[str, TextChange]) -> tuple[str, ...]:
    return tuple(path for path, each in changes.items() if each.blob_before is None and not each.moved_from)


def _registry(tip: Tip) -> Registry | None:
    try:
        return read_registry(tip.content(REGISTRY))
    except BrokenRegistry:
        return None


def _matched(
    case: RecordCase, registry: Registry | None, changes: Mapping[str, TextChange]
) -> TraceIntent | None:
    """The intent, and which of its patterns own what is changed."""
    if case.context.pin is None:
        return None
    intent = registry.find(case.context.pin.intent_id) if registry else None
    scope = Scope.of(intent.owned_scope if intent else ())
    found = (
        scope.by_name(path) or scope.allows(path, change.before, change.after)
        for path, change in changes.items()
    )
    matched = tuple(sorted({pattern for pattern in found if pattern}))
    return TraceIntent(
        id=case.context.pin.intent_id, registry_digest=case.context.pin.digest, matched=matched
    )


def _mutation(case: RecordCase, floor: Floor) -> Mutation:
    evolution = MutationClass.INTENT_EVOLUTION
    return Mutation(
        coarse=evolution if case.context.declared is evolution else floor.detail.coarse,
        detail=floor.detail,
        declared=case.context.declared,
        floor=floor.detail,
        similarity=floor.similarity,
    )


def _traced(
    case: RecordCase,
    registry: Registry | None,
    path: str,
    change: TextChange,
    blocks: Sequence[BlockChange],
    authorship: Authorship,
) -> TracedFile:
    conversation = conversation_of(
        f"urn:penwright:{case.context.effect.op_id.rpartition(':')[0] or case.context.effect.op_id}",
        path,
        blocks,
        authorship,
        _related(case, registry),
    )
    return TracedFile(
        relative_path=path,
        op=_op(change),
        path_before=change.moved_from or None,
        blob_before=change.blob_before,
        blob_after=change.blob_after,
        conversations=(conversation,),
    )


def _op(change: TextChange) -> str:
    if change.moved_from:
        return "rename"
    return "create" if change.blob_before is None else "delete" if change.blob_after is None else "modify"


def _decision(approval: Approval | None) -> Decision | None:
    if approval is None:
        return None
    return Decision(
        approval=approval.id,
        decided="approved",
        by=approval.by,
        plan_digest=approval.plan_digest,
        codes=approval.codes,
        reason=approval.reason,
    )


def _related(case: RecordCase, registry: Registry | None) -> tuple[Related, ...]:
    tag = case.context.overrides
    overrides = (Related(type="overrides", value=tag),) if tag else ()
    if case.context.pin is None:
        return overrides
    intent = registry.find(case.context.pin.intent_id) if registry else None
    specs = (Related(type=spec.type, value=spec.ref) for spec in (intent.related_specs if intent else ()))
    approvals = (Related(type="approval", value=case.context.approval.id),) if case.context.approval else ()
    return (Related(type="specification", value=case.context.pin.intent_id), *specs, *approvals, *overrides)


def _parts(files: Sequence[TracedFile]) -> list[tuple[TracedFile, ...]]:
    """Files as records may hold them: no line becomes longer than it may be."""
    if sum(map(_rows, files)) <= _ROWS:
        return [tuple(files)]
    parts: list[tuple[TracedFile, ...]] = []
    room = 0
    for piece in (piece for file in files for piece in _pieces(file)):
        size = len(piece.model_dump_json().encode())
        if not parts or size > room:
            parts.append(())
            room = LINE_BYTES
        parts[-1] += (piece,)
        room -= size
    return parts


def _rows(file: TracedFile) -> int:
    """Count a file's recorded blocks; a file without any counts as one."""
    return max(1, sum(len(each.ranges) + len(each.removed) for each in file.conversations))


def _pieces(file: TracedFile) -> Iterator[TracedFile]:
    (whole,) = file.conversations
    rows: Sequence[Range | Removed] = (*whole.ranges, *whole.removed)
    for start in range(0, max(len(rows), 1), _ROWS):
        held = rows[start : start + _ROWS]
        piece = whole.model_copy(
            update={
                "ranges": tuple(row for row in held if isinstance(row, Range)),
                "removed": tuple(row for row in held if isinstance(row, Removed)),
            }
        )
        yield file.model_copy(update={"conversations": (piece,)})


def _chained(raws: Sequence[chain.Raw], heads: Sequence[str]) -> tuple[Sequence[chain.Raw], Sequence[bytes]]:
    """The records linked one after the other, and their lines."""
    linked: list[chain.Raw] = []
    lines: list[bytes] = []
    for raw in raws:
        record = chain.sealed(raw, heads)
        linked.append(record)
        lines.append(chain.line_of(record))
        heads = (record["integrity"]["hash"],)
    return linked, lines


def _trailers(raws: Sequence[chain.Raw], mutation: Mutation) -> tuple[tuple[str, str], ...]:
    return (
        ("Trace-Id", ",".join(raw["id"] for raw in raws)),
        ("Trace-Head", raws[-1]["integrity"]["hash"]),
        ("Mutation-Class", mutation.coarse.value),
    )


def _uuid(name: str) -> str:
    """A UUID in the form of version 4, the same for the same name."""
    digits = hashlib.sha256(name.encode()).hexdigest()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"
