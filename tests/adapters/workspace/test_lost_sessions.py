"""A remote that lost a published session is noticed, and a person decides."""

from pathlib import Path

import pytest

from penwright.domain.book.session_warnings import needs_person, sync_warnings
from penwright.errors import Refused
from schemas.workspace import LOST_SESSION, Create
from tests.support.books.repos import (
    ENGINE,
    KNOWN,
    Book,
    add_remote,
    clone,
    commit_all,
    git,
    make_repository,
    plan_of,
    write,
)

TRAILERS = (("Penwright-Session", "s1"), ("Penwright-Step", "close"))


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """A book whose published session was taken out of the remote by another person's forced push."""
    made = Book(make_repository(tmp_path / "book"))
    bare = add_remote(made.folder, tmp_path / "remote.git")
    session = plan_of(
        made.workspace, Create(path="session.md", content="Prose.\n"), message="Close s1", trailers=TRAILERS
    )
    made.port.publish(session, made.effect())
    made.port.push(made.workspace, made.effect())
    other = clone(bare, tmp_path / "other")
    git(other, "reset", "-q", "--hard", "HEAD~1")
    write(other, {"Book.md": "Once, elsewhere.\n"})
    commit_all(other, "Begin otherwise")
    git(other, "push", "-q", "--force", "origin", "main")
    return made


def at_remote(book: Book) -> str:
    return git(book.folder.parent / "remote.git", "log", "--format=%s", "main")


def test_nothing_is_merged_or_pushed_until_a_person_decides(book: Book) -> None:
    write(book.folder, {"notes.md": "Mine.\n"})
    before = at_remote(book)

    synced = book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)
    pushed = book.port.push(book.workspace, book.effect())

    (warning,) = sync_warnings(synced, "low-tide")
    assert needs_person(warning)
    assert "Close s1" in warning
    assert "book accept-remote" in warning
    assert "book restore-session" in warning
    assert (pushed.outcome, pushed.code) == ("pending", LOST_SESSION)
    assert (at_remote(book), book.read("Book.md")) == (before, "Once.\n")


@pytest.mark.parametrize("rewound", [False, True])
def test_a_push_before_any_fetch_notices_it_as_well(book: Book, rewound: bool) -> None:
    if rewound:
        git(book.folder.parent / "other", "push", "-q", "--force", "origin", "HEAD~1:main")
    before = at_remote(book)

    assert book.port.push(book.workspace, book.effect()).code == LOST_SESSION
    assert at_remote(book) == before


def test_who_accepts_follows_the_remote_and_keeps_what_came_since(book: Book) -> None:
    book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)
    write(book.folder, {"notes.md": "One.\n\nTwo, mine.\n\nThree.\n"})
    commit_all(book.folder, "Mine")
    tip = book.tip()

    accepted = book.port.settle_lost(book.workspace, book.effect("accept"), accept=True)
    book.port.push(book.workspace, book.effect())

    assert not (book.folder / "session.md").exists()
    assert (book.read("Book.md"), book.text("notes.md").split("\n\n")[1]) == (
        "Once, elsewhere.\n",
        "Two, mine.",
    )
    assert git(book.folder, "rev-parse", f"{accepted.archive}^1") == tip
    assert git(book.folder.parent / "remote.git", "rev-parse", "main") == book.tip()
    assert book.port.settle_lost(book.workspace, book.effect("accept"), accept=True) == accepted


def test_who_restores_the_session_publishes_it_again(book: Book) -> None:
    book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)

    book.port.settle_lost(book.workspace, book.effect(), accept=False)
    pushed = book.port.push(book.workspace, book.effect())

    assert pushed.outcome == "pushed"
    assert {"Close s1", "Begin otherwise"} <= set(at_remote(book).splitlines())
    with pytest.raises(Refused, match="everything that was published"):
        book.port.settle_lost(book.workspace, book.effect(), accept=False)
