"""An author types in the folder just before a session publishes: the next save has the changes of both."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.domain.text.conflict_notes import conflict_note
from schemas.workspace import Modify
from tests.support.books.desks import Desk
from tests.support.books.repos import ENGINE, KNOWN, commit_all, plan_of
from tests.support.books.two_sides import TwoSides
from tests.support.sweeps import LONG

PIER = "He waits on the pier until the lamps are lit."
BOAT = "She comes in a boat that nobody has seen before."


class Folder(Desk):
    """A book's folder in which a person types."""

    def holds(self, notes: str, book: str) -> None:
        self.edit("notes.md", notes)
        self.edit("Book.md", book)
        commit_all(self.book.folder)

    def session(self, notes: str, book: str) -> None:
        """The engine makes one commit of both files."""
        new = {"notes.md": notes, "Book.md": book}
        changes = (
            Modify(path=path, content=text, base=self.book.blob(path))
            for path, text in new.items()
            if text.strip() != self.book.text(path)
        )
        if operations := tuple(changes):
            self.port.publish(plan_of(self.workspace, *operations), self.effect())

    def saved(self) -> tuple[str, str]:
        """The contents of both files after the next save."""
        self.port.save_human_edits(self.workspace, self.effect(), known=KNOWN, engine=ENGINE)
        assert self.book.status() == ""
        return self.lying("notes.md") or "", self.lying("Book.md") or ""


def test_words_typed_in_a_passage_go_with_it_into_the_book(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.holds(f"{PIER}\n\n{BOAT}\n", "Once.\n")
    folder.edit("notes.md", f"{PIER.replace('lamps', 'last lamps')}\n\n{BOAT}\n")

    folder.session("They leave.\n", f"Once.\n\n{PIER}\n\n{BOAT}\n")

    assert folder.saved() == (
        "They leave.\n",
        f"Once.\n\n{PIER.replace('lamps', 'last lamps')}\n\n{BOAT}\n",
    )


def test_only_a_paragraph_in_which_both_changed_the_same_words_is_there_twice(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.holds(f"{PIER}\n\n{BOAT}\n", "Once.\n")
    mine = PIER.replace("He waits", "Tom waits").replace("lit", "burning"), BOAT.replace("comes", "came")
    folder.edit("notes.md", "\n\n".join(mine) + "\n")

    folder.session(f"{PIER.replace('He waits', 'Ann waits')}\n\n{BOAT.replace('seen', 'met')}\n", "Once.\n")

    theirs = mine[0].replace("Tom", "Ann")
    both = BOAT.replace("comes", "came").replace("seen", "met")
    assert folder.saved()[0] == f"{theirs}\n\n{conflict_note(1, 1)}\n\n{mine[0]}\n\n{both}\n"


@settings(max_examples=300 if LONG else 12)
@given(st.integers(1, 8), st.integers(0, 10**6))
def test_every_paragraph_stands_once_and_as_the_side_left_it_that_touched_it(
    tmp_path_factory: pytest.TempPathFactory, count: int, seed: int
) -> None:
    sides = TwoSides(Random(seed))
    sides.begin(count)
    folder = Folder(tmp_path_factory.mktemp("folder"))
    folder.holds(sides.review, sides.book)
    for _ in range(2):
        sides.author_types()
        folder.edit("notes.md", sides.draft)
        sides.session_closes()
        folder.session(sides.review, sides.book)
        # What she removed and the session moved stays in the book, as after a save from a page.
        sides.told = " ".join(sides.typed)
        sides.saved(*folder.saved())
