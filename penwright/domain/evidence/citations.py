"""Evidence for the citations of an exported text: what scans found, who accepted it, what an audit says."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from penwright.domain.citations.building import doi_address
from penwright.domain.citations.claims import reference_of
from penwright.domain.citations.entries import Entry, read_entry, written
from penwright.domain.citations.scanning.storing import KeptTarget
from penwright.domain.citations.sentences import Sentence
from penwright.domain.citations.support.comparing import support_by_abstract, support_in
from penwright.domain.citations.works import same_work
from penwright.domain.text.blocks import Block
from penwright.domain.text.citation_tokens import tokens_of
from penwright.domain.text.inline_citations import find_citations, without_marks
from schemas.agent_state import PastValue
from schemas.citation_audit import AuditedEntry
from schemas.library import LibraryPassage
from schemas.readers_copy import (
    AuditFound,
    CitationDecided,
    CitationEvidence,
    CitedWork,
    RecordFound,
    SentenceEvidence,
)
from schemas.scholarly import Reference
from schemas.section_evidence import EvidencePassage

_SAFE = "https://"


@dataclass(frozen=True, slots=True)
class Gathered:
    """A passage that a writer was shown before it wrote."""

    passage: EvidencePassage
    on: datetime


@dataclass(frozen=True, slots=True)
class Known:
    """Knowledge of one document about its citations."""

    kept: Sequence[KeptTarget] = ()
    found_on: Mapping[str, datetime] = field(default_factory=dict)
    """When each target was looked up, by its name (``name_of``)."""
    gathered: Sequence[Gathered] = ()
    accepted_at: Mapping[str, datetime] = field(default_factory=dict)
    put_in: Mapping[str, tuple[str, datetime]] = field(default_factory=dict)
    """The commit that put each change into the text, and when, by name."""
    audited: Mapping[str, AuditedEntry] = field(default_factory=dict)
    """What the last audit says of each key."""
    audited_on: str = ""


def works_of(entries: Iterable[Entry]) -> Iterator[CitedWork]:
    """The works of a bibliography."""
    for entry in entries:
        work = reference_of(entry)
        url = doi_address(work.doi) if work.doi else entry.field("url")
        yield CitedWork(
            key=entry.key,
            title=work.title,
            authors=tuple(", ".join(filter(None, (each.family, each.given))) for each in work.authors),
            year=work.year,
            container=work.container,
            doi=work.doi,
            url=url if url.startswith(_SAFE) else "",
            entry=written(entry),
        )


def sentences_with_evidence(
    sentences: Iterable[Sentence],
    lines: Sequence[int],
    blocks: Sequence[Block],
    works: Mapping[str, Reference],
    documents: Sequence[Known],
) -> Iterator[SentenceEvidence]:
    """The evidence for each sentence of an exported text.

    Args:
        sentences: of the text as it is converted, its citations as ``[@key]``.
        lines: the line of each sentence, from 1.
        works: of the bibliography, by key.
    """
    by_words: dict[str, list[tuple[Known, KeptTarget]]] = {}
    for known in documents:
        for each in known.kept:
            by_words.setdefault(own_words(each.proposal.target.text), []).append((known, each))
    block = 0
    for sentence, line in zip(sentences, lines, strict=True):
        while block + 1 < len(blocks) and blocks[block + 1].start_line <= line:
            block += 1
        near = by_words.get(own_words(sentence.text), ()) if sentence.keys else ()
        yield SentenceEvidence(
            number=sentence.number,
            block=block + 1,
            citations=tuple(
                _evidence(key, works[key], _uncited(sentence.text), near, documents)
                for key in dict.fromkeys(sentence.keys)
                if key in works
            ),
        )


def own_words(sentence: str) -> str:
    """The letters and figures of a sentence without its citations, in the form of a text or of an export."""
    return "".join(sign for sign in without_marks(_uncited(sentence)) if sign.isalnum())


def _uncited(sentence: str) -> str:
    parts, behind = [], 0
    for each in tokens_of(sentence):
        if each.kind in ("citation", "broken", "marker"):
            parts.append(sentence[behind : each.start].rstrip())
            behind = each.end
    return "".join([*parts, sentence[behind:]])


def name_of(kept: KeptTarget) -> str:
    """Name a target through the versions of an agents' state: its sentence, and what became of that."""
    change = kept.proposal.change
    return f"{kept.proposal.target.text}\n{change.after if change else kept.proposal.code}"


