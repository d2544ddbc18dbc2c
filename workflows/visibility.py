"""Display of a run in the Temporal UI: a sentence, and attributes to search by."""

from typing import Any

from temporalio import workflow
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.manuscript.profile import MANUSCRIPT_PROFILE
from penwright.domain.scene.round_status import PIPELINE as ROUND
from schemas.base import Progress

PIPELINE = SearchAttributeKey.for_keyword("PenwrightPipeline")
SUBJECT = SearchAttributeKey.for_keyword("PenwrightSubject")
STAGE = SearchAttributeKey.for_keyword("PenwrightStage")
OUTCOME = SearchAttributeKey.for_keyword("PenwrightOutcome")
CODE = SearchAttributeKey.for_keyword("PenwrightCode")
WORDS = SearchAttributeKey.for_int("PenwrightWords")
COST = SearchAttributeKey.for_int("PenwrightCostMicros")

_PHASES = {
    (BOOK_PROFILE.name, "write"): "open",
    (BOOK_PROFILE.name, "edit"): "open",
    (BOOK_PROFILE.name, "advance"): "open",
    (BOOK_PROFILE.name, "push"): "close",
    (BOOK_PROFILE.name, "complete"): "close",
    (BOOK_PROFILE.name, "end"): "close",
    ("agent-run", "prepare"): "work",
    ("agent-run", "think"): "work",
    ("agent-run", "call"): "work",
    ("agent-run", "end"): "work",
    **{
        (MANUSCRIPT_PROFILE.name, stage): "work"
        for stage in ("look", "decide", "format", "plan", "evidence", "write", "critique", "revise")
    },
    **{(ROUND, stage): "work" for stage in ("open", "direct", "approval", "act", "close", "end")},
}
"""Stages to search by are coarser than the details: each change costs the server most of a step.
A session is open until its prose is there. How far a run had come stays readable after its end,
beside its outcome."""


_STAGE_WHILE_PAUSED = frozenset({"citation-scan", "housekeeping"})
"""Pipelines whose stage is that of their work while they are paused, until it is shown."""


def shown(progress: Progress) -> Progress:
    """The status as people see it: a paused run is at ``paused``, whatever it was at."""
    paused = progress.paused and not progress.ended and progress.pipeline in _STAGE_WHILE_PAUSED
    return progress.model_copy(update={"stage": "paused"}) if paused else progress


def at_start(progress: Progress) -> TypedSearchAttributes:
    """Attributes that the starter of a run sets, so that the run itself need not."""
    return TypedSearchAttributes(
        [
            SearchAttributePair(PIPELINE, progress.pipeline),
            SearchAttributePair(SUBJECT, progress.subject),
            SearchAttributePair(STAGE, _phase(progress)),
        ]
    )


def listed_progress(attributes: TypedSearchAttributes, subject: str) -> Progress:
    """Build the progress of a run that does not answer from its listed attributes."""
    stage = attributes.get(STAGE) or "open"
    return Progress(
        pipeline=attributes.get(PIPELINE) or "",
        subject=subject,
        stage=stage,
        detail=f"At {stage}; no worker answers",
        words=attributes.get(WORDS) or 0,
        cost_micros=attributes.get(COST) or 0,
        paused=stage == "paused",
    )


def show(progress: Progress) -> None:
    """Bring the run's details up to date, and at a change of phase or the end its search attributes."""
    workflow.set_current_details(progress.detail)
    if shown(progress) != progress and workflow.patched("stage-of-a-pause"):
        progress = shown(progress)
    known = workflow.info().typed_search_attributes
    if known.get(STAGE) == _phase(progress) and not progress.ended:
        return
    # Any: keyword or number.
    wanted: tuple[tuple[SearchAttributeKey[Any], str | int | None], ...] = (
        (PIPELINE, progress.pipeline),
        (SUBJECT, progress.subject),
        (STAGE, known.get(STAGE) if progress.ended else _phase(progress)),
        (WORDS, progress.words),
        (COST, progress.cost_micros),
        *_ending(progress.outcome, progress.code),
    )
    changes = [key.value_set(value) for key, value in wanted if known.get(key) != value]
    if changes:
        workflow.upsert_search_attributes(changes)


def show_ending(pipeline: str, subject: str, outcome: str, code: str) -> None:
    """Set the attributes of a run that only starts another one, once that has ended."""
    wanted = ((PIPELINE, pipeline), (SUBJECT, subject), *_ending(outcome, code))
    workflow.upsert_search_attributes([key.value_set(value) for key, value in wanted])


def _ending(outcome: str, code: str) -> list[tuple[SearchAttributeKey[str], str]]:
    return [(key, value) for key, value in ((OUTCOME, outcome), (CODE, code)) if value]


def _phase(progress: Progress) -> str:
    return _PHASES.get((progress.pipeline, progress.stage), progress.stage)
