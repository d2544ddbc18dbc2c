"""What people see of a run in the Temporal UI: a sentence, and attributes to search by."""

from temporalio import workflow
from temporalio.common import SearchAttributeKey

from schemas.base import Progress

PIPELINE = SearchAttributeKey.for_keyword("PenwrightPipeline")
SUBJECT = SearchAttributeKey.for_keyword("PenwrightSubject")
STAGE = SearchAttributeKey.for_keyword("PenwrightStage")
WORDS = SearchAttributeKey.for_int("PenwrightWords")
COST = SearchAttributeKey.for_int("PenwrightCostMicros")


def show(progress: Progress) -> None:
    """Bring the run's details and search attributes up to date."""
    workflow.set_current_details(progress.detail)
    known = workflow.info().typed_search_attributes
    wanted = (
        (PIPELINE, progress.pipeline),
        (SUBJECT, progress.subject),
        (STAGE, progress.stage),
        (WORDS, progress.words),
        (COST, progress.cost_micros),
    )
    changes = [key.value_set(value) for key, value in wanted if known.get(key) != value]  # type: ignore[arg-type]
    if changes:
        workflow.upsert_search_attributes(changes)
