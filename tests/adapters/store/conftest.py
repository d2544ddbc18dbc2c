"""The stores that the contract runs over: PostgreSQL, and the double in memory."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from penwright.adapters.store import open_store
from schemas.budgets import Caps
from tests.adapters.store.builders import AnyStore, SetClock
from tests.support.doubles.store import memory_store

MakeStore = Callable[[Caps], AnyStore]


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.server)])
def make_store(request: pytest.FixtureRequest, clock: SetClock) -> Iterator[MakeStore]:
    """Makes a store with the caps a test wants."""
    with ExitStack() as stack:
        if request.param == "memory":
            yield lambda caps: memory_store(clock=clock, caps=caps)
        else:
            url = request.getfixturevalue("database_url")
            yield lambda caps: stack.enter_context(closing(open_store(url, clock=clock, caps=caps)))


@pytest.fixture
def store(make_store: MakeStore) -> AnyStore:
    return make_store(Caps())
