"""References: real, title-swapped, altered, invented, retracted, misplaced and shortened, twelve of each."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from penwright.adapters.scholarly.recorded import RecordedWork, recorded_works
from penwright.domain.citations.names import named
from schemas.scholarly import Author, Reference, VerdictStatus

Sort = Literal["real", "swapped", "altered", "invented", "retracted", "misplaced", "shortened"]
ALLOWED: dict[Sort, frozenset[VerdictStatus]] = {
    "real": frozenset({"verified"}),
    "swapped": frozenset({"mismatch"}),
    "altered": frozenset({"mismatch"}),
    "invented": frozenset({"not_found", "mismatch"}),
    "retracted": frozenset({"retracted"}),
    "misplaced": frozenset({"mismatch", "unverifiable"}),
    "shortened": frozenset({"verified"}),
}
"""The verdicts on each sort while every source answers; one invented title is near a real one.

A work with a subtitle that no registry has is left to a person."""
OTHER_WORDS = {
    "deep learning": "Shallow learning",
    "attention is all you need": "Attention Is All They Need",
    "deep residual learning for image recognition": "Deep Residual Learning for Speech Recognition",
    "a mathematical theory of communication": "A Mathematical Theory of Computation",
}


class Case(NamedTuple):
    """One reference."""

    sort: Sort
    name: str
    reference: Reference


def all_cases() -> list[Case]:
    """Return the references, in order of their sorts."""
    works = recorded_works()
    standing = [each for each in works if each.notice is None]
    fallen = [each for each in works if each.notice is not None]
    return [
        *_as_written("real", standing[:12]),
        *_swapped(standing[:12]),
        *_altered(standing[:12]),
        *(Case("invented", each.title[:30], each) for each in INVENTED),
        *_as_written("retracted", fallen[:12]),
        *_misplaced(standing[:12]),
        *_shortened(standing[:12]),
    ]


def _as_written(sort: Sort, works: Sequence[RecordedWork]) -> list[Case]:
    return [Case(sort, each.title[:30], as_written(each, number)) for number, each in enumerate(works)]


def as_written(work: RecordedWork, number: int) -> Reference:
    """A true reference as people write it: by DOI, PMID or neither; in capitals; without a subtitle."""
    reference = cited(work)
    changes: dict[str, object] = {}
    match number % 6:
        case 1:
            changes = {"title": work.title.upper(), "doi": f"https://doi.org/{work.doi.upper()}"}
        case 2:
            changes = {"title": f"{{{work.title}}}", "year": (work.year or 0) + 1}
        case 3:
            changes = {"doi": "", "pmid": "", "arxiv": ""}
        case 4 if work.pmid:
            changes = {"doi": ""}
        case 5:
            changes = {"title": work.title.partition(": ")[0].replace("-", " "), "authors": work.authors[:1]}
    return Reference.model_validate({**reference.model_dump(), **changes})


def cited(work: RecordedWork) -> Reference:
    """The part of a work that a reference names."""
    return Reference.model_validate({name: getattr(work, name) for name in Reference.model_fields})


def _swapped(works: Sequence[RecordedWork]) -> list[Case]:
    """A real identifier under the title of another work; some with that work's authors and year too."""
    cases: list[Case] = []
    for number, (work, other) in enumerate(zip(works, (*works[1:], works[0]), strict=True)):
        changes: dict[str, object] = {"title": other.title}
        if number % 3 == 0:
            changes |= {"authors": other.authors, "year": other.year}
        cases.append(Case("swapped", work.title[:30], cited(work).model_copy(update=changes)))
    return cases


def _altered(works: Sequence[RecordedWork]) -> list[Case]:
    """One thing changed: the first author, a later author, the year, or one word of the title."""
    cases: list[Case] = []
    for number, work in enumerate(works):
        stranger = Author(family="Hollingsworth", given="P. Q.")
        match number % 4:
            case 0:
                changes: dict[str, object] = {"authors": (stranger, *work.authors[1:])}
            case 1 if len(work.authors) > 2:
                changes = {"authors": (*named(work.authors)[:-1], stranger)}
            case 2:
                changes = {"year": (work.year or 0) - 2}
            case _:
                changes = {"title": one_other_word(work.title)}
        cases.append(Case("altered", work.title[:30], cited(work).model_copy(update=changes)))
    return cases


