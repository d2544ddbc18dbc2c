"""Two folders with the id of one book: one book in two places, or a copy that is a book of its own."""

import json
import shutil
from pathlib import Path

import pytest

from penwright.domain.book.files.layout import LOCK, REVIEW, STATE
from tests.support.books.repos import add_remote, clone, commit_all, git
from tests.support.books.running_books import lay_out
from tests.support.gateway.services import Run, StageServices

PROSE = b"The tide went out, and it did not come back that day.\n"


def copied(book: Path, name: str = "copy") -> Path:
    return Path(shutil.copytree(book, book.with_name(name)))


def opened(run: Run, book: Path) -> dict[str, object]:
    code, out, err = run("book", "open", str(book))
    assert code == 0, err
    payload: dict[str, object] = json.loads(out)
    return payload


def test_prose_closed_for_a_copy_is_not_committed_to_the_original(run: Run, book: Path) -> None:
    copy = copied(book)
    opened(run, book)

    code, _, err = run("book", "close", str(copy), stdin=PROSE)

    assert (code, "no active session" in err) == (3, True)
    assert run("book", "close", str(book), stdin=PROSE)[0] == 0
    assert b"did not come back" in (book / REVIEW).read_bytes()
    assert b"did not come back" not in (copy / REVIEW).read_bytes()


def test_a_close_in_a_copy_of_an_open_book_names_the_folder_that_is_open(run: Run, book: Path) -> None:
    opened(run, book)
    copy = copied(book)
    with (copy / LOCK).open("a") as lock:
        lock.write(f"place: desk:{book}\n")

    code, _, err = run("book", "close", str(copy), stdin=PROSE)

    assert (code, "error[no-active-session]: no active session in this folder: it is a copy" in err) == (
        3,
        True,
    )
    assert f":{book}' holds" in err
    assert f"penwright book close {book}" in err
    assert run("book", "close", str(book), stdin=PROSE)[0] == 0


def test_a_copy_is_a_book_of_its_own_that_notes_its_origin(
    run: Run, book: Path, services: StageServices
) -> None:
    origin = services.book(book).book_id
    copy = copied(book)
    opened(run, book)

    payload = opened(run, copy)
    own = services.book(copy).book_id

    assert own.startswith(f"{origin}-")
    assert f"book_id: {own}\norigin: {origin}\n" in git(copy, "show", f"main:{STATE}") + "\n"
    assert [f"copy of the book {origin}" in str(each) for each in payload["warnings"]] == [True]  # type: ignore[attr-defined]
    assert run("book", "close", str(copy), stdin=PROSE)[0] == 0
    assert run("book", "close", str(book), stdin=b"Another text altogether.\n")[0] == 0
    assert {str(row.path) for row in services.store.records.books()} == {str(book), str(copy)}
    assert "copy of" not in str(opened(run, copy)["warnings"])
    assert services.book(book).book_id == origin


def test_a_copy_that_is_a_book_of_its_own_needs_no_person(run: Run, book: Path) -> None:
    opened(run, book)
    copy = copied(book)
    (copy / LOCK).unlink(missing_ok=True)

    _, told, _ = run("book", "session", str(copy), "--json")
    _, needing, _ = run("book", "list", "--attention")

    assert ["copy of the book" in each for each in json.loads(told)["warnings"]] == [True]
    assert "copy of the book" not in needing


def test_a_copy_stays_the_same_book_after_a_rollback_and_a_move(
    run: Run, book: Path, services: StageServices
) -> None:
    copy = copied(book)
    opened(run, copied(book, "first-use-of-the-other"))
    opened(run, copy)
    assert run("book", "close", str(copy), stdin=PROSE)[0] == 0
    own = services.book(copy).book_id

    assert run("book", "rollback", str(copy), "--yes")[0] == 0
    assert services.book(copy).book_id == own
    moved = copy.rename(book.with_name("moved"))
    assert services.book(moved).book_id == own


def test_a_moved_book_keeps_its_id(book: Path, services: StageServices) -> None:
    before = services.book(book).book_id

    assert services.book(book.rename(book.with_name("moved"))).book_id == before


def test_two_books_that_begin_with_one_commit_do_not_block_each_other(
    run: Run, services: StageServices, tmp_path: Path
) -> None:
    template = lay_out(tmp_path / "template", "unused", remote=False).folder
    first, second = (clone(template, tmp_path / name) for name in ("first", "second"))
    for folder in (first, second):
        git(folder, "remote", "remove", "origin")
        (folder / "Global Material/Soul.md").write_text(f"# Soul\n\nOf the {folder.name}.\n")
        commit_all(folder)

    opened(run, first)
    opened(run, second)
    assert run("book", "close", str(first), stdin=PROSE)[0] == 0
    assert run("book", "close", str(second), stdin=PROSE)[0] == 0
    assert services.book(first).book_id != services.book(second).book_id


