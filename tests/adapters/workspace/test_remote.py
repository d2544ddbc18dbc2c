"""Remotes that move, refuse, hang or are gone."""

import threading
from pathlib import Path

import pytest

from penwright.adapters.workspace.git.complaints import first_line, remote_code
from penwright.errors import BrokenWorkspace, RemoteUnavailable
from schemas.workspace import Create, LogFetched, Published, is_silent
from tests.support.books.repos import (
    ENGINE,
    KNOWN,
    Book,
    add_remote,
    clone,
    commit_all,
    git,
    is_alive,
    make_repository,
    plan_of,
    through_ssh,
    write,
)
from tests.support.each import for_each


@pytest.fixture
def book(tmp_path: Path) -> Book:
    made = Book(make_repository(tmp_path / "book"))
    add_remote(made.folder, tmp_path / "remote.git")
    return made


@pytest.fixture
def remote(book: Book) -> Path:
    return book.folder.parent / "remote.git"


def publish(book: Book, path: str, tag: str | None = None) -> Published:
    return book.port.publish(
        plan_of(book.workspace, Create(path=path, content=f"{path}\n"), tag=tag), book.effect()
    )


def hook(remote: Path, name: str, script: str) -> None:
    file = remote / "hooks" / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def test_a_refusing_hook_leaves_the_push_pending_with_its_words(book: Book, remote: Path) -> None:
    hook(remote, "pre-receive", "echo no sessions on Sundays >&2; exit 1")
    publish(book, "a.md")

    pushed = book.port.push(book.workspace, book.effect())

    assert (pushed.outcome, pushed.code) == ("pending", "rejected-by-remote")
    assert "no sessions on Sundays" in pushed.reason


def test_a_missing_remote_leaves_the_push_pending(book: Book, remote: Path) -> None:
    publish(book, "a.md")
    remote.rename(remote.with_name("gone.git"))

    pushed = book.port.push(book.workspace, book.effect())

    assert (pushed.outcome, pushed.code) == ("pending", "remote-absent")
    assert book.port.unpushed(book.workspace) == 1


def test_a_remote_that_does_not_answer_is_tried_again_by_the_caller(book: Book) -> None:
    git(book.folder, "remote", "set-url", "origin", "http://127.0.0.1:9/book.git")
    publish(book, "a.md")

    with pytest.raises(RemoteUnavailable):
        book.port.push(book.workspace, book.effect())
    assert book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE).remote == "unreachable"


def test_a_token_in_the_address_of_a_remote_is_not_in_what_is_said(book: Book) -> None:
    git(book.folder, "remote", "set-url", "origin", "http://ada:t0ken@127.0.0.1:9/book.git")
    publish(book, "a.md")

    with pytest.raises(RemoteUnavailable) as refused:
        book.port.push(book.workspace, book.effect())
    synced = book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)

    assert "127.0.0.1:9" in refused.value.message
    assert "t0ken" not in f"{refused.value.message} {refused.value.details} {synced.reason}"


def test_a_hanging_fetch_is_killed_in_time_with_its_children(book: Book, tmp_path: Path) -> None:
    marker = tmp_path / "children"
    script = tmp_path / "hang.sh"
    script.write_text(f"#!/bin/sh\nsleep 600 & echo $! > {marker}\nwait\n")
    script.chmod(0o755)
    environment = through_ssh(book.folder, script)
    port = type(book.port)(
        book.clock, profile=book.port.profile, environment=environment, network_timeout_s=1.0
    )

    synced = port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)

    assert synced.remote == "unreachable"
    assert is_silent(synced.reason)
    assert not is_alive(int(marker.read_text()))


def test_publish_works_while_a_sync_hangs(book: Book, tmp_path: Path) -> None:
    started, release = tmp_path / "started", tmp_path / "release"
    script = tmp_path / "slow.sh"
    script.write_text(f"#!/bin/sh\ntouch {started}\nwhile [ ! -e {release} ]; do sleep 0.02; done\nexit 1\n")
    script.chmod(0o755)
    environment = through_ssh(book.folder, script)
    port = type(book.port)(book.clock, profile=book.port.profile, environment=environment)
    syncing = threading.Thread(
        target=lambda: port.sync(book.workspace, book.effect("sync"), known=KNOWN, engine=ENGINE)
    )
    syncing.start()
    while not started.exists():
        syncing.join(0.01)

    assert publish(book, "a.md").outcome == "published"
    release.touch()
    syncing.join(20)
    assert not syncing.is_alive()


