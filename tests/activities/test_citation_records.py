"""What registries found fits a history, whatever they say."""

from temporalio.testing import ActivityEnvironment

from activities.citations.briefing import CitationBriefing
from penwright.adapters.clock import SystemClock
from penwright.domain.citations import answers
from schemas.citation_scan import GatherRecords
from schemas.scholarly import Answer, Author, ScholarlyRecord
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
