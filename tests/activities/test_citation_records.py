"""Records that registries found: they fit a history, and the generator sees them beside the sentence."""

from temporalio.testing import ActivityEnvironment

from activities.citations.briefing import CitationBriefing
from penwright.adapters.clock import SystemClock
from penwright.domain.citations import answers
from schemas.base import BlobRef, Value
from schemas.citation_scan import BriefSearch, GatherRecords, ProposalList, RecordList
from schemas.citations import CitationProposal, CitationTarget
from schemas.scholarly import Answer, Author, EditorialNotice, ScholarlyRecord
from tests.support.doubles.store import memory_store

LONG = "海" * 20_000
MOST_BYTES = 100_000


def swollen(number: int) -> ScholarlyRecord:
    authors = tuple(Author(family=LONG, given=LONG) for _ in range(9))
    fields = dict.fromkeys(("container", "volume", "pages", "issue", "publisher", "pmid", "arxiv"), LONG)
    title = f"{number} {number * 7} {LONG}"
    return ScholarlyRecord(source="crossref", title=title, authors=authors, doi=f"10.1/{number}", **fields)


async def test_records_without_end_are_gathered_within_a_payload() -> None:
    blobs = memory_store(clock=SystemClock()).blobs
    answer = Answer(records=tuple(answers.bounded(swollen(number)) for number in range(20)))
    request = GatherRecords(answers=(blobs.put(answer.model_dump_json().encode()),))

    gathered = await ActivityEnvironment().run(CitationBriefing(blobs).gather_records, request)

    assert gathered.references
    assert len(gathered.model_dump_json().encode()) < MOST_BYTES


async def test_the_generator_reads_the_sentence_where_it_stands_and_what_each_work_says_of_it() -> None:
    blobs = memory_store(clock=SystemClock()).blobs
    text = (
        "# Low water\n\n## Tides\n\nGauges stand at two coasts. [[@misc{a, title = {A}}]] "
        "The water rises twice a day. Boats wait for it.\n\n## Silt\n\nHarbours fill.\n"
    )
    target = CitationTarget(
        number=1, kind="insert", sentence=4, text="The water rises twice a day.", section="Tides"
    )
    works = (
        ScholarlyRecord(source="crossref", title="Tides", abstract="The water rises twice a day here."),
        ScholarlyRecord(
            source="pubmed", title="Silt", notices=(EditorialNotice(kind="retraction", source="pubmed"),)
        ),
    )

    def put(value: Value) -> BlobRef:
        return blobs.put(value.model_dump_json().encode())

    request = BriefSearch(
        number=1,
        text=blobs.put(text.encode()),
        proposals=put(ProposalList(proposals=(CitationProposal(target=target),))),
        records=put(RecordList(records=works)),
    )

    briefed = await ActivityEnvironment().run(CitationBriefing(blobs).brief_generator, request)

    assert briefed.brief is not None
    prompt = blobs.get(briefed.brief.task).decode()
    assert "- the manuscript: Low water\n" in prompt
    assert "\nGauges stand at two coasts.\n" in prompt
    assert "\nBoats wait for it.\n" in prompt
    assert "Harbours fill" not in prompt
    assert "1. Tides — " in prompt
    assert "Support: abstract only: 100%" in prompt
    assert "2. RETRACTED: Silt — " in prompt