def test_a_remote_without_the_branch_gets_it(book: Book, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "empty.git")
    git(book.folder, "remote", "set-url", "origin", str(tmp_path / "empty.git"))
    git(book.folder, "update-ref", "-d", "refs/remotes/origin/main")

    assert book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE).remote == "current"
    assert book.port.push(book.workspace, book.effect()).outcome == "pushed"
    assert git(tmp_path / "empty.git", "rev-parse", "main") == book.tip()


def test_unrelated_histories_are_named(book: Book, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "stranger", {"x.md": "Stranger.\n"})
    git(book.folder, "remote", "set-url", "origin", str(other))

    with pytest.raises(BrokenWorkspace) as broken:
        book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)
    assert broken.value.code == "unrelated-histories"


def test_only_new_tags_travel_and_a_taken_name_does_not_stop_the_branch(book: Book, remote: Path) -> None:
    publish(book, "a.md", tag="ink-2026-03-01-08-00")
    book.port.push(book.workspace, book.effect())
    git(remote, "tag", "ink-2026-03-01-09-00", "main~1")
    publish(book, "b.md", tag="ink-2026-03-01-09-00")

    pushed = book.port.push(book.workspace, book.effect())

    assert pushed.outcome == "pushed"
    assert "ink-2026-03-01-09-00 was refused" in pushed.reason
    assert git(remote, "rev-parse", "main") == book.tip()


def test_each_tag_that_a_commit_names_travels(book: Book, remote: Path) -> None:
    for name in ("ink-one", "ink-two"):
        git(book.folder, "tag", name)
    commit_all(book.folder, "Squashed\n\nBoth.\n\nPenwright-Tag: ink-one\nPenwright-Tag: ink-two")

    book.port.push(book.workspace, book.effect())

    assert git(remote, "tag").split() == ["ink-one", "ink-two"]


def test_a_second_clone_learns_the_session_tags(book: Book, tmp_path: Path) -> None:
    publish(book, "a.md", tag="ink-2026-03-01-08-00")
    book.port.push(book.workspace, book.effect())
    other = Book(clone(tmp_path / "remote.git", tmp_path / "other"))
    git(other.folder, "tag", "-d", "ink-2026-03-01-08-00")

    other.port.sync(other.workspace, other.effect(), known=KNOWN, engine=ENGINE)

    assert other.port.tags(other.workspace) == ("ink-2026-03-01-08-00",)


def test_a_rollback_reaches_the_remote_by_lease_and_its_archive_too(book: Book, remote: Path) -> None:
    publish(book, "a.md", tag="ink-2026-03-01-08-00")
    discarded = book.tip()
    book.port.push(book.workspace, book.effect())
    restored = book.port.restore(book.workspace, book.effect(), target=None, undo=False)

    assert book.port.push(book.workspace, book.effect()).outcome == "pushed"

    assert git(remote, "rev-parse", "main") == restored.tip
    assert git(remote, "rev-parse", f"{restored.archive}^1") == discarded
    assert git(remote, "tag") == ""
    assert git(book.folder, "for-each-ref", "refs/penwright/rewind") == ""


def test_remote_only_commits_known_at_a_rollback_are_archived(book: Book, tmp_path: Path) -> None:
    publish(book, "a.md", tag="ink-2026-03-01-08-00")
    book.port.push(book.workspace, book.effect())
    other = clone(tmp_path / "remote.git", tmp_path / "other")
    write(other, {"theirs.md": "Theirs.\n"})
    theirs = commit_all(other)
    git(other, "push", "-q", "origin", "main")
    git(book.folder, "fetch", "-q", "origin")

    restored = book.port.restore(book.workspace, book.effect(), target=None, undo=False)

    assert restored.discarded_commits == 2
    assert git(book.folder, "merge-base", "--is-ancestor", theirs, restored.archive) == ""


@for_each(
    "complaint, code",
    [
        ("fatal: Authentication failed for 'https://x'", "remote-auth"),
        ("git@x: Permission denied (publickey).", "remote-auth"),
        ("remote: Repository not found.", "remote-absent"),
        ("remote: error: GH006: Protected branch update failed", "branch-protected"),
        ("ssh: Could not resolve hostname x", "remote-unreachable"),
        ("fatal: unable to access: Connection timed out", "remote-unreachable"),
    ],
)
def test_remote_error_messages_map_to_codes(complaint: str, code: str) -> None:
    assert remote_code(complaint) == code


