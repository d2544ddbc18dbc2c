"""A DOCX for an editor: what changed as tracked changes, and notes as comments."""

import io
import re
import zipfile

import pytest

from penwright.adapters.documents import PandocDocuments
from penwright.domain.text.word_marks import comment_mark, with_changes_since
from schemas.documents import BookDocument, Changes, ReadDocument, SourceDocument

DOCUMENTS = PandocDocuments()
DATE = "2026-01-02T10:00:00Z"
BEFORE = (
    "# Ebb\n\nHe waited there.\n\nShe _sang_ low.\n\nGone.\n\nIt rained.\n\n"
    "## Old name\n\n- a\n- b\n\nThe end.\n"
)
NOW = (
    "# Ebb\n\nHe waited here, and there.\n\nShe _sang_ high, and *long*.\n\nIt rained.\n\nAll new.\n\n"
    "New, too.\n\n## New name\n\n- a\n- c\n\nThe end.\n"
)


def _read(markdown: str, changes: Changes = "accept") -> ReadDocument:
    written = DOCUMENTS.write(BookDocument(markdown=markdown, title="", contents=False), "docx")
    return DOCUMENTS.read(SourceDocument(format="docx", content=written.content, changes=changes))


@pytest.mark.parametrize(("changes", "text"), [("accept", NOW), ("reject", BEFORE.replace("- b", "- c"))])
def test_all_accepted_is_the_text_of_now_and_all_rejected_that_of_before(changes: Changes, text: str) -> None:
    compared = with_changes_since(BEFORE, NOW, "since 1a2b", DATE)

    assert _read(compared.text, changes).markdown.split() == _read(text).markdown.split()
    assert compared.unmarked == 1
    assert _read(compared.text).people == ("since 1a2b",)


def test_every_tracked_change_has_a_number_of_its_own() -> None:
    compared = with_changes_since(BEFORE, f"{NOW}{comment_mark('INK', DATE, 'Why?')}", "A", DATE)
    book = BookDocument(markdown=compared.text, title="", contents=False)

    with zipfile.ZipFile(io.BytesIO(DOCUMENTS.write(book, "docx").content)) as packed:
        xml = packed.read("word/document.xml").decode()

    numbers = re.findall(r'<w:(?:ins|del|commentReference|bookmarkStart) [^<>]*?w:id="(\d+)"', xml)
    assert len(numbers) > 10
    assert len(set(numbers)) == len(numbers)


def test_a_word_that_changed_is_one_change_of_its_paragraph() -> None:
    compared = with_changes_since("He waited there.\n", "He waited here.\n", "A", DATE)

    assert "tracked changes accepted: 2, by A" in _read(compared.text).left_out


def test_a_note_alone_is_no_change() -> None:
    mark = comment_mark("INK", DATE, "Why?")

    compared = with_changes_since("It rained.\n\nHe sang.\n", f"It rained.{mark}\n\nHe sang on.\n", "A", DATE)

    assert (compared.places, compared.text.count(mark)) == (1, 1)


def test_a_text_that_did_not_change_has_no_changes() -> None:
    assert with_changes_since(NOW, NOW, "A", DATE).places == 0
    assert with_changes_since(NOW, NOW, "A", DATE).text == NOW


def test_a_note_goes_out_as_a_comment_and_comes_back_as_a_note() -> None:
    mark = comment_mark("INK", DATE, "Why <so> \u2013 \u201ehier\u201c?")

    read = _read(f"She _sang_{mark}\n\nThe end.\n")

    assert read.markdown == (
        "She *sang*\n\n<!-- INK: INK: Why <so> \u2013 \u201ehier\u201c? -->\n\nThe end.\n"
    )
