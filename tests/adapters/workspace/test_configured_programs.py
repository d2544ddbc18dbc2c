"""A folder whose ``.git/config`` names a program for every key that may: none of them runs."""

from pathlib import Path

import pytest

from penwright.adapters.scaffold.repository_folder import git as scaffold_git
from penwright.adapters.workspace.git.commands import GitCommands, git_environment, plain_environment
from penwright.errors import BrokenWorkspace
from schemas.workspace import Append, Create
from tests.support.books.repos import (
    ENGINE,
    KNOWN,
    Book,
    add_remote,
    clone,
    commit_all,
    git,
    make_repository,
    plan_of,
    write,
)
from tests.support.each import for_each

SWITCHED_OFF = (
    *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy"),
    *("core.alternateRefsCommand", "core.hooksPath", "sequence.editor", "pager.log", "pager.status"),
    *(
        "gpg.program",
        "gpg.openpgp.program",
        "gpg.x509.program",
        "gpg.ssh.program",
        "gpg.ssh.defaultKeyCommand",
    ),
    *("diff.external", "diff.mark.command", "diff.mark.textconv", "interactive.diffFilter"),
    *("alias.log", "alias.status", "alias.fetch", "alias.push", "trailer.mark.command", "trailer.mark.cmd"),
    *("credential.helper", "credential.http://127.0.0.1.helper", "uploadpack.packObjectsHook"),
    *("difftool.mark.cmd", "mergetool.mark.cmd", "browser.mark.cmd", "man.mark.cmd", "tar.mark.command"),
    *("sendemail.smtpServer", "imap.tunnel", "web.browser", "gc.recentObjectsHook", "submodule.mark.update"),
)
REFUSED = (
    *("filter.mark.clean", "filter.mark.smudge", "filter.mark.process"),
    *("remote.origin.uploadpack", "remote.origin.receivepack", "remote.origin.vcs"),
    *("merge.mark.driver", "hook.mark.command", "alias.remote-mark", "alias.credential-mark"),
    *("lfs.customtransfer.mark.path", "lfs.extension.mark.clean"),
)


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "ran"


@pytest.fixture
def script(tmp_path: Path, marker: Path) -> Path:
    made = tmp_path / "hostile.sh"
    made.write_text(f'#!/bin/sh\n{{ echo "$0 $@"; env; }} >> {marker}\n')
    made.chmod(0o755)
    return made


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """A book with a remote that has moved, an alternate, and attributes that name every kind of driver."""
    attributes = "* filter=mark diff=mark merge=mark\n"
    files = {"Book.md": "Once.\n", "notes.md": "One.\n", ".gitattributes": attributes}
    made = Book(make_repository(tmp_path / "book", files))
    remote = add_remote(made.folder, tmp_path / "remote.git")
    other = clone(remote, tmp_path / "other")
    write(other, {"theirs.md": "Theirs.\n"})
    commit_all(other)
    git(other, "push", "-q", "origin", "main")
    (made.folder / ".git/objects/info/alternates").write_text(f"{other}/.git/objects\n")
    return made


def a_session(book: Book) -> None:
    """Sync, publish, save, push and roll back."""
    book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)
    tail = Append(path="Book.md", tail="Twice.\n", base=book.blob("Book.md"))
    book.port.publish(plan_of(book.workspace, tail, tag="ink-2026-03-01-08-00"), book.effect())
    write(book.folder, {"notes.md": "By hand.\n"})
    book.port.save_human_edits(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)
    book.port.push(book.workspace, book.effect())
    book.port.restore(book.workspace, book.effect(), target=None, undo=False)


def hostile(folder: Path, key: str, script: Path) -> None:
    """Give a key the script, and switch on what would use it."""
    value = {
        "core.hooksPath": str(script.parent),
        "remote.origin.vcs": "ext",
        "submodule.mark.update": f"!{script}",
    }
    shell = key.startswith(("alias.", "credential."))
    git(folder, "config", key, value.get(key, f"!{script}" if shell else str(script)))
    for switch in ("commit.gpgSign", "tag.gpgSign", "push.gpgSign", "log.showSignature"):
        git(folder, "config", switch, "true")
    for variant in ("gpg.format", "diff.tool", "merge.tool"):
        git(folder, "config", variant, "openpgp" if variant == "gpg.format" else "mark")


