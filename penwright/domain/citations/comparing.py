"""A reference compared with one record: which fields differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from penwright.domain.citations.names import named, same_person
from penwright.domain.citations.places import is_preprint_server, same_container, same_pages, same_volume
from penwright.domain.citations.titles import added_subtitle, likeness, same_words
from schemas.scholarly import Author, Reference, ScholarlyRecord

ALIKE: Final = 0.90
"""Likeness of titles below which they are not one title."""
NEAR: Final = 0.75
"""Likeness below which it is another work; between the two a person decides."""
MANY: Final = 10
"""Authors from which a record may lack the rest: PubMed kept no more of older works."""
PLACE: Final = ("container", "pages", "volume")
"""Fields that say where a work appeared; one that a registry lacks is not compared."""
YEARS: Final = 1
"""Online and printed editions may be a year apart."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A record, and how a reference differs from it."""

    record: ScholarlyRecord
    fields: tuple[str, ...]
    """``authors``, ``container``, ``pages``, ``title``, ``volume``, ``year``, as far as they differ."""
    likeness: float
    """Of the titles, 0 to 1, in hundredths."""
    years_apart: int
    """0 if a year is missing."""
    subtitle: str = ""
    """Of the claim, if the record lacks it; the titles were compared without it."""

    @property
    def is_work(self) -> bool:
        """Whether it is the claimed work: at most the place differs, which another may know better."""
        return not set(self.fields) - set(PLACE)


def compare(claimed: Reference, record: ScholarlyRecord, *, any_year: bool = False) -> Compared:
    """Compare title, authors and year, and where it appeared.

    A title, authors or a year that only one of the two names differ; a container, volume or pages differ if
    both name them and they contradict.

    A title needs the likeness ``ALIKE`` and the same words: one other word in a long title leaves it alike,
    and may turn its meaning. A subtitle that the record lacks is left out, and named.

    Args:
        any_year: the year may differ by any number.
    """
    alike = round(likeness(claimed.title, record.title), 2)
    subtitle = added_subtitle(claimed.title, record.title)
    is_title = bool(subtitle) or (alike >= ALIKE and same_words(claimed.title, record.title))
    differs = {
        "authors": not _same_authors(claimed, record),
        "container": _contradicts_container(claimed, record),
        "pages": _both(claimed.pages, record.pages) and not same_pages(claimed.pages, record.pages),
        "title": not is_title,
        "volume": _contradicts_volume(claimed, record),
        "year": not any_year
        and not any(_same_year(claimed.year, each) for each in (record.year, *record.years)),
    }
    apart = abs(claimed.year - record.year) if claimed.year and record.year else 0
    return Compared(record, tuple(name for name, is_so in differs.items() if is_so), alike, apart, subtitle)


def _same_authors(claimed: Reference, record: ScholarlyRecord) -> bool:
    """Whether the first author is the same, and each other one that is claimed is another one of the record.

    A record that breaks off is asked for as many of them as it names.
    """
    ours, theirs = named(claimed.people), named(record.people)
    if not ours or not theirs:
        return not ours and not theirs
    if not same_person(ours[0], theirs[0]):
        return False
    known = ours[: len(theirs)] if _breaks_off(record, theirs) else ours
    return _each_is_another(known[1:], theirs[1:]) and not _repeats(ours, len(known))


def _repeats(authors: Sequence[Author], known: int) -> bool:
    """Whether an author behind the ``known`` first ones is claimed twice."""
    return any(authors.count(each) > 1 for each in authors[known:])


def _each_is_another(ours: Sequence[Author], theirs: Sequence[Author]) -> bool:
    """Whether each of ours is a person of theirs, nobody twice; the same place is tried first."""
    free = dict(enumerate(theirs))
    for place, author in enumerate(ours):
        order = [place, *free] if place in free else list(free)
        found = next((each for each in order if same_person(author, free[each])), None)
        if found is None:
            return False
        del free[found]
    return True


def _contradicts_container(claimed: Reference, record: ScholarlyRecord) -> bool:
    if not _both(claimed.container, record.container) or _is_preprint(claimed, record):
        return False
    return not any(same_container(claimed.container, each) for each in (record.container, *record.containers))


def _contradicts_volume(claimed: Reference, record: ScholarlyRecord) -> bool:
    if not _both(claimed.volume, record.volume):
        return False
    if claimed.volume.startswith("abs/") and _is_preprint(claimed, record):
        return False
    return not same_volume(claimed.volume, record.volume)


def _is_preprint(claimed: Reference, record: ScholarlyRecord) -> bool:
    """Whether the claim cites as arXiv's preprint what is one, whatever journal had it later."""
    return bool(claimed.arxiv or record.arxiv) and is_preprint_server(claimed.container)


def _both(one: str, other: str) -> bool:
    return bool(one.strip() and other.strip())


def _breaks_off(record: ScholarlyRecord, named_there: tuple[Author, ...]) -> bool:
    """Whether authors may be missing: it says so, or names as many as some registries keep at most."""
    return len(named_there) < len(record.people) or len(named_there) >= MANY


def _same_year(claimed: int | None, recorded: int | None) -> bool:
    if claimed is None or recorded is None:
        return claimed is recorded
    return abs(claimed - recorded) <= YEARS
