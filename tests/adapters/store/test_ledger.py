"""The contract of ``ModelLedger``: answers are paid for once, and caps hold."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date, timedelta

import psycopg
import pytest

from penwright.adapters.store import open_store
from penwright.errors import BudgetSpent, PassingError
from schemas.agent import ToolCall
from schemas.base import BlobRef
from schemas.budgets import Cap, Caps
from schemas.model import BudgetScope, ModelRequest, Usage
from schemas.records import Spending, SpendingBy
from tests.adapters.store.builders import NOON, AnyStore, SetClock, a_request, an_answer

MakeStore = Callable[[Caps], AnyStore]
SCOPE = BudgetScope(run="book/lamp#1", subject="lamp")


def reserve(store: AnyStore, request: ModelRequest, *, micros: int | None = 1_000, tokens: int = 100) -> None:
    store.ledger.reserve(request, estimate_micros=micros, estimate_tokens=tokens)


LOST = Usage(input_tokens=70, output_tokens=30, cost_micros=9)


def lose(store: AnyStore, request: ModelRequest, model: str = "quill-1") -> None:
    reserve(store, request)
    store.ledger.lose(request, LOST, model=model)


def refused(
    store: AnyStore, request: ModelRequest, *, micros: int | None = 1_000, tokens: int = 100
) -> BudgetSpent:
    with pytest.raises(BudgetSpent) as caught:
        reserve(store, request, micros=micros, tokens=tokens)
    return caught.value


def spending(store: AnyStore, scope: BudgetScope = SCOPE) -> Mapping[str, Spending]:
    return store.ledger.spending(scope, day=NOON)


def test_an_answer_is_stored_and_marked_as_repeated(store: AnyStore) -> None:
    request = a_request()
    before = store.ledger.stored(request.effect)
    reserve(store, request)

    store.ledger.settle(request, an_answer("Es war Nacht."))

    assert before is None
    expected = an_answer("Es war Nacht.").model_copy(update={"repeated": True})
    assert store.ledger.stored(request.effect) == expected


TWINS = (
    ToolCall(id="twin", name="read_chapter", arguments='{"path": "1.md"}'),
    ToolCall(id="twin", name="", arguments="no JSON \x00 «é»"),
)


def test_the_calls_of_an_answer_are_stored_as_the_model_made_them(store: AnyStore) -> None:
    request = a_request()

    store.ledger.settle(request, an_answer("", calls=TWINS))

    stored = store.ledger.stored(request.effect)
    assert stored == an_answer("", calls=TWINS).model_copy(update={"repeated": True})


def test_a_late_answer_with_other_calls_was_paid_for_as_well(store: AnyStore) -> None:
    request = a_request()
    store.ledger.settle(request, an_answer("", calls=TWINS))

    store.ledger.settle(request, an_answer("", calls=TWINS))
    store.ledger.settle(request, an_answer("", calls=TWINS[:1]))

    stored = store.ledger.stored(request.effect)
    assert stored is not None
    assert stored.tool_calls == TWINS
    assert spending(store)["run"].calls == 2


def test_a_stored_answer_is_a_blob_too(store: AnyStore) -> None:
    store.ledger.settle(a_request(), an_answer("Dark."))

    ref = store.blobs.put(b"Dark.")

    assert store.blobs.get(BlobRef(sha256=ref.sha256, size=5)) == b"Dark."


def test_spending_counts_by_run_subject_and_day(store: AnyStore, clock: SetClock) -> None:
    store.ledger.settle(a_request("1"), an_answer("a"))
    store.ledger.settle(a_request("2", run="book/lamp#2"), an_answer("b", micros=None))
    store.ledger.settle(a_request("3", run="book/anchor#1", subject="anchor"), an_answer("c"))
    clock.pass_time(hours=13)
    store.ledger.settle(a_request("4"), an_answer("d"))

    used = spending(store)

    assert used["run"] == Spending(
        scope="book/lamp#1", calls=2, input_tokens=30, output_tokens=30, cost_micros=1_000
    )
    assert used["subject"] == Spending(
        scope="lamp", calls=3, input_tokens=45, output_tokens=45, cost_micros=1_000, unknown_prices=1
    )
    assert used["day"] == Spending(
        scope="2026-03-14", calls=3, input_tokens=45, output_tokens=45, cost_micros=1_000, unknown_prices=1
    )
    assert store.ledger.spending(SCOPE, day=NOON + timedelta(days=1))["day"].calls == 1


def test_what_a_cache_held_and_what_was_thought_is_kept_and_added_up(store: AnyStore) -> None:
    kinds = {"cached_tokens": 9, "written_tokens": 2, "thought_tokens": 11}
    request, answer = a_request("1"), an_answer("a")
    cached = answer.model_copy(update={"usage": answer.usage.model_copy(update=kinds)})
    store.ledger.settle(request, cached)
    store.ledger.settle(a_request("2"), answer)

    stored = store.ledger.stored(request.effect)
    sums = (*spending(store).values(), *store.ledger.grouped("model", since=NOON.date()).values())

    assert stored is not None
    assert stored.usage == cached.usage
    assert all(each.model_dump(include=set(kinds)) == kinds for each in sums)


def test_spending_without_calls_is_zero(store: AnyStore) -> None:
    assert spending(store)["run"] == Spending(scope="book/lamp#1")


@pytest.mark.parametrize(
    ("cap", "measure"),
    [(Cap(calls=1), "calls"), (Cap(tokens=199), "tokens"), (Cap(micros=1_999), "micros")],
)
@pytest.mark.parametrize("period", ["run", "subject", "day"])
def test_a_cap_refuses_the_call_that_would_pass_it(
    make_store: MakeStore, period: str, cap: Cap, measure: str
) -> None:
    store = make_store(Caps(**{period: cap}))
    reserve(store, a_request("1"))

    error = refused(store, a_request("2"))

    assert error.code == "budget-spent"
    assert (error.details["period"], error.details["measure"]) == (period, measure)


def test_a_cap_may_be_reached_exactly(make_store: MakeStore) -> None:
    store = make_store(Caps(run=Cap(tokens=200, micros=2_000, calls=2)))
    reserve(store, a_request("1"))
    reserve(store, a_request("2"))

    refused(store, a_request("3"), tokens=1, micros=1)


def test_a_cap_counts_only_its_own_run_subject_or_day(make_store: MakeStore, clock: SetClock) -> None:
    store = make_store(Caps(run=Cap(calls=1), subject=Cap(calls=2), day=Cap(calls=3)))
    store.ledger.settle(a_request("1"), an_answer())
    refused(store, a_request("2"))
    store.ledger.settle(a_request("2", run="book/lamp#2"), an_answer())
    refused(store, a_request("3", run="book/lamp#3"))
    store.ledger.settle(a_request("3", run="book/anchor#1", subject="anchor"), an_answer())
    refused(store, a_request("4", run="book/gull#1", subject="gull"))

    clock.pass_time(hours=12)
    reserve(store, a_request("4", run="book/gull#1", subject="gull"))


def test_settling_replaces_the_reservation_by_the_usage(make_store: MakeStore) -> None:
    store = make_store(Caps(run=Cap(tokens=150)))
    reserve(store, a_request("1"), tokens=150)
    refused(store, a_request("2"), tokens=1)

    store.ledger.settle(a_request("1"), an_answer(tokens=30))

    reserve(store, a_request("2"), tokens=120)


def test_a_released_reservation_can_be_had_by_another(make_store: MakeStore) -> None:
    store = make_store(Caps(run=Cap(calls=1)))
    reserve(store, a_request("1"))
    store.ledger.release(a_request("1"))

    reserve(store, a_request("2"))

    assert spending(store)["run"] == Spending(scope="book/lamp#1")


def test_a_lost_call_counts_in_every_period_as_estimated(make_store: MakeStore) -> None:
    store = make_store(Caps(day=Cap(calls=2)))
    for op_id in ("1", "2"):
        lose(store, a_request(op_id))
        store.ledger.lose(a_request(op_id), LOST, model="quill-1")

    for period, spent in spending(store).items():
        used = (spent.calls, spent.input_tokens, spent.output_tokens, spent.cost_micros)
        assert used == (2, 140, 60, 18), period
    refused(store, a_request("3"), tokens=1)


@pytest.mark.parametrize("subjects", [None, ("lamp",)])
@pytest.mark.parametrize(
    ("by", "names"),
    [("role", ("writer",)), ("model", ("quill-1", "quill-2")), ("day", ("2026-03-14",))],
)
def test_spending_by_anything_is_what_the_caps_count(
    store: AnyStore, by: SpendingBy, names: tuple[str, ...], subjects: tuple[str, ...] | None
) -> None:
    reserve(store, a_request("1"), micros=700)
    store.ledger.settle(a_request("1"), an_answer("a", micros=None))
    store.ledger.settle(a_request("1"), an_answer("another answer to it"))
    lose(store, a_request("2"), "quill-2")

    grouped = store.ledger.grouped(by, since=NOON.date(), subjects=subjects)

    used = ("calls", "input_tokens", "output_tokens", "cost_micros", "unknown_prices", "possibly_billed")
    counted = {name: sum(getattr(each, name) for each in grouped.values()) for name in used}
    assert tuple(sorted(grouped)) == names
    assert counted == {name: getattr(spending(store)["day"], name) for name in used}
    assert counted["calls"] == 3
    assert store.ledger.grouped(by, since=NOON.date() + timedelta(days=1), subjects=subjects) == {}
    assert store.ledger.grouped(by, since=NOON.date(), subjects=("anchor",)) == {}


def test_losing_an_answered_call_changes_nothing(store: AnyStore) -> None:
    request = a_request()
    store.ledger.settle(request, an_answer())

    store.ledger.lose(request, Usage(input_tokens=70, output_tokens=30), model="quill-1")

    assert store.ledger.stored(request.effect) is not None
    assert spending(store)["run"].calls == 1


def test_releasing_an_answered_call_changes_nothing(store: AnyStore) -> None:
    request = a_request()
    store.ledger.settle(request, an_answer())

    store.ledger.release(request)

    assert store.ledger.stored(request.effect) is not None
    assert spending(store)["run"].calls == 1


def test_a_refused_call_stores_nothing(make_store: MakeStore) -> None:
    store = make_store(Caps(run=Cap(calls=1, tokens=100)))

    refused(store, a_request("1"), tokens=101)

    reserve(store, a_request("2"))


@pytest.mark.parametrize("period", ["run", "subject", "day"])
def test_an_unknown_price_is_refused_under_a_money_cap(make_store: MakeStore, period: str) -> None:
    store = make_store(Caps(**{period: Cap(micros=10**9)}))

    assert refused(store, a_request(), micros=None).code == "price-unknown"


def test_an_unknown_price_passes_when_money_is_not_capped(make_store: MakeStore) -> None:
    store = make_store(Caps(run=Cap(tokens=100, calls=1)))

    reserve(store, a_request(), micros=None)


def test_an_answer_of_unknown_price_is_charged_its_reservation(make_store: MakeStore) -> None:
    store = make_store(Caps(run=Cap(micros=1_500)))
    reserve(store, a_request("1"), micros=1_000)

    store.ledger.settle(a_request("1"), an_answer(micros=None))

    refused(store, a_request("2"), micros=501)
    used = spending(store)["run"]
    assert (used.cost_micros, used.unknown_prices) == (1_000, 1)


def test_the_next_attempt_replaces_the_reservation_of_one_that_died(make_store: MakeStore) -> None:
    store = make_store(Caps(run=Cap(calls=1, tokens=100)))
    reserve(store, a_request())

    reserve(store, a_request())
    reserve(store, a_request())

    assert spending(store)["run"].possibly_billed == 2
    store.ledger.settle(a_request(), an_answer())
    assert spending(store)["run"].calls == 1
    assert spending(store)["day"].possibly_billed == 2


def test_an_abandoned_reservation_expires(make_store: MakeStore, clock: SetClock) -> None:
    store = make_store(Caps(subject=Cap(calls=1)))
    reserve(store, a_request("1"))
    clock.pass_time(seconds=179)
    refused(store, a_request("2", run="book/lamp#2"))
    in_flight = spending(store)["subject"].possibly_billed

    clock.pass_time(seconds=1)
    reserve(store, a_request("2", run="book/lamp#2"))

    assert in_flight == 0
    assert spending(store)["subject"].possibly_billed == 1


def test_an_answer_that_arrived_meanwhile_is_not_paid_for_again(store: AnyStore) -> None:
    request = a_request()
    store.ledger.settle(request, an_answer())

    with pytest.raises(PassingError) as caught:
        reserve(store, request)

    assert caught.value.code == "reply-stored"


@pytest.mark.server
def test_an_answer_that_arrives_while_its_retry_reserves_is_not_lost(
    database_url: str, clock: SetClock
) -> None:
    request = a_request()
    with (
        closing(open_store(database_url, clock=clock)) as store,
        psycopg.connect(database_url) as late,
        ThreadPoolExecutor(1) as retry,
    ):
        reserve(store, request)
        late.execute("update model_calls set state = 'done'")
        retried = retry.submit(reserve, store, request)
        _until_somebody_waits_for_a_row(database_url)
        late.commit()

        with pytest.raises(PassingError) as caught:
            retried.result()

    assert caught.value.code == "reply-stored"


def _until_somebody_waits_for_a_row(url: str) -> None:
    asked = """
        select count(*) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
    """
    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute(asked).fetchone() == (0,):
            pass


def test_settling_the_same_answer_again_is_charged_once(store: AnyStore) -> None:
    reserve(store, a_request())
    store.ledger.settle(a_request(), an_answer())

    store.ledger.settle(a_request(), an_answer())

    assert spending(store)["run"].calls == 1


def test_a_second_answer_is_charged_but_the_first_is_kept(store: AnyStore) -> None:
    request = a_request()
    reserve(store, request)
    reserve(store, request)
    store.ledger.settle(request, an_answer("from the retry"))

    store.ledger.settle(request, an_answer("from the attempt that was given up"))

    stored = store.ledger.stored(request.effect)
    assert stored is not None
    assert stored.text == "from the retry"
    used = spending(store)["run"]
    assert (used.calls, used.cost_micros, used.possibly_billed) == (2, 1_000, 0)


def test_an_answer_after_a_release_is_still_charged(store: AnyStore) -> None:
    request = a_request()
    reserve(store, request)
    store.ledger.release(request)

    store.ledger.settle(request, an_answer())

    assert store.ledger.stored(request.effect) is not None
    assert spending(store)["run"].calls == 1


def test_a_call_over_midnight_counts_for_the_day_it_began(store: AnyStore, clock: SetClock) -> None:
    clock.pass_time(hours=11, minutes=59)
    reserve(store, a_request())
    clock.pass_time(minutes=2)

    store.ledger.settle(a_request(), an_answer())

    assert spending(store)["day"].calls == 1
    assert store.ledger.spending(SCOPE, day=clock.now())["day"].calls == 0


@pytest.mark.parametrize(
    "caps", [Caps(day=Cap(calls=7)), Caps(subject=Cap(tokens=799), day=Cap(micros=7_999))]
)
def test_reservations_at_once_never_pass_a_cap(make_store: MakeStore, caps: Caps) -> None:
    store = make_store(caps)

    def ask(number: int) -> bool:
        try:
            reserve(store, a_request(str(number), run=f"book/lamp#{number % 3}"))
        except BudgetSpent:
            return False
        return True

    with ThreadPoolExecutor(10) as workers:
        allowed = list(workers.map(ask, range(40)))

    assert allowed.count(True) == 7


def test_calls_at_once_keep_an_exact_account(make_store: MakeStore) -> None:
    store = make_store(Caps(subject=Cap(calls=30)))

    def call(number: int) -> int:
        request = a_request(str(number), run=f"book/lamp#{number % 3}")
        try:
            reserve(store, request)
        except BudgetSpent:
            return 0
        if number % 4 == 0:
            store.ledger.release(request)
            return 0
        store.ledger.settle(request, an_answer(f"answer {number}"))
        return 1

    with ThreadPoolExecutor(10) as workers:
        answered = sum(workers.map(call, range(60)))

    used = spending(store, BudgetScope(run="book/lamp#0", subject="lamp"))
    assert used["subject"].calls == answered <= 30
    assert used["subject"].cost_micros == used["day"].cost_micros == 500 * answered
    assert used["subject"].possibly_billed == 0


def test_attempts_that_settle_at_once_store_one_answer(store: AnyStore) -> None:
    request = a_request()
    reserve(store, request)

    with ThreadPoolExecutor(8) as attempts:
        list(attempts.map(lambda n: store.ledger.settle(request, an_answer(f"try {n}")), range(8)))

    assert store.ledger.stored(request.effect) is not None
    assert spending(store)["run"].calls == 8


def test_what_calls_were_answered_for_is_listed_once_each_and_sorted(store: AnyStore) -> None:
    for number, subject in enumerate(("tide/b", "lamp", "tide/B", "lamp")):
        scope = BudgetScope(run=f"r{number}", subject=subject)
        store.ledger.settle(a_request(op_id=f"t:{number}").model_copy(update={"scope": scope}), an_answer())

    assert store.ledger.subjects() == ("lamp", "tide/B", "tide/b")


def test_spending_is_added_up_by_role_model_and_day_of_some_subjects(
    store: AnyStore, clock: SetClock
) -> None:
    critic = a_request("2", run="book/lamp#2").model_copy(update={"role": "critic"})
    store.ledger.settle(a_request("1"), an_answer("a"))
    store.ledger.settle(critic, an_answer("b", micros=None))
    store.ledger.settle(a_request("3", subject="anchor"), an_answer("c"))
    reserve(store, a_request("4"))
    clock.pass_time(days=1)
    other = an_answer("d").model_copy(update={"model": "quill-2"})
    store.ledger.settle(a_request("5"), other)
    today, first = clock.now().date(), NOON.date()

    def grouped(by: SpendingBy, *, since: date = first, subjects: tuple[str, ...] | None = None) -> object:
        found = store.ledger.grouped(by, since=since, subjects=subjects)
        assert all(each.scope == name for name, each in found.items())
        return {name: (each.calls, each.cost_micros, each.unknown_prices) for name, each in found.items()}

    assert grouped("role") == {"writer": (3, 1_500, 0), "critic": (1, 0, 1)}
    assert grouped("model") == {"quill-1": (3, 1_000, 1), "quill-2": (1, 500, 0)}
    assert grouped("day") == {"2026-03-14": (3, 1_000, 1), "2026-03-15": (1, 500, 0)}
    assert grouped("day", since=today) == {"2026-03-15": (1, 500, 0)}
    assert grouped("role", subjects=("anchor",)) == {"writer": (1, 500, 0)}
    assert grouped("role", subjects=()) == {}
    # The reservation of call 4 has expired: its attempt may have been billed.
    assert store.ledger.grouped("role", since=first)["writer"].possibly_billed == 1
