"""A refused opening changes nothing: the author's edits stay unsaved, and no branch or tag moves."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from penwright.adapters.workspace import GitWorkspaces
from penwright.domain.book.files.layout import COMPLETE, CONFIG, FULL_BOOK, LOCK, REVIEW
from penwright.domain.intents.registry import FIRST
from penwright.domain.trace.layout import LEDGER
from penwright.errors import BrokenBook, BrokenWorkspace, PenwrightError, Refused
from schemas.base import Effect
from schemas.workspace import Claimed, Previewed, Workspace
from tests.activities.test_two_machines import Machine, machine
from tests.support.books.repos import clone, commit_all, git, write
from tests.support.books.running_books import RunningBook, lay_out

LORE = "Global Material/Lore.md"
EDIT = "# Lore\n\nThe tide forgives nobody.\n"
BROKEN = "target_length: 1000\nchapter_count: [\n"


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Machine, Machine]:
    """A desk whose author has an unsaved edit, and a laptop; the remote has news from a third place."""
    registry = {".orchestration/active_intents.yaml": FIRST, LORE: "# Lore\n\nSalt.\n"}
    book = lay_out(tmp_path / "desk", "tide", target=100_000, files=registry)
    laptop = clone(book.remote, tmp_path / "laptop" / "book")
    return machine("desk", book), machine("laptop", RunningBook(laptop, book.book_id))


def colleague_pushes(book: RunningBook, files: dict[str, str]) -> None:
    folder = book.colleague()
    write(folder, files)
    commit_all(folder)
    git(folder, "push", "-q", "origin", "main")


def state_of(book: RunningBook) -> tuple[str, str, str, str]:
    """Refs (but those that note what the remote has), head, unsaved paths, and the edit."""
    refs = "\n".join(
        row
        for row in book.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        if not row.startswith(("refs/remotes/", "refs/penwright/remotes/"))
    )
    status = book.git("status", "--porcelain", "--untracked-files=all")
    return refs, book.git("rev-parse", "HEAD"), status, book.read(LORE)


def sealed_here(desk: Machine, _: Machine) -> None:
    desk.book.write(COMPLETE, "")
    desk.book.commit()


def sealed_at_the_remote(desk: Machine, _: Machine) -> None:
    colleague_pushes(desk.book, {COMPLETE: "done\n"})


def locked_at_the_remote(_: Machine, laptop: Machine) -> None:
    assert laptop.opens("s9").verdict == "open"


def locked_here(desk: Machine, laptop: Machine) -> None:
    locked_at_the_remote(desk, laptop)
    desk.book.git("pull", "-q", "origin", "main")


@pytest.mark.parametrize(
    ("happens", "verdict"),
    [
        (sealed_here, "sealed"),
        (sealed_at_the_remote, "sealed"),
        (locked_here, "already-running"),
        (locked_at_the_remote, "already-running"),
    ],
)
def test_a_book_that_stays_closed_keeps_the_authors_edits_unsaved(
    machines: tuple[Machine, Machine], happens: Callable[[Machine, Machine], None], verdict: str
) -> None:
    desk, laptop = machines
    happens(desk, laptop)
    desk.book.write(LORE, EDIT)
    before = state_of(desk.book)

    opened = desk.opens("s1")

    assert opened.verdict == verdict
    assert state_of(desk.book) == before
    assert desk.book.read(LORE) == EDIT
    payload = desk.activities._reader.payload(opened.payload) if opened.payload else None
    assert payload is not None
    assert LORE in payload.human_edits


def test_the_loser_of_a_race_leaves_no_merge_and_the_authors_edits_as_theirs(
    machines: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, laptop = machines
    colleague_pushes(desk.book, {"Global Material/Weather.md": "Rain.\n"})
    desk.book.write(LORE, EDIT)
    before = desk.book.tip
    claim = GitWorkspaces.claim

    def too_late(port: GitWorkspaces, workspace: Workspace, effect: Effect) -> Claimed:
        monkeypatch.setattr(GitWorkspaces, "claim", claim)
        assert laptop.opens("s9").verdict == "open"
        return port.claim(workspace, effect)

    monkeypatch.setattr(GitWorkspaces, "claim", too_late)

    opened = desk.opens("s1")

    assert opened.verdict == "already-running"
    (saved,) = desk.book.git("rev-list", f"{before}..HEAD").split()
    assert desk.book.git("show", "--format=%an", "--name-only", saved).split("\n")[-1] == LORE
    assert desk.book.git("status", "--porcelain") == desk.book.git("tag", "--list", "ink-*") == ""
    assert desk.book.read(LORE) == EDIT
    assert not (desk.book.folder / "Global Material/Weather.md").exists()
    laptop.releases("s9")
    assert desk.opens("s2").verdict == "open"
    assert desk.book.read("Global Material/Weather.md") == "Rain.\n"


def test_a_sealed_book_is_pushed_only_where_that_moves_nothing_here(
    machines: tuple[Machine, Machine],
) -> None:
    desk, laptop = machines
    sealed_at_the_remote(desk, laptop)
    assert not desk.opens("s1").may_push

    desk.book.git("pull", "-q", "origin", "main")
    assert desk.opens("s2").may_push


def broken_config(desk: Machine) -> None:
    desk.book.write(CONFIG, BROKEN)


def broken_config_at_the_remote(desk: Machine) -> None:
    colleague_pushes(desk.book, {CONFIG: BROKEN})


def review_without_text(desk: Machine) -> None:
    (desk.book.folder / REVIEW).write_bytes(b"a\xff")
    desk.book.commit()


def book_with_a_nul_byte(desk: Machine) -> None:
    (desk.book.folder / FULL_BOOK).write_bytes(b"a\0b")
    desk.book.commit()


def damaged_ledger(desk: Machine) -> None:
    opened = desk.opens("s0")
    desk.closes("s0", opened)
    whole = (desk.book.folder / LEDGER).read_bytes()
    (desk.book.folder / LEDGER).write_bytes(whole[:-100] + b"\xff\n")
    desk.book.commit()


def no_intent_in_progress(desk: Machine) -> None:
    desk.book.write(".orchestration/active_intents.yaml", "active_intents: []\n")


def other_branch(desk: Machine) -> None:
    desk.book.git("switch", "-q", "-c", "draft")


def detached(desk: Machine) -> None:
    desk.book.git("checkout", "-q", "--detach")


def unrelated_remote(desk: Machine) -> None:
    other = lay_out(desk.book.folder.parent / "other", "other")
    desk.book.git("remote", "set-url", "origin", str(other.remote))


@pytest.mark.parametrize(
    ("happens", "error", "code"),
    [
        (broken_config, BrokenBook, "config-broken-yaml"),
        (broken_config_at_the_remote, BrokenBook, "config-broken-yaml"),
        (review_without_text, BrokenBook, "review-not-text"),
        (book_with_a_nul_byte, BrokenBook, "full-book-not-text"),
        (damaged_ledger, Refused, "ledger-damaged"),
        (no_intent_in_progress, Refused, ""),
        (other_branch, BrokenWorkspace, "wrong-branch"),
        (detached, BrokenWorkspace, ""),
        (unrelated_remote, BrokenWorkspace, "unrelated-histories"),
    ],
)
def test_a_refusal_by_name_keeps_the_authors_edits_unsaved(
    machines: tuple[Machine, Machine],
    happens: Callable[[Machine], None],
    error: type[PenwrightError],
    code: str,
) -> None:
    desk, _ = machines
    happens(desk)
    desk.book.write(LORE, EDIT)
    before = state_of(desk.book)

    with pytest.raises(error) as refused:
        desk.opens("s1")

    assert code in refused.value.code
    assert state_of(desk.book) == before
    assert desk.book.read(LORE) == EDIT


def test_an_unreadable_config_is_named_with_its_line_and_stays_in_the_folder(
    machines: tuple[Machine, Machine],
) -> None:
    desk, _ = machines
    desk.book.write(CONFIG, BROKEN)

    with pytest.raises(BrokenBook, match=r"line \d"):
        desk.opens("s1")

    assert desk.book.read(CONFIG) == BROKEN
    assert "chapter_count: [" not in desk.book.everything()


def test_a_config_that_breaks_during_a_session_is_not_committed_by_its_close(
    machines: tuple[Machine, Machine],
) -> None:
    desk, _ = machines
    opened = desk.opens("s1")
    desk.book.write(CONFIG, BROKEN)
    desk.book.write(LORE, EDIT)

    desk.closes("s1", opened)

    assert desk.book.read(CONFIG) == BROKEN
    assert "chapter_count: [" not in desk.book.everything()
    assert desk.book.text(LORE) == EDIT.rstrip()
    assert not (desk.book.folder / LOCK).exists()


def test_a_lock_without_a_time_is_judged_by_its_commit_even_if_that_is_at_the_remote(
    machines: tuple[Machine, Machine],
) -> None:
    desk, _ = machines
    colleague_pushes(desk.book, {LOCK: "busy\n"})

    assert desk.opens("s1").verdict == "already-running"
    assert desk.book.text(LOCK) == "busy"


def test_a_refusal_by_a_lock_without_a_time_leaves_no_merge(machines: tuple[Machine, Machine]) -> None:
    desk, _ = machines
    colleague_pushes(desk.book, {LOCK: "busy\n"})
    desk.book.write(LORE, EDIT)
    before = desk.book.tip

    opened = desk.opens("s1")

    assert (opened.verdict, opened.may_push, opened.tip) == ("already-running", False, desk.book.tip)
    (saved,) = desk.book.git("rev-list", f"{before}..HEAD").split()
    assert desk.book.git("show", "--format=%an", "--name-only", saved).split("\n")[-1] == LORE
    assert (desk.book.git("status", "--porcelain"), desk.book.read(LORE)) == ("", EDIT)
    assert not (desk.book.folder / LOCK).exists()


def test_a_file_that_changes_between_preview_and_sync_leaves_no_merge(
    machines: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, _ = machines
    colleague_pushes(desk.book, {"Global Material/Weather.md": "Rain.\n"})
    desk.book.write(LORE, EDIT)
    before, preview = desk.book.tip, GitWorkspaces.preview

    # Any: handed on as it came.
    def then_edited(port: GitWorkspaces, *arguments: Any, **named: Any) -> Previewed:
        previewed = preview(port, *arguments, **named)
        desk.book.write(CONFIG, BROKEN)
        return previewed

    monkeypatch.setattr(GitWorkspaces, "preview", then_edited)

    with pytest.raises(BrokenBook):
        desk.opens("s1")

    (saved,) = desk.book.git("rev-list", f"{before}..HEAD").split()
    assert LORE in desk.book.git("show", "--format=%an", "--name-only", saved).split("\n")
    assert not (desk.book.folder / "Global Material/Weather.md").exists()
    assert (desk.book.read(CONFIG), desk.book.read(LORE)) == (BROKEN, EDIT)
