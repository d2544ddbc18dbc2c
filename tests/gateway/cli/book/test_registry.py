"""Books that were moved, forgotten, or lost their Config.yml."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support.gateway.services import IDENTITY, Run, StageServices, git_in

CONFIG = "Global Material/Config.yml"


def id_of(services: StageServices, book: Path) -> str:
    return services.book(book).book_id


def listed(run: Run) -> dict[str, str]:
    """Path by id of every registered book."""
    books = json.loads(run("book", "list", "--json")[1])["books"]
    return {book["book_id"]: book["path"] for book in books}


@pytest.fixture
def moved(book: Path, services: StageServices) -> tuple[str, Path]:
    """The id of a book whose folder was moved, and where it is now."""
    name = id_of(services, book)
    return name, book.rename(book.with_name("shelf"))


def test_a_moved_book_is_found_at_its_new_folder(run: Run, moved: tuple[str, Path]) -> None:
    name, place = moved

    code, out, _ = run("book", "move", name, str(place), "--json")

    assert (code, json.loads(out)["path"]) == (0, str(place))
    assert listed(run) == {name: str(place)}
    assert run("book", "session", name)[0] == 0


def test_the_schedule_of_a_moved_book_follows(run: Run, book: Path, services: StageServices) -> None:
    name = id_of(services, book)
    run("book", "schedule", str(book), "--every", "6h")
    place = book.rename(book.with_name("shelf"))

    _, out, _ = run("book", "move", name, str(place))

    assert "so is its schedule" in out
    assert services.schedules.places == {name: str(place)}


def test_a_missing_folder_names_both_ways_on(run: Run, moved: tuple[str, Path]) -> None:
    name, _ = moved

    code, _, err = run("book", "session", name)

    assert code == 1
    assert err.startswith("error[no-such-folder]")
    assert f"penwright book move {name}" in err
    assert f"penwright book forget {name}" in err


def test_a_book_is_gone_once_its_folder_holds_another_one(
    run: Run, book: Path, services: StageServices, tmp_path: Path
) -> None:
    name = id_of(services, book)
    run("book", "session", str(book))
    shutil.rmtree(book)
    novel = tmp_path / "ebb.md"
    novel.write_text("# Ebb\n\n## Chapter 1\n\nThe water left.\n")
    assert run("book", "import", str(novel), "--into", str(book), "--yes")[0] == 0
    new = id_of(services, book)

    books = {line["book_id"]: line for line in json.loads(run("book", "list", "--json")[1])["books"]}
    _, out, _ = run("book", "list", "--attention")

    assert (books[name]["state"], books[new]["state"]) == ("gone", "idle")
    assert f"holds the book {new} now" in out
    assert f"next: `penwright book forget {name}`, or `penwright book move {name} NEW_FOLDER`" in out
    assert run("book", "forget", name)[0] == 0
    assert listed(run) == {new: str(book)}


def test_two_books_of_one_folder_that_is_missing_are_both_gone(run: Run, book: Path, tmp_path: Path) -> None:
    run("book", "session", str(book))
    shutil.rmtree(book)
    run("book", "init", str(book), "--title", "Ebb")
    shutil.rmtree(book)

    books = json.loads(run("book", "list", "--json")[1])["books"]

    assert [line["state"] for line in books] == ["gone", "gone"]


def test_a_config_that_is_there_is_restored_once_it_is_renamed(run: Run, book: Path) -> None:
    code, _, err = run("book", "restore", str(book))

    assert (code, err.split(":")[0]) == (3, "error[config-exists]")
    assert "next: to get the last committed one back, rename the file" in err
    (book / CONFIG).rename(book / "mine.yml")
    assert run("book", "restore", str(book))[0] == 0


def test_a_folder_with_another_book_is_refused(
    run: Run, book: Path, tmp_path: Path, services: StageServices
) -> None:
    run("book", "init", str(tmp_path / "other"), "--title", "Other")

    code, _, err = run("book", "move", id_of(services, book), str(tmp_path / "other"))

    assert code == 3
    assert "error[another-book]" in err


def test_a_book_in_session_is_neither_moved_nor_forgotten(
    run: Run, book: Path, services: StageServices
) -> None:
    name = id_of(services, book)
    run("book", "open", str(book))

    assert run("book", "move", name, str(book))[0] == 3
    assert run("book", "forget", name)[0] == 3
    assert listed(run) == {name: str(book)}


def test_a_forgotten_book_is_listed_no_more_and_its_folder_stays(
    run: Run, book: Path, services: StageServices
) -> None:
    name = id_of(services, book)
    run("book", "schedule", str(book), "--every", "6h")

    code, out, _ = run("book", "forget", name)

    assert code == 0
    assert "Its schedule is deleted." in out
    assert listed(run) == {}
    assert services.schedules.kept == {}
    assert (book / CONFIG).exists()


def test_a_book_can_be_forgotten_by_the_folder_where_it_was(
    run: Run, book: Path, moved: tuple[str, Path]
) -> None:
    assert run("book", "forget", str(book))[0] == 0
    assert listed(run) == {}


def test_an_unknown_book_cannot_be_forgotten(run: Run) -> None:
    code, _, err = run("book", "forget", "nothing-here")

    assert code == 1
    assert "error[unknown-book]" in err


def test_a_deleted_config_is_not_committed_and_the_session_goes_on(run: Run, book: Path) -> None:
    text = (book / CONFIG).read_text()
    (book / CONFIG).unlink()
    (book / "Global Material/Soul.md").write_text("# Soul\n\nOther.\n")

    code, out, _ = run("book", "session", str(book))

    assert code == 0
    assert git_in(book, "show", f"main:{CONFIG}") + "\n" == text
    assert "Other." in git_in(book, "show", "main:Global Material/Soul.md")
    assert f"warning: {CONFIG} was deleted" in out
    for verb in ("status", "log"):
        assert run("book", verb, str(book))[0] == 0


def test_a_deleted_config_is_restored_on_request(run: Run, book: Path) -> None:
    text = (book / CONFIG).read_text()
    (book / CONFIG).unlink()

    code, out, _ = run("book", "restore", str(book))

    assert code == 0
    assert "is back" in out
    assert (book / CONFIG).read_text() == text
    assert git_in(book, "status", "--porcelain") == ""
    assert run("book", "restore", str(book))[0] == 3


@pytest.mark.parametrize("content", ["", " \n\n"])
def test_an_emptied_config_is_not_committed_and_the_session_goes_on(
    run: Run, book: Path, content: str
) -> None:
    text = (book / CONFIG).read_text()
    (book / CONFIG).write_text(content)

    code, out, _ = run("book", "session", str(book))

    assert code == 0
    assert git_in(book, "show", f"main:{CONFIG}") + "\n" == text
    assert f"warning: {CONFIG} was deleted or emptied" in out
    assert (book / CONFIG).read_text() == content
    assert run("book", "restore", str(book))[0] == 0
    assert (book / CONFIG).read_text() == text
    assert not (book / f"{CONFIG}.broken").exists()


def test_restore_passes_over_committed_configs_that_cannot_be_read(run: Run, book: Path) -> None:
    text = (book / CONFIG).read_text()
    for broken in ("", "words_per_session: [\n"):
        (book / CONFIG).write_text(broken)
        git_in(book, *IDENTITY, "commit", "-qam", "Break it")

    code, out, _ = run("book", "restore", str(book))

    assert code == 0
    assert (book / CONFIG).read_text() == text
    assert f"The broken one is now {CONFIG}.broken" in out
    assert (book / f"{CONFIG}.broken").read_text() == "words_per_session: [\n"
    assert run("book", "session", str(book))[0] == 0


@pytest.fixture
def lost(run: Run, book: Path) -> Path:
    """A book whose Config.yml its author deleted, and committed that."""
    run("book", "session", str(book))
    config = book / CONFIG
    config.write_text(config.read_text().replace("words_per_session: 1500", "words_per_session: 700"))
    git_in(book, *IDENTITY, "commit", "-qam", "Write less")
    git_in(book, "rm", "-q", CONFIG)
    git_in(book, *IDENTITY, "commit", "-qm", "Tidy up")
    return book


@pytest.mark.parametrize("verb", ["log", "kill", "rollback", "unschedule"])
def test_a_book_without_its_config_can_still_be_looked_after(run: Run, lost: Path, verb: str) -> None:
    _, _, err = run("book", verb, str(lost), *(["--dry-run"] if verb == "rollback" else []))

    assert "config-missing" not in err


def test_a_session_without_a_config_names_the_way_back(run: Run, lost: Path) -> None:
    code, _, err = run("book", "session", str(lost))

    assert code == 1
    assert "error[config-missing]" in err
    assert f"penwright book restore {lost}" in err


def test_a_config_whose_deletion_was_committed_comes_back_too(run: Run, lost: Path) -> None:
    run("book", "restore", str(lost))

    code, out, _ = run("book", "session", str(lost))

    assert code == 0
    assert "of 750 wanted" in out  # half of the 1,500 that chapter 1 needs: by 700 a session
    assert "words_per_session: 700" in git_in(lost, "show", f"main:{CONFIG}")


@pytest.mark.parametrize("deleted", ["in the folder", "in a commit"])
def test_init_keep_never_replaces_a_deleted_config_by_a_fresh_one(run: Run, lost: Path, deleted: str) -> None:
    if deleted == "in the folder":
        git_in(lost, *IDENTITY, "revert", "--no-edit", "HEAD")
        (lost / CONFIG).unlink()

    code, _, err = run("book", "init", str(lost), "--keep")

    assert code == 3
    assert "error[config-lost]" in err
    assert not (lost / CONFIG).exists()
