"""Bad input: a named error, only people's own commits, no lost text, and a next session that works."""

import os
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from penwright.domain.book.files.layout import (
    CHANGELOG_FOLDER,
    COMPLETE,
    CONFIG,
    FULL_BOOK,
    LOCK,
    REVIEW,
    STATE,
)
from penwright.domain.intents.registry import FIRST, REGISTRY
from penwright.domain.trace.layout import LESSONS
from penwright.errors import PenwrightError, PermanentError, Refused
from schemas.base import BlobRef
from schemas.book import SessionPayload
from schemas.book_session import BookSessionResult, Opened
from schemas.outside_session import DeliverProse, SessionProse
from tests.e2e.conftest import NewBook
from tests.support.books.repos import add_remote, commit_all, git, make_repository
from tests.support.books.running_books import CONFIG_TEXT, RunningBook, prose_of
from tests.support.engine.desk import notices_sent
from tests.support.engine.stand import Desk

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]

Deed = Callable[[RunningBook], None]


@dataclass(frozen=True)
class Trouble:
    """A fault of a book, its error code, and how a person repairs it."""

    name: str
    make: Deed
    code: str
    repair: Deed

    def __str__(self) -> str:
        return self.name


def _git(*arguments: str) -> Deed:
    return lambda book: (book.git(*arguments), None)[1]


def _saves(path: str, text: str, *, commits: bool = True) -> Deed:
    def deed(book: RunningBook) -> None:
        book.write(path, text)
        if commits:
            book.commit()

    return deed


def _saves_bytes(path: str, content: bytes) -> Deed:
    def deed(book: RunningBook) -> None:
        (book.folder / path).parent.mkdir(exist_ok=True)
        (book.folder / path).write_bytes(content)
        book.commit()

    return deed


def _saves_all(texts: Mapping[str, str]) -> Deed:
    def deed(book: RunningBook) -> None:
        for path, text in texts.items():
            book.write(path, text)
        book.commit()

    return deed


def _loses_config(book: RunningBook) -> None:
    (book.folder / CONFIG).unlink()
    book.commit()


def _hides_git(book: RunningBook) -> None:
    (book.folder / ".git").rename(book.folder.with_name("hidden"))


def _finds_git(book: RunningBook) -> None:
    book.folder.with_name("hidden").rename(book.folder / ".git")


def _wanders_off(book: RunningBook) -> None:
    book.git("switch", "-q", "--detach")
    book.write("Global Material/Soul.md", "# Soul\n\nWritten on no branch.\n")
    book.commit("On no branch")


def _comes_back(book: RunningBook) -> None:
    stray = book.git("rev-parse", "HEAD")
    book.git("switch", "-q", "main")
    book.git("merge", "-q", stray)


def _starts_merge(book: RunningBook) -> None:
    book.git("switch", "-q", "-c", "side")
    book.write("Global Material/Lore.md", "# Lore\n")
    book.commit("Aside")
    book.git("switch", "-q", "main")
    book.git("merge", "-q", "--no-ff", "--no-commit", "side")


def _points_elsewhere(book: RunningBook) -> None:
    """The remote's address now leads to another book altogether."""
    other = make_repository(book.folder.with_name("other"), {"Other.md": "Another book.\n"})
    add_remote(other, book.folder.with_name("other.git"))
    book.git("remote", "set-url", "origin", str(book.folder.with_name("other.git")))


def _points_home(book: RunningBook) -> None:
    book.git("remote", "set-url", "origin", str(book.remote))


def _unseals(book: RunningBook) -> None:
    (book.folder / COMPLETE).unlink()
    book.commit()


_GOOD_CONFIG = CONFIG_TEXT.format(target=1000)

