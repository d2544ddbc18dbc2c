"""Tracked changes and comments of a DOCX: accepted, rejected, or brought for review."""

from collections import Counter

import pytest

from penwright.adapters.documents import PandocDocuments
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.returned import Returned, places, with_places
from penwright.domain.text.words import without_comments
from schemas.documents import Changes, ReadDocument, SourceDocument
from tests.support.books.word_documents import (
    comment,
    deleted,
    docx,
    inserted,
    paragraph,
    reviewed,
    run,
)

DOCUMENTS = PandocDocuments()


def _read(content: bytes, changes: Changes = "accept") -> ReadDocument:
    return DOCUMENTS.read(SourceDocument(format="docx", content=content, changes=changes))


def _prose(markdown: str) -> list[str]:
    return [each for each in paragraphs(without_comments(markdown)) if each]


@pytest.mark.parametrize("changes", ["accept", "reject"])
def test_fifty_changes_of_two_people_are_all_accepted_or_all_rejected(changes: Changes) -> None:
    content, before, after = reviewed()

    read = _read(content, changes)

    assert _prose(read.markdown) == (after if changes == "accept" else before)
    assert read.markdown.count("<!-- INK: ") == 30
    assert "comments as INK notes: 30, by Anna Bell and Ben Ode" in read.left_out
    assert read.people == (("Anna Bell", "Ben Ode") if changes == "accept" else ())


def test_for_review_the_changes_stand_beside_the_text_and_make_of_it_what_accepting_all_makes() -> None:
    content, before, after = reviewed()

    read = _read(content, "review")

    here, lost = places(read.markdown, Returned(read.edits))
    assert lost == ()
    assert _prose(read.markdown) == before
    assert _prose(with_places(read.markdown, [(each, each.after) for each in here])) == after
    assert Counter(each.by for each in read.comments) == {"Anna Bell": 15, "Ben Ode": 15}
    assert {name for each in read.edits for name in each.people} == {"Anna Bell", "Ben Ode"}


def test_a_blank_that_was_deleted_with_its_word_is_gone() -> None:
    content = docx([paragraph(run("He waits"), deleted(" there", "Anna"), run("."))])

    assert _read(content).markdown == "He waits.\n"
    assert _read(content, "reject").markdown == "He waits there.\n"


def test_what_a_person_inserts_at_the_beginning_of_a_line_stays_text() -> None:
    content = docx(
        [paragraph(inserted("- No, he said.", "Anna"), mark="ins Anna"), paragraph(run("She went."))]
    )

    assert _read(content).markdown == "\\- No, he said.\n\nShe went.\n"


def test_a_comment_stands_after_its_paragraph_with_its_author() -> None:
    content = docx(
        [paragraph(run("He waits."), comment(0), run(" She goes.")), paragraph(run("The end."))],
        [("Anna <Bell>", "Why -- here?")],
    )

    assert _read(content).markdown == (
        "He waits. She goes.\n\n<!-- INK: Anna <Bell>: Why \u2013 here? -->\n\nThe end.\n"
    )


def test_two_comments_of_the_same_words_are_two() -> None:
    content = docx(
        [paragraph(run("He waits."), comment(0)), paragraph(run("She goes."), comment(1))],
        [("Ben", "Why?"), ("Ben", "Why?")],
    )

    read = _read(content, "review")

    assert [each.passage for each in read.comments] == ["He waits.", "She goes."]
    assert "comments as INK notes: 2, by Ben" in read.left_out


def test_a_comment_whose_passage_is_not_in_the_text_is_named_with_its_words() -> None:
    content = docx(
        [paragraph(run("He waits.")), paragraph(deleted("She goes.", "Ben"))], [("Anna", "Keep it")]
    )

    assert (
        "comment left out, because its passage is not in the text: Anna: Keep it" in _read(content).left_out
    )


def test_custom_xml_and_headers_that_stay_out_are_counted() -> None:
    more = {"customXml/item1.xml": "<b:Sources xmlns:b='b'/>", "word/header1.xml": "<w:t>Draft</w:t>"}

    assert _read(docx([paragraph(run("He waits."))], more=more)).left_out == (
        "parts of custom XML left out: 1",
        "headers and footers left out: 1",
    )


def test_an_insertion_without_a_name_is_in_the_text() -> None:
    nameless = inserted("late", "").replace(' w:author=""', "").replace(' w:id="1"', "")

    read = _read(docx([paragraph(run("She came "), nameless, run("."))]))

    assert (read.markdown, read.people) == ("She came late.\n", ("a reviewer",))


def test_two_paragraphs_that_one_person_joined_are_that_persons_change() -> None:
    content = docx([paragraph(run("He waits. "), mark="del Anna"), paragraph(run("She goes."))])

    read = _read(content, "review")

    assert [(each.before, each.after, each.people) for each in read.edits] == [
        ("He waits.", "He waits. She goes.", ("Anna",)),
        ("She goes.", "", ("Anna",)),
    ]
