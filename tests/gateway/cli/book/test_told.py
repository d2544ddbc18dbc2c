"""Nothing silent: warnings, waiting words, the model and set-aside prose are in what the verbs print."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.cli.writers import REAL_MODEL, model_lines
from penwright.errors import PermanentError
from schemas.book_session import BookSessionInput, BookSessionState, CloseSession
from schemas.outside_session import SessionProse
from tests.support.gateway.services import RehearsedPipelines, Run, StageServices, git_in
from workers.settings import Settings

UNCLOSED = "Review/current.md line"


def freeze(book: Path) -> None:
    """The author opens an INK note and never closes it: the prose from there on waits."""
    review = book / "Review/current.md"
    review.write_text("<!-- INK: make it colder\n\n" + review.read_text())


@pytest.fixture
def frozen(run: Run, book: Path, services: StageServices) -> Path:
    """A book with one session's prose in review, behind a note that is not closed."""
    run("book", "session", str(book))
    services.clock.later(hours=1)
    freeze(book)
    return book


def test_a_note_that_freezes_the_book_is_a_warning_of_its_session(run: Run, frozen: Path) -> None:
    code, out, _ = run("book", "session", str(frozen))

    assert code == 0
    assert f"warning: {UNCLOSED}" in out


def test_the_changelog_names_the_warnings_of_its_session(run: Run, frozen: Path) -> None:
    run("book", "session", str(frozen))

    newest = sorted((frozen / "Changelog").glob("*.md"))[-1].read_text()
    assert f"**Warnings:**\n- {UNCLOSED}" in newest


def test_status_names_the_warnings_at_the_tip(run: Run, frozen: Path) -> None:
    run("book", "session", str(frozen))

    _, out, _ = run("book", "status", str(frozen))
    _, document, _ = run("book", "status", str(frozen), "--json")

    assert f"warning: {UNCLOSED}" in out
    assert any(UNCLOSED in warning for warning in json.loads(document)["warnings"])


def test_an_edit_that_is_not_utf8_is_named_as_not_saved(run: Run, book: Path) -> None:
    lore = book / "Global Material/Lore.md"
    lore.write_bytes("The caf\xe9 on the quay.\n".encode("latin-1"))

    _, out, _ = run("book", "session", str(book))

    assert "warning: your edit of Global Material/Lore.md is not saved: it is not UTF-8" in out
    assert "left alone" not in out
    assert lore.read_bytes().endswith(b"caf\xe9 on the quay.\n")


def test_an_outside_agents_close_prints_its_warnings(run: Run, frozen: Path) -> None:
    run("book", "open", str(frozen))

    _, out, _ = run("book", "close", str(frozen), stdin=b"Mara walked along the pier. " * 9)

    assert f"warning: {UNCLOSED}" in out


def test_a_remote_that_does_not_answer_is_a_warning_of_the_session(
    run: Run, book: Path, tmp_path: Path
) -> None:
    git_in(book, "remote", "add", "origin", str(tmp_path / "gone.git"))

    _, out, _ = run("book", "session", str(book))

    assert "warning: the remote did not answer" in out
    assert out.count("does not appear to be a git repository") == 1
    assert "Please make sure" not in out
    told = " ".join(out.split())
    assert "Not on the remote since 2026-02-22 14:30 UTC; there is no such repository: correct" in told
    assert "`git remote set-url`; then the next session pushes again." in told


def test_words_that_wait_for_review_are_counted_beside_the_book(run: Run, book: Path) -> None:
    _, session, _ = run("book", "session", str(book))
    _, status, _ = run("book", "status", str(book))
    _, document, _ = run("book", "status", str(book), "--json")

    assert "the book has 0 of 90,000 (+1,500 waiting for your review)" in session
    assert "0 of 90,000 words (0 %) (+1,500 waiting for your review)" in status
    assert json.loads(document)["waiting_word_count"] == 1500


def test_the_status_of_a_long_chapter_names_the_way_on(
    run: Run, book: Path, services: StageServices, write_config: Callable[..., None]
) -> None:
    name = services.book(book).book_id
    _, short, _ = run("book", "status", str(book))
    write_config(words_per_chapter=1500)
    for _ in range(2):
        run("book", "session", str(book))
        services.clock.later(hours=1)

    outline = "Chapters material/Chapter_02.md"

    _, long, _ = run("book", "status", str(book))
    _, data, _ = run("book", "status", str(book), "--json")
    refused = run("book", "advance", str(book))
    (book / outline).write_text("The pier burns.\n")
    _, ready, _ = run("book", "status", str(book))
    moved = run("book", "advance", str(book))

    then = f"`penwright book advance {name}` moves on"
    assert f"chapter 1: 3,000 of 1,500 words; write {outline!r}, then {then}" in long
    assert (json.loads(data)["next_outline"], json.loads(data)["next_outline_missing"]) == (outline, True)
    assert f"chapter 1: 3,000 of 1,500 words; {then}" in ready
    assert (refused[0], refused[2].split(":")[0], moved[0]) == (3, "error[needs-chapter-outline]", 0)
    assert "moves on" not in short