def test_the_reason_of_a_silent_remote_is_the_first_line_of_git() -> None:
    advice = "fatal: Could not read from remote repository.\n\nPlease make sure you have the rights\n"
    known = "Warning: Permanently added 'x' to the list of known hosts.\n"

    assert first_line(f"{known}ssh: connect to  x: refused\n{advice}") == "ssh: connect to x: refused"
    assert first_line(known) == known.strip()
    assert first_line("") == ""


def test_the_log_is_fetched_where_none_is_known_and_left_alone_otherwise(book: Book, remote: Path) -> None:
    assert book.port.fetch_log(book.workspace) == LogFetched(known=False, remote="current")
    git(remote, "update-ref", "refs/penwright/trace/b0b0", git(remote, "rev-parse", "main"))

    assert book.port.fetch_log(book.workspace) == LogFetched(known=True, remote="current")

    remote.rename(remote.with_name("gone.git"))
    assert book.port.fetch_log(book.workspace) == LogFetched(known=True, remote="not-asked")
    again = book.port.fetch_log(book.workspace, anyway=True)
    assert (again.known, again.remote) == (True, "unreachable")
    assert "remote-absent" in again.reason


def test_fetching_the_log_from_a_remote_that_hangs_ends_in_time_with_its_children(
    book: Book, tmp_path: Path
) -> None:
    marker = tmp_path / "children"
    script = tmp_path / "hang.sh"
    script.write_text(f"#!/bin/sh\nsleep 600 & echo $! > {marker}\nwait\n")
    script.chmod(0o755)
    environment = through_ssh(book.folder, script)
    port = type(book.port)(
        book.clock, profile=book.port.profile, environment=environment, network_timeout_s=1.0
    )

    answer = port.fetch_log(book.workspace)

    assert (answer.known, answer.remote) == (False, "unreachable")
    assert not is_alive(int(marker.read_text()))


def test_a_claim_after_a_rollback_replaces_what_was_rolled_back(book: Book, remote: Path) -> None:
    publish(book, "a.md", tag="ink-2026-03-01-08-00")
    book.port.push(book.workspace, book.effect())
    book.port.restore(book.workspace, book.effect(), target=None, undo=False)
    effect = book.effect("open")
    lock = Create(path=".ink-running", content="ours\n")
    book.port.publish(plan_of(book.workspace, lock, tag="ink-2026-03-01-08-30"), effect)

    assert book.port.claim(book.workspace, effect).outcome == "held"
    assert git(remote, "rev-parse", "main") == book.tip()


@pytest.mark.parametrize("rolled_back", [False, True])
def test_a_tag_that_is_in_the_way_does_not_keep_a_claim_from_the_remote(
    book: Book, remote: Path, rolled_back: bool
) -> None:
    if rolled_back:
        publish(book, "a.md", tag="ink-2026-03-01-08-00")
        book.port.push(book.workspace, book.effect())
        book.port.restore(book.workspace, book.effect(), target=None, undo=False)
    effect = book.effect("open")
    lock = Create(path=".ink-running", content="ours\n")
    book.port.publish(plan_of(book.workspace, lock, tag="ink-2026-03-01-08-30"), effect)
    tree, person = git(remote, "rev-parse", "main^{tree}"), ("-c", "user.name=B", "-c", "user.email=b@e.org")
    other = git(remote, *person, "commit-tree", "-m", "Other", tree)
    git(remote, "tag", "ink-2026-03-01-08-30", other)

    assert book.port.claim(book.workspace, effect).outcome == "held"
    assert git(remote, "rev-parse", "main") == book.tip()


def test_a_hook_that_refuses_the_branch_leaves_a_claim_pending(book: Book, remote: Path) -> None:
    hook(remote, "update", 'case "$1" in refs/heads/*) echo not here >&2; exit 1;; esac')
    effect = book.effect("open")
    lock = Create(path=".ink-running", content="ours\n")
    book.port.publish(plan_of(book.workspace, lock, tag="ink-2026-03-01-08-30"), effect)

    claimed = book.port.claim(book.workspace, effect)

    assert (claimed.outcome, claimed.code) == ("pending", "rejected-by-remote")
    assert "not here" in claimed.reason
    assert book.read(".ink-running") == "ours\n"