TROUBLES = [
    Trouble("config missing", _loses_config, "config-missing", _saves(CONFIG, _GOOD_CONFIG)),
    Trouble(
        "config broken",
        _saves(CONFIG, "target_length: [\n"),
        "config-broken-yaml",
        _saves(CONFIG, _GOOD_CONFIG),
    ),
    Trouble(
        "config without a length",
        _saves(CONFIG, _GOOD_CONFIG.replace("target_length", "goal")),
        "config-missing-key",
        _saves(CONFIG, _GOOD_CONFIG),
    ),
    Trouble(
        "config with a word for a number, not committed",
        _saves(CONFIG, _GOOD_CONFIG.replace("1000", "long"), commits=False),
        "config-wrong-value",
        _saves(CONFIG, _GOOD_CONFIG, commits=False),
    ),
    Trouble("not a repository", _hides_git, "not-a-repository", _finds_git),
    Trouble(
        "wrong branch", _git("switch", "-q", "-c", "draft"), "wrong-branch", _git("switch", "-q", "main")
    ),
    Trouble("detached head with commits", _wanders_off, "detached-head-with-commits", _comes_back),
    Trouble("detached head", _git("switch", "-q", "--detach"), "detached-head", _git("switch", "-q", "main")),
    Trouble("merge in progress", _starts_merge, "merge-in-progress", _git("merge", "--abort")),
    Trouble("remote is another book", _points_elsewhere, "unrelated-histories", _points_home),
    Trouble("sealed", _saves(COMPLETE, "Done.\n"), "sealed", _unseals),
    Trouble(
        "no registry of intents", _saves(REGISTRY, "- INT-001\n"), "registry-invalid", _saves(REGISTRY, FIRST)
    ),
    Trouble(
        "a registry that is no text",
        _saves_bytes(REGISTRY, b"\xff\xfe"),
        "registry-unreadable",
        _saves(REGISTRY, FIRST),
    ),
    Trouble(
        "every intent blocked",
        _saves(REGISTRY, FIRST.replace("IN_PROGRESS", "BLOCKED")),
        "no-writable-intent",
        _saves(REGISTRY, FIRST),
    ),
    Trouble(
        "the review protected from every intent",
        _saves_all({REGISTRY: FIRST, ".intentignore": "Review/\n"}),
        "no-writable-intent",
        _saves(".intentignore", "# nothing\n"),
    ),
    Trouble("state broken", _saves(STATE, "current_chapter: {\n"), "state-broken-yaml", _saves(STATE, "")),
]


@pytest.mark.parametrize(
    "trouble",
    TROUBLES,
    ids=str,
)
async def test_a_broken_book_is_refused_and_continues_once_repaired(
    shared_desk: Desk, book: RunningBook, trouble: Trouble
) -> None:
    before = book.tip
    trouble.make(book)

    refused = await shared_desk.run(book.session("s1", shared_desk.environ))

    assert (refused.outcome, refused.code) == ("refused", trouble.code), refused
    assert refused.message
    assert (await notices_sent(shared_desk, book.book_id, "refused"))[-1]["data"]["code"] == trouble.code
    trouble.repair(book)
    assert book.steps() == []
    assert book.git("rev-list", f"{before}..main", "--author=Penwright").split() == []

    after_repair = await shared_desk.run(book.session("s2", shared_desk.environ))

    assert (after_repair.outcome, after_repair.push) == ("closed", "pushed"), after_repair
    assert_sound(book, "s2")


def assert_sound(book: RunningBook, *sessions: str) -> None:
    """The book is unlocked and pushed, holds every session's prose once, and has no edit left over."""
    assert not (book.folder / LOCK).exists()
    text = book.text(FULL_BOOK) + book.text(REVIEW)
    for session in sessions:
        assert text.count(f"{session}w7 ") == 1, session
    if book.remote.exists():
        assert book.remote_tip == book.tip


async def ended(at: Desk, book: RunningBook, session: str) -> BookSessionResult:
    return await at.run(book.session(session, at.environ))


def warnings_of(at: Desk, result: BookSessionResult, book: RunningBook) -> str:
    """The warnings of the opening, in one text."""
    commit = book.git("log", "--format=%H", "--grep=Open session", "-1", "main")
    trailer = book.git("show", "-s", "--format=%(trailers:key=Penwright-Result,valueonly)", commit).split()
    stored = at.stand.store.blobs.get(BlobRef(sha256=trailer[0], size=int(trailer[1])))
    opened = Opened.model_validate_json(stored)
    assert opened.payload is not None
    payload = SessionPayload.model_validate_json(at.stand.store.blobs.get(opened.payload))
    return "\n".join(payload.warnings)


# Input that is strange but stops nothing.


