"""Rollback, its undo, and reset: shown first, confirmed, archived."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gateway.desk.works import books
from schemas.book_errand import BookErrandInput
from tests.support.each import for_each
from tests.support.gateway.services import Run, git_in


@pytest.fixture
def written(run: Run, book: Path) -> Path:
    """A book with one session and an unsaved edit."""
    run("book", "session", str(book))
    (book / "Global Material/Soul.md").write_text("# Soul\n\nWarmer.\n")
    return book


def test_a_dry_run_lists_removals_and_changes_nothing(run: Run, written: Path) -> None:
    before = git_in(written, "for-each-ref")

    code, out, _ = run("book", "rollback", str(written), "--dry-run", "--json")

    told = json.loads(out)
    assert code == 0
    assert told["target"] == "ink-2026-02-22-14-30"
    assert len(told["commits"]) == 2
    assert told["unsaved"] == ["Global Material/Soul.md"]
    assert (told["kept"], told["gone_with"]) == ([], [])
    assert git_in(written, "for-each-ref") == before


def test_a_rollback_before_the_first_session_says_how_one_begins(run: Run, book: Path) -> None:
    code, _, err = run("book", "rollback", str(book), "--dry-run")

    assert (code, "error[no-such-tag]" in err) == (1, True)
    assert "next: `penwright book session " in err


def test_off_a_terminal_a_rollback_wants_yes(run: Run, written: Path) -> None:
    before = git_in(written, "rev-parse", "HEAD")

    code, _, err = run("book", "rollback", str(written))

    assert code == 3
    assert "error[needs-yes]" in err
    assert git_in(written, "rev-parse", "HEAD") == before


def _commit(book: Path) -> None:
    (book / "Global Material/Lore.md").write_text("# Lore\n\nTides.\n")
    git_in(book, "commit", "-q", "-am", "Tides")


def _type(book: Path) -> None:
    (book / "Review/current.md").write_text("Typed after the last look.\n")


@pytest.mark.parametrize("undo", [False, True], ids=["rollback", "undo"])
@for_each("land", [_commit, _type])
def test_what_lands_between_the_last_look_and_a_rollback_stays(
    run: Run, written: Path, monkeypatch: pytest.MonkeyPatch, undo: bool, land: Callable[[Path], None]
) -> None:
    # The last thing that is done before the change itself is ordered.
    order = books.errand_input

    def ordered(*given: Any, **what: Any) -> BookErrandInput:
        land(written)
        return order(*given, **what)

    run("book", "session", str(written))
    if undo:
        run("book", "rollback", str(written), "--yes")
    before = git_in(written, "rev-parse", "HEAD")
    with monkeypatch.context() as patched:
        patched.setattr(books, "errand_input", ordered)

        code, _, err = run("book", "rollback", str(written), *(["--undo"] if undo else ["--yes"]))

    assert (code, err.splitlines()[-2].split(":")[0]) == (3, "error[stale-revision]")
    assert err.splitlines()[-1].startswith("  next: look again with `penwright book rollback ")
    assert (
        "Typed" in (written / "Review/current.md").read_text()
        or git_in(written, "log", "-1", "--format=%s") == "Tides"
    )
    assert before in git_in(written, "log", "--format=%H")


def test_a_dry_run_of_an_undo_lists_what_comes_back_and_what_stays(run: Run, written: Path) -> None:
    told = git_in(written, "log", "-1", "--format=%h %s")
    (written / "Review/current.md").write_text("Typed, not saved.\n")
    run("book", "rollback", str(written), "--yes")
    (written / "notes.md").write_text("Since.\n")
    git_in(written, "add", "notes.md")
    git_in(written, "commit", "-q", "-m", "Written since")

    code, _, err = run("book", "rollback", str(written), "--undo", "--dry-run")
    _, data, _ = run("book", "rollback", str(written), "--undo", "--dry-run", "--json")
    plan = json.loads(data)

    back, since = err.split("What people changed since stays:")
    assert (code, told in back, "unsaved: Review/current.md" in back) == (0, True, True)
    assert "Written since" in since
    assert plan["back"][0] == told
    assert "Review/current.md" in plan["back_unsaved"]
    assert plan["kept"][0].endswith(" Written since")
    assert plan["commits"] == []


def test_an_unsaved_passage_that_goes_with_its_session_is_named(run: Run, written: Path) -> None:
    review = written / "Review/current.md"
    review.write_text(review.read_text().replace("tide went out", "tide went out slowly"))

    _, out, _ = run("book", "rollback", str(written), "--dry-run", "--json")

    assert json.loads(out)["gone_with"] == ["Review/current.md"]


def test_commits_that_only_the_remote_has_are_listed(run: Run, written: Path, tmp_path: Path) -> None:
    git_in(tmp_path, "init", "-q", "--bare", "remote.git")
    git_in(written, "remote", "add", "origin", str(tmp_path / "remote.git"))
    git_in(written, "commit", "-q", "-am", "From elsewhere")
    git_in(written, "push", "-q", "origin", "HEAD")
    git_in(written, "reset", "-q", "--hard", "HEAD~1")

    _, out, _ = run("book", "rollback", str(written), "--dry-run", "--json")

    assert json.loads(out)["commits"][0].endswith(" From elsewhere")


def test_a_rollback_says_beforehand_that_a_session_holds_the_book(run: Run, written: Path) -> None:
    run("book", "open", str(written))
    before = git_in(written, "rev-parse", "HEAD")

    dry, _, told = run("book", "rollback", str(written), "--dry-run")
    real, _, err = run("book", "rollback", str(written), "--yes")

    assert (dry, "A session is writing in this book" in told) == (0, True)
    assert "penwright book kill" in told
    assert (real, "error[already-running]" in err) == (3, True)
    assert git_in(written, "rev-parse", "HEAD") == before


def test_a_rollback_can_be_undone_unsaved_edits_included(run: Run, written: Path) -> None:
    review = (written / "Review/current.md").read_text()

    code, out, _ = run("book", "rollback", str(written), "--yes", "--json")
    rolled_back = (written / "Review/current.md").read_text()
    soul = (written / "Global Material/Soul.md").read_text()
    undone, _, err = run("book", "rollback", str(written), "--undo")

    assert code == 0
    assert json.loads(out)["archive"].startswith("refs/penwright/archive/")
    assert "tide went out" not in rolled_back
    assert "Warmer" in soul
    assert undone == 0, err
    assert (written / "Review/current.md").read_text() == review
    assert "Warmer" in (written / "Global Material/Soul.md").read_text()


def test_the_log_names_what_a_rollback_took_out_and_where_it_is(run: Run, written: Path) -> None:
    tag, commit = "ink-2026-02-22-14-30", git_in(written, "rev-parse", "HEAD")
    run("book", "rollback", str(written), "--yes")
    archive = git_in(written, "for-each-ref", "--format=%(refname)", "refs/penwright/archive/")

    _, out, _ = run("book", "log", str(written))

    back, *_ = [line for line in out.splitlines() if archive in line]
    session, *_ = [line for line in out.splitlines() if commit[:10] in line]
    assert f"back to {tag}" in back
    assert "closed" in session
    assert tag in session


def test_an_unknown_tag_error_lists_the_existing_tags(run: Run, written: Path) -> None:
    code, _, err = run("book", "rollback", str(written), "--to", "ink-1999-01-01-00-00", "--yes")

    assert code == 1
    assert "ink-2026-02-22-14-30" in err


def test_a_reset_wants_the_folders_name(run: Run, written: Path) -> None:
    wrong = run("book", "reset", str(written), "--yes", "other")
    silent = run("book", "reset", str(written))

    assert (wrong[0], silent[0]) == (3, 3)
    assert (written / "Global Material/Config.yml").exists()


def test_a_reset_book_can_be_begun_again_or_brought_back(run: Run, written: Path) -> None:
    code, _, err = run("book", "reset", str(written), "--yes", "tide")

    assert code == 0, err
    assert not (written / "Global Material/Config.yml").exists()
    assert run("book", "rollback", str(written), "--undo")[0] == 0
    assert (written / "Global Material/Config.yml").exists()


def test_a_reset_book_stays_the_same_book(run: Run, written: Path) -> None:
    before = json.loads(run("book", "status", str(written), "--json")[1])["book_id"]
    run("book", "reset", str(written), "--yes", "tide")

    code, _, err = run("book", "status", str(written))
    _, made, _ = run("book", "init", str(written), "--keep", "--title", "Another", "--json")

    assert code == 1
    assert "rollback" in err
    assert "book init" in err
    assert json.loads(made)["book_id"] == before
    assert len(json.loads(run("book", "list", "--json")[1])["books"]) == 1


def test_a_rollback_says_which_of_the_authors_changes_stay_and_which_go(run: Run, written: Path) -> None:
    review, soul = written / "Review/current.md", written / "Global Material/Soul.md"
    git_in(written, "commit", "-q", "-am", "Warmer")
    review.write_text(review.read_text().replace("tide went out", "tide went out slowly"))
    git_in(written, "commit", "-q", "-am", "Slower")

    _, out, _ = run("book", "rollback", str(written), "--dry-run", "--json")
    code, done, told = run("book", "rollback", str(written), "--yes")

    plan = json.loads(out)
    assert [each.partition(" ")[2] for each in plan["kept"]] == ["Warmer"]
    assert plan["gone_with"] == ["Review/current.md"]
    assert (code, "Warmer" in soul.read_text(), "tide went out" in review.read_text()) == (0, True, False)
    assert "as they were made since: 1 commit" in done
    assert "changed went with it: Review/current.md" in done
    assert "passages that the session wrote and people changed go with it: Review/current.md" in told + done


def test_a_session_that_the_remote_lost_waits_for_the_authors_decision(
    run: Run, book: Path, lost_by_remote: str
) -> None:
    _, status, _ = run("book", "status", str(book))
    before = git_in(book, "rev-parse", "HEAD")
    looked, _, listed = run("book", "accept-remote", str(book), "--dry-run")
    _, plan, _ = run("book", "accept-remote", str(book), "--dry-run", "--json")
    unchanged = git_in(book, "rev-parse", "HEAD") == before
    accepted, said, _ = run("book", "accept-remote", str(book), "--yes")
    again, _, err = run("book", "restore-session", str(book))

    assert "book restore-session" in lost_by_remote
    assert "nothing is pushed until you decide" in status
    assert "pushes again" not in status
    assert (looked, unchanged, "follows origin/main" in " ".join(listed.split())) == (0, True, True)
    assert all(each.split()[0] in listed for each in json.loads(plan)["commits"])
    assert json.loads(plan)["commits"]
    assert accepted == 0
    assert "without what it lost" in said
    assert (again, "error[nothing-lost]" in err) == (3, True)