@pytest.fixture
def two_places(book: Path, services: StageServices) -> tuple[Path, Path]:
    remote = add_remote(book, book.with_name("remote.git"))
    return book, clone(remote, book.with_name("laptop"))


def test_two_folders_of_one_remote_are_one_book(
    run: Run, two_places: tuple[Path, Path], services: StageServices
) -> None:
    here, there = two_places
    assert services.book(here).book_id == services.book(there).book_id

    opened(run, here)
    assert run("book", "close", str(here), stdin=PROSE)[0] == 0
    opened(run, there)
    assert run("book", "close", str(there), stdin=PROSE)[0] == 0
    (row,) = services.store.records.books()
    assert row.path == str(there)


def test_the_status_of_a_copied_folder_names_the_other_place_of_the_book(
    run: Run, book: Path, services: StageServices
) -> None:
    add_remote(book, book.with_name("remote.git"))
    opened(run, book)
    assert run("book", "close", str(book), stdin=PROSE)[0] == 0
    alone, copy = run("book", "status", str(book))[1], copied(book)

    before = run("book", "status", str(copy))[1]
    opened(run, copy)
    assert run("book", "close", str(copy), stdin=PROSE)[0] == 0
    after = run("book", "status", str(book), "--json")[1]

    assert "also lies in" not in alone
    assert f"this book also lies in '{book}' (one remote)" in " ".join(before.split())
    assert any(f"also lies in '{copy}'" in each for each in json.loads(after)["warnings"])


def test_the_status_of_a_copy_without_that_remote_names_no_other_place(run: Run, book: Path) -> None:
    opened(run, book)
    assert run("book", "close", str(book), stdin=PROSE)[0] == 0

    assert "also lies in" not in run("book", "status", str(copied(book)))[1]


@pytest.mark.parametrize("command", ["close", "advance"])
def test_a_call_from_the_folder_that_did_not_open_is_refused_by_name(
    run: Run, two_places: tuple[Path, Path], command: str
) -> None:
    here, there = two_places
    opened(run, here)

    code, _, err = run("book", command, str(there), stdin=PROSE)

    assert code == 3
    assert f"the book is open in '{here}', not in '{there}'" in err
    assert "close it there, or kill it" in err
    assert b"did not come back" not in (here / REVIEW).read_bytes()
    assert run("book", "close", str(here), stdin=PROSE)[0] == 0


def test_an_opening_from_the_other_folder_says_where_the_book_is_open(
    run: Run, two_places: tuple[Path, Path], services: StageServices
) -> None:
    here, there = two_places
    opened(run, here)

    code, out, _ = run("book", "open", str(there))

    payload = json.loads(out)
    assert (code, payload["session_already_run"]) == (3, True)
    assert [row.path for row in services.store.records.books()] == [str(here)]
    assert payload["warnings"] == [
        f"the book is open in '{here}'; wait until that session has ended, or kill it"
    ]


def test_a_folder_that_is_no_repository_any_more_holds_no_book(
    run: Run, book: Path, services: StageServices
) -> None:
    own = services.book(book).book_id
    copy = copied(book)
    shutil.rmtree(book / ".git")

    assert services.book(copy).book_id == own


def test_a_clone_of_the_folder_itself_is_a_copy(book: Path, services: StageServices) -> None:
    second = clone(book, book.with_name("second"))

    assert services.book(second).book_id != services.book(book).book_id


def test_without_the_engine_a_copy_can_be_read(run: Run, book: Path, services: StageServices) -> None:
    copy = copied(book)
    services.runs = False

    assert run("book", "status", str(copy))[0] == 0


def test_copies_whose_original_moved_away_are_told_apart(
    run: Run, book: Path, services: StageServices
) -> None:
    first, copy = copied(book, "first"), copied(book)
    shutil.rmtree(book)

    opened(run, first)
    opened(run, copy)

    assert services.book(first).book_id != services.book(copy).book_id


def test_a_book_in_two_places_is_moved_to_the_other_one_on_request(
    run: Run, two_places: tuple[Path, Path], services: StageServices
) -> None:
    here, there = two_places

    assert run("book", "move", str(here), str(there))[0] == 0
    assert [row.path for row in services.store.records.books()] == [str(there)]