async def test_a_file_that_is_not_utf8_is_reported_left_alone_and_stops_nothing(
    shared_desk: Desk, book: RunningBook
) -> None:
    latin = "Stra\xdfe\n".encode("latin-1")
    (book.folder / "Global Material/Strasse.md").write_bytes(latin)
    (book.folder / "notes.bin").write_bytes(b"\xff\xfe\x00")

    result = await ended(shared_desk, book, "s1")

    assert result.outcome == "closed"
    assert "Strasse.md" in warnings_of(shared_desk, result, book)
    assert (book.folder / "Global Material/Strasse.md").read_bytes() == latin
    assert (book.folder / "notes.bin").read_bytes() == b"\xff\xfe\x00"
    assert "notes.bin" not in book.git("ls-files")
    assert_sound(book, "s1")


async def test_the_next_session_pushes_after_a_missing_remote(shared_desk: Desk, book: RunningBook) -> None:
    away = book.remote.rename(book.remote.with_name("away.git"))

    without = await ended(shared_desk, book, "s1")

    assert (without.outcome, without.push) == ("closed", "pending")
    assert "remote" in warnings_of(shared_desk, without, book)
    away.rename(book.remote)
    again = await ended(shared_desk, book, "s2")
    assert (again.outcome, again.push) == ("closed", "pushed")
    assert_sound(book, "s1", "s2")
    assert git(book.remote, "tag", "--list", "ink-*").split() == book.tags


async def test_a_session_that_the_remote_lost_is_named_and_not_pushed_back(
    shared_desk: Desk, book: RunningBook
) -> None:
    """A clone from before the session took its place on the remote."""
    elsewhere = book.colleague()
    assert (await ended(shared_desk, book, "s1")).outcome == "closed"
    (elsewhere / "Global Material/Soul.md").write_text("# Soul\n\nMoved.\n", encoding="utf-8")
    moved = commit_all(elsewhere, "Moved")
    git(elsewhere, "push", "-q", "--force", "origin", "main")

    result = await ended(shared_desk, book, "s2")

    assert (result.outcome, result.push) == ("closed", "pending")
    assert any("restore-session" in warning for warning in result.warnings), result.warnings
    assert git(book.remote, "rev-parse", "main") == moved
    kept = book.text(FULL_BOOK) + book.text(REVIEW)
    assert [kept.count(f"{session}w7 ") for session in ("s1", "s2")] == [1, 1]


async def test_a_remote_without_the_branch_gets_it(shared_desk: Desk, new_book: NewBook) -> None:
    book = new_book(target=1000, remote=False)
    git(book.folder.parent, "init", "-q", "--bare", "-b", "main", str(book.remote))
    book.git("remote", "add", "origin", str(book.remote))

    result = await ended(shared_desk, book, "s1")

    assert (result.outcome, result.push) == ("closed", "pushed")
    assert_sound(book, "s1")


async def test_a_repository_without_a_remote_is_normal(shared_desk: Desk, new_book: NewBook) -> None:
    book = new_book(target=1000, remote=False)

    result = await ended(shared_desk, book, "s1")

    assert (result.outcome, result.push) == ("closed", "local")
    assert_sound(book, "s1")


async def test_a_session_works_without_a_git_identity(shared_desk: Desk, book: RunningBook) -> None:
    book.git("config", "--unset", "user.name")
    book.git("config", "--unset", "user.email")
    book.write("Global Material/Soul.md", "# Soul\n\nBy nobody.\n")

    result = await ended(shared_desk, book, "s1")

    assert (result.outcome, result.push) == ("closed", "pushed")
    assert book.text("Global Material/Soul.md") == "# Soul\n\nBy nobody."
    assert "" not in book.git("log", "--format=%an <%ae>").splitlines()
    assert_sound(book, "s1")


async def test_a_book_with_windows_line_ends_keeps_its_words(shared_desk: Desk, book: RunningBook) -> None:
    for path in (CONFIG, "Global Material/Soul.md", "README.md", REVIEW, FULL_BOOK, STATE):
        book.write(path, book.read(path).replace("\n", "\r\n"))

    for session in ("s1", "s2", "s3"):
        assert (await ended(shared_desk, book, session)).outcome == "closed"

    assert "\r\n" in book.read("Global Material/Soul.md")
    assert_sound(book, "s1", "s2", "s3")


