"""Verbs that look: they read the repository and change nothing."""

import json
import re
from pathlib import Path

import pytest

from gateway.cli.book.reports import status_lines
from gateway.desk.works.books import Book
from penwright.domain.book.files.layout import CONFIG
from penwright.domain.text.conflict_notes import conflict_note
from schemas.base import BookId
from schemas.board import Timetabled
from schemas.book import BookStatus
from schemas.workspace import Workspace
from tests.support.gateway.services import IDENTITY, Run, StageServices, git_in

TIDE = Book(BookId("tide"), Workspace(path="/books/tide"), "Tide")


@pytest.mark.parametrize("runs", [True, False])
def test_status_needs_no_engine(run: Run, book: Path, services: StageServices, runs: bool) -> None:
    run("book", "session", str(book))
    services.runs = runs

    code, out, err = run("book", "status", str(book), "--json")

    told = json.loads(out)
    assert (code, err) == (0, "")
    assert told["engine_running"] is runs
    assert told["last_tag"] == "ink-2026-02-22-14-30"
    assert told["title"] == "Low Tide"


def test_a_silent_worker_is_not_called_a_stopped_engine(
    run: Run, book: Path, services: StageServices
) -> None:
    services.pipelines.silent = True

    _, document, _ = run("book", "status", str(book), "--json")
    _, out, _ = run("book", "status", str(book))

    assert json.loads(document)["engine_running"] is True
    assert "no worker answered" in out
    assert "penwright logs workflows" in out
    assert "not running" not in out


def test_status_for_people_names_words_and_chapter(run: Run, book: Path) -> None:
    _, out, _ = run("book", "status", str(book))

    assert "0 of 90,000 words" in out
    assert "chapter 1: 0 of 3,000 words" in out


def test_status_says_that_a_long_book_may_be_sealed_by_its_next_session() -> None:
    long = BookStatus(book_id="tide", initialized=True, completion_ready=True)

    told = status_lines(long, TIDE, None, "")
    sealed = status_lines(long.model_copy(update={"complete": True}), TIDE, None, "")

    assert [line for line in told if "the next session may seal it" in line]
    assert not [line for line in sealed if "may seal" in line]


def test_status_says_that_the_schedule_is_paused_and_why() -> None:
    paused = Timetabled(paused=True, note="the book has over 110 % of its target_length")

    told = status_lines(BookStatus(book_id="tide", initialized=True), TIDE, None, "", schedule=paused)

    assert (
        "  its schedule is paused (the book has over 110 % of its target_length); "
        "`penwright book schedule tide --resume` starts it again" in told
    )


def test_status_tells_how_many_beats_of_the_outline_are_open() -> None:
    stands = BookStatus(book_id="tide", initialized=True, beats_open=("she leaves", "he stays"))

    assert "  open in its outline: 2 beats" in status_lines(stands, TIDE, None, "")


def test_status_of_a_book_far_over_its_length_names_no_number_of_sessions_and_says_why(
    run: Run, book: Path
) -> None:
    settings = book / CONFIG
    settings.write_text(re.sub(r"(?m)^target_length:.*$", "target_length: 1000", settings.read_text("utf-8")))
    run("book", "session", str(book))

    _, out, _ = run("book", "status", str(book))

    assert "how many sessions are left is not known: it has over 110 % of its target_length" in out
    assert json.loads(run("book", "status", str(book), "--json")[1])["sessions_left"] is None


def test_status_reads_settings_that_were_edited_in_the_folder_and_names_what_is_wrong_in_them(
    run: Run, book: Path
) -> None:
    settings = book / CONFIG
    before = settings.read_text("utf-8")
    settings.write_text(re.sub(r"(?m)^target_length:.*$", "target_length: 60000", before))

    edited = run("book", "status", str(book))[1]
    settings.write_text("target_length: [")
    code, broken, _ = run("book", "status", str(book))

    assert "0 of 60,000 words" in edited
    assert f"read as edited in the folder, which the next session saves: {CONFIG}" in edited
    assert (code, "0 of 90,000 words" in broken) == (0, True)
    assert "The last committed one is shown here" in " ".join(broken.split())


