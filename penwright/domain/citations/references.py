"""A document's references: what it cites already, and the entry for a work, the same each time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from penwright.domain.citations.agreement import differences
from penwright.domain.citations.building import doi_address, entry_of
from penwright.domain.citations.claims import reference_of
from penwright.domain.citations.entries import Entry, read_entry, written
from penwright.domain.citations.keys import is_key, key_for
from penwright.domain.citations.works import same_work
from penwright.domain.text.citation_tokens import tokens_of
from penwright.domain.text.inline_citations import find_citations, keys_named_in
from schemas.scholarly import Reference, ScholarlyRecord


@dataclass(frozen=True, slots=True)
class KnownReference:
    """A work that the document cites, and its entry as it stands there."""

    key: str
    text: str
    work: Reference


@dataclass(frozen=True, slots=True)
class References:
    """Every work that a document cites. Keys are never given twice."""

    known: tuple[KnownReference, ...] = ()
    taken: frozenset[str] = frozenset()
    """Keys in use, also those of entries that cannot be read, and those that the text names without one."""

    def entry_for(self, record: ScholarlyRecord) -> KnownReference | None:
        """The entry that a work has already and its record confirms; the first one of several."""
        return next((each for each, apart in self._of(record) if not apart), None)

    def unlike(self, record: ScholarlyRecord) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Keys of the work's entries that its record does not confirm, each with what differs."""
        return tuple((each.key, apart) for each, apart in self._of(record) if apart)

    def _of(self, record: ScholarlyRecord) -> Iterator[tuple[KnownReference, tuple[str, ...]]]:
        for each in self.known:
            if same_work(each.work, record):
                entry = read_entry(each.text)
                yield each, differences(entry, record) if isinstance(entry, Entry) else ("entry",)


def references_in(text: str, more: Iterable[Entry] = ()) -> References:
    """List what ``text`` cites, then what ``more`` entries name, such as those of ``references.bib``."""
    found = find_citations(text).citations
    read = [(each.entry, read_entry(each.entry)) for each in found]
    inline = [_known(each, text_) for text_, each in read if isinstance(each, Entry)]
    others = [_known(each, written(each)) for each in more]
    named = (key for key, _ in keys_named_in(text, tokens_of(text)))
    return References(
        _once([*inline, *others]), frozenset([*_keys(found), *named, *(each.key for each in others)])
    )


def cited(
    references: References, record: ScholarlyRecord, accessed: date
) -> tuple[References, KnownReference]:
    """The entry for a work: byte for byte the one that it has already, or a new one with a key of its own.

    An entry that the record does not confirm in every field is left alone: what is cited is the record.
    """
    present = references.entry_for(record)
    if present is not None:
        return references, present
    key = key_for(record, references.taken)
    new = KnownReference(key, written(entry_of(record, key, accessed)), record)
    return References((*references.known, new), references.taken | {key}), new


def canonical(entry: Entry, references: References) -> Entry:
    """An entry as this house writes it: order of fields, page ranges, a DOI with its address, a key."""
    fields = dict(entry.fields)
    if pages := fields.get("pages"):
        fields["pages"] = "--".join(
            part.strip() for part in pages.replace("–", "-").split("-") if part.strip()
        )
    work = reference_of(entry)
    if work.doi:
        fields["doi"], fields["url"] = work.doi, doi_address(work.doi)
    key = entry.key if is_key(entry.key) else key_for(work, references.taken)
    return Entry(entry.kind, key, tuple(fields.items()))


def _known(entry: Entry, text: str) -> KnownReference:
    return KnownReference(entry.key, text, reference_of(entry))


def _keys(found: Iterable[object]) -> list[str]:
    return [key for each in found if (key := getattr(each, "key", ""))]


def _once(known: Iterable[KnownReference]) -> tuple[KnownReference, ...]:
    """Each entry text once; entries of one key and another text stay, for they are not the same."""
    return tuple({each.text: each for each in known}.values())
