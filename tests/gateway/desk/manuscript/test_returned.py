"""A document that comes back to a scene with tracked changes and comments."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from gateway.desk.manuscript import refused_edits, returned
from gateway.desk.works.documents import Document
from gateway.desk.works.novels import Novel
from penwright.adapters.documents import PandocDocuments
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.returned import Returned
from penwright.domain.text.words import without_comments
from schemas.base import BookId
from schemas.documents import DocumentComment, PassageEdit, SourceDocument
from schemas.manuscript_text import TextSaved
from schemas.novel import NovelConfig
from tests.gateway.desk.manuscript.test_refused_edits import Office
from tests.support.books.word_documents import reviewed
from tests.support.manuscripts.novel_repo import NovelRepo

if TYPE_CHECKING:
    from gateway.desk.services import Services


def _found(novel: NovelRepo) -> tuple["Services", Document]:
    config = NovelConfig(id="tides", title="T")
    return cast("Services", Office(novel)), Document(Novel(BookId("tides"), novel.workspace, config), "-")


def _prose(novel: NovelRepo) -> list[str]:
    return [each for each in paragraphs(without_comments(novel.committed)) if each]


@pytest.mark.parametrize("keep", ["edit", "mine"])
async def test_each_tracked_change_is_a_card_and_taking_all_makes_the_accepted_text(
    tmp_path: Path, keep: refused_edits.Keep
) -> None:
    content, before, after = reviewed()
    read = PandocDocuments().read(SourceDocument(format="docx", content=content, changes="review"))
    novel = NovelRepo(tmp_path / "novel", {"-": "\n\n".join(before) + "\n"})
    services, found = _found(novel)

    done = await returned.take_in(services, found, Returned(read.edits, read.comments), "review")
    unsettled = refused_edits.unsettled(services, found)
    waiting = _prose(novel)
    for card in unsettled:
        await refused_edits.decide(services, found, card.entry, card.number, keep, who="local")

    assert (len(unsettled), done.comments, done.lost) == (done.waiting, 30, ())
    assert {"Anna Bell", "Ben Ode"} <= {each.people for each in unsettled}
    assert waiting == before
    again = await returned.take_in(services, found, Returned(read.edits, read.comments), "review")
    gone = sum(not each.after for each in read.edits) if keep == "edit" else 0

    assert _prose(novel) == (after if keep == "edit" else before)
    assert (again.waiting, len(again.lost), again.again) == (0, gone, len(unsettled) + 30 - gone)
    assert refused_edits.unsettled(services, found) == ()


class Named(Office):
    """An office that notes in whose names it saves."""

    def __init__(self, novel: NovelRepo) -> None:
        super().__init__(novel)
        self.names: list[str] = []

    async def save(self, given: object, order: Any, key: str) -> TextSaved:
        self.names.append(order.who)
        return await super().save(given, order, key)


async def test_accepted_changes_and_comments_are_saved_in_the_names_of_their_authors(tmp_path: Path) -> None:
    novel = NovelRepo(tmp_path / "novel", {"-": "# One\n\nThe _old_ boat slept,\nand more.\n\nThe end.\n"})
    office, (_, found) = Named(novel), _found(novel)
    edit = PassageEdit(
        before="The *old* boat slept, and more.", after="The *old* boat woke, and more.", people=("Anna",)
    )
    gone = PassageEdit(before="Never written.", after="", people=("Anna",))
    comment = DocumentComment(by="Ben", text="Really?", passage="The end.")

    done = await returned.take_in(
        cast("Services", office), found, Returned((edit, gone), (comment,)), "accept"
    )

    assert office.names == ["Anna", "Ben"]
    assert (done.made, done.comments) == (1, 1)
    assert done.lost == (
        "change left out, because its passage is gone already, or was changed: "
        "Anna: 'Never written.' would be ''",
    )
    assert novel.committed.rstrip() == (
        "# One\n\nThe _old_ boat woke,\nand more.\n\nThe end.\n\n<!-- INK: Ben: Really? -->"
    )
