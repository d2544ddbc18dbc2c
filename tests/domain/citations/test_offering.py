"""What a scan offers: only what a registry's record confirms, and records as the generator reads them."""

from datetime import date
from typing import Literal, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.domain.citations.building import entry_of
from penwright.domain.citations.changes import is_of_its_works
from penwright.domain.citations.entries import Entry, bibliography, read_entries, read_entry, written
from penwright.domain.citations.exchange.importing import imported
from penwright.domain.citations.proposals import standing_of
from penwright.domain.citations.references import References, references_in
from penwright.domain.citations.scanning.offering import FoundWork, checked, insertion, line_of, with_proposed
from penwright.domain.citations.support.comparing import support_by_abstract, support_in
from penwright.domain.citations.verdicts import judge
from schemas.citations import CitationChange, CitationProposal, CitationTarget, ClaimSupport
from schemas.library import LibraryPassage
from schemas.scholarly import Answer, Author, EditorialNotice, ScholarlyRecord, Verdict
from tests.support.sweeps import LONG as SWEEP

LONG = "x" * 20_000
TODAY = date(2026, 5, 4)
TARGET = CitationTarget(number=1, kind="insert", sentence=1, text="The sea rises.")
RISES = ScholarlyRecord(
    source="crossref",
    doi="10.1000/tide.7",
    pmid="77",
    title="The tides of the north sea",
    authors=(Author(family="Lee", given="Ann"),),
    year=2020,
    container="Shores",
    volume="4",
    issue="2",
    pages="11-19",
    publisher="Harbour Press",
    kind="article",
)
GOOD = entry_of(RISES, "old", TODAY)
VERIFIED = Verdict(status="verified", confirmed_by=("crossref",))
Way = Literal["text", "references.bib", "an import", "another sentence"]
WAYS = st.sampled_from(get_args(Way))


def known(way: Way, entry: Entry) -> References:
    """The references of a document into which an entry came in this way."""
    match way:
        case "text":
            return references_in(f"So. [[{written(entry)}]]")
        case "references.bib":
            return references_in("So.", [entry])
        case "an import":
            added = imported(bibliography([entry]), "bibtex", "", TODAY)
            return references_in("So.", read_entries(added.bibliography).entries)
        case "another sentence":
            change = CitationChange(after="", entries=(written(entry),))
            return with_proposed(references_in("So."), [CitationProposal(target=TARGET, change=change)])


@given(
    WAYS,
    st.sampled_from(["author", "title", "journal", "year", "volume", "number", "pages", "publisher", "pmid"]),
    st.sampled_from(["1871", "33333333", "A wholly invented thing"])
    | st.from_regex(r"[A-Z][a-z]{3,9}( [a-z]{3,9}){0,3}", fullmatch=True),
    st.booleans(),
)
@settings(max_examples=5_000 if SWEEP else 100, deadline=None)
def test_an_entry_that_its_record_does_not_confirm_is_never_put_in(
    way: Way, field: str, invented: str, lacking: bool
) -> None:
    """Whatever field is false, also one that the record lacks, the record goes in and the entry is named."""
    names = {"author": "authors", "journal": "container", "number": "issue"}
    gone = "" if lacking and field not in ("author", "title", "year", "publisher") else None
    record = RISES if gone is None else RISES.model_copy(update={names.get(field, field): gone})
    wrong = Entry("article", "old", tuple({**dict(GOOD.fields), field: invented}.items()))

    made = insertion(TARGET, [FoundWork(record, VERIFIED)], "", known(way, wrong), TODAY)

    assert made.change is not None
    (entry,) = made.change.entries
    assert read_entry(entry) == entry_of(record, "lee2020tides", TODAY)
    assert (made.code, "'old'" in made.message) == ("ENTRY_DIFFERS", True)


@given(WAYS)
def test_a_kept_proposal_is_put_in_only_with_the_entries_of_its_works(way: Way) -> None:
    """What an earlier version proposed may be accepted, applied, or accepted again after an undo."""
    made = insertion(TARGET, [FoundWork(RISES, VERIFIED)], "", known(way, GOOD), TODAY)
    assert made.change is not None
    false = written(Entry("article", "old", tuple({**dict(GOOD.fields), "title": "Invented"}.items())))
    forged = made.model_copy(update={"change": made.change.model_copy(update={"entries": (false,)})})

    assert (is_of_its_works(made), is_of_its_works(forged)) == (True, False)


@given(WAYS)
def test_an_entry_that_its_record_confirms_is_cited_again(way: Way) -> None:
    made = insertion(TARGET, [FoundWork(RISES, VERIFIED)], "", known(way, GOOD), TODAY)

    assert (made.change and made.change.keys, made.code) == (("old",), "")


def test_what_a_second_registry_knows_of_the_same_work_completes_the_record() -> None:
    plain = RISES.model_copy(update={"pmid": "", "volume": ""})
    medical = RISES.model_copy(update={"source": "pubmed"})

    verdict = judge(plain, Answer(records=(plain, medical), asked=("crossref", "pubmed")))

    assert verdict.record == plain.model_copy(update={"pmid": "77", "volume": "4"})


