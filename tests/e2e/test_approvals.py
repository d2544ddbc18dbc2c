"""A close that the gate denies and a person may allow, over real git, Temporal and PostgreSQL."""

import asyncio
import re
from typing import Any

import pytest

from penwright.domain.book.files.layout import FULL_BOOK, REVIEW
from penwright.domain.intents.registry import FIRST, REGISTRY
from penwright.errors import PermanentError, Refused
from schemas.base import BlobRef
from schemas.control import KillRequest
from schemas.intents import ApprovalDecision, ApprovalRequest
from schemas.outside_session import DeliverProse, SessionProse
from tests.e2e.test_bad_input import assert_sound, ended
from tests.support.books.running_books import NARROW, RunningBook, prose_of
from tests.support.engine.desk import notices_of
from tests.support.engine.stand import Desk

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]

POLL_S = 0.02


@pytest.fixture
async def narrow(shared_desk: Desk, book: RunningBook) -> RunningBook:
    """A book with prose in its review, which the next close would move where its intent may not write."""
    book.write(REGISTRY, NARROW)
    book.commit("Only the review")
    assert (await ended(shared_desk, book, "s1")).outcome == "closed"
    return book


async def pending(at: Desk, book: RunningBook, *, other_than: str = "") -> ApprovalRequest:
    """The request that the session waits for, as soon as it is made."""
    while True:
        request = await at.pipelines.pending(book.book_id)
        if request is not None and request.id != other_than:
            return request
        await asyncio.sleep(POLL_S)


async def asked(at: Desk, book: RunningBook, session: str) -> ApprovalRequest:
    """The same, once it is written down: who answers sooner may be written down in front of it."""
    request = await pending(at, book)
    while True:
        if "approval.asked" in recorded(at, book, session):
            return request
        await asyncio.sleep(POLL_S)


async def notice(at: Desk, book: RunningBook) -> dict[str, Any]:  # Any: JSON
    """The first notice about the book."""
    while True:
        if notices := notices_of(at, book.book_id):
            return notices[0]
        await asyncio.sleep(POLL_S)


async def answer(at: Desk, book: RunningBook, request: ApprovalRequest, decided: str = "approved") -> None:
    decision = ApprovalDecision.model_validate(
        {
            "approval": request.id,
            "plan_digest": request.need.plan_digest,
            "decided": decided,
            "by": "ada",
            "reason": "as I said",
        }
    )
    await at.pipelines.decide(book.book_id, decision)


async def _close(at: Desk, book: RunningBook, prose: BlobRef) -> str:
    return (await at.pipelines.close(book.book_id, DeliverProse(written=SessionProse(prose=prose)))).commit


def trailer(book: RunningBook, name: str) -> str:
    commit = book.git("log", "--format=%H", "--grep=Close session", "-1", "main")
    return book.git("show", "-s", f"--format=%(trailers:key={name},valueonly)", commit).strip()


def recorded(at: Desk, book: RunningBook, session: str) -> list[str]:
    """Kinds of the session's events about approvals, in order."""
    events = at.stand.store.records.events_after(0, run=f"book/{book.book_id}#{session}")
    return [event.kind for event in events if event.kind.startswith("approval")]


def kept(book: RunningBook) -> list[str]:
    """Words of the prose set aside, without the markers around it."""
    paths = [path for path in book.git("ls-files").splitlines() if "recovered" in path]
    text = "\n".join(book.text(path) for path in paths)
    return re.sub(r"<!--.*?-->", "", text).split()


async def test_each_close_needs_its_own_approval(shared_desk: Desk, narrow: RunningBook) -> None:
    before = narrow.tip
    await shared_desk.pipelines.start(narrow.session("s2", shared_desk.environ))

    request = await pending(shared_desk, narrow)

    waiting = await shared_desk.pipelines.progress(narrow.book_id)
    assert waiting is not None
    assert (waiting.stage, request.need.codes) == ("approval", ("SCOPE_VIOLATION",))
    assert FULL_BOOK in request.need.paths
    assert narrow.steps()[-1] == "open"
    told = await notice(shared_desk, narrow)
    assert told["data"]["id"] == request.id
    assert f"penwright intent approve {narrow.book_id}" in told["body"]
    await answer(shared_desk, narrow, request)
    result = await shared_desk.pipelines.result(narrow.book_id)

    assert (result.outcome, result.push) == ("closed", "pushed")
    assert trailer(narrow, "Approved-By") == f"ada {request.id}"
    assert narrow.git("rev-list", "--count", f"{before}..main") == "2"
    assert narrow.text(REGISTRY) == NARROW.strip()
    assert_sound(narrow, "s1", "s2")
    assert recorded(shared_desk, narrow, "s2") == ["approval.asked", "approval.approved"]
    await shared_desk.pipelines.start(narrow.session("s3", shared_desk.environ))
    assert (await pending(shared_desk, narrow)).id != request.id
    await shared_desk.pipelines.signal(narrow.book_id, KillRequest(reason="enough"))
    await shared_desk.pipelines.result(narrow.book_id)


