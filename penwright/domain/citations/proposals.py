"""States of a scan's targets: each is in one, and the counts add up."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from penwright.domain.text.counted import counted
from penwright.domain.text.inline_citations import without_citations
from schemas.citations import (
    CitationChange,
    CitationCounts,
    CitationDecision,
    CitationProposal,
    CitationTarget,
    ProposalState,
    TargetStanding,
)

WAITING: frozenset[ProposalState] = frozenset({"proposed", "verified"})
SENTENCE_MODIFIED = "SENTENCE_MODIFIED"
STALE = "STALE"
ENTRY_DIFFERS = "ENTRY_DIFFERS"
"""Code of a target whose work has an entry in the document that its record does not confirm."""
MISMATCH = "MISMATCH"
"""Code of a target whose own citation is not what registries record."""
NO_REGISTRY = "NO_REGISTRY"
"""Code of a target for which no registry that was asked has answered."""
RULE = "rule"
"""Name of the decider who accepts what is verified, if a scan may."""


def counts(standings: Iterable[TargetStanding]) -> CitationCounts:
    """Count the targets in each state."""
    each = list(standings)
    by_state = Counter(standing.state for standing in each)
    mismatches = sum(standing.state == "failed" and standing.code == MISMATCH for standing in each)
    return CitationCounts(
        found=len(each),
        pending=by_state["found"],
        skipped=by_state["skipped"],
        proposed=by_state["proposed"],
        verified=by_state["verified"],
        accepted=by_state["accepted"],
        rejected=by_state["rejected"],
        mismatch=mismatches,
        failed=by_state["failed"] - mismatches,
        applied=sum(standing.applied for standing in each),
    )


def counts_told(counts: CitationCounts) -> str:
    """The sentences found and their states, which add up to them."""
    parts = [
        (counts.pending, "not looked up"),
        (counts.skipped, "skipped"),
        (counts.proposed, "proposed"),
        (counts.verified, "verified"),
        (counts.accepted, "accepted"),
        (counts.rejected, "rejected"),
        (counts.mismatch, "mismatch"),
        (counts.failed, "failed"),
    ]
    said = ", ".join(f"{number} {word}" for number, word in parts if number)
    found = counted(counts.found, "sentence")
    return f"{found}: {said}" if said else found


def proposal(target: CitationTarget, change: CitationChange, *, sure: bool) -> CitationProposal:
    """A change that waits for a decision; failed if it would change a word of the sentence.

    Args:
        sure: the work is known to be the right one, so that a rule may accept it once it is verified.
    """
    if not same_words(target.text, change.after):
        said = "the change would alter the sentence's own words; it was refused"
        return CitationProposal(target=target, state="failed", code=SENTENCE_MODIFIED, message=said)
    state: ProposalState = "verified" if sure and change.verdict == "verified" else "proposed"
    return CitationProposal(target=target, state=state, change=change)


def same_words(before: str, after: str) -> bool:
    """Whether two sentences have the same words, byte for byte, citations left out."""
    return without_citations(before).rstrip() == without_citations(after).rstrip()


def standing_of(made: CitationProposal) -> TargetStanding:
    """A proposal's state, without its texts."""
    message = made.message if made.code in (ENTRY_DIFFERS, MISMATCH, NO_REGISTRY) else ""
    return TargetStanding(
        number=made.target.number,
        state=made.state,
        code=made.code,
        message=message,
        by_abstract=is_by_abstract(made),
    )


def is_by_abstract(made: CitationProposal) -> bool:
    """Whether an insertion waits for a person because only the abstract of its work was compared."""
    change = made.change
    return (
        made.state == "proposed"
        and change is not None
        and (change.verdict, change.support) == ("verified", "abstract only")
    )


def decided(
    standings: Sequence[TargetStanding], decision: CitationDecision, at: datetime | None = None
) -> tuple[tuple[TargetStanding, ...], tuple[int, ...]]:
    """The states after a decision, and the numbers that it changed.

    What waits can be decided, and what was rejected accepted after all, by its number; a rule may accept
    only what is verified.

    Args:
        at: when.
    """
    chosen = {each.number for each in standings if _is_meant(each, decision)}
    state: ProposalState = "accepted" if decision.verb == "accept" else "rejected"
    reason = decision.reason if state == "rejected" else ""
    after = tuple(
        each.model_copy(update={"state": state, "by": decision.who, "at": at, "reason": reason})
        if each.number in chosen
        else each
        for each in standings
    )
    return after, tuple(sorted(chosen))


def _is_meant(standing: TargetStanding, decision: CitationDecision) -> bool:
    if standing.state == "rejected":
        after_all = decision.verb == "accept" and decision.who != RULE
        return after_all and standing.number in decision.numbers
    by_rule = standing.state == "verified" or (decision.abstracts and standing.by_abstract)
    if standing.state not in WAITING or (decision.who == RULE and not by_rule):
        return False
    if decision.every == "all":
        return True
    return standing.number in decision.numbers or (decision.every == "verified" and by_rule)


def undecidable(standings: Sequence[TargetStanding], decision: CitationDecision) -> tuple[str, str] | None:
    """Code and message why a decision cannot be taken; None if it can."""
    known = {each.number: each for each in standings}
    if unknown := sorted(set(decision.numbers) - set(known)):
        return "unknown-target", f"there is no target {unknown[0]}"
    settled = [known[number] for number in decision.numbers if not _is_open(known[number], decision)]
    if settled:
        first = settled[0]
        return "not-waiting", f"target {first.number} is {first.state} and cannot be decided any more"
    if not decision.numbers and not decision.every:
        return "nothing-named", "name the targets by number, or say --all or --verified"
    if not any(_is_meant(each, decision) for each in standings):
        return "nothing-waits", _nothing_waits(standings, decision)
    return None


def _is_open(standing: TargetStanding, decision: CitationDecision) -> bool:
    return standing.state in WAITING or _is_meant(standing, decision)


def _nothing_waits(standings: Sequence[TargetStanding], decision: CitationDecision) -> str:
    if to_apply(standings):
        return "everything is decided, and some of what is accepted is not in the text yet"
    verified = "verified " if decision.every == "verified" else ""
    said = f"no {verified}proposal waits for a decision"
    if verified and any(each.by_abstract and each.state in WAITING for each in standings):
        return f"{said}; some have been compared with an abstract only, and --abstracts takes those too"
    return said


def applied(standings: Sequence[TargetStanding], done: Iterable[int]) -> tuple[TargetStanding, ...]:
    """The states once the changes of these targets are in the text."""
    numbers = set(done)
    return tuple(
        each.model_copy(update={"applied": True}) if each.number in numbers else each for each in standings
    )


def not_applied(
    standings: Sequence[TargetStanding], causes: dict[int, tuple[str, str]]
) -> tuple[TargetStanding, ...]:
    """The states once it is known which accepted changes no longer fit, by number: code and message."""
    return tuple(
        each.model_copy(update=dict(zip(("state", "code", "message"), ("failed", *cause), strict=True)))
        if (cause := causes.get(each.number)) and each.state == "accepted"
        else each
        for each in standings
    )


def to_apply(standings: Iterable[TargetStanding]) -> tuple[int, ...]:
    """Numbers of the accepted targets that are not in the text yet."""
    return tuple(each.number for each in standings if each.state == "accepted" and not each.applied)


def is_waiting(standings: Iterable[TargetStanding]) -> bool:
    """Whether a person has something to decide."""
    return any(each.state in WAITING for each in standings)