def _misplaced(works: Sequence[RecordedWork]) -> list[Case]:
    """A real work with a false journal, volume, first page, initial or subtitle, or an author twice."""
    cases: list[Case] = []
    for number, work in enumerate(works):
        false: list[dict[str, object]] = [
            {"container": "Annals of Municipal Silence"} if work.container else {},
            {"volume": "999"} if work.volume else {},
            {"pages": "1-2"} if work.pages else {},
            {"authors": (Author(family=work.authors[0].family, given="Zed"), *work.authors[1:])},
            {"title": f"{work.title}: a tale about dogs"},
            {"authors": (work.authors[0], *named(work.authors))},
        ]
        changes = false[number % 6] or false[4]
        identified = {"doi": "", "pmid": "", "arxiv": ""} if number % 4 == 3 else {}
        cases.append(
            Case("misplaced", work.title[:30], cited(work).model_copy(update={**changes, **identified}))
        )
    return cases


def _shortened(works: Sequence[RecordedWork]) -> list[Case]:
    """A real work with its journal abbreviated, initials, elided pages, and without its subtitle."""
    return [Case("shortened", each.title[:30], _short(each)) for each in works]


def _short(work: RecordedWork) -> Reference:
    words = [word for word in work.container.split() if word.casefold() not in ("of", "the", "and", "on")]
    first, _, last = work.pages.partition("-")
    changes = {
        "container": " ".join(f"{word[:4]}." for word in words) if len(words) > 1 else work.container,
        "pages": f"{first}--{last[-2:]}" if len(first) == len(last) and first[:-2] == last[:-2] else first,
        "title": work.title.partition(": ")[0],
        "authors": tuple(
            each.model_copy(update={"given": each.given[:1] and f"{each.given[:1]}."})
            for each in work.authors
        ),
    }
    return cited(work).model_copy(update=changes)


def one_other_word(title: str) -> str:
    """The title with one word of it changed."""
    other = OTHER_WORDS.get(title.casefold())
    words = title.split()
    return other or " ".join([*words[:-1], {"Intelligence": "Ignorance"}.get(words[-1], "Revisited")])


def _invented(title: str, family: str, year: int, **identifiers: str) -> Reference:
    authors = (Author(family=family, given="R."), Author(family="Quillfeather", given="S."))
    return Reference(title=title, authors=authors, year=year, **identifiers)


INVENTED = (
    _invented("Tidal memory in municipal archives", "Okonedo", 2019, doi="10.5555/tidal.2019.17"),
    _invented("Lantern economies of the northern ferries", "Brask", 2008, doi="10.5555/lantern.8"),
    _invented("Spectral gardening and the grief of hedges", "Vantongeren", 2021, pmid="399999991"),
    _invented("On the thermodynamics of unread letters", "Aldercott", 1997),
    _invented("A cartography of municipal silence", "Ferreira-Holt", 2015),
    _invented("Slow glaciers, fast clerks", "Umeh", 2003, arxiv="9912.99999"),
    _invented("Deep listening", "LeCun", 2016, doi="10.5555/nature.listening"),
    _invented("Counterfeit dawns in coastal parishes", "Ystad", 2012, doi="10.1038/nature99999999"),
    _invented("Bridges that hum: resonance without load", "Marchetti", 1988),
    _invented("Salt, rope and the arithmetic of harbours", "Pellworm", 1975, doi="10.5555/salt.75"),
    _invented("Paper moons over accounting departments", "Nakagawa-Ruiz", 2024, pmid="399999992"),
    _invented("The unlikely botany of tram lines", "Thistlewood", 2018, doi="10.5555/tram", pmid="399999993"),
)
