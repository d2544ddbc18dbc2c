"""Evidence on a section of a paper: passages of own sources, then abstracts of registries, numbered."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from penwright.domain.citations.answers import reason_of
from penwright.domain.citations.support.comparing import overlap
from penwright.domain.citations.works import KnownWorks
from schemas.library import LibraryPassage, LocatedQuote
from schemas.manuscript_roles import PlannedSection
from schemas.scholarly import Answer, ScholarlyRecord
from schemas.section_evidence import EvidencePassage, SectionEvidence

MOST_PASSAGES: Final = 8
"""Of one section."""
_LONGEST: Final = 2_000
"""Characters of one passage that the writer is shown."""
_ABOUT: Final = 0.05
"""Least share of the words searched for that an abstract has."""
_STANDING: Final = ("retraction", "withdrawal")
"""Notices after which a work is no evidence."""
_SENTENCE: Final = re.compile(r"[^.!?]+[.!?]*")


def words_for(section: PlannedSection, title: str) -> str:
    """The words that sources are searched for: titles of paper and section, and what it shall say."""
    parts = (title, section.section_title, section.section_summary)
    return ". ".join(" ".join(each.split()) for each in parts if each.strip())


def evidence_of(own: Iterable[LibraryPassage], answer: Answer, words: str) -> SectionEvidence:
    """At most eight passages on ``words``, numbered: own sources first, then the nearest abstracts."""
    found = [*_own(own, words), *_abstracts(answer.records, words)][:MOST_PASSAGES]
    return SectionEvidence(
        passages=tuple(each.model_copy(update={"number": at}) for at, each in enumerate(found, 1)),
        unasked=tuple(f"{each.source} ({reason_of(each)})" for each in answer.outages),
    )


def numbered_passage(passage: EvidencePassage) -> str:
    """A passage with its number, work and place, as the writer reads it."""
    record = passage.record
    names = ", ".join(each.family for each in record.people[:3])
    more = " et al." if len(record.people) > 3 else ""
    page = f"p. {passage.quote.page}" if passage.quote.page else ""
    place = ", ".join(filter(None, (str(record.year or ""), page, passage.quote.section)))
    work = ": ".join(filter(None, (f"{names}{more}", record.title)))
    return f"[{passage.number}] {work} ({place})\n{' '.join(passage.text.split())}"


def _own(passages: Iterable[LibraryPassage], words: str) -> Iterator[EvidencePassage]:
    for each in passages:
        if not each.is_reference_list and each.text.strip():
            quote = LocatedQuote(
                source=each.source, quote=_nearest(each.text, words), page=each.page, section=each.section
            )
            yield EvidencePassage(number=0, text=each.text[:_LONGEST], record=_record(each), quote=quote)


def _record(passage: LibraryPassage) -> ScholarlyRecord:
    """The work of a source; one that is not known yet is called by its file."""
    if passage.record is not None:
        return passage.record
    return ScholarlyRecord(source="library", title=passage.source.rpartition(".")[0] or passage.source)


def _abstracts(records: Sequence[ScholarlyRecord], words: str) -> Iterator[EvidencePassage]:
    """Each work once, those that have most of the words first; retracted ones and those without text not."""
    works = KnownWorks[str]()
    fit = (each for each in records if each.abstract.strip() and not _is_taken_back(each))
    shares = [(overlap(words, f"{each.title} {each.abstract}"), each) for each in fit]
    for share, each in sorted(shares, key=lambda one: one[0], reverse=True):
        if share < _ABOUT or works.find(each) is not None:
            continue
        works.add(each, each.title)
        abstract = each.abstract[:_LONGEST]
        quote = LocatedQuote(source=each.source, quote=_nearest(abstract, words))
        yield EvidencePassage(number=0, text=abstract, record=each, quote=quote)


def _is_taken_back(record: ScholarlyRecord) -> bool:
    return any(each.kind in _STANDING for each in record.notices)


def _nearest(text: str, words: str) -> str:
    """The sentence of a text that has most of the words, letter for letter."""
    sentences = [each[0].strip() for each in _SENTENCE.finditer(text)]
    return max(filter(None, sentences), key=lambda each: overlap(words, each), default=text.strip())