def test_an_invented_entry_of_the_own_bibliography_is_not_offered() -> None:
    own = RISES.model_copy(update={"source": "bibliography", "title": "A wholly invented title"})
    found = FoundWork(own, Verdict(status="mismatch", reason="crossref has another work"))

    made = insertion(TARGET, [found], "", References(), TODAY)

    assert (made.change, made.code) == (None, "MISMATCH")


def test_a_record_of_long_fields_takes_little_of_a_prompt() -> None:
    authors = tuple(Author(family=LONG, given=LONG) for _ in range(50))
    record = ScholarlyRecord(
        source="crossref", title=f"Tides {LONG}", authors=authors, container=LONG, doi=LONG, abstract=LONG
    )

    line = line_of(record)

    assert line.startswith("Tides xxx")
    assert len(line) < 4_000


def test_a_record_of_usual_length_is_whole() -> None:
    record = ScholarlyRecord(
        source="crossref",
        title="The tides of the north sea",
        authors=(Author(family="Lee", given="Ann"),),
        container="Shores",
        year=2020,
        doi="10.1000/x",
        abstract="It rises.",
    )

    assert line_of(record) == (
        "The tides of the north sea — Lee, Ann (Shores, 2020, 10.1000/x). Abstract: It rises."
    )


@pytest.mark.parametrize(
    ("abstract", "support", "state"),
    [
        ("Gauges show that the sea rises by three millimetres a year.", "abstract only", "proposed"),
        ("How people choose under risk, with losses that weigh more than gains.", "not found", "proposed"),
        ("The sea does not rise at this coast.", "contradicts", "proposed"),
        ("", "no text", "proposed"),
    ],
)
def test_no_rule_accepts_a_work_by_its_abstract_unless_it_is_allowed_to(
    abstract: str, support: str, state: str
) -> None:
    found = FoundWork(RISES.model_copy(update={"abstract": abstract}), VERIFIED)

    made = insertion(TARGET, [found], "It says so.", References(), TODAY)

    assert made.change is not None
    assert (made.change.verdict, made.change.support, made.state) == ("verified", support, state)
    assert standing_of(made).by_abstract == (support == "abstract only")


@pytest.mark.parametrize(
    ("text", "support", "state"),
    [
        ("Tides were read at two gauges. The sea rises, as both show.", "says", "verified"),
        ("Tides were read at two gauges. The sea does not rise.", "contradicts", "proposed"),
        ("Tides were read at two gauges.", "not found", "proposed"),
    ],
)
def test_a_rule_accepts_a_work_whose_own_text_says_the_sentence(text: str, support: str, state: str) -> None:
    """The text counts, whatever the abstract has."""
    passage = LibraryPassage(source="tides.pdf", number=3, page=7, section="Results", text=text)
    record = RISES.model_copy(update={"abstract": "The sea rises."})

    made = insertion(
        TARGET,
        [FoundWork(record, VERIFIED, support_in(TARGET.text, record, [passage]))],
        "",
        References(),
        TODAY,
    )

    assert made.change is not None
    assert (made.change.support, made.state) == (support, state)
    assert made.change.works[0].compared == record_of(made.change)
    if made.change.quote is not None:
        assert made.change.quote.quote in text
        assert (made.change.quote.source, made.change.quote.page) == ("tides.pdf", 7)


def record_of(change: CitationChange) -> ClaimSupport:
    assert change.support is not None
    return ClaimSupport(support=change.support, share=change.overlap or 0, quote=change.quote)


def test_the_weakest_of_several_works_decides() -> None:
    says = LibraryPassage(source="tides.pdf", number=1, text="The sea rises.")
    other = RISES.model_copy(
        update={"doi": "10.1000/tide.8", "pmid": "", "title": "Gauges", "abstract": "The sea rises."}
    )

    own = FoundWork(RISES, VERIFIED, support_in(TARGET.text, RISES, [says]))
    made = insertion(TARGET, [own, FoundWork(other, VERIFIED)], "", References(), TODAY)

    assert (made.change and made.change.support, made.state) == ("abstract only", "proposed")


def test_a_candidate_says_that_it_is_retracted_and_how_far_its_quote_carries() -> None:
    notice = EditorialNotice(kind="retraction", source="crossref")
    record = RISES.model_copy(update={"notices": (notice,), "abstract": "The sea rises at this coast."})

    line = line_of(record, support_by_abstract("The sea rises.", record))

    assert line.startswith("RETRACTED: The tides of the north sea")
    assert "abstract only: 100%" in line
    assert "“The sea rises at this coast.” (crossref)" in line


def test_citations_that_stand_already_are_told_what_their_works_say_and_stay() -> None:
    target = TARGET.model_copy(update={"kind": "verify", "text": f"The sea rises. [[{written(GOOD)}]]"})
    page = LibraryPassage(source="tides.pdf", number=1, page=2, text="The sea rises.")
    says = support_in("The sea rises.", RISES, [page])
    off = support_in("The sea rises.", RISES, [page.model_copy(update={"text": "We look at wells."})])

    references = references_in(target.text)
    told = {each.support: checked(target, [VERIFIED], references, each) for each in (says, off)}

    assert {each.state for each in told.values()} == {"skipped"}
    assert "says: 100%" in told["says"].message
    assert "“The sea rises.” (tides.pdf, page 2)" in told["says"].message
    assert "not found: 0%" in told["not found"].message
