"""The contract of ``Blobs``."""

from hashlib import sha256

import pytest
from sqlalchemy import text

from penwright.adapters.store import open_store
from penwright.errors import NotFound
from schemas.base import BlobRef
from tests.adapters.store.builders import AnyStore, SetClock
from tests.support.each import for_each

LONG = "Nächtens ".encode() * 20_000


@for_each("content", [b"", b"short", b"\x00\xff\x00", LONG])
def test_a_stored_blob_is_returned(store: AnyStore, content: bytes) -> None:
    ref = store.blobs.put(content)

    assert store.blobs.get(ref) == content
    assert ref == BlobRef(sha256=sha256(content).hexdigest(), size=len(content))


@pytest.mark.parametrize("content", [b"short", LONG])
def test_storing_twice_is_storing_once(store: AnyStore, content: bytes) -> None:
    first = store.blobs.put(content)

    assert store.blobs.put(content) == first
    assert store.blobs.get(first) == content


def test_a_text_that_was_never_kept_is_not_found(store: AnyStore) -> None:
    with pytest.raises(NotFound) as caught:
        store.blobs.get(BlobRef(sha256="0" * 64, size=3))

    assert caught.value.code == "blob-not-found"


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
