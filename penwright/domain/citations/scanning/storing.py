"""A scan as ``agent_state`` keeps it: each target with what became of it, to be taken up again."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from penwright.domain.citations.changes import Places
from penwright.domain.citations.proposals import WAITING, is_by_abstract
from penwright.domain.citations.sentences import sentences_of
from penwright.domain.citations.targets import ALREADY_VERIFIED
from schemas.base import Value
from schemas.citations import CitationProposal, TargetStanding

VERIFIED = "VERIFIED"
"""Code of a target whose citations were looked up and are right."""
_MOST_EARLIER = 500


class KeptTarget(Value):
    """One target that the newest scan named or found open, or a sentence that an earlier one has settled."""

    proposal: CitationProposal
    standing: TargetStanding
    earlier: bool = False

    @property
    def settled(self) -> str:
        """The sentence as it stands if nothing needs to be looked at again; empty otherwise."""
        return self.verified or self.rejected

    @property
    def is_open(self) -> bool:
        """Whether a person may still decide it, or has accepted it and it is not in the text yet."""
        state = self.standing
        return state.state in WAITING or (state.state == "accepted" and not state.applied)

    @property
    def verified(self) -> str:
        """The sentence as it stands with citations that are verified; empty if it has none."""
        state, change = self.standing, self.proposal.change
        if state.state == "skipped" and state.code in (VERIFIED, ALREADY_VERIFIED):
            return self.proposal.target.text
        is_in = state.state == "accepted" and state.applied
        return change.after if is_in and change and change.verdict == "verified" else ""

    @property
    def rejected(self) -> str:
        """The sentence for which a person rejected what was proposed."""
        return self.proposal.target.text if self.standing.state == "rejected" else ""


def read_rows(rows: Iterable[Mapping[str, JsonValue]]) -> tuple[KeptTarget, ...]:
    """The targets that ``agent_state`` has."""
    return tuple(KeptTarget.model_validate(row) for row in rows)


def rows_of(kept: Iterable[KeptTarget]) -> tuple[dict[str, JsonValue], ...]:
    """The targets as ``agent_state`` stores them."""
    return tuple(each.model_dump(mode="json", exclude_defaults=True) for each in kept)


def reconciled(kept: Iterable[KeptTarget], text: str) -> tuple[KeptTarget, ...]:
    """The targets as ``text`` has them: what was taken out of it again waits for a decision once more."""
    kept = tuple(kept)
    places = Places(sentences_of(text), (each.proposal for each in kept))
    again = (_waiting_again(each) if _was_taken_out(each, places) else each for each in kept)
    return tuple(_by_todays_rule(each) for each in again)


def _was_taken_out(kept: KeptTarget, places: Places) -> bool:
    place = places.of(kept.proposal) if kept.standing.applied else None
    return place is not None and place.text == kept.proposal.target.text


def _waiting_again(kept: KeptTarget) -> KeptTarget:
    changes = {"state": kept.proposal.state, "applied": False, "by": ""}
    return kept.model_copy(update={"standing": kept.standing.model_copy(update=changes)})


def _by_todays_rule(kept: KeptTarget) -> KeptTarget:
    """An insertion that an earlier version held for verified by its abstract waits for a person."""
    change = kept.proposal.change
    by_text = kept.proposal.target.kind != "insert" or (change is not None and change.support == "says")
    if kept.standing.state != "verified" or by_text:
        return kept
    proposal = kept.proposal.model_copy(update={"state": "proposed"})
    changes = {"state": "proposed", "by_abstract": is_by_abstract(proposal)}
    standing = kept.standing.model_copy(update=changes)
    return kept.model_copy(update={"proposal": proposal, "standing": standing})


def merged(
    proposals: Sequence[CitationProposal],
    standings: Iterable[TargetStanding],
    before: Iterable[KeptTarget],
    text: str,
) -> tuple[KeptTarget, ...]:
    """This scan's targets, then those of earlier ones that are open, and then what they have settled.

    Of the earlier ones, those whose sentence still stands in ``text`` and that this scan has not named.
    """
    states = {each.number: each for each in standings}
    new = [
        KeptTarget(proposal=each, standing=states[each.target.number])
        for each in proposals
        if each.target.number in states
    ]
    before = tuple(before)
    opened = list(_still_open(new, before, text))[:_MOST_EARLIER]
    return (*new, *opened, *list(_still_settled((*new, *opened), before, text))[:_MOST_EARLIER])


def _still_open(new: Sequence[KeptTarget], before: Iterable[KeptTarget], text: str) -> Iterator[KeptTarget]:
    seen = {sentence for each in new for sentence in _sentences(each)}
    number = max((each.standing.number for each in new), default=0)
    for each in before:
        if each.is_open and each.proposal.target.text in text and not seen & _sentences(each):
            number += 1
            yield _numbered(each, number)


def _numbered(kept: KeptTarget, number: int) -> KeptTarget:
    target = kept.proposal.target.model_copy(update={"number": number})
    return kept.model_copy(
        update={
            "proposal": kept.proposal.model_copy(update={"target": target}),
            "standing": kept.standing.model_copy(update={"number": number}),
        }
    )


def _still_settled(
    new: Sequence[KeptTarget], before: Iterable[KeptTarget], text: str
) -> Iterator[KeptTarget]:
    seen = {sentence for each in new for sentence in _sentences(each)}
    for each in before:
        if each.settled and each.settled in text and not seen & _sentences(each):
            seen |= _sentences(each)
            yield each.model_copy(update={"earlier": True})


def _sentences(kept: KeptTarget) -> set[str]:
    change = kept.proposal.change
    return {kept.proposal.target.text, *([change.after] if change else [])}
