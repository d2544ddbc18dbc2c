"""`book plan`: outlines that the planner proposes, and a person's answers."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from penwright.domain.book.files.layout import OUTLINE, WHOLE_BOOK, chapter_path, proposed_path
from tests.support.books.plans import BOOK, PREMISE
from tests.support.each import for_each
from tests.support.gateway.services import Run, StageServices, git_in

NEXT, PROPOSED = chapter_path(2), proposed_path(2)


@pytest.fixture
def proposed(run: Run, book: Path, write_config: Callable[..., None]) -> Path:
    """A book with a proposed outline of its second chapter."""
    write_config(words_per_chapter=400, words_per_session=400, planning="propose")
    run("book", "session", str(book))
    assert (book / PROPOSED).is_file()
    return book


def waits(run: Run) -> str:
    return run("book", "list", "--attention")[1]


def test_a_proposal_is_shown_and_named_among_what_needs_a_person(run: Run, proposed: Path) -> None:
    code, out, _ = run("book", "plan", str(proposed))

    assert code == 0
    assert "Proposed for chapter 2, in 'Chapters material/Chapter_02.proposed.md':" in out
    assert "  1. The tide turns." in out
    assert "an outline of chapter 2 is proposed" in waits(run)
    assert not (proposed / NEXT).exists()


def test_an_accepted_proposal_is_the_outline_and_still_the_models(run: Run, proposed: Path) -> None:
    code, _, err = run("book", "plan", str(proposed), "--accept")

    assert (code, "is Chapters material/Chapter_02.md now" in err) == (0, True)
    assert "1. The tide turns." in (proposed / NEXT).read_text()
    assert not (proposed / PROPOSED).exists()
    assert "is proposed" not in waits(run)
    blamed = json.loads(run("trace", "blame", NEXT, str(proposed), "--json")[1])["blocks"]
    assert {each["who"] for each in blamed} == {"ai"}


def test_a_proposal_that_was_edited_is_accepted_as_it_was_left(run: Run, proposed: Path) -> None:
    (proposed / PROPOSED).write_text("# The Storm\n\n1. It rains.\n", encoding="utf-8")
    git_in(proposed, "commit", "-qam", "Mine")

    assert run("book", "plan", str(proposed), "--accept", "--chapter", "2")[0] == 0
    assert (proposed / NEXT).read_text() == "# The Storm\n\n1. It rains.\n"


def test_a_rejected_proposal_goes(run: Run, proposed: Path) -> None:
    assert run("book", "plan", str(proposed), "--reject")[0] == 0

    assert not (proposed / PROPOSED).exists()
    assert not (proposed / NEXT).exists()
    assert "is proposed" not in waits(run)


def test_an_answer_to_a_proposal_that_is_not_there_is_refused_by_name(run: Run, book: Path) -> None:
    code, _, err = run("book", "plan", str(book), "--accept")

    assert (code, "error[no-proposed-outline]" in err) == (1, True)
    assert "next: `penwright book plan" in err


@pytest.mark.parametrize("planning", ["off", "propose", "auto"])
def test_what_is_planned_and_by_whom_is_told(
    run: Run, book: Path, write_config: Callable[..., None], planning: str, services: StageServices
) -> None:
    write_config(planning=planning, chapter_count=4)
    git_in(book, "commit", "-qam", "Settings")

    _, out, _ = run("book", "plan", str(book))

    assert out.startswith(f"planning: {planning}; ")
    assert "chapters 1 to 4 have no outline" in out
    assert ("set `planning: propose`" in out) == (planning == "off")


@pytest.fixture
def bare(book: Path) -> Callable[[str, str], None]:
    """Leaves nothing of a book but the texts given: its outline, and one that is proposed."""

    def given(outline: str, proposed: str) -> None:
        for path, text in {
            OUTLINE: outline,
            proposed_path(WHOLE_BOOK): proposed,
            "Global Material/Characters.md": "",
            "Global Material/Lore.md": "",
        }.items():
            (book / path).write_text(text, encoding="utf-8") if text else (book / path).unlink(
                missing_ok=True
            )
        git_in(book, "add", "-A")
        git_in(book, "commit", "--allow-empty", "-qm", "Bare")

    return given


@for_each(
    "outline, proposed, wish, code",
    [
        ("", "", ("--chapters", "2"), "no-premise"),
        ("", BOOK, ("--premise", "She waits."), "outline-proposed"),
        ("# Outline\n\nShe leaves.\n", "", ("--premise", "She waits."), "outline-written"),
        (PREMISE, "", ("--premise", "She waits."), "premise-written"),
        ("", "", ("--premise", " "), "empty-premise"),
        ("", "", ("--premise", "x" * 20_001), "premise-too-long"),
        ("", "", ("--premise", "a", "--premise-file", "b"), "two-premises"),
        ("", "", ("--premise-file", "nowhere.txt"), "text-unreadable"),
    ],
)
def test_a_wish_that_cannot_be_met_names_one_that_can(
    run: Run,
    book: Path,
    bare: Callable[[str, str], None],
    outline: str,
    proposed: str,
    wish: tuple[str, ...],
    code: str,
) -> None:
    bare(outline, proposed)

    ended, _, err = run("book", "plan", str(book), *wish)

    assert (ended, f"error[{code}]" in err) in ((1, True), (2, True), (3, True))
    for advised in re.findall(r"`penwright (.+?)`", err):
        assert run(*shlex.split(advised))[0] == 0


def test_a_wish_is_an_order_for_what_is_missing_and_asked_for_once(
    run: Run, book: Path, bare: Callable[[str, str], None], services: StageServices
) -> None:
    bare("", "")

    assert run("book", "plan", str(book), "--premise", "She waits.", "--chapters", "2")[0] == 0
    (order,) = services.plannings.started
    assert order.premise is not None
    assert services.store.blobs.get(order.premise) == b"She waits."
    assert order.chapters == 2


def test_proposals_of_a_book_and_its_chapters_are_shown_and_accepted_at_once(
    run: Run, book: Path, bare: Callable[[str, str], None]
) -> None:
    bare(PREMISE, BOOK)
    (book / PROPOSED).write_text("# The Storm\n\n1. It rains.\n", encoding="utf-8")
    git_in(book, "add", "-A")
    git_in(book, "commit", "-qm", "Proposed")
    before = git_in(book, "rev-parse", "HEAD").strip()

    _, out, _ = run("book", "plan", str(book))
    assert "+The sea comes." in out
    assert "-[The world]" in out
    assert "--accept --all" in out

    assert run("book", "plan", str(book), "--accept", "--all")[0] == 0
    assert (book / OUTLINE).read_text() == BOOK
    assert (book / NEXT).exists()
    assert git_in(book, "rev-list", "--count", f"{before}..HEAD").strip() == "1"


def test_a_proposal_is_accepted_as_a_file_has_it(run: Run, proposed: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.md"
    mine.write_text("# Mine\n\n1. She leaves.\n", encoding="utf-8")

    assert run("book", "plan", str(proposed), "--accept", "--from", str(mine))[0] == 0
    assert (proposed / NEXT).read_text() == "# Mine\n\n1. She leaves.\n"


def test_a_full_chapter_without_a_next_outline_needs_its_author_where_nobody_plans(
    run: Run, book: Path, write_config: Callable[..., None]
) -> None:
    write_config(words_per_chapter=400, words_per_session=400, planning="off")
    run("book", "session", str(book))

    assert "chapter 1 is full, and the next one has no outline: write 'Chapters material/Cha" in waits(run)