async def test_a_denied_close_changes_nothing_and_its_prose_is_kept(
    shared_desk: Desk, narrow: RunningBook
) -> None:
    full, review = narrow.text(FULL_BOOK), narrow.text(REVIEW)
    await shared_desk.pipelines.start(narrow.session("s2", shared_desk.environ))

    await answer(shared_desk, narrow, await asked(shared_desk, narrow, "s2"), "denied")
    result = await shared_desk.pipelines.result(narrow.book_id)

    assert (result.outcome, result.code) == ("failed", "scope-violation")
    assert "ada denied it: as I said" in result.message
    assert result.recovered in narrow.git("ls-files").splitlines()
    assert (narrow.text(FULL_BOOK), narrow.text(REVIEW)) == (full, review)
    assert kept(narrow) == prose_of("s2").split()
    assert recorded(shared_desk, narrow, "s2") == ["approval.asked", "approval.denied"]
    narrow.write(REGISTRY, FIRST)
    narrow.commit("Let it write the book")
    assert (await ended(shared_desk, narrow, "s3")).outcome == "closed"


async def test_a_kill_while_a_person_is_asked_keeps_the_prose(shared_desk: Desk, narrow: RunningBook) -> None:
    await shared_desk.pipelines.start(narrow.session("s2", shared_desk.environ))
    request = await asked(shared_desk, narrow, "s2")

    await shared_desk.pipelines.signal(narrow.book_id, KillRequest(who="bo", reason="wrong book"))
    result = await shared_desk.pipelines.result(narrow.book_id)

    assert (result.outcome, result.stopped_by) == ("stopped", "bo")
    assert kept(narrow) == prose_of("s2").split()
    assert recorded(shared_desk, narrow, "s2") == ["approval.asked", "approval.denied"]
    with pytest.raises(Refused):
        await answer(shared_desk, narrow, request)


@pytest.mark.parametrize("saved", ["committed", "unsaved"])
async def test_an_edit_of_the_plan_during_approval_asks_again(
    shared_desk: Desk, narrow: RunningBook, saved: str
) -> None:
    await shared_desk.pipelines.start(narrow.session("s2", shared_desk.environ))
    first = await pending(shared_desk, narrow)
    narrow.write(REVIEW, narrow.read(REVIEW).replace("s1w3 ", "s1w3 amended "))
    if saved == "committed":
        narrow.commit("Amend")

    await answer(shared_desk, narrow, first)
    second = await pending(shared_desk, narrow, other_than=first.id)
    with pytest.raises(Refused) as spent:
        await answer(shared_desk, narrow, first)
    await answer(shared_desk, narrow, second)
    result = await shared_desk.pipelines.result(narrow.book_id)

    assert spent.value.code == "already-decided"
    assert result.outcome == "closed"
    assert second.need.plan_digest != first.need.plan_digest
    assert trailer(narrow, "Approved-By") == f"ada {second.id}"
    assert "s1w3 amended " in narrow.text(FULL_BOOK)
    assert_sound(narrow, "s1", "s2")


async def test_an_edit_of_another_file_keeps_the_approval_valid(
    shared_desk: Desk, narrow: RunningBook
) -> None:
    await shared_desk.pipelines.start(narrow.session("s2", shared_desk.environ))
    request = await pending(shared_desk, narrow)
    narrow.write("Global Material/Soul.md", "# Soul\n\nWet and far.\n")
    narrow.commit("Another soul")

    await answer(shared_desk, narrow, request)
    result = await shared_desk.pipelines.result(narrow.book_id)

    assert result.outcome == "closed"
    assert trailer(narrow, "Approved-By") == f"ada {request.id}"
    assert narrow.text("Global Material/Soul.md") == "# Soul\n\nWet and far."


async def test_an_intent_that_was_reworded_during_a_session_is_asked_about(
    shared_desk: Desk, book: RunningBook
) -> None:
    await shared_desk.pipelines.open(
        book.session("s1", shared_desk.environ, writer="outside", opener="agent")
    )
    reworded = FIRST.replace("Answer the author", "Always answer the author")
    book.write(REGISTRY, reworded)
    book.commit("Change what may be written")
    ref = shared_desk.stand.store.blobs.put(prose_of("s1").encode())
    delivered = asyncio.create_task(_close(shared_desk, book, ref))

    request = await pending(shared_desk, book)
    assert not delivered.done()
    await answer(shared_desk, book, request)
    commit = await delivered
    result = await shared_desk.pipelines.result(book.book_id)

    assert request.need.codes == ("INTENT_CHANGED",)
    assert (result.outcome, result.commit) == ("closed", commit)
    assert book.text(REGISTRY) == reworded.strip()
    assert_sound(book, "s1")


async def test_a_hard_denial_is_not_put_up_for_approval(shared_desk: Desk, narrow: RunningBook) -> None:
    await shared_desk.pipelines.open(
        narrow.session("s2", shared_desk.environ, writer="outside", opener="agent")
    )
    narrow.write(".intentignore", f"{FULL_BOOK}\n")
    narrow.commit("Protect the book")
    ref = shared_desk.stand.store.blobs.put(prose_of("s2").encode())

    with pytest.raises(PermanentError) as denied:
        await _close(shared_desk, narrow, ref)
    result = await shared_desk.pipelines.result(narrow.book_id)

    assert (denied.value.code, result.outcome) == ("path-ignored", "failed")
    assert recorded(shared_desk, narrow, "s2") == []
    assert kept(narrow) == prose_of("s2").split()
