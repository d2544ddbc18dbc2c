"""People who edit and push while sessions run: nothing of theirs or of the engine's is lost."""

import pytest

from penwright.domain.book.files.layout import FULL_BOOK, REVIEW, chapter_path
from schemas.book import SessionPayload
from schemas.book_session import Opened
from schemas.outside_session import DeliverProse, SessionProse
from tests.support.books.repos import commit_all, git, write
from tests.support.books.running_books import RunningBook, prose_of
from tests.support.engine.stand import Desk

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]


async def opened_by_agent(at: Desk, book: RunningBook, session: str = "s1") -> Opened:
    given = book.session(session, at.environ, writer="outside", opener=session)
    return await at.pipelines.open(given)


async def delivered(at: Desk, book: RunningBook, session: str = "s1") -> str:
    """Close with the session's prose and return the outcome of the push."""
    ref = at.stand.store.blobs.put(prose_of(session).encode())
    written = SessionProse(prose=ref, summary=f"Told {session}.")
    closed = await at.pipelines.close(book.book_id, DeliverProse(written=written))
    await at.pipelines.result(book.book_id)
    return closed.report.push


def payload_of(at: Desk, opened: Opened) -> SessionPayload:
    assert opened.payload is not None
    return SessionPayload.model_validate_json(at.stand.store.blobs.get(opened.payload))


async def test_a_human_pushes_from_another_clone_while_a_session_runs(
    shared_desk: Desk, book: RunningBook
) -> None:
    await opened_by_agent(shared_desk, book)
    elsewhere = book.colleague()
    write(elsewhere, {chapter_path(2): "# The Boat\n\nShe comes at night.\n"})
    commit_all(elsewhere, "Move her arrival")
    git(elsewhere, "pull", "-q", "--rebase", "origin", "main")
    git(elsewhere, "push", "-q", "origin", "main")

    push = await delivered(shared_desk, book)

    assert push == "pushed"
    assert book.remote_tip == book.tip
    assert book.text(chapter_path(2)) == "# The Boat\n\nShe comes at night."
    assert "s1w1 s1w2" in book.text(REVIEW)
    assert book.read(chapter_path(2)) == "# The Boat\n\nShe comes at night.\n"
    reopened = await opened_by_agent(shared_desk, book, "s2")
    assert payload_of(shared_desk, reopened).human_edits == (chapter_path(2),)
    assert await delivered(shared_desk, book, "s2") == "pushed"


async def test_two_manual_edits_of_one_passage_during_a_session_are_kept(
    shared_desk: Desk, book: RunningBook
) -> None:
    elsewhere = book.colleague()
    await opened_by_agent(shared_desk, book)
    write(elsewhere, {chapter_path(3): "# The Sea\n\nThey leave by boat.\n"})
    commit_all(elsewhere, "By boat")
    git(elsewhere, "pull", "-q", "--rebase", "origin", "main")
    git(elsewhere, "push", "-q", "origin", "main")
    book.write(chapter_path(3), "# The Sea\n\nThey leave on foot.\n")

    assert await delivered(shared_desk, book) == "pushed"

    text = book.text(chapter_path(3))
    assert "by boat" in text
    assert "on foot" in text
    assert book.remote_tip == book.tip
    assert book.git("status", "--porcelain") == ""


async def test_edits_saved_during_a_session_are_in_the_next_payload(
    shared_desk: Desk, book: RunningBook
) -> None:
    await opened_by_agent(shared_desk, book)
    book.write("Global Material/Soul.md", "# Soul\n\nFar and wet.\n")
    book.write("Global Material/Lore.md", "# Lore\n\nTides.\n")

    await delivered(shared_desk, book)
    reopened = await opened_by_agent(shared_desk, book, "s2")

    assert book.text("Global Material/Soul.md") == "# Soul\n\nFar and wet."
    edits = payload_of(shared_desk, reopened).human_edits
    assert set(edits) == {"Global Material/Lore.md", "Global Material/Soul.md"}
    author = book.git("log", "-1", "--format=%an", "--", "Global Material/Lore.md")
    assert author == "Ada Author"
    await delivered(shared_desk, book, "s2")


async def test_an_edit_of_the_waiting_prose_during_a_session_enters_the_book(
    shared_desk: Desk, book: RunningBook
) -> None:
    assert (await shared_desk.run(book.session("s1", shared_desk.environ))).outcome == "closed"
    await opened_by_agent(shared_desk, book, "s2")
    book.write(REVIEW, book.read(REVIEW).replace("s1w1 s1w2", "s1w1 BRANDNEW s1w2"))

    await delivered(shared_desk, book, "s2")

    assert "s1w1 BRANDNEW s1w2" in book.text(FULL_BOOK)
    assert "s2w1" in book.text(REVIEW)


async def test_sessions_of_one_minute_have_tags_and_entries_of_their_own(
    shared_desk: Desk, book: RunningBook
) -> None:
    for name in ("s1", "s2", "s3"):
        assert (await shared_desk.run(book.session(name, shared_desk.environ))).outcome == "closed"

    minutes = {tag[:20] for tag in book.tags}
    entries = book.git("ls-tree", "--name-only", "main", "Changelog/").splitlines()
    assert len(minutes) < 3
    assert len(book.tags) == 3
    assert len([path for path in entries if path.endswith(".md")]) == 3
    assert [step for step in book.steps() if step != "advance"] == ["open", "close"] * 3
    text = book.text(FULL_BOOK) + book.text(REVIEW)
    assert all(text.count(f"{name}w7 ") == 1 for name in ("s1", "s2", "s3"))


async def test_a_remote_lost_during_a_session_is_pushed_by_the_next_one(
    shared_desk: Desk, book: RunningBook
) -> None:
    await opened_by_agent(shared_desk, book)
    away = book.remote.rename(book.remote.with_name("away.git"))

    assert await delivered(shared_desk, book) == "pending"

    away.rename(book.remote)
    assert (await shared_desk.run(book.session("s2", shared_desk.environ))).push == "pushed"
    assert book.remote_tip == book.tip
    assert git(book.remote, "tag", "--list", "ink-*").split() == book.tags
    assert "s1w7 " in git(book.remote, "show", f"main:{FULL_BOOK}")
