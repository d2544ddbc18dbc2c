"""The engine on which whole sessions run here, and a fresh book for every test."""

from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest

from tests.support.books.running_books import RunningBook, lay_out

NewBook = Callable[..., RunningBook]


@pytest.fixture
def new_book(tmp_path: Path) -> NewBook:
    """Lays out a book under an id that no other test has."""

    def make(kind: str = "e2e", **options: object) -> RunningBook:
        name = f"{kind}-{uuid4().hex[:8]}"
        return lay_out(tmp_path / name, name, **options)  # type: ignore[arg-type]

    return make


@pytest.fixture
def book(new_book: NewBook) -> RunningBook:
    """A book of a thousand words with a bare remote."""
    return new_book(target=1000)