HOSTILE_NAMES = [
    "Global Material/two\nlines.md",
    "Global Material/-rf.md",
    'Global Material/"quo\\ted".md',
    "Global Material/\u202egnp.md",
    "Chapters material/Chapter_01 (copy).md",
    "Global Material/$(touch pwned).md",
    "Global Material/tab\there.md",
]


async def test_hostile_file_names_are_handled_as_text(shared_desk: Desk, book: RunningBook) -> None:
    for name in HOSTILE_NAMES:
        book.write(name, f"Text of {name!r}.\n")
    raw = _file(book.folder / os.fsdecode(b"Global Material/\xff\xfe.md"), "Bytes.\n")

    for session in ("s1", "s2"):
        assert (await ended(shared_desk, book, session)).outcome == "closed"

    assert not list(book.folder.rglob("pwned"))
    for name in HOSTILE_NAMES:
        assert book.read(name) == f"Text of {name!r}.\n"
    assert raw.read_bytes() == b"Bytes.\n"
    entry = book.text(
        next(p for p in book.git("ls-files", "-z").split("\0") if p.startswith(CHANGELOG_FOLDER))
    )
    assert "\nlines.md" not in entry
    assert_sound(book, "s1", "s2")


async def test_links_out_of_the_tree_are_neither_read_nor_written(
    shared_desk: Desk, book: RunningBook, tmp_path: Path
) -> None:
    secret = _file(tmp_path / "secret.md", "SECRET\n")
    (book.folder / "Global Material/Secret.md").symlink_to(secret)
    outside = _file(tmp_path / "outside/kept.md", "KEPT\n").parent
    (book.folder / CHANGELOG_FOLDER).symlink_to(outside)

    result = await ended(shared_desk, book, "s1")

    assert "SECRET" not in book.everything()
    assert secret.read_text(encoding="utf-8") == "SECRET\n"
    assert [path.name for path in outside.iterdir()] == ["kept.md"]
    if result.outcome != "closed":
        (book.folder / CHANGELOG_FOLDER).unlink()
    assert (await ended(shared_desk, book, "s2")).outcome == "closed"


async def test_a_review_that_is_a_link_is_not_followed(
    shared_desk: Desk, book: RunningBook, tmp_path: Path
) -> None:
    target = _file(tmp_path / "target.md", "MINE\n")
    (book.folder / REVIEW).unlink()
    (book.folder / REVIEW).symlink_to(target)
    book.commit("Link it")

    result = await ended(shared_desk, book, "s1")

    assert target.read_text(encoding="utf-8") == "MINE\n"
    assert (result.outcome, result.code) == ("refused", "review-not-text")
    (book.folder / REVIEW).unlink(missing_ok=True)
    book.write(REVIEW, "")
    book.commit("Repair")
    assert (await ended(shared_desk, book, "s2")).outcome == "closed"


# Deliveries of an outside agent.


async def test_a_close_without_an_open_is_refused(shared_desk: Desk, book: RunningBook) -> None:
    before = book.tip
    ref = shared_desk.stand.store.blobs.put(prose_of("s1").encode())

    with pytest.raises(Refused) as refused:
        await shared_desk.pipelines.close(book.book_id, DeliverProse(written=SessionProse(prose=ref)))

    assert refused.value.code == "no-active-session"
    assert book.tip == before


DELIVERIES = {
    "empty-prose": "  \n\n<!-- only a comment -->\n",
    "prose-has-nul": "Words before.\n\nWords\x00 after.\n",
    "prose-too-long": "word " * 1_000_001,
}