def dates_of(past: Iterable[PastValue]) -> tuple[dict[str, datetime], dict[str, datetime]]:
    """When each target was looked up, and when it was accepted, by name.

    Args:
        past: the values of ``citation_targets``, newest first.
    """
    found: dict[str, datetime] = {}
    accepted: dict[str, datetime] = {}
    for each in reversed(tuple(past)):
        for row in each.value if isinstance(each.value, list) else ():
            kept = KeptTarget.model_validate(row)
            name = name_of(kept)
            found.setdefault(name, each.at)
            if kept.standing.state == "accepted":
                accepted.setdefault(name, each.at)
            else:
                accepted.pop(name, None)
    return found, accepted


def _evidence(
    key: str,
    work: Reference,
    sentence: str,
    near: Iterable[tuple[Known, KeptTarget]],
    documents: Iterable[Known],
) -> CitationEvidence:
    audit = next((_audit(each, key) for each in documents if key in each.audited), None)
    for known, kept in near:
        if (found := _found(known, kept, work)) is not None:
            return CitationEvidence(key=key, found=found, decided=_decided(known, kept), audit=audit)
    shown = (each for known in documents for each in known.gathered if _is_of(each.passage.record, work))
    found = max(
        (_shown(sentence, each) for each in shown),
        key=lambda each: (each.support == "says", each.overlap or 0.0),
        default=None,
    )
    return CitationEvidence(key=key, found=found, audit=audit)


def _is_of(record: Reference, work: Reference) -> bool:
    """Whether an entry was made of a record; a file's may have no more than its title."""
    is_untold = not work.authors and not record.authors
    return same_work(record, work) or (is_untold and record.title == work.title)


def _shown(sentence: str, gathered: Gathered) -> RecordFound:
    """A sentence compared with a passage that its writer was shown."""
    passage, record = gathered.passage, gathered.passage.record
    if record.source == "library":
        text = LibraryPassage(**passage.quote.model_dump(exclude={"quote"}), number=1, text=passage.text)
        compared = support_in(sentence, record, (text,))
    else:
        compared = support_by_abstract(sentence, record)
    return RecordFound(
        sources=(record.source,),
        on=_day(gathered.on),
        support=compared.support,
        overlap=compared.share,
        quote=compared.quote or passage.quote,
    )


def _audit(known: Known, key: str) -> AuditFound:
    found = known.audited[key]
    return AuditFound(state=found.state, on=known.audited_on, sources=found.sources, reason=found.reason)


def _found(known: Known, kept: KeptTarget, work: Reference) -> RecordFound | None:
    """The look-up of a work for a sentence; None if this target is about others, or is not in the text."""
    change, on = kept.proposal.change, _day(known.found_on.get(name_of(kept)))
    if change is None:
        cited = [each.entry for each in find_citations(kept.proposal.target.text).citations]
        is_right = bool(kept.verified) and _place(cited, work) is not None
        reason = kept.proposal.message
        return RecordFound(verdict="verified", on=on, reason=reason) if is_right else None
    place = _place(change.entries, work)
    if place is None or not kept.standing.applied:
        return None
    own = change.works[place] if place < len(change.works) else None
    compared = own.compared if own else None
    return RecordFound(
        sources=(own.source,) if own and len(change.works) > 1 else change.sources,
        on=on,
        verdict=change.verdict,
        reason=change.reason,
        support=compared.support if compared else change.support,
        overlap=compared.share if compared else change.overlap,
        quote=compared.quote if compared else change.quote,
        abstract=own.passage if own else change.abstract,
    )


def _decided(known: Known, kept: KeptTarget) -> CitationDecided | None:
    if not kept.standing.by:
        return None
    name = name_of(kept)
    commit, put_at = known.put_in.get(name, ("", None))
    at = kept.standing.at or known.accepted_at.get(name) or put_at
    return CitationDecided(by=kept.standing.by, at=at.isoformat() if at else "", commit=commit)


def _place(entries: Iterable[str], work: Reference) -> int | None:
    """Which of some entries names a work."""
    for at, each in enumerate(map(read_entry, entries)):
        if isinstance(each, Entry) and same_work(reference_of(each), work):
            return at
    return None


def _day(at: datetime | None) -> str:
    return at.date().isoformat() if at else ""
