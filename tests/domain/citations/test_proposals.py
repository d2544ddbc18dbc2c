"""Proposals: words never change, states add up, and what no longer fits is stale."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.citations import proposals as rules
from penwright.domain.citations.changes import edits_for, with_entries
from penwright.domain.citations.references import References
from penwright.domain.citations.scanning.picking import picked, wanted
from penwright.domain.citations.scanning.status import result
from penwright.domain.citations.scanning.storing import KeptTarget, reconciled
from penwright.domain.citations.sentences import sentences_of
from penwright.domain.citations.targets import settled, targets_of, windows_of
from schemas.citation_scan import CitationScanInput, CitationScanState
from schemas.citations import (
    CitationChange,
    CitationDecision,
    CitationProposal,
    CitationTarget,
    TargetStanding,
)
from schemas.manuscript_roles import ChosenSentence
from schemas.workspace import Workspace

ENTRY = "@article{lee2020tides, title = {Tides}, year = {2020}}"
STATES = ("found", "skipped", "proposed", "verified", "accepted", "rejected", "failed")
STANDINGS = st.lists(st.sampled_from(STATES), max_size=12).map(
    lambda states: tuple(TargetStanding(number=at, state=state) for at, state in enumerate(states, 1))
)
DECISIONS = st.builds(
    CitationDecision,
    verb=st.sampled_from(["accept", "reject"]),
    who=st.sampled_from(["ann", "rule"]),
    numbers=st.lists(st.integers(1, 12), max_size=4).map(tuple),
    every=st.sampled_from(["", "verified", "all"]),
)


def chosen(*numbers: int) -> list[ChosenSentence]:
    return [
        ChosenSentence(sentence=number, kind="insert", reason_citation_target="a figure")
        for number in numbers
    ]


def targets(text: str, *numbers: int) -> tuple[CitationTarget, ...]:
    return targets_of(sentences_of(text), chosen(*numbers), References())


def accepted(target: CitationTarget, *entries: str) -> CitationProposal:
    change = CitationChange(after=with_entries(target.text, entries or (ENTRY,)), verdict="verified")
    return CitationProposal(target=target, state="accepted", change=change)


def applied(text: str, changes: list[CitationProposal]) -> str:
    """Each passage must be the only one of the text as it was."""
    made = text
    for each in edits_for(text, changes).operations:
        assert (text.count(each.find), made.count(each.find)) == (1, 1)
        made = made.replace(each.find, each.replace)
    return made


@given(STANDINGS, st.lists(DECISIONS, max_size=5))
def test_counts_add_up_whatever_is_decided(
    standings: tuple[TargetStanding, ...], decisions: list[CitationDecision]
) -> None:
    found = len(standings)
    for decision in decisions:
        standings, _ = rules.decided(standings, decision)
    counted = rules.counts(standings)

    parts = (counted.pending, counted.skipped, counted.proposed, counted.verified)
    assert counted.found == found == sum(parts) + counted.accepted + counted.rejected + counted.failed


def test_a_mismatch_is_counted_apart_from_what_failed_and_named_at_the_end() -> None:
    standings = (
        TargetStanding(number=1, state="failed", code="MISMATCH", message="PMID 77 is another work"),
        TargetStanding(number=2, state="failed", code="NOTHING_FOUND"),
    )
    given = CitationScanInput(novel="n", session="s", workspace=Workspace(path="/n"))

    ended = result(given, CitationScanState(standings=standings))

    assert (ended.counts.found, ended.counts.mismatch, ended.counts.failed) == (2, 1, 1)
    assert ended.warnings == ("sentence 1: PMID 77 is another work",)


@given(STANDINGS, DECISIONS)
def test_a_rule_accepts_only_what_is_verified(
    standings: tuple[TargetStanding, ...], decision: CitationDecision
) -> None:
    _, changed = rules.decided(standings, decision.model_copy(update={"who": rules.RULE}))

    assert all(standings[number - 1].state == "verified" for number in changed)


@given(STANDINGS, DECISIONS)
def test_of_what_is_settled_only_a_rejection_is_taken_back_by_number(
    standings: tuple[TargetStanding, ...], decision: CitationDecision
) -> None:
    after, changed = rules.decided(standings, decision)
    taken_back = {number for number in changed if standings[number - 1].state == "rejected"}

    assert {standings[number - 1].state for number in changed} <= {"proposed", "verified", "rejected"}
    assert not taken_back or (decision.verb == "accept" and taken_back <= set(decision.numbers))
    assert all(one == other for one, other in zip(standings, after, strict=True) if one.number not in changed)


def test_what_was_rejected_can_be_accepted_after_all() -> None:
    rejected = (TargetStanding(number=1, state="rejected", by="ann"),)
    accept = CitationDecision(verb="accept", who="bob", numbers=(1,))
    after, changed = rules.decided(rejected, accept)

    assert rules.undecidable(rejected, accept) is None
    assert (after[0].state, after[0].by, changed) == ("accepted", "bob", (1,))
    assert rules.undecidable(rejected, CitationDecision(verb="accept", who="bob", every="all")) is not None


def test_what_only_an_abstract_was_compared_with_is_taken_if_that_is_said() -> None:
    standings = (
        TargetStanding(number=1, state="verified"),
        TargetStanding(number=2, state="proposed", by_abstract=True),
        TargetStanding(number=3, state="proposed"),
        TargetStanding(number=4, state="rejected", by_abstract=True),
    )

    def taken(who: str, *, abstracts: bool) -> tuple[int, ...]:
        decision = CitationDecision(verb="accept", who=who, every="verified", abstracts=abstracts)
        return rules.decided(standings, decision)[1]

    assert [taken(who, abstracts=False) for who in ("ann", rules.RULE)] == [(1,), (1,)]
    assert [taken(who, abstracts=True) for who in ("ann", rules.RULE)] == [(1, 2), (1, 2)]
    refusal = rules.undecidable(standings[1:], CitationDecision(verb="accept", who="ann", every="verified"))
    assert refusal is not None
    assert "--abstracts" in refusal[1]


def test_a_decision_about_nothing_or_something_unknown_is_refused() -> None:
    standings = (TargetStanding(number=1, state="proposed"), TargetStanding(number=2, state="failed"))

    def code(**named: object) -> str | None:
        refusal = rules.undecidable(standings, CitationDecision(verb="accept", who="ann", **named))
        return refusal and refusal[0]

    assert [code(numbers=(1,)), code(every="all")] == [None, None]
    assert [code(numbers=(2,)), code(numbers=(3,)), code()] == [
        "not-waiting",
        "unknown-target",
        "nothing-named",
    ]
    assert code(every="verified") == "nothing-waits"


@given(st.text(alphabet="abc 12.é", min_size=1, max_size=40), st.integers(0, 39), st.sampled_from("xyz9"))
def test_a_change_of_one_sign_of_the_sentence_is_refused(words: str, at: int, sign: str) -> None:
    sentence = f"S{words}e."
    at = min(at, len(sentence) - 1)
    (target,) = targets("It is so.", 1)
    target = target.model_copy(update={"text": sentence})
    altered = with_entries(f"{sentence[:at]}{sign}{sentence[at + 1 :]}", (ENTRY,))

    made = rules.proposal(target, CitationChange(after=altered, verdict="verified"), sure=True)

    assert (made.state, made.code) == ("failed", "SENTENCE_MODIFIED")
    kept = CitationChange(after=with_entries(sentence, (ENTRY,)), verdict="verified")
    assert rules.proposal(target, kept, sure=True).state == "verified"


def test_only_a_verified_change_that_is_sure_can_be_accepted_by_rule() -> None:
    (target,) = targets("It is so.", 1)
    change = CitationChange(after=with_entries(target.text, (ENTRY,)), verdict="unverifiable")

    assert rules.proposal(target, change, sure=True).state == "proposed"
    verified = change.model_copy(update={"verdict": "verified"})
    assert rules.proposal(target, verified, sure=False).state == "proposed"


def test_accepted_changes_are_put_into_the_newest_text() -> None:
    first, second = targets("# T\nIt rose. It fell. It was so.", 2, 4)
    newest = "# T\n\nBefore all. It rose. It fell. It was so.\n\nAnd after."

    assert applied(newest, [accepted(first), accepted(second)]) == (
        f"# T\n\nBefore all. It rose. [[{ENTRY}]] It fell. It was so. [[{ENTRY}]]\n\nAnd after."
    )


def test_a_sentence_changed_or_deleted_meanwhile_is_stale_and_the_rest_is_applied() -> None:
    text = "It rose. It fell. It was so."
    changes = [accepted(each) for each in targets(text, 1, 2, 3)]
    newest = "It rose slowly. It was so."

    edits = edits_for(newest, changes)

    assert edits.stale == (1, 2)
    assert applied(newest, changes) == f"It rose slowly. It was so. [[{ENTRY}]]"


def test_a_change_that_stands_already_is_not_made_again() -> None:
    (target,) = targets("It rose.", 1)
    after = applied("It rose.", [accepted(target)])

    edits = edits_for(after, [accepted(target)])

    assert (edits.operations, edits.present, edits.stale) == ((), (1,), ())


def test_of_equal_sentences_the_right_one_is_cited() -> None:
    text = "It rose. It fell. It rose. It fell. It rose."
    second, third = targets(text, 3, 5)

    made = applied(text, [accepted(second), accepted(third)])

    assert made == f"It rose. It fell. It rose. [[{ENTRY}]] It fell. It rose. [[{ENTRY}]]"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_equal_sentences_are_cited_one_after_the_other(order: tuple[int, int]) -> None:
    text, changes = (
        "It rose. It fell. It rose.",
        [accepted(each) for each in targets("It rose. It fell. It rose.", 1, 3)],
    )
    for at in order:
        (edit,) = edits_for(text, [changes[at]], changes).operations
        text = text.replace(edit.find, edit.replace)

    assert text == f"It rose. [[{ENTRY}]] It fell. It rose. [[{ENTRY}]]"
    assert edits_for(text, changes).present == (1, 2)


def kept(proposal: CitationProposal) -> KeptTarget:
    standing = TargetStanding(number=proposal.target.number, state="accepted", applied=True)
    return KeptTarget(proposal=proposal, standing=standing)


def test_what_was_taken_out_waits_again_also_where_an_equal_sentence_is_cited() -> None:
    cited = f"It rose. [[{ENTRY}]]"
    (one,) = targets(f"{cited} It fell. It rose.", 3)
    first, second = targets("It rose. It rose.", 1, 2)

    def waiting(text: str, *among: CitationTarget) -> list[bool]:
        return [
            not each.standing.applied for each in reconciled([kept(accepted(each)) for each in among], text)
        ]

    assert waiting(f"{cited} It fell. It rose.", one) == [True]
    assert waiting(f"{cited} It fell. {cited}", one) == [False]
    assert waiting(f"{cited} It rose.", first, second) == [False, True]
    assert waiting(f"It rose. {cited}", first, second) == [True, False]
    assert waiting(f"{cited} {cited}", first, second) == [False, False]


def test_when_an_equal_sentence_was_added_it_is_not_guessed_which_is_meant() -> None:
    (target,) = targets("It rose. It fell.", 1)

    assert edits_for("It rose. It fell. It rose.", [accepted(target)]).stale == (1,)


@given(
    st.lists(st.sampled_from(["It rose.", "It fell.", "So what?", "3 fell."]), min_size=1, max_size=8),
    st.data(),
)
def test_own_words_of_the_text_never_change(parts: list[str], data: st.DataObject) -> None:
    text = " ".join(parts)
    numbers = [each.number for each in sentences_of(text)]
    picks = data.draw(st.lists(st.sampled_from(numbers), unique=True))
    changes = [accepted(each) for each in targets(text, *picks)]

    made = applied(text, changes)

    assert made.count(f" [[{ENTRY}]]") == len(picks)
    assert made.replace(f" [[{ENTRY}]]", "") == text


def test_the_limit_is_asked_for_in_batches_of_ten() -> None:
    taken: list[int] = []
    asked = []
    while (most := wanted(25, len(taken))) > 0:
        asked.append(most)
        reply = chosen(*range(len(taken) + 1, len(taken) + 16))
        taken += [each.sentence for each in picked(reply, range(1, 99), taken, most)]

    assert asked == [10, 10, 5]
    assert len(taken) == len(set(taken)) == 25


def test_a_reply_counts_only_with_new_sentences_of_the_window() -> None:
    new = picked(chosen(1, 2, 2, 99, 3), {1, 2, 3}, {1}, 10)

    assert [each.sentence for each in new] == [2, 3]


def test_the_orchestrator_sees_offered_sentences_with_numbers_in_parts() -> None:
    text = "# One\nIt rose. It fell.\n\n| a |\n"

    (window,) = windows_of(sentences_of(text))

    assert (window.text, window.numbers) == ("# One\n[2] It rose.\n[3] It fell.", (2, 3))
    long = windows_of(sentences_of("It rose and rose again. " * 3_000))
    assert len(long) > 2
    assert sum(len(each.numbers) for each in long) == 3_000


def test_of_a_citation_the_orchestrator_sees_the_key_and_a_flood_of_words_is_no_sentence() -> None:
    text = f"It rose. [[{ENTRY}]] [[{ENTRY}]]\n\n{'word ' * 1_000}\n"

    (window,) = windows_of(sentences_of(text))

    assert window.text == "[1] It rose. [[@lee2020tides]] [[@lee2020tides]]"


def test_kinds_are_read_from_the_text_and_not_from_the_model() -> None:
    text = f"A rose. B rose [[{ENTRY}]]. C rose [[@article{{x,title={{T}},pages={{1-2}}}}]]."

    assert [each.kind for each in targets(text, 1, 2, 3)] == ["insert", "verify", "normalise"]


def test_a_rescan_leaves_what_was_verified_or_rejected() -> None:
    first, second, third = targets("It rose. It fell. So it was.", 1, 2, 3)

    left = settled([first, second, third], {"It rose."}, {"It fell."})

    assert {number: made.code for number, made in left.items()} == {
        1: "ALREADY_VERIFIED",
        2: "REJECTED_BEFORE",
    }


def test_a_heading_that_was_named_becomes_no_target() -> None:
    text = "# Shores\n\nThe water rises twice a day. Harbours fill with silt.\n"
    heading = next(each.number for each in sentences_of(text) if not each.offered)

    assert [each.text for each in targets(text, heading, 3)] == ["Harbours fill with silt."]


def test_a_sentence_that_names_a_key_is_looked_up_again_and_given_no_second_citation() -> None:
    """What the key means stands elsewhere and may have changed, so an earlier verdict does not count."""
    found = targets("As @lee2019 showed, it rose. It fell [@lee2019]. It stood.", 1, 2, 3)

    assert [each.kind for each in found] == ["verify", "verify", "insert"]
    assert settled(found, {each.text for each in found}, ()).keys() == {3}
