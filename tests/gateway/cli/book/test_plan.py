"""`book plan`: outlines that the planner proposes, and a person's answers."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from penwright.domain.book.files.layout import chapter_path, proposed_path
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
