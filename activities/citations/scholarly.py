"""Questions to scholarly registries: find works, and verify a reference."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from temporalio import activity

from penwright.domain.citations import identifiers
from penwright.domain.citations.answers import fitting, merged, preferring, shortened
from penwright.domain.citations.auditing.judging import audited
from penwright.domain.citations.verdicts import is_named, judge
from penwright.ports.blobs import Blobs
from penwright.ports.scholarly import ScholarlySources
from schemas.base import BlobRef
from schemas.citation_audit import (
    AuditedEntry,
    AuditedPart,
    AuditEntries,
    CitedEntries,
    CitedEntry,
    EntriesAudited,
)
from schemas.library import LibraryShelf
from schemas.scholarly import (
    Answer,
    Identifier,
    LookedUp,
    LookUp,
    Query,
    Reference,
    ReferenceVerified,
    SourceName,
    Verdict,
    VerifyReference,
)

_AT_ONCE = 4
"""Entries of an audit that are looked up at the same time."""


@dataclass(frozen=True)
class ScholarlyActivities:
    """Activities for a worker that reaches registries: the queue ``workflows.options.scholarly_queue``."""

    sources: ScholarlySources
    blobs: Blobs
    bibliography: Callable[[str], ScholarlySources]
    """Reads a BibTeX file as a source."""
    library: Callable[[LibraryShelf], ScholarlySources] | None = None
    """Makes a source of a novel's own sources; None: they are not asked."""
    first: Collection[SourceName] = ()
    """Sources whose records stand before those of others."""

    @activity.defn
    async def look_up(self, request: LookUp) -> LookedUp:
        """Find works; an outage is part of the answer. Harmless to repeat."""
        places = await self._places(request)
        answer = await _resolved(places, request.identifiers)
        if request.query is not None:
            answer = merged([answer, *[await each.search(request.query) for each in places]])
        answer = preferring(answer, self.first)
        whole = await self._kept(answer.model_dump_json())
        return LookedUp(answer=fitting(answer), whole=whole, found=len(answer.records))

    @activity.defn
    async def verify_reference(self, request: VerifyReference) -> ReferenceVerified:
        """Resolve the identifiers, search for the title if none is a work, and judge it. Repeatable."""
        verdict = await _verified(await self._places(request), request.reference)
        if verdict.record is None:
            return ReferenceVerified(verdict=verdict)
        whole = await self._kept(verdict.record.model_dump_json())
        short = verdict.model_copy(update={"record": shortened(verdict.record)})
        return ReferenceVerified(verdict=short, record=whole)

    @activity.defn
    async def audit_entries(self, request: AuditEntries) -> EntriesAudited:
        """Look entries up and judge each; an outage is part of what is found. Harmless to repeat."""
        whole = await asyncio.to_thread(self.blobs.get, request.entries)
        listed = CitedEntries.model_validate_json(whole).entries
        slots = asyncio.Semaphore(_AT_ONCE)
        made = await asyncio.gather(*(self._audited(listed[each], slots) for each in request.numbers))
        found = dict(zip(request.numbers, made, strict=True))
        silent = {number: each for number, each in found.items() if each.state == "unreachable"}
        waits = [outage.retry_after or 0 for each in silent.values() for outage in each.outages]
        return EntriesAudited(
            part=await self._kept(AuditedPart(entries=found).model_dump_json()),
            silent=tuple(silent),
            again_after_s=max(waits, default=0),
        )

    async def _audited(self, entry: CitedEntry, slots: asyncio.Semaphore) -> AuditedEntry:
        async with slots:
            return audited(entry, await _verified((self.sources,), entry.claimed))

    async def _places(self, request: LookUp | VerifyReference) -> Sequence[ScholarlySources]:
        places = [self.sources]
        if request.library is not None and self.library is not None:
            kept = await asyncio.to_thread(self.blobs.get, request.library)
            shelf = LibraryShelf.model_validate_json(kept)
            places.append(await asyncio.to_thread(self.library, shelf))
        if request.bibliography is not None:
            text = await asyncio.to_thread(self.blobs.get, request.bibliography)
            places.append(await asyncio.to_thread(self.bibliography, text.decode(errors="replace")))
        return places

    async def _kept(self, text: str) -> BlobRef:
        return await asyncio.to_thread(self.blobs.put, text.encode())


async def _verified(places: Sequence[ScholarlySources], reference: Reference) -> Verdict:
    asked = identifiers.to_ask(reference)
    answer = await _resolved(places, asked)
    if not is_named(reference, answer):
        query = Query(title=reference.title, authors=reference.authors[:3], year=reference.year)
        answer = merged([answer, *[await each.search(query) for each in places]])
    verdict = judge(reference, answer)
    found = identifiers.to_ask(verdict.record) if verdict.status == "verified" and verdict.record else ()
    new = tuple(each for each in found if each.kind == "doi" and each not in asked)
    if not new:
        return verdict
    # The DOI that was found leads to registries that know of retractions and could not be asked before.
    return judge(reference, merged([answer, await _resolved(places, new)]))


async def _resolved(places: Sequence[ScholarlySources], asked: Sequence[Identifier]) -> Answer:
    return merged(await asyncio.gather(*(place.resolve(each) for place in places for each in asked)))
