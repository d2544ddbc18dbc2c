"""A document that comes back to a book with tracked changes and comments."""

from typing import TYPE_CHECKING, cast

import pytest

from gateway.desk.book import editing, returned
from gateway.desk.book.editing import NewText, ShownText
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW
from penwright.domain.book.review.passages import Decision, Verdict, decided, passages
from penwright.domain.text.returned import Returned, TakenIn
from schemas.book_text import BookEdited
from schemas.documents import Changes, DocumentComment, PassageEdit

if TYPE_CHECKING:
    from gateway.desk.services import Services
    from gateway.desk.works.books import Book

SERVICES, BOOK = cast("Services", None), cast("Book", None)
OLD = PassageEdit(before="He waited there.", after="He waited here.", people=("Anna",))
NEW = PassageEdit(before="She came.", after="She came late.", people=("Ben",))


def _why(passage: str) -> DocumentComment:
    return DocumentComment(by="Ben", text="Why?", passage=passage)


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A book's texts; ``who`` names those in whose names they were saved."""
    texts = {FULL_BOOK: "# One\n\nHe waited there.\n", REVIEW: "She came.\n\nIt rained.\n", "who": ""}

    async def saved(_: object, __: object, new: dict[str, NewText], *, who: str) -> BookEdited:
        texts.update({path: each.text for path, each in new.items()})
        texts["who"] += who
        return BookEdited(outcome="saved")

    monkeypatch.setattr(editing, "shown_text", lambda _, __, path: ShownText(path, texts[path], "r"))
    monkeypatch.setattr(editing, "save_texts", saved)
    return texts


async def test_a_change_of_waiting_prose_is_a_passage_to_review_and_its_comment_a_note(
    files: dict[str, str],
) -> None:
    brought = Returned((OLD, NEW), (_why("She came late."),))

    done = await returned.take_in(SERVICES, BOOK, brought, "review")

    card, rest = passages(files[REVIEW])
    assert (card.text, card.before, card.answered) == ("She came late.", "She came.", "Tracked change by Ben")
    assert (card.notes, rest.text) == (("Ben: Why?",), "It rained.")
    assert (done.waiting, done.made, done.comments, done.noted, files["who"]) == (1, 0, 1, 1, "AnnaBen")
    assert done.lost == ()


async def test_a_change_and_a_comment_on_text_in_the_book_are_notes_at_their_passage(
    files: dict[str, str],
) -> None:
    gone = PassageEdit(before="# One", after="", people=("Ben",))
    comment = DocumentComment(by="Ben", text="Where?", passage="He waited there.")

    await returned.take_in(SERVICES, BOOK, Returned((gone, OLD), (comment,)), "review")

    assert files[FULL_BOOK] == (
        "# One\n\n<!-- INK: Ben: tracked change: this would go -->\n\n"
        "He waited there.\n\n<!-- INK: Anna: tracked change: this would read: He waited here. -->\n\n"
        "<!-- INK: Ben: Where? -->\n"
    )


@pytest.mark.parametrize("changes", ["review", "accept"])
async def test_a_document_that_comes_again_is_taken_in_already(
    files: dict[str, str], changes: Changes
) -> None:
    brought = Returned((OLD, NEW), (_why("She came late."), _why("It rained.")))
    await returned.take_in(SERVICES, BOOK, brought, changes)
    before = dict(files)

    again = await returned.take_in(SERVICES, BOOK, brought, changes)

    assert files == before
    assert again == TakenIn(again=4)


@pytest.mark.parametrize(("verdict", "text"), [("accept", "She came late."), ("reject", "She came.")])
async def test_a_reviewed_change_is_decided_as_every_reworked_passage(
    files: dict[str, str], verdict: Verdict, text: str
) -> None:
    await returned.take_in(SERVICES, BOOK, Returned((NEW,)), "review")

    done = decided(files[REVIEW], [Decision(passages(files[REVIEW])[0].id, verdict)])

    assert done == f"{text}\n\nIt rained.\n"


async def test_accepted_changes_go_into_the_book_too_each_in_its_authors_name(files: dict[str, str]) -> None:
    done = await returned.take_in(SERVICES, BOOK, Returned((OLD, NEW)), "accept")

    assert files[FULL_BOOK] == "# One\n\nHe waited here.\n"
    assert files[REVIEW] == "She came late.\n\nIt rained.\n"
    assert (done.made, done.waiting, files["who"]) == (2, 0, "AnnaBen")


async def test_rejected_changes_leave_the_text_and_bring_the_comments(files: dict[str, str]) -> None:
    done = await returned.take_in(SERVICES, BOOK, Returned((NEW,), (_why("It rained."),)), "reject")

    again = await returned.take_in(SERVICES, BOOK, Returned((), (_why("It rained."),)), "reject")

    assert files[REVIEW] == "She came.\n\nIt rained.\n\n<!-- INK: Ben: Why? -->\n"
    assert (again.comments, again.again, again.lost) == (0, 1, ())
    assert (done.waiting, done.made, done.comments) == (0, 0, 1)