def test_the_log_joins_commits_and_stored_runs(run: Run, book: Path, services: StageServices) -> None:
    run("book", "session", str(book))
    services.clock.later(hours=6)
    run("book", "session", str(book))

    _, out, _ = run("book", "log", str(book), "--json")

    sessions = json.loads(out)["sessions"]
    assert [session["words"] for session in sessions] == [1500, 1500]
    assert [session["tag"] for session in sessions] == ["ink-2026-02-22-20-30", "ink-2026-02-22-14-30"]
    assert all(session["model"] == "rehearsed" for session in sessions)
    assert sessions[0]["commit"] == git_in(book, "log", "-1", "--format=%H")


def test_the_log_without_an_engine_names_the_missing_data(
    run: Run, book: Path, services: StageServices
) -> None:
    run("book", "session", str(book))
    services.runs = False

    code, out, err = run("book", "log", str(book))

    assert code == 0
    assert "1,500 words" in out
    assert "not running" in err


def test_the_log_stops_at_its_limit(run: Run, book: Path, services: StageServices) -> None:
    for _ in range(3):
        run("book", "session", str(book))
        services.clock.later(hours=1)

    _, out, _ = run("book", "log", str(book), "-n", "2", "--json")

    assert len(json.loads(out)["sessions"]) == 2


def test_the_doctor_finds_what_is_missing_and_exits_1(run: Run, book: Path) -> None:
    git_in(book, "rm", "-q", "Global Material/Soul.md")
    git_in(book, *IDENTITY, "commit", "-qm", "Lose the soul")

    code, out, _ = run("book", "doctor", str(book), "--json")

    told = json.loads(out)
    assert (code, told["status"]) == (1, "issues")
    assert [check["name"] for check in told["checks"] if not check["ok"]] == ["global_soul_md"]


def test_doctor_and_status_read_the_review_as_it_is_in_the_folder(run: Run, book: Path) -> None:
    review = book / "Review/current.md"
    run("book", "session", str(book))
    review.write_text("One.\n\n<!-- INKK: darker -->\n")
    git_in(book, *IDENTITY, "commit", "-qam", "Note")
    said = "Review/current.md line 3: an instruction begins with INK, not INKK"

    assert said in run("book", "status", str(book))[1]
    review.write_text("One.\n\n<!-- INK: darker -->\n")
    fixed, corrected = run("book", "doctor", str(book)), run("book", "status", str(book))[1]
    review.write_text("One.\n\nTwo.\n\n<!-- INKK: darker -->\n")
    again, status = run("book", "doctor", str(book)), run("book", "status", str(book))[1]

    assert (fixed[0], again[0]) == (0, 1)
    assert "1 instruction" in corrected
    assert "INKK" not in corrected
    for out in (again[1], status):
        assert said.replace("line 3", "line 5") in out
        assert "the next session saves" in out


def test_a_config_deleted_in_the_folder_is_a_fault_that_restore_mends(run: Run, book: Path) -> None:
    (book / "Global Material/Config.yml").unlink()

    code, out, _ = run("book", "doctor", str(book), "--json")
    _, status, _ = run("book", "status", str(book))

    (check,) = [each for each in json.loads(out)["checks"] if not each["ok"]]
    assert (code, check["name"]) == (1, "config_valid")
    assert f"penwright book restore {book}" in check["advice"]
    assert "penwright book restore" in status


def test_the_doctor_reads_the_settings_as_they_are_in_the_folder(run: Run, book: Path) -> None:
    (book / "Global Material/Config.yml").write_text("broken: [")

    _, out, _ = run("book", "doctor", str(book), "--json")

    assert [each["name"] for each in json.loads(out)["checks"] if not each["ok"]] == ["config_valid"]


