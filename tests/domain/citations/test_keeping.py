"""What a scan keeps of the ones before it."""

from typing import Any

import pytest

from penwright.domain.citations.scanning.storing import KeptTarget, merged, reconciled
from schemas.citations import CitationChange, CitationProposal, CitationTarget, TargetStanding

TEXT = "The water rises. The harbour fills. The boats go out."


def kept(number: int, sentence: str, **standing: Any) -> KeptTarget:
    target = CitationTarget(number=number, kind="insert", sentence=number, text=sentence)
    state = standing.pop("state", "verified")
    return KeptTarget(
        proposal=CitationProposal(target=target, state="verified"),
        standing=TargetStanding(number=number, state=state, **standing),
    )


def after(new: list[KeptTarget], before: list[KeptTarget]) -> list[tuple[int, str, bool]]:
    """Number, sentence, and whether it is only remembered."""
    proposals = [each.proposal for each in new]
    found = merged(proposals, [each.standing for each in new], before, TEXT)
    assert all(each.proposal.target.number == each.standing.number for each in found)
    return [(each.standing.number, each.proposal.target.text, each.earlier) for each in found]


@pytest.mark.parametrize("standing", [{"state": "proposed"}, {"state": "accepted", "by": "ann"}])
def test_what_waits_or_is_not_in_the_text_yet_stays_behind_the_new_ones(standing: dict[str, Any]) -> None:
    new = [kept(1, "The water rises."), kept(2, "Another.")]
    before = [kept(1, "The harbour fills.", **standing), kept(2, "The boats go out.")]

    assert after(new, before) == [
        (1, "The water rises.", False),
        (2, "Another.", False),
        (3, "The harbour fills.", False),
        (4, "The boats go out.", False),
    ]


def test_a_sentence_that_is_proposed_again_or_gone_is_not_kept_twice() -> None:
    before = [kept(1, "The water rises."), kept(2, "It was deleted."), kept(3, "Failed.", state="failed")]

    assert after([kept(1, "The water rises.")], before) == [(1, "The water rises.", False)]


def test_what_was_rejected_is_remembered_and_not_shown() -> None:
    before = [kept(1, "The harbour fills.", state="rejected")]

    assert after([], before) == [(1, "The harbour fills.", True)]


def test_what_an_earlier_version_held_for_verified_by_an_abstract_waits_for_a_person() -> None:
    def waiting(support: str) -> KeptTarget:
        change = CitationChange.model_validate({"after": "x", "verdict": "verified", "support": support})
        one = kept(1, "The water rises.")
        return one.model_copy(update={"proposal": one.proposal.model_copy(update={"change": change})})

    (abstract,) = reconciled([waiting("abstract only")], TEXT)
    (says,) = reconciled([waiting("says")], TEXT)

    assert (abstract.standing.state, abstract.standing.by_abstract) == ("proposed", True)
    assert (says.standing.state, says.standing.by_abstract) == ("verified", False)