def test_no_program_is_run_that_a_session_can_do_without(book: Book, script: Path, marker: Path) -> None:
    for key in SWITCHED_OFF:
        hostile(book.folder, key, script)

    a_session(book)

    assert not marker.exists(), marker.read_text()


@pytest.mark.long
@pytest.mark.parametrize("key", SWITCHED_OFF)
def test_each_program_that_a_session_can_do_without_is_not_run(
    book: Book, key: str, script: Path, marker: Path
) -> None:
    hostile(book.folder, key, script)

    a_session(book)

    assert not marker.exists(), marker.read_text()


@for_each("key", REFUSED)
def test_a_program_for_content_or_remotes_is_refused_by_name(
    book: Book, key: str, script: Path, marker: Path
) -> None:
    hostile(book.folder, key, script)

    with pytest.raises(BrokenWorkspace) as refused:
        a_session(book)

    assert refused.value.code == "repository-runs-programs"
    assert key in refused.value.message
    assert not marker.exists(), marker.read_text()


@pytest.mark.parametrize("how", ["include.path", "includeIf.onbranch:main.path", "worktree"])
def test_a_setting_that_is_included_is_the_repositorys_own(
    book: Book, how: str, script: Path, marker: Path
) -> None:
    if how == "worktree":
        git(book.folder, "config", "extensions.worktreeConfig", "true")
        git(book.folder, "config", "--worktree", "filter.mark.clean", str(script))
    else:
        hidden = book.folder / ".git/more"
        hidden.write_text(f'[filter "mark"]\n\tclean = {script}\n')
        git(book.folder, "config", how, str(hidden))

    with pytest.raises(BrokenWorkspace, match=r"filter\.mark\.clean"):
        a_session(book)

    assert not marker.exists()


def test_a_book_is_not_created_through_a_filter_of_the_folder(book: Book, script: Path, marker: Path) -> None:
    hostile(book.folder, "filter.mark.clean", script)
    write(book.folder, {"new.md": "New.\n"})

    with pytest.raises(BrokenWorkspace, match=r"filter\.mark\.clean"):
        scaffold_git(book.folder, "add", "--", "new.md")

    assert not marker.exists()


@pytest.mark.parametrize("how", ["url", "insteadOf", "pushInsteadOf", "pushurl"])
def test_a_remote_that_is_a_command_is_refused_by_name(
    book: Book, how: str, script: Path, marker: Path
) -> None:
    command = f"ext::{script} %S"
    git(book.folder, "config", "protocol.ext.allow", "always")
    git(book.folder, "config", "protocol.allow", "always")
    if how.endswith("nsteadOf"):
        git(book.folder, "config", f"url.{command}.{how}", str(book.folder.parent / "remote.git"))
    else:
        git(book.folder, "config", f"remote.origin.{how}", command)
    book.port.publish(plan_of(book.workspace, Create(path="a.md", content="A\n")), book.effect())

    synced = book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)
    pushed = book.port.push(book.workspace, book.effect())

    assert not marker.exists()
    assert (pushed.outcome, pushed.code) == ("pending", "protocol-not-allowed")
    if how in ("url", "insteadOf"):
        assert synced.reason.startswith("protocol-not-allowed: ")


def test_helpers_of_the_user_and_of_git_itself_stay(book: Book, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[credential]\n\thelper = mine\n")
    for value in ("store", "!hostile"):
        git(book.folder, "config", "--add", "credential.helper", value)
    variables = git_environment({**plain_environment(), "HOME": str(home)})

    told = GitCommands.within(book.folder, variables).run("config", "--get-all", "credential.helper")

    assert told.decode().splitlines()[-3:] == ["", "mine", "store"]
