"""Numbers that a writer cites become entries of records; nothing of an entry comes from the writer."""

from datetime import date

import pytest

from penwright.domain.citations.references import references_in
from penwright.domain.manuscript.citing import Cited, with_entries_for
from penwright.domain.text.inline_citations import find_citations
from schemas.library import LocatedQuote
from schemas.patching import Operation
from schemas.scholarly import Author, ScholarlyRecord
from schemas.section_evidence import EvidencePassage

TODAY = date(2026, 3, 1)
STANDS = "[[@article{orr2019rance, author = {Orr, M.}, title = {Tide mills of the Rance}, year = {2019}}]]"


def passage(number: int, name: str, year: int, title: str) -> EvidencePassage:
    record = ScholarlyRecord(
        source="crossref", title=title, authors=(Author(family=name, given="M."),), year=year, kind="article"
    )
    quote = LocatedQuote(source="crossref", quote="It turns.")
    return EvidencePassage(number=number, text="It turns.", record=record, quote=quote)


PASSAGES = (
    passage(1, "Orr", 2019, "Tide mills of the Rance"),
    passage(2, "Hill", 1907, "The miller's hours"),
)


def cited(text: str, before: str = "") -> Cited:
    operations = (Operation(kind="append", replace=text),)
    return with_entries_for(operations, PASSAGES, references_in(before), TODAY)


def keys_in(text: str) -> list[str]:
    return [each.key for each in find_citations(text).citations]


def test_numbers_become_the_entries_of_the_records() -> None:
    made = cited("A mill turns at night [2]. It stands on the Rance [1, 2].")

    (operation,) = made.operations
    assert keys_in(operation.replace) == ["hill1907millers", "orr2019tide", "hill1907millers"]
    assert operation.replace.startswith(
        "A mill turns at night [[@article{hill1907millers, author = {Hill, M.}"
    )
    assert operation.replace.endswith("}]].")
    assert set(made.added) == {
        each.entry.join(("[[", "]]")) for each in find_citations(operation.replace).citations
    }
    assert made.unknown == ()


def test_a_work_that_the_text_cites_already_keeps_its_entry_byte_for_byte() -> None:
    made = cited("It stands on the Rance [1].", f"A dam crosses it. {STANDS}\n")

    assert made.operations[0].replace == f"It stands on the Rance {STANDS}."


def test_numbers_that_no_passage_has_are_left_out_and_named() -> None:
    made = cited("A mill turns [2, 9]. So does another [7].")

    assert made.unknown == (7, 9)
    assert made.operations[0].replace.endswith("So does another.")
    assert keys_in(made.operations[0].replace) == ["hill1907millers"]


@pytest.mark.parametrize(
    "text",
    [
        "See [1](https://example.org/1) and x[1].",
        "A note[^1] and `a[1]` and [[@article{orr2019rance, title = {On [1]}}]].",
        "In $f = [1]$ nothing is cited.",
        "[1]: https://example.org/1",
        r"An escaped \[1] stays.",
    ],
)
def test_other_brackets_are_no_citations(text: str) -> None:
    assert cited(text).operations[0].replace == text


def test_a_mark_behind_the_full_stop_is_put_into_its_sentence() -> None:
    assert cited("It silted up. [no source] Then it broke.").operations[0].replace == (
        "It silted up [no source]. Then it broke."
    )
