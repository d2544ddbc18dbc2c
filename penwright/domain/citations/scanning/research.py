"""One target's research: what is asked of registries, and what it comes to."""

from dataclasses import dataclass

from penwright.domain import control
from penwright.domain.citations import identifiers
from penwright.domain.citations.proposals import NO_REGISTRY
from penwright.domain.citations.scanning import budget
from penwright.domain.citations.scanning.status import workflow_id
from schemas.base import BlobRef, Cause
from schemas.citation_scan import CitationScanInput, CitationScanState, RecordsGathered, Researched
from schemas.manuscript_roles import (
    GeneratorAnswer,
    ProposedIdentifier,
    ProposedQuery,
    RoleBrief,
    RoleCall,
)
from schemas.scholarly import Author, Identifier, LookUp, Query, ReferenceVerified

_MOST_CHOSEN = 3
"""Works that are cited for one sentence."""
_READ = {"doi": identifiers.doi, "pmid": identifiers.pmid, "arxiv": identifiers.arxiv}


@dataclass(slots=True)
class Spent:
    """Cost of a target's calls so far."""

    most: int | None = None
    """Most they may cost together; None: without limit."""
    cost_micros: int = 0
    unknown_prices: int = 0

    def add(self, cost_micros: int, unknown_prices: int) -> None:
        """Count one more call."""
        self.cost_micros += cost_micros
        self.unknown_prices += unknown_prices

    @property
    def left(self) -> int | None:
        """Amount the next call may cost."""
        return None if self.most is None else max(self.most - self.cost_micros, 0)


def call(given: CitationScanInput, brief: RoleBrief, name: str, left: int | None) -> RoleCall:
    """One call of a role; ``name`` says which of the scan's, ``left`` what the budget leaves for it."""
    return RoleCall(
        brief=brief,
        run_id=f"{workflow_id(given)}/{given.session}/{name}",
        subject=given.subject,
        model_queue=given.model_queue,
        tool_queue=given.repo_queue,
        cost_micros=budget.least(given.call_cost_micros, left),
        override_tag=given.override_tag,
    )


def look_ups(searched: GeneratorAnswer, bibliography: BlobRef | None) -> tuple[LookUp, ...]:
    """The questions to registries: one for each query, and identifiers with the first."""
    named = tuple(each for proposed in searched.identifiers for each in _identifier(proposed))
    queries = [_query(each) for each in searched.queries]
    first = LookUp(identifiers=named, query=queries[0] if queries else None, bibliography=bibliography)
    return (first, *(LookUp(query=each, bibliography=bibliography) for each in queries[1:]))


def _identifier(proposed: ProposedIdentifier) -> tuple[Identifier, ...]:
    value = _READ[proposed.kind](proposed.value)
    return (Identifier(kind=proposed.kind, value=value),) if value else ()


def _query(proposed: ProposedQuery) -> Query:
    return Query(
        title=proposed.title,
        authors=tuple(Author(family=each) for each in proposed.authors),
        year=proposed.year,
        text=proposed.text,
    )


def choice(picked: GeneratorAnswer, records: int) -> tuple[int, ...]:
    """The records that count, best first."""
    known = (number for number in picked.chosen if 1 <= number <= records)
    return tuple(dict.fromkeys(known))[:_MOST_CHOSEN]


def nothing_found(gathered: RecordsGathered) -> Cause:
    """Cause for finding no record; an outage says nothing about the work."""
    silent = ", ".join(gathered.outages)
    if gathered.unanswered:
        return Cause(code=NO_REGISTRY, message=f"no registry answered: {silent}")
    if gathered.outages:
        said = f"{silent} did not answer, and no other source has a work; scan again later"
        return Cause(code="UNVERIFIABLE", message=said)
    return Cause(code="NOTHING_FOUND", message="no source has a work for this sentence")


def nothing_fits(picked: GeneratorAnswer) -> Cause:
    """Cause for citing none of the records."""
    said = picked.reason or picked.notes
    return Cause(code="NOTHING_FITS", message=said or "none of the works found supports the sentence")


def checked(
    number: int, verified: tuple[ReferenceVerified, ...], compared: BlobRef | None, spent: Spent
) -> Researched:
    """The sentence's own citations were looked up."""
    return Researched(number=number, verified=verified, compared=compared, **_cost(spent))


def picked(
    number: int,
    records: BlobRef,
    chosen: tuple[int, ...],
    verified: tuple[ReferenceVerified, ...],
    reason: str,
    spent: Spent,
) -> Researched:
    """Works were found, picked and looked up again."""
    return Researched(
        number=number, records=records, chosen=chosen, verified=verified, reason=reason, **_cost(spent)
    )


def found_by_hand(
    number: int, records: BlobRef, verified: ReferenceVerified, compared: BlobRef | None
) -> Researched:
    """A person's search found works; the first of them was looked up again."""
    return Researched(
        number=number,
        records=records,
        chosen=(1,),
        verified=(verified,),
        compared=compared,
        by_hand=True,
    )


def nothing_by_hand(number: int, gathered: RecordsGathered) -> Researched:
    """A person's search found no work."""
    return Researched(number=number, cause=nothing_found(gathered), by_hand=True)


def failed(number: int, cause: Cause, spent: Spent) -> Researched:
    """Nothing can be offered for the target, and why."""
    return Researched(number=number, cause=cause, **_cost(spent))


def cut(number: int, spent: Spent) -> Researched:
    """The scan ends: what was under way is not applied, and the target stays as it was."""
    return Researched(number=number, cut=True, **_cost(spent))


def without(number: int, cause: Cause, state: CitationScanState, spent: Spent) -> Researched:
    """The generator gave no answer: it was interrupted with the scan, could not be paid, or failed."""
    if budget.is_short(cause, spent.left):
        return Researched(number=number, cut=True, capped=True, **_cost(spent))
    return cut(number, spent) if control.must_end(state) else failed(number, cause, spent)


def _cost(spent: Spent) -> dict[str, int]:
    return {"cost_micros": spent.cost_micros, "unknown_prices": spent.unknown_prices}
