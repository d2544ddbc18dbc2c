"""The contract of ``Blobs``."""

from hashlib import sha256

import pytest
from sqlalchemy import text

from penwright.adapters.store import open_store
from penwright.errors import NotFound
from schemas.base import BlobRef
from tests.adapters.store.builders import AnyStore, SetClock, a_request, an_answer

LONG = "Nächtens ".encode() * 20_000


@pytest.mark.parametrize("content", [b"", b"short", b"\x00\xff\x00", LONG])
def test_a_stored_blob_is_returned(store: AnyStore, content: bytes) -> None:
    ref = store.blobs.put(content)

    assert store.blobs.get(ref) == content
    assert ref == BlobRef(sha256=sha256(content).hexdigest(), size=len(content))


@pytest.mark.parametrize("content", [b"short", LONG])
def test_storing_twice_is_storing_once(store: AnyStore, clock: SetClock, content: bytes) -> None:
    first = store.blobs.put(content)

    assert store.blobs.put(content) == first
    clock.pass_time(days=8)
    assert store.blobs.sweep(keep_days=7, referenced=()) == 1


def test_a_text_that_was_never_kept_is_not_found(store: AnyStore) -> None:
    with pytest.raises(NotFound) as caught:
        store.blobs.get(BlobRef(sha256="0" * 64, size=3))

    assert caught.value.code == "blob-not-found"


def test_a_sweep_deletes_only_old_unreferenced_blobs(store: AnyStore, clock: SetClock) -> None:
    old, named = store.blobs.put(b"old"), store.blobs.put(b"named")
    clock.pass_time(days=8)
    young = store.blobs.put(b"young")

    swept = store.blobs.sweep(keep_days=7, referenced={named.sha256})

    assert swept == 1
    assert store.blobs.get(young) == b"young"
    assert store.blobs.get(named) == b"named"
    with pytest.raises(NotFound):
        store.blobs.get(old)


@pytest.mark.parametrize("content", [b"short", LONG])
def test_putting_a_text_again_makes_it_young(store: AnyStore, clock: SetClock, content: bytes) -> None:
    ref = store.blobs.put(content)
    clock.pass_time(days=8)
    store.blobs.put(content)

    assert store.blobs.sweep(keep_days=7, referenced=()) == 0
    assert store.blobs.get(ref) == content


def test_a_sweep_never_takes_a_stored_answer(store: AnyStore, clock: SetClock) -> None:
    request = a_request()
    store.ledger.settle(request, an_answer("Paid for."))
    ref = store.blobs.put(b"Paid for.")
    clock.pass_time(days=400)

    assert store.blobs.sweep(keep_days=7, referenced=()) == 0
    assert store.blobs.get(ref) == b"Paid for."
    assert store.ledger.stored(request.effect) is not None


@pytest.mark.server
def test_a_damaged_text_is_never_handed_out(database_url: str, clock: SetClock) -> None:
    store = open_store(database_url, clock=clock)
    ref = store.blobs.put(b"whole")
    with store.database.transaction() as connection:
        connection.execute(text("update blobs set content = 'whale'"))

    with pytest.raises(NotFound) as caught:
        store.blobs.get(ref)

    store.close()
    assert caught.value.code == "blob-corrupt"
