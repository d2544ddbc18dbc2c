"""The order of a scan's steps, and what kills, failures and decisions make of it."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain import control
from penwright.domain.citations import scan as rules
from penwright.domain.citations import transitions
from penwright.domain.citations.proposals import counts
from penwright.domain.citations.scanning import budget, research, searching
from penwright.domain.citations.scanning.status import progress, result
from schemas import citation_scan as scan
from schemas.base import BlobRef, Cause
from schemas.citation_scan import CitationScanInput, CitationScanState
from schemas.citations import CitationDecision, ProposalState, TargetStanding
from schemas.control import KillRequest
from schemas.holding import DocumentHeld
from schemas.manuscript_roles import ChosenSentence
from schemas.workspace import Pushed, Workspace
from tests.support.each import for_each

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
TEXT = BlobRef(sha256="a" * 64, size=9)
OTHER = BlobRef(sha256="b" * 64, size=9)
KILL = KillRequest(who="ada", reason="enough")
CAUSE = Cause(code="store-down", message="PostgreSQL did not answer")
GIVEN = CitationScanInput(
    novel="n1", session="s1", workspace=Workspace(path="/n1", branch="main"), max_targets=6, waits=False
)


class World:
    """Answers each step as the activities would."""

    def __init__(
        self,
        *,
        names: int = 6,
        states: tuple[ProposalState, ...] = ("verified",),
        windows: int = 1,
        costs: int = 0,
    ):
        self.names, self.states, self.costs = names, states, costs
        self.parts: list[int | None] = []
        self.windows = tuple(
            scan.SentenceWindow(text=OTHER, numbers=tuple(range(at * 50 + 1, at * 50 + 51)))
            for at in range(windows)
        )
        self.taken: list[str] = []
        self.decides: list[CitationDecision] = []

    def take(self, given: CitationScanInput, state: CitationScanState, step: rules.Step) -> CitationScanState:
        self.taken.append(type(step).__name__)
        match step:
            case scan.HoldDocument():
                return transitions.held(state, DocumentHeld(holder=step.holder))
            case scan.OpenScan():
                surveyed = scan.Surveyed(sentences=99, windows=self.windows)
                opened = scan.ScanOpened(revision="r0", text=TEXT, surveyed=surveyed)
                left = scan.ProposalsKept(proposals=OTHER, standings=self._left()) if step.again else None
                return transitions.opened(given, state, opened, left, NOW)
            case scan.NameTargets():
                named = scan.TargetsNamed(chosen=self._chosen(step), cost_micros=self.costs)
                return transitions.named(state, step, named)
            case scan.SetTargets():
                standings = tuple(TargetStanding(number=at + 1) for at in range(len(step.chosen)))
                return transitions.targets_set(
                    given, state, scan.ProposalsKept(proposals=OTHER, standings=standings), NOW
                )
            case scan.CiteTargets():
                self.parts.append(step.micros_each)
                for number in step.numbers:
                    state = transitions.paid(state, scan.Researched(number=number, cost_micros=self.costs))
                    made = TargetStanding(number=number, state=self.states[(number - 1) % len(self.states)])
                    state = transitions.proposed(state, scan.ChangeProposed(proposals=OTHER, standing=made))
                return transitions.cited(given, state, NOW)
            case scan.KeepScan():
                return transitions.kept(state, step)
            case scan.ApplyChanges():
                done = scan.ChangesApplied(applied=step.numbers, revision="r1", text=TEXT, commit="c1")
                return transitions.applied(state, step, done)
            case scan.AwaitDecisions():
                return transitions.awaited(
                    transitions.decided(transitions.let_go(state), self.decides.pop(0), NOW)
                )
            case scan.PushScan():
                return transitions.pushed(state, Pushed(outcome="local"))
            case scan.EndScan():
                return transitions.ended(state)
            case _:
                raise AssertionError(f"the gate denies nothing here: {step!r}")

    def _chosen(self, step: scan.NameTargets) -> tuple[ChosenSentence, ...]:
        numbers = [number for number in step.window.numbers if number not in step.before][: step.wanted + 5]
        left = self.names - len(step.before)
        return tuple(
            ChosenSentence(sentence=number, kind="insert", reason_citation_target="x")
            for number in numbers[: max(0, left)]
        )

    def _left(self) -> tuple[TargetStanding, ...]:
        return tuple(TargetStanding(number=at, state=state) for at, state in enumerate(self.states, 1))


def play(
    world: World,
    given: CitationScanInput = GIVEN,
    *,
    kill_at: int = -1,
    fail_at: int = -1,
    state: CitationScanState | None = None,
) -> CitationScanState:
    state = state or CitationScanState()
    for position in range(200):
        if position == kill_at:
            state = control.stopped(state, KILL)
        step = rules.next_step(given, state, control.effect("citations/n1/-#s1:", state, NOW))
        if step is None:
            return state
        if position == fail_at:
            world.taken.append(f"failed {type(step).__name__}")
            state = transitions.failed(given, state, step, CAUSE)
        else:
            state = world.take(given, state, step)
    raise AssertionError("the scan does not end")


def test_a_scan_that_waits_for_nobody_ends_with_its_proposals_kept() -> None:
    world = World()
    ended = result(GIVEN, play(world))

    assert world.taken == [
        *("HoldDocument", "OpenScan", "NameTargets", "SetTargets", "CiteTargets", "CiteTargets"),
        *("KeepScan", "EndScan"),
    ]
    assert (ended.outcome, ended.counts.found, ended.counts.verified) == ("waiting", 6, 6)


def test_what_is_verified_is_accepted_by_rule_and_applied_at_once() -> None:
    world = World(states=("verified", "proposed", "failed"))
    ended = result(GIVEN, play(world, GIVEN.model_copy(update={"auto_accept": True})))

    assert world.taken[-4:] == ["ApplyChanges", "KeepScan", "PushScan", "EndScan"]
    assert (ended.counts.accepted, ended.counts.applied, ended.counts.proposed) == (2, 2, 2)
    assert (ended.commits, ended.before, ended.revision) == (("c1",), "r0", "r1")


def test_people_decide_one_after_the_other_and_the_document_is_free_meanwhile() -> None:
    world = World(names=3)
    world.decides = [
        CitationDecision(verb="accept", who="ann", numbers=(2,)),
        CitationDecision(verb="reject", who="ann", every="all"),
    ]
    given = GIVEN.model_copy(update={"waits": True})
    ended = result(given, play(world, given))

    after = world.taken[world.taken.index("AwaitDecisions") :]
    assert after == [
        *("AwaitDecisions", "HoldDocument", "ApplyChanges", "KeepScan", "AwaitDecisions"),
        *("KeepScan", "PushScan", "EndScan"),
    ]
    assert (ended.outcome, ended.counts.applied, ended.counts.rejected) == ("done", 1, 2)


def test_the_orchestrator_is_asked_for_ten_ten_and_five() -> None:
    world, asked = World(names=99), []
    given, state = GIVEN.model_copy(update={"max_targets": 25}), CitationScanState()
    while not isinstance(
        step := rules.next_step(given, state, control.effect("x:", state, NOW)), scan.SetTargets
    ):
        assert step is not None
        asked += [step.wanted] if isinstance(step, scan.NameTargets) else []
        state = world.take(given, state, step)

    assert asked == [10, 10, 5]
    assert len({each.sentence for each in step.chosen}) == 25


def test_a_reply_with_nothing_new_ends_its_part_of_the_text() -> None:
    world = World(names=2, windows=3)
    play(world)

    assert world.taken.count("NameTargets") == 4


def test_when_the_orchestrator_fails_later_what_it_named_is_cited() -> None:
    world = World(names=99)
    given = GIVEN.model_copy(update={"max_targets": 15})
    ended = result(given, play(world, given, fail_at=3))

    assert (ended.outcome, ended.counts.found) == ("waiting", 10)
    assert "no more sentences were named" in ended.warnings[0]


def test_when_it_names_nothing_because_it_failed_the_scan_has_failed() -> None:
    ended = result(GIVEN, play(World(), fail_at=2))

    assert (ended.outcome, ended.code, ended.counts.found) == ("failed", "store-down", 0)


def test_a_busy_document_refuses_the_scan_and_names_the_holder() -> None:
    busy = DocumentHeld(code="document-busy", message="the manuscript loop manuscript/n1/- has it")
    state = transitions.held(CitationScanState(), busy)
    world = World()
    ended = result(GIVEN, play(world, state=state))

    assert world.taken == ["EndScan"]
    assert (ended.outcome, ended.code) == ("refused", "document-busy")


def test_a_text_that_cannot_be_opened_refuses_it() -> None:
    ended = result(GIVEN, play(World(), fail_at=1))

    assert (ended.outcome, ended.code) == ("refused", "store-down")


def test_a_later_run_takes_up_what_was_left_and_decides_it() -> None:
    given = GIVEN.model_copy(
        update={"again": True, "decisions": (CitationDecision(verb="accept", who="ann", every="all"),)}
    )
    world = World(states=("verified", "rejected", "proposed"))
    ended = result(given, play(world, given))

    assert world.taken == ["HoldDocument", "OpenScan", "ApplyChanges", "KeepScan", "PushScan", "EndScan"]
    assert (ended.counts.found, ended.counts.applied, ended.counts.rejected) == (3, 2, 1)


def test_a_search_by_hand_looks_up_its_target_alone_and_asks_for_no_decision_meanwhile() -> None:
    world = World(states=("failed", "verified"))
    wanted = searching.by_words(1, "tides")
    again = GIVEN.model_copy(update={"again": True, "searches": (wanted,)})
    state = play(world, again)

    assert world.taken == ["HoldDocument", "OpenScan", "CiteTargets", "KeepScan", "EndScan"]
    assert state.sought == ()
    waiting = transitions.sought(CitationScanState(standings=state.standings), wanted)
    refusal = rules.undecidable(waiting, CitationDecision(verb="accept", who="ann", every="all"))
    assert (refusal or ("",))[0] == "looked-up-now"


@pytest.mark.parametrize("kill_at", range(4))
def test_a_kill_during_a_search_by_hand_leaves_the_target_as_it_was(kill_at: int) -> None:
    world = World(states=("rejected", "verified"))
    again = GIVEN.model_copy(update={"again": True, "searches": (searching.by_words(1, "tides"),)})
    state = play(world, again, kill_at=kill_at)
    cut = transitions.paid(transitions.sought(state, again.searches[0]), research.cut(1, research.Spent()))

    assert "found" not in {each.state for each in state.standings}
    assert cut.sought == ()


def test_a_change_that_no_longer_fits_is_failed_and_named() -> None:
    state = CitationScanState(
        proposals=OTHER, standings=(TargetStanding(number=1, state="accepted"),), revision="r0"
    )
    step = scan.ApplyChanges(
        **rules._request(GIVEN, control.effect("x:", state, NOW)), proposals=OTHER, numbers=(1,)
    )
    after = transitions.applied(state, step, scan.ChangesApplied(causes={1: ("STALE", "it was deleted")}))

    assert after.standings == (
        TargetStanding(number=1, state="failed", code="STALE", message="it was deleted"),
    )
    assert after.commits == ()


def test_time_that_is_over_ends_the_look_up_and_keeps_what_was_proposed() -> None:
    given = GIVEN.model_copy(update={"minutes": 5})
    state = CitationScanState()
    world = World(names=8)
    for _ in range(5):
        step = rules.next_step(given, state, control.effect("x:", state, NOW))
        assert step is not None
        state = world.take(given, state, step)

    assert state.control.deadline == NOW + timedelta(minutes=5)
    ended = result(given, play(world, given, state=control.timed_out(state)))
    assert (ended.outcome, ended.code) == ("stopped", "time-over")
    assert (ended.counts.verified, ended.counts.pending) == (4, 2)


@for_each("kill_at", range(9))
def test_a_kill_at_any_step_ends_the_scan_and_loses_no_proposal(kill_at: int) -> None:
    world = World()
    given = GIVEN.model_copy(update={"auto_accept": True})
    state = play(world, given, kill_at=kill_at)

    assert result(given, state).outcome == "stopped"
    assert world.taken[-1] == "EndScan"
    assert not state.unkept


@given(
    st.integers(-1, 12),
    st.integers(-1, 12),
    st.lists(st.sampled_from(["verified", "proposed", "skipped", "failed"]), min_size=1, max_size=4),
    st.booleans(),
)
def test_every_scan_ends_and_its_counts_add_up(
    kill_at: int, fail_at: int, states: list[ProposalState], auto: bool
) -> None:
    world = World(states=tuple(states), names=9)
    chosen = GIVEN.model_copy(update={"auto_accept": auto, "max_targets": 9})
    state = play(world, chosen, kill_at=kill_at, fail_at=fail_at)
    counted = counts(state.standings)

    assert state.control.ended
    assert result(chosen, state).outcome in ("waiting", "done", "stopped", "failed", "refused")
    parts = (counted.pending, counted.skipped, counted.proposed, counted.verified)
    assert counted.found == sum(parts) + counted.accepted + counted.rejected + counted.failed
    assert progress(chosen, state).ended


def test_a_decision_that_comes_too_late_is_refused() -> None:
    state = play(World())

    assert rules.undecidable(state, CitationDecision(verb="accept", who="a", numbers=(1,))) == (
        "scan-over",
        "the scan has ended",
    )


def test_a_decision_that_comes_while_the_result_is_written_down_is_refused() -> None:
    decision = CitationDecision(verb="accept", who="a", numbers=(1,))
    running = CitationScanState(standings=(TargetStanding(number=1, state="verified"),))

    assert rules.undecidable(running, decision) is None
    assert rules.undecidable(transitions.ending(running), decision) == (
        "scan-over",
        "the scan has ended",
    )


# Money.


def test_what_is_left_of_the_budget_is_set_aside_in_equal_parts_for_targets_looked_up_at_once() -> None:
    world = World(costs=100)
    ended = result(GIVEN, play(world, GIVEN.model_copy(update={"cost_micros": 1_000})))

    assert world.parts == [225, 250]
    assert (ended.outcome, ended.cost_micros) == ("waiting", 700)


def test_a_spent_budget_ends_the_scan_by_name_with_what_was_found_decided_and_applied() -> None:
    world = World(costs=100)
    given = GIVEN.model_copy(update={"cost_micros": 450, "auto_accept": True})
    state = play(world, given)
    ended = result(given, state)

    assert (ended.outcome, ended.code) == ("stopped", "money-spent")
    assert "$0.0004" in ended.message
    assert (ended.counts.applied, ended.counts.pending) == (4, 2)
    assert world.taken.count("CiteTargets") == 1


def test_a_call_that_cannot_be_paid_leaves_its_target_and_asks_no_more() -> None:
    given = GIVEN.model_copy(update={"cost_micros": 1_000})
    state = play(World(), given.model_copy(update={"max_targets": 0}))
    short = Cause(code="cost-spent", message="the run may use at most 3 millionths of a dollar")
    spent = research.Spent(most=3, cost_micros=3)
    found = research.without(1, short, state, spent)

    after = transitions.paid(state, found)

    assert (found.cut, found.capped, spent.left) == (True, True, 0)
    assert budget.is_spent(given, after)
    assert not budget.is_spent(GIVEN, after)


def test_a_budget_that_is_spent_before_any_sentence_is_named_is_no_failure() -> None:
    given = GIVEN.model_copy(update={"cost_micros": 0})
    world = World()
    ended = result(given, play(world, given))

    assert (ended.outcome, ended.code) == ("stopped", "money-spent")
    assert "NameTargets" not in world.taken


def test_what_a_scan_says_on_its_way_adds_up_and_names_no_limit_that_it_passes() -> None:
    states: tuple[ProposalState, ...] = ("found", "proposed", "verified", "rejected", "failed", "skipped")
    standings = tuple(TargetStanding(number=at, state=state) for at, state in enumerate(states, 1))
    given = GIVEN.model_copy(update={"max_targets": 2})
    naming, looking = CitationScanState(), CitationScanState(proposals=TEXT, standings=standings)

    said = progress(given, looking).detail
    found, *parts = map(int, re.findall(r"\d+", said))

    assert (found, sum(parts)) == (len(states), len(states))
    assert "of" not in progress(given, naming).detail.split()
