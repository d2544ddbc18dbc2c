"""A remote that lost a published session is noticed, and a person decides."""

from pathlib import Path

import pytest

from penwright.adapters.workspace.worktree import Worktree
from penwright.domain.book.session_warnings import needs_person, sync_warnings
from penwright.domain.intents.registry import REGISTRY, read_registry
from penwright.domain.trace.reports.blame import blame
from penwright.errors import Refused
from schemas.intents import IntentPin
from schemas.workspace import LOST_SESSION, Contributor, Create, Modify, Restored
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
from tests.support.ledgers.scribes import Scribes, paragraphs, scribes_in
from tests.support.ledgers.traces import REGISTRY_TEXT, verified

TRAILERS = (("Penwright-Session", "s1"), ("Penwright-Step", "close"))


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """A book whose published session was taken out of the remote by another person's forced push."""
    made = Book(make_repository(tmp_path / "book"))
    bare = add_remote(made.folder, tmp_path / "remote.git")
    session = plan_of(
        made.workspace, Create(path="session.md", content="Prose.\n"), message="Close s1", trailers=TRAILERS
    )
    made.port.publish(session, made.effect())
    made.port.push(made.workspace, made.effect())
    other = clone(bare, tmp_path / "other")
    git(other, "reset", "-q", "--hard", "HEAD~1")
    write(other, {"Book.md": "Once, elsewhere.\n"})
    commit_all(other, "Begin otherwise")
    git(other, "push", "-q", "--force", "origin", "main")
    return made


def at_remote(book: Book) -> str:
    return git(book.folder.parent / "remote.git", "log", "--format=%s", "main")


def test_nothing_is_merged_or_pushed_until_a_person_decides(book: Book) -> None:
    write(book.folder, {"notes.md": "Mine.\n"})
    before = at_remote(book)

    synced = book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)
    pushed = book.port.push(book.workspace, book.effect())

    (warning,) = sync_warnings(synced, "low-tide")
    assert needs_person(warning)
    assert "Close s1" in warning
    assert "`penwright book accept-remote low-tide`" in warning
    assert "book restore-session" in warning
    assert (pushed.outcome, pushed.code) == ("pending", LOST_SESSION)
    assert (at_remote(book), book.read("Book.md")) == (before, "Once.\n")


@pytest.mark.parametrize("rewound", [False, True])
def test_a_push_before_any_fetch_notices_it_as_well(book: Book, rewound: bool) -> None:
    if rewound:
        git(book.folder.parent / "other", "push", "-q", "--force", "origin", "HEAD~1:main")
    before = at_remote(book)

    assert book.port.push(book.workspace, book.effect()).code == LOST_SESSION
    assert at_remote(book) == before


def test_who_accepts_follows_the_remote_and_keeps_what_came_since(book: Book) -> None:
    book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)
    write(book.folder, {"notes.md": "One.\n\nTwo, mine.\n\nThree.\n"})
    commit_all(book.folder, "Mine")
    tip = book.tip()

    accepted = book.port.settle_lost(book.workspace, book.effect("accept"), accept=True)
    book.port.push(book.workspace, book.effect())

    assert not (book.folder / "session.md").exists()
    assert (book.read("Book.md"), book.text("notes.md").split("\n\n")[1]) == (
        "Once, elsewhere.\n",
        "Two, mine.",
    )
    assert git(book.folder, "rev-parse", f"{accepted.archive}^1") == tip
    assert git(book.folder.parent / "remote.git", "rev-parse", "main") == book.tip()
    assert book.port.settle_lost(book.workspace, book.effect("accept"), accept=True) == accepted


def test_who_restores_the_session_publishes_it_again(book: Book) -> None:
    book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)

    book.port.settle_lost(book.workspace, book.effect(), accept=False)
    pushed = book.port.push(book.workspace, book.effect())

    assert pushed.outcome == "pushed"
    assert {"Close s1", "Begin otherwise"} <= set(at_remote(book).splitlines())
    with pytest.raises(Refused, match="everything that was published"):
        book.port.settle_lost(book.workspace, book.effect(), accept=False)


LOST = (
    "The storm broke over the lighthouse before Mira had closed a single shutter of the tower. "
    "Rain came in through the broken pane and ran down the iron stairs into the cellar."
)
KEPT = "The keeper counted the barrels by candle light, and wrote the number into the margin of his book."
LATER = "Nobody on the pier had seen the boat come in, though its rope was wet and the lamp still burned."
HERS = "I grew up in that cellar, and every winter I counted the barrels with my brother by candle light."
HER_EDIT = LOST.replace("iron stairs", "wooden stairs")


@pytest.fixture
def scribes(tmp_path: Path) -> Scribes:
    """A book whose published session was forced out, and what came since: two sessions, her edits."""
    made = scribes_in(tmp_path)
    folder = tmp_path / "book"
    made.desk.commit(REGISTRY, REGISTRY_TEXT)
    made.person({"notes.md": paragraphs("One.", HERS)})
    bare = add_remote(folder, tmp_path / "remote.git")
    _session(made, {"Review/one.md": paragraphs(LOST)})
    made.desk.port.push(made.desk.workspace, made.desk.effect())
    other = clone(bare, tmp_path / "other")
    git(other, "reset", "-q", "--hard", "HEAD~1")
    write(other, {"Book.md": "Once, elsewhere.\n"})
    commit_all(other, "Begin otherwise")
    git(other, "push", "-q", "--force", "origin", "main")
    _session(made, {"Review/two.md": paragraphs(KEPT)})
    made.by_hand("Review/one.md", paragraphs(HER_EDIT))
    made.by_hand("notes.md", paragraphs("One.", HERS, "Two, mine."))
    _session(made, {"Review/two.md": paragraphs(KEPT, LATER)}, "demo/other")
    made.desk.edit("notes.md", paragraphs("One.", HERS, "Two, mine.", "Unsaved."))
    return made