def test_the_doctor_tells_of_a_conflict_in_the_words_of_the_status(run: Run, book: Path) -> None:
    (book / "Review/current.md").write_text(f"One.\n\n{conflict_note(1, 1)}\n\nTwo.\n")

    _, out, _ = run("book", "doctor", str(book))

    assert "Review/current.md line 3: two versions of one passage, above and below" in out
    assert out.count("two versions of") == 1


def test_the_doctor_sees_a_remote_that_does_not_answer(run: Run, book: Path, tmp_path: Path) -> None:
    git_in(book, "remote", "add", "origin", str(tmp_path / "gone.git"))

    code, out, _ = run("book", "doctor", str(book), "--json")

    assert code == 1
    assert [check["name"] for check in json.loads(out)["checks"] if not check["ok"]] == ["remote"]


def test_the_doctor_names_a_detached_head_first(run: Run, book: Path) -> None:
    git_in(book, "checkout", "-q", "--detach")
    git_in(book, *IDENTITY, "commit", "-qm", "Lost", "--allow-empty")

    code, out, _ = run("book", "doctor", str(book), "--json")

    assert code == 1
    assert [check["name"] for check in json.loads(out)["checks"]] == ["repository"]


def test_the_list_shows_books_and_those_whose_folder_is_gone(run: Run, book: Path, tmp_path: Path) -> None:
    run("book", "init", str(tmp_path / "gone"), "--title", "Gone")
    (tmp_path / "gone").rename(tmp_path / "moved")

    code, out, _ = run("book", "list", "--json")

    assert code == 0
    assert {one["title"]: one["state"] for one in json.loads(out)["books"]} == {
        "Low Tide": "idle",
        "Gone": "gone",
    }


def test_a_folder_inside_a_book_is_refused_with_the_books_own(run: Run, book: Path) -> None:
    code, _, err = run("book", "status", str(book / "Review"))

    assert code == 1
    assert err.startswith("error[not-a-top-folder]")
    assert str(book) in err


def test_a_repository_without_a_book_is_refused(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "code"
    place.mkdir()
    git_in(place, "init", "-q", "-b", "main")
    git_in(
        place,
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.org",
        "commit",
        "-qm",
        "Begin",
        "--allow-empty",
    )

    code, _, err = run("book", "status", str(place))

    assert code == 1
    assert err.startswith("error[config-missing]")


def test_a_book_whose_objects_are_elsewhere_is_told_what_is_missing(
    run: Run, book: Path, tmp_path: Path
) -> None:
    objects = book / ".git/objects"
    objects.rename(tmp_path / "disk")
    objects.symlink_to(tmp_path / "disk")
    assert run("book", "status", str(book))[0] == 0
    (tmp_path / "disk").rename(tmp_path / "unplugged")

    for command in (("book", "status"), ("book", "session"), ("trace", "verify"), ("book", "doctor")):
        code, out, said = run(*command, str(book))

        assert code != 0, command
        assert "no-commits" not in out + said
        assert f"keeps its objects in {str(tmp_path / 'disk')!r}, which is not there" in out + said, command


def test_a_book_whose_objects_are_damaged_is_told_so(run: Run, book: Path) -> None:
    for each in (book / ".git/objects").glob("??/*"):
        each.chmod(0o644)
        each.write_bytes(b"")

    code, out, said = run("book", "status", str(book))

    assert code == 1
    assert "no-commits" not in out + said
    assert "error[repository-damaged]" in said
    assert "git fsck" in said


def test_status_reads_an_outline_that_is_edited_in_the_folder(run: Run, book: Path) -> None:
    (book / "Chapters material" / "Chapter_01.md").write_text(
        "# One\n\n## Beats\n\n- one comes\n- two go\n- all stay\n"
    )

    _, out, _ = run("book", "status", str(book))

    assert "open in its outline: 3 beats" in out
    assert "Chapter_01.md" in out
