"""The in-memory double gives the same answers as PostgreSQL for any sequence of calls."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penwright.adapters.store import Store, open_store
from penwright.errors import PenwrightError
from schemas.agent import ToolCall
from schemas.budgets import Cap, Caps
from schemas.model import BudgetScope
from tests.adapters.store.builders import NOON, AnyStore, SetClock, a_request, a_run, an_answer, an_event
from tests.support.doubles.store import memory_store
from tests.support.sweeps import examples

pytestmark = pytest.mark.server

CAPS = Caps(run=Cap(tokens=300, calls=4), subject=Cap(micros=900), day=Cap(calls=5, tokens=500))
Step = Callable[[AnyStore, str], object]
"""Apply one operation to a store, with names under a prefix, and return its result."""

_examples = count()


@pytest.fixture
def postgres(database_url: str, clock: SetClock) -> Iterator[Store]:
    with closing(open_store(database_url, clock=clock, caps=CAPS)) as store:
        yield store


def _scoped(prefix: str, call: int) -> tuple[str, str, str]:
    return f"{prefix}{call}", f"{prefix}run{call % 2}", f"{prefix}subject"


def reserving(call: int, tokens: int, micros: int | None) -> Step:
    def step(store: AnyStore, prefix: str) -> object:
        op_id, run, subject = _scoped(prefix, call)
        request = a_request(op_id, run=run, subject=subject)
        try:
            store.ledger.reserve(request, estimate_micros=micros, estimate_tokens=tokens)
        except PenwrightError as error:
            return error.code, error.details.get("period"), error.details.get("used")
        return "reserved"

    return step


def settling(call: int, tokens: int, micros: int | None, text: str) -> Step:
    calls = (ToolCall(id="1", name="read", arguments=text),) if text == "b" else ()

    def step(store: AnyStore, prefix: str) -> object:
        op_id, run, subject = _scoped(prefix, call)
        request = a_request(op_id, run=run, subject=subject)
        answer = an_answer("" if calls else text, tokens=tokens, micros=micros, calls=calls)
        store.ledger.settle(request, answer)
        return store.ledger.stored(request.effect)

    return step


def releasing(call: int) -> Step:
    def step(store: AnyStore, prefix: str) -> object:
        op_id, run, subject = _scoped(prefix, call)
        store.ledger.release(a_request(op_id, run=run, subject=subject))
        return "released"

    return step


def noting(run: int, stage: str, numbers: list[int]) -> Step:
    def step(store: AnyStore, prefix: str) -> object:
        name = f"{prefix}{run}"
        events = [an_event(f"{prefix}{number}", run=name) for number in numbers]
        store.records.note(a_run(name, stage=stage, subject=prefix), events)
        return store.records.runs(subject=prefix)

    return step


# A catalogue, because drawing evenly from it meets more collisions than drawing every argument by itself.
ledger_steps = st.sampled_from(
    [
        *(
            reserving(call, tokens, micros)
            for call in range(3)
            for tokens, micros in [(40, 100), (100, 0), (250, 100), (40, 400), (0, None)]
        ),
        *(
            settling(call, tokens, micros, text)
            for call in range(3)
            for text in ("a", "b")
            for tokens, micros in [(40, 100), (100, None), (250, 400)]
        ),
        *(releasing(call) for call in range(3)),
        *[timedelta(seconds=200), timedelta(hours=9)] * 2,
    ]
)
record_steps = st.one_of(
    st.builds(
        noting, st.integers(0, 2), st.sampled_from(["open", "write"]), st.lists(st.integers(0, 6), max_size=3)
    ),
    st.just(timedelta(minutes=1)),
)
compared = settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def _outcomes(steps: list[Step | timedelta], store: AnyStore, clock: SetClock, prefix: str) -> list[object]:
    outcomes: list[object] = []
    for step in steps:
        if isinstance(step, timedelta):
            clock.at += step
        else:
            outcomes.append(step(store, prefix))
    return outcomes


@compared
@given(steps=st.lists(ledger_steps, min_size=8, max_size=20))
def test_both_ledgers_keep_the_same_account(
    postgres: Store, clock: SetClock, steps: list[Step | timedelta]
) -> None:
    example = next(_examples)
    prefix = f"example {example} "
    # A day of its own for every example, because the day's cap is everybody's.
    start = NOON + timedelta(days=30 * example)
    accounts: list[object] = []
    for store in (postgres, memory_store(clock=clock, caps=CAPS)):
        clock.at = start
        outcomes = _outcomes(steps, store, clock, prefix)
        scope = BudgetScope(run=f"{prefix}run0", subject=f"{prefix}subject")
        days = [store.ledger.spending(scope, day=start + timedelta(days=day)) for day in range(3)]
        accounts.append((outcomes, days))

    assert accounts[0] == accounts[1]


@compared
@given(steps=st.lists(record_steps, min_size=1, max_size=10))
def test_both_records_remember_the_same(
    postgres: Store, clock: SetClock, steps: list[Step | timedelta]
) -> None:
    prefix = f"example {next(_examples)} "
    seen: list[object] = []
    for store in (postgres, memory_store(clock=clock)):
        clock.at = NOON
        outcomes = _outcomes(steps, store, clock, prefix)
        events = [(event.op_id, event.run) for event in store.records.events_after(0, run=f"{prefix}0")]
        seen.append((outcomes, events))

    assert seen[0] == seen[1]
