"""An entry of the document compared with a registry's record of the same work, field by field."""

from typing import Final

from penwright.domain.citations import identifiers
from penwright.domain.citations.building import entry_of
from penwright.domain.citations.claims import plain, reference_of
from penwright.domain.citations.comparing import PLACE, compare
from penwright.domain.citations.entries import Entry, ordered
from penwright.domain.citations.places import is_preprint_server
from penwright.domain.citations.titles import same_words
from penwright.domain.citations.works import folded
from schemas.scholarly import Reference, ScholarlyRecord

_ASPECTS: Final = {
    **{"author": "authors", "title": "title", "year": "year", "date": "year"},
    **dict.fromkeys(("journal", "journaltitle", "booktitle"), "container"),
    **{"volume": "volume", "pages": "pages", "eid": "pages", "number": "number", "issue": "number"},
    **dict.fromkeys(("publisher", "school", "institution"), "publisher"),
    **{"doi": "doi", "pmid": "pmid", "eprint": "arxiv", "url": "url"},
}
"""Aspect of its work that each field states. Other fields, such as ``note``, are the author's own."""
_NEEDED: Final = ("author", "title", "year")
"""Fields without which an entry does not say which work it means."""
_READERS: Final = {"doi": identifiers.doi, "pmid": identifiers.pmid, "arxiv": identifiers.arxiv}


def differences(entry: Entry, record: ScholarlyRecord) -> tuple[str, ...]:
    """Return what an entry says of its work and the record does not confirm, sorted; empty if all is right.

    A field that the record lacks is not confirmed; names, titles and places are compared as verdicts do.
    """
    made = dict(entry_of(record, entry.key).fields)
    own = dict(ordered(entry).fields)
    doubtful = {_ASPECTS[name] for name, value in own.items() if name in _ASPECTS and made.get(name) != value}
    doubtful |= {_ASPECTS[name] for name in _NEEDED if name in made and name not in own}
    claimed = reference_of(entry)
    contradicted = compare(claimed, record).fields
    return tuple(
        sorted(
            aspect
            for aspect in doubtful
            if aspect in contradicted or not _confirms(aspect, claimed, own, record)
        )
    )


def is_work(entry: Entry, work: Reference) -> bool:
    """Whether an entry has the title and identifiers of a work, whose title may be cut off."""
    claimed = reference_of(entry)
    ids = all(not getattr(claimed, name) or _is_same_id(name, claimed, work) for name in _READERS)
    return ids and (
        same_words(claimed.title, work.title) or folded(claimed.title).startswith(folded(work.title))
    )


def _confirms(aspect: str, claimed: Reference, own: dict[str, str], record: ScholarlyRecord) -> bool:
    """Whether the record has what the entry says, as far as ``compare`` does not see it."""
    if aspect in _READERS:
        return _is_same_id(aspect, claimed, record)
    if aspect == "title":
        # A verdict forgives a subtitle that the record lacks; a text gets none that no registry knows.
        return same_words(claimed.title, record.title)
    if aspect == "number":
        ours = folded(plain(own.get("number") or own.get("issue", "")))
        return bool(ours) and ours == folded(record.issue)
    if aspect == "publisher":
        return _same_publisher(own, record.publisher)
    if aspect == "url":
        return _same_address(own["url"], record)
    if aspect == "container" and is_preprint_server(claimed.container):
        return bool(identifiers.arxiv(record.arxiv) or identifiers.arxiv(record.doi))
    return aspect not in PLACE or bool(getattr(record, aspect).strip())


def _is_same_id(name: str, one: Reference, other: Reference) -> bool:
    """Whether both have one identifier; what cannot be read as one is none."""
    read = _READERS[name](getattr(one, name))
    return bool(read) and read == _READERS[name](getattr(other, name))


def _same_publisher(own: dict[str, str], recorded: str) -> bool:
    """Registries write ``Springer Science and Business Media LLC`` for Springer; some name no publisher."""
    theirs = folded(recorded)
    ours = [folded(plain(own[name])) for name in ("publisher", "school", "institution") if name in own]
    return not theirs or all(each in theirs or theirs in each for each in ours)


def _same_address(url: str, record: ScholarlyRecord) -> bool:
    """An address that holds an identifier must hold the work's; another one says nothing of the work."""
    ids = {kind: reader(url) for kind, reader in _READERS.items() if not url.isdigit()}
    return all(value == _READERS[kind](getattr(record, kind)) for kind, value in ids.items() if value)
