"""A session is taken back, and what people changed meanwhile stays."""

from pathlib import Path

import pytest

from penwright.adapters.workspace import peoples_changes
from penwright.adapters.workspace.tracing import anchors_of
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.errors import Refused
from schemas.trace import Anchor
from schemas.workspace import Create, Modify, Restored
from tests.support.books.repos import Book, commit_all, git, make_repository, plan_of, write

WAITING, VALIDATED = "Waiting.md", "Validated.md"
FIRST = "The keeper counted three lamps at dusk, and then he slept."
SECOND = "A ship passed without a light and did not answer her signal."
NEW = "Far out a bell rang twice, though nobody on the quay looked up."


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """A book in which a session moved one passage, and wrote another."""
    files = {
        WAITING: f"{FIRST}\n\n{SECOND}\n",
        VALIDATED: "Once.\n",
        "Lore.md": "Salt.\n",
        "Soul.md": "Warm.\n",
    }
    made = Book(make_repository(tmp_path / "book", files))
    operations = (
        Modify(path=WAITING, content=f"{SECOND}\n\n{NEW}\n", base=made.blob(WAITING)),
        Modify(path=VALIDATED, content=f"Once.\n\n{FIRST}\n", base=made.blob(VALIDATED)),
        Create(path="Log.md", content="Session one.\n"),
    )
    made.port.publish(plan_of(made.workspace, *operations, tag="ink-2026-03-01-08-00"), made.effect())
    return made


def taken_back(book: Book, *, undo: bool = False) -> Restored:
    return book.port.restore(book.workspace, book.effect(), target=None, undo=undo, known=("*.md",))


def test_later_commits_and_unsaved_edits_of_the_author_stay_in_place(book: Book) -> None:
    write(book.folder, {"Lore.md": "Salt.\n\nAnd tar.\n", WAITING: f"{SECOND}\n\n{NEW}\n\nHer own end.\n"})
    commit_all(book.folder, "Add tar to the lore")
    git(book.folder, "-c", "user.name=Ben Second", "commit", "-q", "--allow-empty", "-m", "Nothing")
    write(book.folder, {"Soul.md": "Warmer.\n", VALIDATED: f"Once, unsaved.\n\n{FIRST}\n"})

    restored = taken_back(book)

    assert book.text(WAITING) + "\n" == f"{FIRST}\n\n{SECOND}\n\nHer own end.\n"
    assert book.read("Lore.md") == "Salt.\n\nAnd tar.\n"
    assert git(book.folder, "log", "-1", "--format=%an %s") == "Ada Author Add tar to the lore"
    assert (book.read("Soul.md"), book.read(VALIDATED)) == ("Warmer.\n", "Once, unsaved.\n")
    assert book.text("Soul.md") == "Warm."
    assert not (book.folder / "Log.md").exists()
    assert (restored.kept_commits, restored.gone_with, restored.tip) == (1, (), book.tip())


def test_where_she_changed_what_the_session_wrote_it_goes_and_the_file_is_named(book: Book) -> None:
    write(book.folder, {WAITING: f"{SECOND}\n\n{NEW.replace('twice', 'three times')}\n", "Lore.md": "Tar.\n"})
    commit_all(book.folder, "Change both")
    before = book.tip()

    restored = taken_back(book)

    assert book.text(WAITING) == f"{FIRST}\n\n{SECOND}"
    assert book.text("Lore.md") == "Tar."
    assert restored.gone_with == (WAITING,)
    assert git(book.folder, "rev-parse", f"{restored.archive}^1") == before


def test_words_for_a_passage_that_the_session_moved_go_back_with_it(book: Book) -> None:
    write(book.folder, {VALIDATED: f"Once.\n\n{FIRST.replace('three', 'thirty')}\n"})
    commit_all(book.folder, "Thirty")

    restored = taken_back(book)

    assert book.text(WAITING) == f"{FIRST.replace('three', 'thirty')}\n\n{SECOND}"
    assert (book.text(VALIDATED), restored.gone_with) == ("Once.", ())


