"""Works that a person has looked up for a sentence: what is asked, what may be asked for, what it leaves."""

from collections.abc import Iterable, Sequence

from penwright.domain.citations import identifiers
from penwright.domain.citations.proposals import WAITING
from penwright.domain.citations.works import same_work
from schemas.base import BlobRef, Cause
from schemas.citations import CitationProposal, CitationSearch, ClaimSupport, FoundWork, TargetStanding
from schemas.scholarly import Identifier, LookUp, Query, Reference, ScholarlyRecord

MOST_OTHERS = 8
"""Works that are kept beside a proposal."""
_PASSAGE = 300
_TITLE = 300
_AUTHORS = 3
_FOUND_AT_ONCE = 8
_OPEN = WAITING | {"rejected", "failed"}
_READERS = {"doi": identifiers.doi, "pmid": identifiers.pmid, "arxiv": identifiers.arxiv}


def by_words(number: int, words: str) -> CitationSearch:
    """A search by hand: a DOI or an arXiv id is resolved, all else is searched for.

    Args:
        words: not empty.
    """
    said = " ".join(words.split())
    found = _identifier("doi", said) or _identifier("arxiv", said)
    if found:
        return CitationSearch(number=number, identifiers=found)
    return CitationSearch(number=number, query=Query(text=said, limit=_FOUND_AT_ONCE))


def for_work(number: int, work: Reference) -> CitationSearch:
    """The choice of a work that was found: by its identifiers, by title and authors if it has none."""
    found = (
        *_identifier("doi", work.doi),
        *_identifier("pmid", work.pmid),
        *_identifier("arxiv", work.arxiv),
    )
    if found:
        return CitationSearch(number=number, identifiers=found)
    named = Query(title=work.title, authors=work.authors, year=work.year)
    return CitationSearch(number=number, query=named)


def _identifier(kind: str, value: str) -> tuple[Identifier, ...]:
    read = _READERS[kind](value)
    return (Identifier.model_validate({"kind": kind, "value": read}),) if read else ()


def look_up(search: CitationSearch, bibliography: BlobRef | None) -> LookUp:
    """The question to the registries."""
    return LookUp(identifiers=search.identifiers, query=search.query, bibliography=bibliography)


def unsearchable(standings: Sequence[TargetStanding], search: CitationSearch) -> tuple[str, str] | None:
    """Code and message why a target cannot be given another work; None if it can."""
    standing = next((each for each in standings if each.number == search.number), None)
    if standing is None:
        return "unknown-target", f"there is no target {search.number}"
    if standing.state not in _OPEN:
        said = f"target {search.number} is {standing.state}; no other work can be chosen for it any more"
        return "not-waiting", said
    return None


def not_an_insertion(proposal: CitationProposal) -> tuple[str, str] | None:
    """Code and message of a sentence that has citations: they are changed in the text, not here."""
    if proposal.target.kind == "insert":
        return None
    said = f"sentence {proposal.target.number} has a citation already; change that one in the text"
    return "cited-already", said


def shown(record: ScholarlyRecord, compared: ClaimSupport | None = None) -> FoundWork:
    """A record, cut to what people choose by, with what it says of the sentence."""
    fields = {name: getattr(record, name) for name in (*Reference.model_fields, "source", "url")}
    short = {"title": record.title[:_TITLE], "authors": record.people[:_AUTHORS]}
    return FoundWork(
        **{**fields, **short},
        passage=record.abstract[:_PASSAGE],
        retracted=is_retracted(record),
        compared=compared,
    )


def is_retracted(record: ScholarlyRecord) -> bool:
    """Whether the record names a retraction or withdrawal."""
    return any(each.kind in ("retraction", "withdrawal") for each in record.notices)


def others(
    found: Iterable[FoundWork], cited: Sequence[FoundWork], before: Iterable[FoundWork] = ()
) -> tuple[FoundWork, ...]:
    """Works that were found and are not cited, each once, the newest first."""
    kept: list[FoundWork] = []
    for each in (*found, *before):
        if not any(same_work(each, known) for known in (*cited, *kept)):
            kept.append(each)
    return tuple(kept[:MOST_OTHERS])


def with_others(
    made: CitationProposal, found: Iterable[FoundWork], before: CitationProposal | None = None
) -> CitationProposal:
    """A proposal with the works that may be chosen instead; those of the one that it replaces too."""
    cited = made.change.works if made.change else ()
    earlier = (*(before.change.works if before.change else ()), *before.others) if before else ()
    return made.model_copy(update={"others": others(found, cited, earlier)})


def as_before(before: CitationProposal, cause: Cause) -> CitationProposal:
    """The proposal that stays because the search came to nothing, and why it did."""
    return before.model_copy(update={"message": f"the search found nothing to cite: {cause.message}"})
