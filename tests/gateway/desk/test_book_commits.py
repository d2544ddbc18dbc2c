"""What a book's own commits say, read with few git processes."""

from pathlib import Path
from typing import Any

import pytest

from gateway.desk.book import timeline
from gateway.desk.book.session_log import session_log
from penwright.adapters.workspace.git.commands import GitCommands
from tests.support.books.repos import commit_all, git, identify, write
from tests.support.gateway.services import StageServices

CHAPTER = "Chapters material/chapter-{}.md"


@pytest.fixture(autouse=True)
def author(book: Path) -> None:
    identify(book)


def close(book: Path, number: int) -> str:
    """A commit as the close of a session makes it, as far as the log reads it."""
    changelog = f"# Session s{number}\n\n**Words written:** {number}\n**Snapshot tag:** tag-{number}\n"
    write(book, {f"Changelog/s{number}.md": changelog})
    git(book, "add", "-A")
    git(book, "commit", "-qm", f"Close\n\nPenwright-Step: close\nPenwright-Session: s{number}")
    return git(book, "rev-parse", "HEAD")


def processes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands that are started from now on."""
    started, execute = [], GitCommands.execute

    def counting(self: GitCommands, command: Any, *rest: Any, **options: Any) -> Any:
        started.append(" ".join(map(str, command)))
        return execute(self, command, *rest, **options)

    monkeypatch.setattr(GitCommands, "execute", counting)
    return started


def test_the_log_of_many_sessions_starts_as_many_processes_as_that_of_one(
    book: Path, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 7):
        close(book, number)
    started = processes(monkeypatch)

    found = services.book(book)
    started.clear()
    one = session_log(services, found, (), 1)
    for_one = len(started)
    started.clear()
    log = session_log(services, found, (), 10)

    assert [(each["session"], each["words"], each["tag"]) for each in one] == [("s6", 6, "tag-6")]
    assert {(each["words"], each["tag"]) for each in log} == {(n, f"tag-{n}") for n in range(1, 7)}
    assert {each["total"] for each in log} == {0}
    assert len(started) == for_one == 2


def test_two_versions_of_many_chapters_are_read_by_one_pair_of_processes(
    book: Path, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = git(book, "rev-parse", "HEAD")
    write(book, {CHAPTER.format(n): f"Chapter {n}.\n" for n in range(1, 25)})
    write(book, {CHAPTER.format(3): "Three\0.\n", CHAPTER.format(4): "x" * 4_000_001})
    after = commit_all(book, "Write")
    found = services.book(book)
    started = processes(monkeypatch)

    changed = timeline.changed_texts(services, found, before, after)

    assert sum("cat-file" in each for each in started) == 2
    assert len(changed) == 24
    told = {each.path: (each.before, each.after, each.read) for each in changed}
    assert told[CHAPTER.format(1)] == ("", "Chapter 1.\n", True)
    assert told[CHAPTER.format(3)] == told[CHAPTER.format(4)] == ("", "", False)
    assert sum(each.read for each in changed) == 18


def test_a_commit_beside_the_books_branch_is_refused(book: Path, services: StageServices) -> None:
    ours = git(book, "rev-parse", "HEAD")
    git(book, "checkout", "-qb", "aside")
    aside = commit_all(book, "Aside")
    git(book, "checkout", "-q", "-")

    with pytest.raises(Exception, match="no commit of this book"):
        timeline.compare(services, services.book(book), ours, aside)