def test_the_last_chapter_is_not_offered_to_be_left(
    run: Run, book: Path, services: StageServices, write_config: Callable[..., None]
) -> None:
    write_config(words_per_chapter=1500, chapter_count=1)
    for _ in range(2):
        run("book", "session", str(book))
        services.clock.later(hours=1)

    _, out, _ = run("book", "status", str(book))

    assert "chapter 1: 3,600 of 90,000 words; it is the last one" in out
    assert run("book", "advance", str(book))[0] == 3


def test_a_session_names_its_model(run: Run, book: Path) -> None:
    _, out, _ = run("book", "session", str(book))
    _, status, _ = run("book", "status", str(book))

    assert "Written by rehearsed." in out
    assert "Written by rehearsed." in status


class _Demo(RehearsedPipelines):
    """The demo model writes."""

    def _write(self, state: BookSessionState) -> SessionProse:
        return super()._write(state).model_copy(update={"model": "demo"})


def test_the_demo_model_is_named_with_the_way_to_a_real_one(
    run: Run, book: Path, services: StageServices
) -> None:
    services.pipelines = _Demo(services.pipelines.activities, services.clock)

    _, out, _ = run("book", "session", str(book))
    _, status, _ = run("book", "status", str(book))

    for line in REAL_MODEL:
        assert line in out
        assert line in status
    assert model_lines("") == []


def test_the_lines_that_are_shown_are_settings_of_a_real_writer() -> None:
    settings = Settings.model_validate(tomllib.loads("\n".join(REAL_MODEL)))

    assert settings.roles["writer"] == "sonnet"
    assert REAL_MODEL[0].startswith("[models."), "the form of every page"


class _CannotClose(RehearsedPipelines):
    """The close fails for good, after the prose was written."""

    def _take(self, given: BookSessionInput, state: BookSessionState, step: object) -> BookSessionState:
        if isinstance(step, CloseSession):
            raise PermanentError("disk-full", "the disk is full")
        return super()._take(given, state, step)  # type: ignore[arg-type]


def test_a_failed_session_names_the_file_its_prose_is_kept_in(
    run: Run, book: Path, services: StageServices
) -> None:
    services.pipelines = _CannotClose(services.pipelines.activities, services.clock)

    code, _, err = run("book", "session", str(book))

    (kept,) = (book / "Review").glob("recovered-*.md")
    assert code == 1
    assert "error[disk-full]" in err
    assert f"Review/{kept.name}" in err


@pytest.mark.parametrize("runs", [True, False])
def test_the_log_names_who_killed_a_session_and_why(
    run: Run, book: Path, services: StageServices, runs: bool
) -> None:
    run("book", "open", str(book))
    run("book", "kill", str(book), "--reason", "wrong outline")
    services.runs = runs

    _, out, _ = run("book", "log", str(book))

    assert "ada" in out
    assert out.count("wrong outline") == 1


@pytest.mark.parametrize("runs", [True, False])
def test_the_log_names_the_file_of_prose_that_could_not_be_closed(
    run: Run, book: Path, services: StageServices, runs: bool
) -> None:
    services.pipelines = _CannotClose(services.pipelines.activities, services.clock)
    run("book", "session", str(book))
    services.runs = runs

    _, out, _ = run("book", "log", str(book))

    (kept,) = (book / "Review").glob("recovered-*.md")
    assert f"its prose is in Review/{kept.name}" in out
    assert "the disk is full" in out


def test_a_refused_advance_is_no_advance_in_the_log(run: Run, book: Path) -> None:
    run("book", "advance", str(book))

    (entry,) = json.loads(run("book", "log", str(book), "--json")[1])["sessions"]

    assert (entry["outcome"], entry["code"]) == ("advance refused", "chapter_not_ready")
    assert "2700" in entry["message"]


@pytest.mark.parametrize("runs", [True, False])
def test_what_the_remote_lacks_is_said_until_it_has_it(
    run: Run, book: Path, tmp_path: Path, services: StageServices, runs: bool
) -> None:
    git_in(book, "remote", "add", "origin", str(tmp_path / "late.git"))
    _, first, _ = run("book", "session", str(book))
    services.clock.later(hours=6)
    _, second, _ = run("book", "session", str(book))
    services.runs = runs
    _, status, _ = run("book", "status", str(book))
    told = json.loads(run("book", "status", str(book), "--json")[1])
    services.runs = True
    git_in(tmp_path, "init", "-q", "--bare", "late.git")
    _, last, _ = run("book", "session", str(book))
    settled = json.loads(run("book", "status", str(book), "--json")[1])

    assert "Not on the remote since 2026-02-22 14:30 UTC" in first
    assert "Not on the remote since 2026-02-22 14:30 UTC" in second
    assert told["push_pending"] is True
    assert "Not on the remote since " in status
    assert [", pushed\n" in each for each in (first, second, last)] == [False, False, True]
    assert ("late.git" in status) is runs
    assert (settled["push_pending"], settled["push_since"]) == (False, None)


def test_a_remote_that_did_not_take_an_agents_close_is_named(run: Run, book: Path, tmp_path: Path) -> None:
    git_in(book, "remote", "add", "origin", str(tmp_path / "gone.git"))
    run("book", "open", str(book))

    _, out, _ = run("book", "close", str(book), stdin=b"Mara walked along the pier. " * 9)

    assert "Not on the remote since 2026-02-22 14:30 UTC" in out
