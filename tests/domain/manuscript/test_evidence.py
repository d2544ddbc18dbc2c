"""Evidence on a section: own sources first, each work once, every quote letter for letter."""

from penwright.domain.manuscript.evidence import MOST_PASSAGES, evidence_of, numbered_passage, words_for
from schemas.library import LibraryPassage
from schemas.manuscript_roles import PlannedSection
from schemas.scholarly import Answer, Author, EditorialNotice, Outage, ScholarlyRecord

SECTION = PlannedSection(section_title="Mills", section_summary="How tide mills grind grain at night.")
WORDS = words_for(SECTION, "The Silted Pool")
ORR = ScholarlyRecord(
    source="crossref",
    title="Tide mills of the Rance",
    authors=(Author(family="Orr", given="M."),),
    year=2019,
    doi="10.5555/rance",
    abstract="We sounded nine pools. A tide mill grinds grain for five hours after each tide. Silt ends it.",
)
OWN = LibraryPassage(
    source="hill-1907.pdf",
    number=4,
    page=12,
    section="Working hours",
    text="The miller slept by day. Tide mills grind grain at night as well as by day.",
    record=ORR.model_copy(update={"title": "The miller's hours", "doi": "", "year": 1907}),
)


def test_own_passages_come_before_abstracts_and_all_are_numbered() -> None:
    found = evidence_of([OWN], Answer(records=(ORR,)), WORDS).passages

    assert [(each.number, each.quote.source, each.quote.page) for each in found] == [
        (1, "hill-1907.pdf", 12),
        (2, "crossref", None),
    ]
    assert found[0].quote.quote == "Tide mills grind grain at night as well as by day."
    assert found[1].quote.quote == "A tide mill grinds grain for five hours after each tide."
    assert all(each.quote.quote in each.text for each in found)
    assert numbered_passage(found[0]).startswith(
        "[1] Orr: The miller's hours (1907, p. 12, Working hours)\nThe miller slept"
    )


def test_a_work_that_three_registries_have_is_one_passage_and_no_more_than_eight_are_kept() -> None:
    same = tuple(ORR.model_copy(update={"source": each}) for each in ("crossref", "openalex", "pubmed"))
    others = tuple(
        ORR.model_copy(update={"title": f"Tide mills, part {at}", "doi": f"10.5555/p{at}"}) for at in range(9)
    )

    assert len(evidence_of([], Answer(records=same), WORDS).passages) == 1
    assert len(evidence_of([OWN], Answer(records=others), WORDS).passages) == MOST_PASSAGES


def test_what_is_retracted_off_the_subject_or_without_text_is_no_evidence() -> None:
    retracted = ORR.model_copy(update={"notices": (EditorialNotice(kind="retraction", source="crossref"),)})
    silent = ORR.model_copy(update={"abstract": " "})
    other = ORR.model_copy(update={"title": "Deep learning", "abstract": "Layers learn images."})
    references = OWN.model_copy(update={"is_reference_list": True})

    assert evidence_of([references], Answer(records=(retracted, silent, other)), WORDS).passages == ()


def test_a_source_that_could_not_be_asked_is_named_with_its_reason() -> None:
    out = Outage(source="openalex", reason="rate-limited", retry_after=3600)

    assert evidence_of([], Answer(outages=(out,)), WORDS).unasked == ("openalex (rate-limited, for 60 min)",)


def test_a_source_whose_work_is_not_known_is_called_by_its_file() -> None:
    (found,) = evidence_of([OWN.model_copy(update={"record": None})], Answer(), WORDS).passages

    assert found.record.title == "hill-1907"