def _session(scribes: Scribes, files: dict[str, str], model: str = "demo/writer") -> None:
    intent = read_registry(REGISTRY_TEXT.encode()).intents[0]
    operations = [
        Modify(path=path, content=text, base=held)
        if (held := scribes.desk.port.snapshot(scribes.desk.workspace, [], names=[path]).names.get(path))
        else Create(path=path, content=text)
        for path, text in files.items()
    ]
    plan = plan_of(scribes.desk.workspace, *operations, contributor=Contributor.MODEL).model_copy(
        update={
            "message": f"Close with {model}",
            "tool": "book.close",
            "trailers": (*TRAILERS, ("Penwright-Model", model), ("Penwright-Intent", intent.id)),
            "pin": IntentPin(intent_id=intent.id, digest=intent.digest),
        }
    )
    assert scribes.desk.port.publish(plan, scribes.desk.effect()).outcome == "published"


def _written(scribes: Scribes, *paths: str) -> dict[str, tuple[str, tuple[str, ...], str | None]]:
    """Kind of author, models and intent of each block of some files."""
    with scribes.source() as source:
        found = {
            block.attributed.block.text: block.attributed.written
            for path in paths
            for block in blame(source, path).blocks
        }
    return {
        text: (each.author.entity_type, each.author.models, each.intent)
        for text, each in found.items()
        if each is not None
    }


def _accept(scribes: Scribes, op: str = "accept") -> Restored:
    return scribes.desk.port.settle_lost(
        scribes.desk.workspace, scribes.desk.effect(op), accept=True, known=KNOWN
    )


def test_what_is_kept_has_its_authors_and_a_whole_ledger(scribes: Scribes) -> None:
    paths = ("Review/one.md", "Review/two.md", "notes.md")
    before = _written(scribes, *paths)
    _accept(scribes)

    report = verified(scribes.desk, strict=True)
    assert [each for each in report.findings if each.severity != "info"] == []
    assert _written(scribes, *paths) == before
    assert {kind for kind, _, _ in before.values()} == {"AI", "MIXED", "HUMAN"}


def test_every_kept_commit_is_made_again_and_nothing_is_lost(scribes: Scribes, tmp_path: Path) -> None:
    _accept(scribes)
    folder = tmp_path / "book"

    assert git(folder, "log", "-5", "--format=%an: %s").splitlines() == [
        "Penwright: Close with demo/other",
        "Ada Author: By hand",
        "Ada Author: By hand",
        "Penwright: Close with demo/writer",
        "Ada Author: Begin otherwise",
    ]
    assert scribes.desk.lying("Review/two.md") == paragraphs(KEPT, LATER)
    assert scribes.desk.lying("Review/one.md") == paragraphs(HER_EDIT)
    assert scribes.desk.lying("notes.md") == paragraphs("One.", HERS, "Two, mine.", "Unsaved.")
    assert scribes.desk.lying("Book.md") == "Once, elsewhere.\n"


def test_a_worker_that_died_before_the_move_repeats_it(
    scribes: Scribes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Worktree, "advance", _die)
        with pytest.raises(KeyboardInterrupt):
            _accept(scribes)
    accepted = _accept(scribes)

    assert _accept(scribes) == accepted
    assert verified(scribes.desk, strict=True).clean
    assert scribes.desk.lying("Review/two.md") == paragraphs(KEPT, LATER)


def _die(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_words_that_both_sides_changed_are_recorded_as_they_came_together(
    scribes: Scribes, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    write(other, {"notes.md": paragraphs("One.", HERS.replace("grew up", "was born"))})
    commit_all(other, "Better")
    git(other, "push", "-q", "origin", "main")
    scribes.person({"notes.md": paragraphs("One.", HERS.replace("candle light", "lamp light"), "Two, mine.")})
    _accept(scribes)

    assert "I was born in that cellar" in (scribes.desk.lying("notes.md") or "")
    assert "by lamp light" in (scribes.desk.lying("notes.md") or "")
    report = verified(scribes.desk, strict=True)
    assert [each for each in report.findings if each.severity != "info"] == []


def test_a_remote_merged_between_the_kept_sessions_does_not_bring_the_lost_one_back(
    book: Book, tmp_path: Path
) -> None:
    """Her branch went on from before the lost session, and merged it."""
    git(book.folder, "checkout", "-q", "-B", "main", "HEAD~1")
    write(book.folder, {"mine.md": "Mine.\n"})
    commit_all(book.folder, "Mine")
    git(book.folder, "merge", "-q", "--no-edit", "origin/main")
    book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)

    book.port.settle_lost(book.workspace, book.effect(), accept=True, known=KNOWN)

    assert (book.folder / "mine.md").exists()
    assert not (book.folder / "session.md").exists()


def test_the_remote_is_asked_before_it_is_said_to_have_everything(book: Book) -> None:
    book.port.settle_lost(book.workspace, book.effect(), accept=True, known=KNOWN)

    assert book.read("Book.md") == "Once, elsewhere.\n"


def test_a_remote_that_does_not_answer_is_not_said_to_have_everything(book: Book) -> None:
    (book.folder.parent / "remote.git").rename(book.folder.parent / "gone.git")

    with pytest.raises(Refused, match="did not answer"):
        book.port.settle_lost(book.workspace, book.effect(), accept=True, known=KNOWN)
