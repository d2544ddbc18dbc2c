"""The mark of a sentence without a source: what it is taken for, and what becomes of it."""

from penwright.domain.citations.changes import with_entries
from penwright.domain.citations.exchange.exporting import exported
from penwright.domain.citations.proposals import same_words
from penwright.domain.citations.sentences import sentences_of
from penwright.domain.citations.targets import with_marked
from schemas.manuscript_roles import ChosenSentence


def test_a_sentence_that_is_marked_as_without_a_source_is_a_target_whoever_else_is_chosen() -> None:
    sentences = sentences_of("It silted up [no source]. It broke. In `x [no source]` nothing is meant.")

    chosen = with_marked(
        sentences, [ChosenSentence(sentence=2, kind="insert", reason_citation_target="When?")]
    )

    assert [each.sentence for each in chosen] == [2, 1]


def test_a_cited_sentence_loses_its_mark_and_no_word() -> None:
    marked = "It silted up [no source]."
    cited = with_entries(marked, ["@book{orr, title = {Silt}}"])

    assert cited == "It silted up. [[@book{orr, title = {Silt}}]]"
    assert same_words(marked, cited)


def test_an_exported_text_has_no_mark_and_each_is_a_finding_with_its_line() -> None:
    made = exported("# Silt\n\nIt silted up [no source].\nIt broke. `a [no source]` is code.\n")

    assert made.text == "# Silt\n\nIt silted up.\nIt broke. `a [no source]` is code.\n"
    (found,) = made.findings
    assert (found.code, found.line) == ("NO_SOURCE", 3)
    assert "It silted up" in found.message
