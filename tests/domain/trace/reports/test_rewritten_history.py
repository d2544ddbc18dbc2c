"""A history that git rewrote leaves every word its author."""

from dataclasses import replace
from pathlib import Path

import pytest

from penwright.domain.trace.reports.blame import blame
from penwright.domain.trace.reports.disclosure import disclose
from penwright.domain.trace.source import TraceSource
from schemas.trace import Author
from tests.support.books.repos import git, write
from tests.support.ledgers.rewritten import Message, Rewritten
from tests.support.ledgers.scribes import BOOK, Scribes, paragraphs, scribes_in
from tests.support.ledgers.turns import NOTES

HERS = "I grew up in that cellar, and every winter I counted the barrels with my brother by candle light."
MACHINE = "The storm broke over the lighthouse before Mira had closed a single shutter of the tower."
EDITED = MACHINE.replace("single", "last")
LATER = "In the morning the quay was white with salt, and nobody could find the harbour master's boat."


def write_book(scribes: Scribes) -> None:
    """Her paragraph, a model's, her edit of that by hand, and another paragraph of the model."""
    scribes.person({BOOK: paragraphs(HERS)})
    scribes.model({BOOK: paragraphs(HERS, MACHINE)})
    scribes.by_hand(BOOK, paragraphs(HERS, EDITED))
    scribes.model({BOOK: paragraphs(HERS, EDITED, LATER)}, model="demo/verse")


def whose(source: TraceSource, path: str = BOOK) -> list[tuple[str, tuple[str, ...]]]:
    found = [each.attributed.written for each in blame(source, path).blocks]
    return [
        ("ambiguous" if each.ambiguous else each.author.entity_type, each.author.models) if each else ("", ())
        for each in found
    ]


FIRST = "My father kept the light before me, and he wrote the weather in a blue book every evening at six."
OLDER = "Ask my brother about the winter in which the harbour froze, and about the two boats that were lost."
RIGHT = [("HUMAN", ()), ("MIXED", ("demo/quill",)), ("AI", ("demo/verse",))]


@pytest.mark.parametrize("message", ["kept", "last", "stripped"])
def test_shares_stay_when_commits_are_squashed_and_messages_rewritten(
    tmp_path: Path, message: Message
) -> None:
    scribes = scribes_in(tmp_path)
    write_book(scribes)
    with scribes.source() as source:
        assert whose(source) == RIGHT
        before = disclose(source, BOOK)
        for squashed in ([1, 1, 1, 1], [2], [4], [1, 2], [1, 3], [2, 2], [1, 1, 2]):
            rewritten = Rewritten(source, squashed, message)
            assert (squashed, whose(rewritten)) == (squashed, RIGHT)
            # Git keeps one author of a squash.
            assert replace(disclose(rewritten, BOOK), people=before.people) == before


@pytest.mark.parametrize("message", ["kept", "last", "stripped"])
def test_what_another_clone_cannot_know_of_a_squash_is_ambiguous(tmp_path: Path, message: Message) -> None:
    scribes = scribes_in(tmp_path)
    write_book(scribes)
    with scribes.source() as source:
        rewritten = Rewritten(source, [4], message, cloned=True)
        found = whose(rewritten)
        edited = blame(rewritten, BOOK).blocks[1].attributed.written

    assert (found[0], found[2]) == (RIGHT[0], RIGHT[2])
    assert found[1][0] == "ambiguous"
    assert edited is not None
    assert {Author(entity_type="AI", model_identifier="demo/quill"), Author(entity_type="HUMAN")} <= {
        *edited.candidates
    }


@pytest.mark.parametrize("cloned", [False, True])
@pytest.mark.parametrize("message", ["kept", "last", "stripped"])
def test_what_was_there_before_the_ledger_is_of_unknown_origin_before_and_after_a_squash(
    tmp_path: Path, message: Message, cloned: bool
) -> None:
    scribes = scribes_in(tmp_path)
    scribes.by_hand(NOTES, paragraphs("To do.", OLDER))
    scribes.by_hand(BOOK, paragraphs(FIRST))
    scribes.model({BOOK: paragraphs(FIRST, MACHINE)})
    scribes.by_hand(BOOK, paragraphs(FIRST, MACHINE, HERS))
    scribes.model({BOOK: paragraphs(FIRST, MACHINE, HERS, LATER)}, model="demo/verse")
    right = [("", ()), ("AI", ("demo/quill",)), ("HUMAN", ()), ("AI", ("demo/verse",))]
    with scribes.source() as source:
        assert (whose(source), whose(source, NOTES)) == (right, [("", ())] * 2)
        for squashed in ([6], [1, 5], [1, 1, 2], [1, 1, 3], [2, 2], [4], [5]):
            rewritten = Rewritten(source, squashed, message, kept=0, cloned=cloned)
            found = whose(rewritten)
            said = {kind for kind, _ in (found[0], *whose(rewritten, NOTES))}
            assert (squashed, said - {"", "ambiguous"}) == (squashed, set())
            if not cloned:
                assert (squashed, found, said) == (squashed, right, {""})


@pytest.mark.long
def test_git_itself_may_reword_amend_and_squash(tmp_path: Path) -> None:
    scribes = scribes_in(tmp_path)
    folder = tmp_path / "book"
    write_book(scribes)
    right = RIGHT

    def check(*command: str) -> None:
        git(folder, *command)
        with scribes.source() as source:
            assert (command, whose(source)) == (command, right)

    check("commit", "--amend", "-q", "-m", "Finish the book")
    right = [*RIGHT[:2], ("MIXED", ("demo/verse",))]
    write(folder, {BOOK: paragraphs(HERS, EDITED, LATER.replace("white", "grey"))})
    check("commit", "-a", "--amend", "-q", "-m", "Finish the book better")
    check("filter-branch", "-f", "--msg-filter", "echo rewritten", "--", "main")
    root = git(folder, "rev-list", "--max-parents=0", "main")
    git(folder, "reset", "-q", "--soft", root)
    check("commit", "-q", "-m", "All in one")


def test_a_squash_by_git_names_every_author_whom_its_message_names(tmp_path: Path) -> None:
    scribes = scribes_in(tmp_path)
    folder = tmp_path / "book"
    scribes.person({BOOK: paragraphs(HERS)})
    write(folder, {BOOK: paragraphs(HERS, LATER)})
    others = ("Co-Authored-By: Ben Second <b@example.org>", "Co-authored-by: Cy Lee <c@example.org>")
    message = "\n".join(("Two chapters", "", *others))

    git(folder, "commit", "-q", "-a", "--author", "Ada Author <a@example.org>", "-m", message)

    with scribes.source() as source:
        assert blame(source, BOOK).blocks[1].people == ("Ada Author", "Ben Second", "Cy Lee")
