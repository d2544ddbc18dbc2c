"""The contract of ``EvalResults``."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from penwright.errors import UsageMistake
from schemas.base import BlobRef
from schemas.evals import SampleResult
from tests.adapters.store.builders import AnyStore
from tests.support.each import for_each

RUN = "eval/dawn/lush"


def a_result(sample: str = "s1", *, reason: str = "", content: str = "c") -> SampleResult:
    return SampleResult(sample=sample, content=content, outcome="failed", value=0.25, reason=reason)


def test_a_sample_that_never_finished_has_no_result(store: AnyStore) -> None:
    assert store.evals.get(RUN, "s1", "i") is None
    assert store.evals.finished(RUN, {"s1": "i"}) == ()
    assert store.evals.finished(RUN, {}) == ()


@pytest.mark.parametrize(
    "result",
    [
        a_result(),
        a_result("é ☕ 'or 1=1 --", reason='NUL \x00, quote ", 🌅, \\u0000, line\nline'),
        SampleResult(
            sample="s1",
            content="c",
            outcome="crashed",
            code="model-down",
            cost_micros=None,
            output=BlobRef(sha256="0" * 64, size=3),
        ),
        SampleResult(sample="s1", content="c", outcome="passed", value=1 / 3, tokens=2**40),
    ],
)
def test_an_eval_result_round_trips_through_the_store(store: AnyStore, result: SampleResult) -> None:
    stands = store.evals.put(RUN, "i", result)

    assert stands == result == store.evals.get(RUN, result.sample, "i")


def test_the_first_result_is_kept_despite_a_late_attempt(store: AnyStore) -> None:
    store.evals.put(RUN, "i", a_result(reason="first"))

    stands = store.evals.put(RUN, "i", a_result(reason="late"))

    assert stands.reason == "first"
    assert store.evals.finished(RUN, {"s1": "i"}) == (stands,)


def test_attempts_that_come_together_agree_on_one_result(store: AnyStore) -> None:
    with ThreadPoolExecutor(4) as attempts:
        stands = list(
            attempts.map(lambda n: store.evals.put(RUN, "i", a_result(reason=f"attempt {n}")), range(8))
        )

    assert len({result.reason for result in stands}) == 1
    assert store.evals.finished(RUN, {"s1": "i"}) == (stands[0],)


def test_a_resumed_run_finds_the_samples_finished_with_the_same_inputs(store: AnyStore) -> None:
    store.evals.put(RUN, "i1", a_result("s1"))
    store.evals.put(RUN, "old", a_result("s2"))
    store.evals.put("another run", "i3", a_result("s3"))

    found = store.evals.finished(RUN, {"s4": "i4", "s3": "i3", "s2": "i2", "s1": "i1"})

    assert found == (a_result("s1"),)


def test_a_thousand_samples_are_found_in_one_question(store: AnyStore) -> None:
    wanted = {f"s{number:04}": "i" for number in range(1_000)}
    for sample in wanted:
        store.evals.put(RUN, "i", a_result(sample))

    assert [result.sample for result in store.evals.finished(RUN, wanted)] == list(wanted)


@for_each("name", ["", "x" * 201, "a\x00b", "a\nb", "a\n", "\ud83d"])
def test_an_invalid_eval_name_is_refused(store: AnyStore, name: str) -> None:
    for question in (
        lambda: store.evals.put(name, "i", a_result()),
        lambda: store.evals.put(RUN, name, a_result()),
        lambda: store.evals.get(RUN, name, "i"),
        lambda: store.evals.finished(RUN, {name: "i"}),
    ):
        with pytest.raises(UsageMistake) as caught:
            question()
        assert caught.value.code == "bad-eval-name"
