"""Authors of texts are worked out once for each tip of a work's branch."""

from pathlib import Path

import pytest

from gateway.desk.trace.blames import BlameDesk
from penwright.errors import NotFound
from tests.support.gateway.services import IDENTITY, StageServices, git_in

CHAPTER = "Chapters material/Chapter_01.md"


def test_authors_are_kept_until_the_work_moves_on(services: StageServices, book: Path) -> None:
    desk = BlameDesk(services)
    first = desk.blame(str(book), CHAPTER)
    again = desk.blame(str(book), CHAPTER)
    (book / CHAPTER).write_text("# Ebb\n\nOne more line.\n", encoding="utf-8")
    git_in(book, *IDENTITY, "commit", "-qam", "By hand")
    after = desk.blame(str(book), CHAPTER)

    assert again is first
    assert [each.block.text for each in after.blocks] == ["# Ebb", "One more line."]


def test_a_text_that_is_not_there_is_named(services: StageServices, book: Path) -> None:
    with pytest.raises(NotFound, match=r"no text 'Ebb\.md'"):
        BlameDesk(services).blame(str(book), "Ebb.md")
