"""The contract of ``Notices``."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from penwright.errors import PassingError
from tests.adapters.store.builders import AnyStore, SetClock


def test_a_notice_that_was_sent_is_never_claimed_again(store: AnyStore, clock: SetClock) -> None:
    first = store.notices.claim("lamp finished")
    store.notices.done("lamp finished")
    clock.pass_time(days=30)

    assert first
    assert not store.notices.claim("lamp finished")
    assert store.notices.claim("lamp paused")


def test_a_claim_under_way_asks_others_to_try_again(store: AnyStore) -> None:
    store.notices.claim("lamp finished")

    with pytest.raises(PassingError) as caught:
        store.notices.claim("lamp finished")

    assert caught.value.code == "notice-held"


def test_a_claim_of_a_dead_sender_is_taken_over(store: AnyStore, clock: SetClock) -> None:
    store.notices.claim("lamp finished")
    clock.pass_time(seconds=60)

    assert store.notices.claim("lamp finished")


def test_a_claim_given_back_is_free_at_once_unless_it_was_sent(store: AnyStore) -> None:
    store.notices.claim("lamp finished")
    store.notices.release("lamp finished")
    again = store.notices.claim("lamp finished")
    store.notices.done("lamp finished")
    store.notices.release("lamp finished")

    assert again
    assert not store.notices.claim("lamp finished")


def test_only_one_of_concurrent_claims_succeeds(store: AnyStore) -> None:
    def claim(_: int) -> bool:
        try:
            return store.notices.claim("lamp finished")
        except PassingError:
            return False

    with ThreadPoolExecutor(8) as senders:
        claims = list(senders.map(claim, range(24)))

    assert claims.count(True) == 1
