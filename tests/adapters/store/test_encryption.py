"""Texts and messages that are encrypted in the database."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest
from sqlalchemy import text

from penwright.adapters.sealing import Keys, key_id
from penwright.adapters.store import Store, open_store
from penwright.errors import UsageMistake
from schemas.agent import AgentMessage
from tests.adapters.store.builders import SetClock, a_request, an_answer

pytestmark = pytest.mark.server

OLD, NEW = bytes(range(32)), bytes(reversed(range(32)))
WORDS = "The lamp went out over the estuary. " * 4_000

Open = Callable[..., Store]


@pytest.fixture
def opened(database_url: str) -> Iterator[Open]:
    """Opens the database with these keys, the first of which encrypts."""
    with ExitStack() as stack:
        yield lambda *keys: stack.enter_context(
            closing(open_store(database_url, clock=SetClock(), keys=Keys(keys) if keys else None))
        )


def stored(store: Store) -> bytes:
    """Everything that the tables of texts hold."""
    with store.database.statement() as connection:
        blobs = connection.execute(text("select content from blobs")).scalars().all()
        groups = connection.execute(text("select lines from message_segments")).scalars().all()
    return b"".join(bytes(each) for each in (*blobs, *groups))


def a_message(words: str) -> AgentMessage:
    return AgentMessage(role="user", content=words)


def test_no_text_message_or_reply_is_readable_in_the_database(opened: Open) -> None:
    store = opened(NEW)

    ref = store.blobs.put(WORDS.encode())
    head = store.messages.append(None, [a_message(WORDS)])
    request = a_request()
    store.ledger.reserve(request, estimate_micros=1, estimate_tokens=1)
    store.ledger.settle(request, an_answer(text=WORDS))

    assert b"estuary" not in stored(store)
    fresh = opened(NEW)
    assert fresh.blobs.get(ref) == WORDS.encode()
    assert fresh.messages.messages(head) == (a_message(WORDS),)
    answer = fresh.ledger.stored(request.effect)
    assert answer is not None
    assert answer.text == WORDS


def test_old_and_new_texts_are_read_side_by_side(opened: Open) -> None:
    refs = [opened(*keys).blobs.put(f"{len(keys)} keys".encode()) for keys in ((), (OLD,), (NEW, OLD))]
    heads = [opened(*keys).messages.append(None, [a_message(f"{len(keys)} keys")]) for keys in ((), (OLD,))]

    store = opened(NEW, OLD)

    assert [store.blobs.get(ref) for ref in refs] == [b"0 keys", b"1 keys", b"2 keys"]
    assert [store.messages.messages(head)[0].content for head in heads] == ["0 keys", "1 keys"]


def test_once_encryption_has_ended_old_texts_are_read_and_new_ones_are_plain(
    opened: Open, database_url: str
) -> None:
    before = opened(OLD).blobs.put(b"sealed words")

    keys = Keys([OLD], only_decrypt=True)
    with closing(open_store(database_url, clock=SetClock(), keys=keys)) as store:
        after = store.blobs.put(b"plain words")
        read = [store.blobs.get(ref) for ref in (before, after)]
        held, forgotten = stored(store), store.keys.forgotten()

    assert read == [b"sealed words", b"plain words"]
    assert b"plain words" in held
    assert b"sealed words" not in held
    assert forgotten == ()


@pytest.mark.parametrize("keys", [(), (NEW,)])
def test_a_text_under_a_forgotten_key_names_the_key(opened: Open, keys: tuple[bytes, ...]) -> None:
    ref = opened(OLD).blobs.put(b"words")
    head = opened(OLD).messages.append(None, [a_message("words")])
    store = opened(*keys)

    for read in (lambda: store.blobs.get(ref), lambda: store.messages.messages(head)):
        with pytest.raises(UsageMistake, match=key_id(OLD)) as refused:
            read()
        assert refused.value.code == "encryption-key-unknown"
    assert store.keys.forgotten() == (key_id(OLD),)
    assert opened(NEW, OLD).keys.forgotten() == ()


def test_a_text_that_looks_encrypted_is_returned_as_it_was(opened: Open) -> None:
    looks = b"\0penwright-sealed\1" + b"0" * 80
    ref = opened().blobs.put(looks)

    assert opened(NEW).blobs.get(ref) == looks


def test_an_encrypted_text_cannot_be_put_in_the_place_of_another(opened: Open) -> None:
    store = opened(NEW)
    one, other = store.blobs.put(b"one"), store.blobs.put(b"other")
    with store.database.transaction() as connection:
        connection.execute(
            text(
                "update blobs set content = (select content from blobs where sha256 = :a) where sha256 = :b"
            ),
            {"a": one.sha256, "b": other.sha256},
        )

    with pytest.raises(UsageMistake) as refused:
        store.blobs.get(other)

    assert refused.value.code == "payload-damaged"