def test_an_undo_brings_the_session_and_every_edit_back(book: Book) -> None:
    write(book.folder, {"Lore.md": "Tar.\n"})
    commit_all(book.folder, "Tar")
    write(book.folder, {"Soul.md": "Warmer.\n"})
    before = book.tip()
    first = taken_back(book)

    taken_back(book, undo=True)

    assert first.tip != before
    assert book.tip() == before
    assert (book.read("Soul.md"), book.read("Log.md")) == ("Warmer.\n", "Session one.\n")


def test_what_was_written_after_a_rollback_stays_when_that_is_undone(book: Book) -> None:
    write(book.folder, {"Soul.md": "Warmer.\n"})
    taken_back(book)
    write(book.folder, {"Lore.md": "Salt and tar.\n"})
    commit_all(book.folder, "Tar")
    mine = FIRST.replace("three", "thirty")
    write(book.folder, {WAITING: f"{mine}\n\n{SECOND}\n", "Soul.md": "Warmest.\n"})

    undone = taken_back(book, undo=True)

    assert (book.text("Lore.md"), book.read("Log.md")) == ("Salt and tar.", "Session one.\n")
    assert book.read(VALIDATED) == f"Once.\n\n{mine}\n"
    assert (book.read("Soul.md"), undone.kept_commits) == ("Warmest.\n", 1)


@pytest.fixture
def recorded(tmp_path: Path) -> Book:
    """A book with a ledger and two sessions, each in one commit."""
    made = Book(make_repository(tmp_path / "book", {WAITING: f"{FIRST}\n"}), recorder=_RECORDER)
    for number, prose in enumerate((SECOND, NEW)):
        operation = Modify(path=WAITING, content=f"{prose}\n", base=made.blob(WAITING))
        tag = f"ink-2026-03-01-08-0{number}"
        made.port.publish(plan_of(made.workspace, operation, tag=tag), made.effect())
    return made


_RECORDER = LedgerRecorder("test", BOOK_PROFILE)


def test_a_session_whose_commit_was_reworded_is_taken_out(recorded: Book) -> None:
    git(recorded.folder, "commit", "-q", "--amend", "-m", "Reworded")

    restored = taken_back(recorded)

    assert (recorded.text(WAITING), restored.kept_commits) == (SECOND, 0)


def test_sessions_in_one_commit_are_taken_out_together(recorded: Book) -> None:
    git(recorded.folder, "reset", "-q", "--soft", "HEAD~2")
    git(recorded.folder, "commit", "-q", "-m", "Both")

    restored = taken_back(recorded)

    assert (recorded.text(WAITING), restored.kept_commits) == (FIRST, 0)


def test_the_log_is_read_once_however_many_commits_were_rewritten(
    recorded: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    tag = recorded.port.tags(recorded.workspace)[0]
    git(recorded.folder, "filter-branch", "-f", "--msg-filter", "echo rewritten", "--", f"{tag}..main")
    read: list[object] = []

    def counted(*asked: object) -> tuple[Anchor, ...]:
        read.append(asked)
        return anchors_of(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(peoples_changes, "anchors_of", counted)
    with pytest.raises(Refused, match="rewritten"):
        recorded.port.restore(recorded.workspace, recorded.effect(), target=tag, undo=False, known=("*.md",))

    assert len(read) == 1


@pytest.mark.parametrize("squashed", [False, True], ids=["amended", "squashed"])
def test_a_commit_of_a_session_and_a_person_is_refused_by_name(recorded: Book, squashed: bool) -> None:
    write(recorded.folder, {WAITING: f"{NEW}\n\nHer own end.\n"})
    git(recorded.folder, "commit", "-q", "-a", *(["-m", "Mine"] if squashed else ["--amend", "-m", "Ours"]))
    if squashed:
        git(recorded.folder, "reset", "-q", "--soft", "HEAD~2")
        git(recorded.folder, "commit", "-q", "-m", "Ours")
    before = recorded.tip()

    with pytest.raises(Refused) as caught:
        taken_back(recorded)

    assert (caught.value.code, recorded.tip()) == ("session-rewritten", before)
