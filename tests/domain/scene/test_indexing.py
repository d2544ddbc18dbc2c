"""How memories get their vectors, by the rules alone."""

from datetime import UTC, datetime

from penwright.domain import control
from penwright.domain.scene import indexing as rules
from schemas.base import Cause, Effect, OpId
from schemas.control import KillRequest
from schemas.memory_indexing import EndIndexing, Indexed, IndexingInput, IndexingState, IndexMemories
from schemas.model import Usage

GIVEN = IndexingInput(session="s1")
AT = Effect(op_id=OpId("memories/vectors#s1:0"), issued_at=datetime(2026, 5, 4, tzinfo=UTC))


def step(state: IndexingState) -> rules.Step | None:
    return rules.next_step(GIVEN, state, AT)


def brought(state: IndexingState, left: int, cost: int | None = 3) -> IndexingState:
    outcome = Indexed(indexed=5, left=left, model="near", usage=Usage(input_tokens=9, cost_micros=cost))
    return rules.indexed(rules.begun(state), outcome)


def test_it_goes_on_until_nothing_is_left_and_then_says_so() -> None:
    state = brought(IndexingState(), left=7)
    assert isinstance(step(state), IndexMemories)
    assert rules.progress(state).detail == "Memories that got their vectors: 5; still without: 7"

    state = brought(state, left=0)
    last = step(state)

    assert isinstance(last, EndIndexing)
    assert (last.result.outcome, last.result.indexed, last.result.cost_micros) == ("completed", 10, 6)
    assert step(rules.ended(state)) is None


def test_what_comes_while_it_looks_is_looked_for_once_more() -> None:
    began = rules.begun(IndexingState())
    meanwhile = rules.wanted(began)
    state = rules.indexed(meanwhile, Indexed(indexed=1, left=0, model="near"))

    assert isinstance(step(state), IndexMemories)
    assert isinstance(step(brought(state, left=0)), EndIndexing)


def test_what_comes_at_the_very_end_makes_a_further_run_with_op_ids_of_its_own() -> None:
    ended = rules.wanted(rules.ended(brought(IndexingState(), left=0)))

    further = rules.again(GIVEN, ended)

    assert further is not None
    assert further.state is not None
    assert further.state.control.effects == ended.control.effects == 2
    assert isinstance(rules.next_step(further, further.state, AT), IndexMemories)
    assert rules.again(GIVEN, rules.ended(brought(IndexingState(), left=0))) is None


def test_a_model_that_stays_away_ends_the_run_which_does_not_begin_again_by_itself() -> None:
    away = Cause(code="model-unavailable", message="near does not answer")
    begun = rules.begun(brought(IndexingState(), left=7))
    failed = rules.failed(GIVEN, begun, IndexMemories(effect=AT, session="s1"), away)

    last = step(failed)

    assert isinstance(last, EndIndexing)
    assert (last.result.outcome, last.result.code, last.result.left) == ("failed", "model-unavailable", 7)
    assert rules.again(GIVEN, rules.wanted(rules.ended(failed))) is None
    assert step(rules.failed(GIVEN, failed, last, away)) is None, "a record that fails does not loop"


def test_a_kill_ends_it_and_an_unknown_price_is_counted() -> None:
    state = brought(IndexingState(), left=7, cost=None)
    killed = control.stopped(state, KillRequest(who="ann", reason="too dear"))

    last = step(killed)

    assert isinstance(last, EndIndexing)
    assert (last.result.outcome, last.result.stopped_by, last.result.unknown_prices) == ("stopped", "ann", 1)
    assert rules.progress(control.ended(killed)).outcome == "killed"