@pytest.mark.parametrize(
    "code",
    [
        "empty-prose",
        "prose-has-nul",
        "prose-too-long",
    ],
)
async def test_unusable_prose_is_refused_kept_and_does_not_block_the_book(
    shared_desk: Desk, book: RunningBook, code: str
) -> None:
    prose = DELIVERIES[code]
    await shared_desk.pipelines.open(
        book.session("s1", shared_desk.environ, writer="outside", opener="agent")
    )
    ref = shared_desk.stand.store.blobs.put(prose.encode())

    delivery = DeliverProse(written=SessionProse(prose=ref, summary="Bad."))
    with pytest.raises(Refused) as refused:
        await shared_desk.pipelines.close(book.book_id, delivery)
    result = await shared_desk.pipelines.result(book.book_id)

    assert (refused.value.code, result.outcome, result.code) == (code, "failed", code)
    assert book.steps() == ["open", "release"]
    (rescued,) = [path for path in book.git("ls-files").splitlines() if "recovered" in path]
    assert book.text(rescued).split() == prose.replace("\x00", "").split()
    # A NUL is invalid in prose; a failure that the writer can avoid next time becomes a lesson.
    assert (LESSONS in book.git("ls-files").splitlines()) == (code != "prose-has-nul")
    assert (await ended(shared_desk, book, "s2")).outcome == "closed"
    assert_sound(book, "s2")


CHANGED_MEANWHILE = {
    "intent-not-writable": FIRST.replace("IN_PROGRESS", "BLOCKED"),
    "registry-invalid": "active_intents: 3\n",
    "intent-unknown": FIRST.replace("INT-001", "INT-100"),
}


@pytest.mark.parametrize(
    "code",
    [
        "intent-not-writable",
        "registry-invalid",
        "intent-unknown",
    ],
)
async def test_an_intent_changed_during_a_session_stops_the_close(
    shared_desk: Desk, book: RunningBook, code: str
) -> None:
    await shared_desk.pipelines.open(
        book.session("s1", shared_desk.environ, writer="outside", opener="agent")
    )
    assert book.text(REGISTRY) == FIRST.strip()
    full, waiting = book.text(FULL_BOOK), book.text(REVIEW)
    book.write(REGISTRY, CHANGED_MEANWHILE[code])
    book.commit("Change what may be written")
    ref = shared_desk.stand.store.blobs.put(prose_of("s1").encode())

    with pytest.raises(PermanentError) as denied:
        await shared_desk.pipelines.close(book.book_id, DeliverProse(written=SessionProse(prose=ref)))
    result = await shared_desk.pipelines.result(book.book_id)

    assert (denied.value.code, result.outcome) == (code, "failed")
    assert (book.text(FULL_BOOK), book.text(REVIEW)) == (full, waiting)
    (rescued,) = [path for path in book.git("ls-files").splitlines() if "recovered" in path]
    assert book.text(rescued).split() == prose_of("s1").split()
    book.write(REGISTRY, FIRST)
    book.commit("Repair")
    assert (await ended(shared_desk, book, "s2")).outcome == "closed"
    assert_sound(book, "s2")


async def test_a_book_from_before_there_were_intents_gets_one_and_is_written(
    shared_desk: Desk, book: RunningBook
) -> None:
    assert REGISTRY not in book.git("ls-files").splitlines()

    result = await ended(shared_desk, book, "s1")

    assert result.outcome == "closed"
    assert book.git("log", "--format=%s", "--", REGISTRY).splitlines() == [
        "Propose an intent under which the book is written"
    ]
    assert "had no intents" in warnings_of(shared_desk, result, book)
    commit = book.git("log", "--format=%H", "--grep=Close session", "-1", "main")
    trailer = book.git("show", "-s", "--format=%(trailers:key=Penwright-Intent,valueonly)", commit)
    assert trailer.strip() == "INT-001"
    assert_sound(book, "s1")


async def test_delivered_prose_with_windows_line_ends_is_taken(shared_desk: Desk, book: RunningBook) -> None:
    await shared_desk.pipelines.open(
        book.session("s1", shared_desk.environ, writer="outside", opener="agent")
    )
    ref = shared_desk.stand.store.blobs.put(prose_of("s1").replace("\n", "\r\n").encode())

    closed = await shared_desk.pipelines.close(book.book_id, DeliverProse(written=SessionProse(prose=ref)))

    assert closed.report.session_word_count == 100
    await shared_desk.pipelines.result(book.book_id)
    assert "\r" not in book.text(REVIEW)
    assert_sound(book, "s1")


# Models that misbehave.

MODELS = {
    "says-nothing": "unusable-reply",
    "half-json": "unusable-reply",
    "refuses": "model-refused",
}


