"""A book's clerk is started by what changes its prose, and never stands in the way of that."""

import re
from pathlib import Path

import pytest

from activities.continuity import ContinuityActivities
from gateway.desk.works import books
from penwright.domain.book.files.layout import CONFIG, CRAFT, FULL_BOOK, REVIEW
from penwright.domain.continuity.files import readings_path, write_readings
from penwright.domain.continuity.reading import MOST_UNASKED
from penwright.errors import EngineUnavailable
from schemas.base import Effect, OpId
from schemas.continuity import ContinuityResult, EndReading, GatherPassages
from tests.domain.continuity.stories import reading, thread
from tests.gateway.cli.book.test_story import BURNT, commit_all
from tests.support.books.repos import write
from tests.support.gateway.services import NOW, Run, StageServices


@pytest.fixture
def passage(tmp_path: Path) -> str:
    path = tmp_path / "passage.md"
    path.write_text("Mara had grey eyes.\n")
    return str(path)


def save(run: Run, book: Path, path: str, source: str) -> str:
    code, _, err = run("book", "save", path, "--from", source, "--book", str(book))
    assert code == 0
    return err


def test_an_edit_of_the_prose_has_it_read_up_to_a_bound(
    run: Run, book: Path, services: StageServices, passage: str
) -> None:
    save(run, book, FULL_BOOK, passage)
    save(run, book, CRAFT, passage)

    (given,) = services.readings.wanted
    assert (given.by_hand, given.most_words) == (False, MOST_UNASKED)


def test_a_rollback_has_the_book_looked_at_again(run: Run, book: Path, services: StageServices) -> None:
    run("book", "session", str(book))

    assert run("book", "rollback", str(book), "--yes")[0] == 0
    assert len(services.readings.wanted) == 1


def test_nothing_is_started_where_it_is_off(
    run: Run, book: Path, services: StageServices, passage: str
) -> None:
    config = book / CONFIG
    config.write_text(config.read_text().replace("continuity: read", "continuity: off"))
    commit_all(book, "Switch it off")

    save(run, book, REVIEW, passage)

    assert services.readings.wanted == []


def test_a_clerk_that_cannot_be_started_is_a_warning_and_the_edit_stands(
    run: Run, book: Path, services: StageServices, passage: str
) -> None:
    services.readings.trouble = EngineUnavailable("engine-no-answer", "Temporal does not answer")

    err = save(run, book, FULL_BOOK, passage)

    assert "warning: the clerk was not started (Temporal does not answer); `penwright book read " in err
    assert (book / FULL_BOOK).read_text() == "Mara had grey eyes.\n"


def test_more_unread_words_than_the_bound_are_left_for_a_person(book: Path, services: StageServices) -> None:
    write(book, {FULL_BOOK: "# Chapter 1\n\nMara had grey eyes.\n\nShe came home.\n"})
    commit_all(book, "Seven words")
    found = books.find(services, str(book))

    def gathered(most: int) -> int:
        with services.open_store() as store:
            clerk = ContinuityActivities(services.workspaces(), store.blobs, store.records)
            request = GatherPassages(
                effect=Effect(op_id=OpId("x"), issued_at=NOW),
                workspace=found.workspace,
                subject=found.book_id,
                session="s",
                by_hand=False,
                again=False,
                most_words=most,
            )
            return len(clerk.gather_passages(request).portions)

    assert (gathered(6), gathered(7), gathered(0)) == (0, 1, 1)


def test_a_clerk_that_failed_is_named_in_status_and_list_until_it_has_read(
    run: Run, book: Path, services: StageServices
) -> None:
    book_id = books.find(services, str(book)).book_id
    run("book", "session", str(book))

    def ends(**told: object) -> None:
        result = ContinuityResult.model_validate({"book_id": book_id, "session": "r", **told})
        with services.open_store() as store:
            clerk = ContinuityActivities(services.workspaces(), store.blobs, store.records)
            clerk.end_reading(EndReading(effect=Effect(op_id=OpId("y"), issued_at=NOW), result=result))

    ends(outcome="failed", code="model-unavailable", message="no model answers")
    assert "the clerk failed: no model answers" in run("book", "list", "--attention")[1]
    assert "the clerk failed: no model answers; `penwright book read " in run("book", "status", str(book))[1]

    ends(outcome="completed")
    assert "the clerk failed" in run("book", "list", "--attention")[1], "nothing was read since"
    ends(outcome="completed", passages=1)
    assert "the clerk" not in run("book", "list", "--attention")[1]


def test_completing_names_what_the_story_leaves_open(run: Run, book: Path) -> None:
    read = reading([BURNT], thread("the ledger", "planted", BURNT))
    write(book, {FULL_BOOK: f"{BURNT}\n", readings_path("s1", 1): write_readings([read])})
    commit_all(book, "A question")

    code, _, err = run("book", "complete", str(book), "--early")

    assert code == 0
    advice = re.search("the story leaves open: the ledger; `penwright (book threads .+)` quotes them", err)
    assert advice
    assert BURNT in run(*advice[1].split())[1]


def test_a_rollback_does_not_call_a_reading_the_change_of_a_person(run: Run, book: Path) -> None:
    run("book", "session", str(book))
    read = write_readings([reading([BURNT])])
    write(book, {readings_path("s1", 1): read})
    commit_all(book, "Read 4 words\n\nPenwright-Contributor: engine\nPenwright-Step: read")

    assert "What people changed" not in run("book", "rollback", str(book), "--dry-run")[2]


def test_lists_that_are_empty_say_so(run: Run, book: Path) -> None:
    told = {name: run("book", name, str(book))[1] for name in ("story", "facts", "threads", "brief")}

    assert told["story"].startswith("No chapter has been read.")
    assert told["facts"].startswith("No fact was read.")
    assert told["threads"].startswith("No thread is open.")
    assert told["brief"].startswith("The writer is told nothing: nothing was read.")