@pytest.mark.parametrize(
    "manner",
    [
        "says-nothing",
        "half-json",
        "refuses",
    ],
)
async def test_a_model_that_misbehaves_fails_the_session_and_not_the_book(
    shared_desk: Desk, book: RunningBook, manner: str
) -> None:
    first = await ended(shared_desk, book, "s1")
    assert first.outcome == "closed"

    failed = await ended(shared_desk, book, manner)

    assert (failed.outcome, failed.code) == ("failed", MODELS[manner]), failed
    assert book.steps() == ["open", "close", "open", "release"]
    assert (await ended(shared_desk, book, "s2")).outcome == "closed"
    assert_sound(book, "s1", "s2")


async def test_nul_characters_of_a_model_do_not_reach_the_book(shared_desk: Desk, book: RunningBook) -> None:
    result = await ended(shared_desk, book, "has-nul")

    assert result.outcome == "closed"
    assert "nulw3 nulw4" in book.text(REVIEW)


async def test_a_model_that_hangs_is_asked_again(shared_desk: Desk, book: RunningBook) -> None:
    result = await ended(shared_desk, book, "hangs-once")

    assert result.outcome == "closed"
    assert "latew7 " in book.text(REVIEW)


# Disks.


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, three megabytes large."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", place], capture_output=True, check=False
    ).returncode:
        pytest.skip("only a user who may mount can make a small disk")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


async def test_a_book_continues_after_a_full_disk(
    shared_desk: Desk, new_book: NewBook, small_disk: Path
) -> None:
    book = new_book(target=1000).copy(small_disk / "books", new_book().book_id)
    before = book.tip
    ballast = small_disk / "ballast"
    _fill(ballast)

    full = await ended(shared_desk, book, "s1")

    assert (full.outcome, full.code) == ("refused", "disk-full"), full
    assert book.tip == before
    ballast.unlink()
    assert (await ended(shared_desk, book, "s2")).outcome == "closed"
    assert_sound(book, "s2")


async def test_a_disk_that_fills_while_the_prose_is_written_loses_no_word(
    shared_desk: Desk, new_book: NewBook, small_disk: Path
) -> None:
    book = new_book(target=1000).copy(small_disk / "books", new_book().book_id)
    await shared_desk.pipelines.open(
        book.session("s1", shared_desk.environ, writer="outside", opener="agent")
    )
    ref = shared_desk.stand.store.blobs.put(prose_of("s1").encode())
    ballast = small_disk / "ballast"
    _fill(ballast)

    with pytest.raises(PenwrightError) as refused:
        await shared_desk.pipelines.close(book.book_id, DeliverProse(written=SessionProse(prose=ref)))
    result = await shared_desk.pipelines.result(book.book_id)

    assert (result.outcome, result.code) == ("failed", "disk-full"), (refused.value, result)
    ballast.unlink()
    assert (await ended(shared_desk, book, "s2")).outcome == "closed"
    assert_sound(book, "s2")
    (rescued,) = [path for path in book.git("ls-files").splitlines() if "recovered" in path]
    assert book.text(rescued).split() == prose_of("s1").split()
    assert rescued in warnings_of(shared_desk, result, book)
    assert (await ended(shared_desk, book, "s3")).outcome == "closed"
    assert [path for path in book.git("ls-files").splitlines() if "recovered" in path] == [rescued]


async def test_a_book_continues_after_a_read_only_disk(
    shared_desk: Desk, new_book: NewBook, small_disk: Path
) -> None:
    book = new_book(target=1000).copy(small_disk / "books", new_book().book_id)
    before = book.tip
    _remount(small_disk, "ro")

    frozen = await ended(shared_desk, book, "s1")

    assert (frozen.outcome, frozen.code) == ("refused", "disk-read-only"), frozen
    _remount(small_disk, "rw")
    assert book.tip == before
    assert (await ended(shared_desk, book, "s2")).outcome == "closed"
    assert_sound(book, "s2")


def _file(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _remount(place: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", place], check=True)


def _fill(ballast: Path) -> None:
    """Write until the disk is full."""
    with ballast.open("wb", buffering=0) as file:
        size = 1 << 16
        while size:
            try:
                file.write(b"x" * size)
            except OSError:
                size //= 2
    ballast.chmod(stat.S_IRUSR | stat.S_IWUSR)
