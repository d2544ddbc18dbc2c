"""The page on Temporal's list names every pipeline with the stages that its runs can show."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import get_args, get_type_hints

from penwright.agents.evals import running
from penwright.agents.loop import reporting
from penwright.domain import housekeeping
from penwright.domain.book import errand, plan_run, session_status
from penwright.domain.citations.auditing import steps as auditing
from penwright.domain.citations.scanning import status as scanning
from penwright.domain.continuity import reading
from penwright.domain.manuscript import editing, loop_status
from penwright.domain.scene import indexing, round_status
from penwright.domain.scene.memory import run as remembering
from schemas.base import Progress
from workers.temporal_plugin import WORKFLOWS
from workflows.agents.eval_run import EvalRun
from workflows.agents.loop import AgentLoop
from workflows.book_errand import BookErrand
from workflows.book_session import BookSession
from workflows.citation_audit import CitationAudit
from workflows.citation_scan import CitationScan
from workflows.continuity import BookContinuity
from workflows.director_round import DirectorRound
from workflows.editing import Editing
from workflows.housekeeping import Housekeeping
from workflows.manuscript_loop import ManuscriptLoop
from workflows.memory_indexing import MemoryIndexing
from workflows.planning import BookPlanning
from workflows.scene_memory import SceneMemory
from workflows.steering import Steered
from workflows.visibility import at_start

PAGE = Path(__file__).parents[2] / "docs" / "temporal-ui.md"

# Any: takes the workflow's own state.
_STAGES: dict[type, tuple[str, Callable[..., str]]] = {
    BookSession: ("book-session", session_status.stage),
    BookErrand: ("book-errand", errand.stage),
    BookContinuity: ("continuity", reading.stage),
    BookPlanning: ("planning", plan_run.stage),
    ManuscriptLoop: ("manuscript", loop_status.stage),
    Editing: ("editing", editing.stage),
    CitationScan: ("citation-scan", scanning.stage),
    CitationAudit: ("citation-audit", auditing.stage),
    DirectorRound: ("director-round", round_status.stage),
    MemoryIndexing: ("memory-indexing", indexing.stage),
    SceneMemory: ("scene-memory", remembering.stage),
    AgentLoop: ("agent-run", reporting.stage),
    EvalRun: ("eval-run", running.stage),
    Housekeeping: ("housekeeping", housekeeping.stage),
}
"""Each workflow with stages: its pipeline, and the function whose type names them all."""
_ONE_STAGE = {"book-schedule": {"run"}, "notification": {"send"}, "model-trial": {"ask"}}
_DOCUMENTED = re.compile(r"^\| `([a-z-]+)` \| `[^|]+\| (`[^|]+) \|", re.MULTILINE)


def _listed(pipeline: str, stage: str) -> str:
    """The stage as the search attribute has it."""
    pairs = at_start(Progress(pipeline=pipeline, subject="", stage=stage, detail="")).search_attributes
    return str(next(pair.value for pair in pairs if pair.key.name == "PenwrightStage"))


def test_each_stage_of_each_pipeline_stands_in_the_page_of_the_temporal_ui() -> None:
    documented = {
        name: set(re.findall(r"`([a-z-]+)`", stages))
        for name, stages in _DOCUMENTED.findall(PAGE.read_text("utf-8"))
    }
    # An ended run keeps its last stage; each can be paused.
    settable = {
        name: {_listed(name, each) for each in get_args(get_type_hints(stage)["return"]) if each != "ended"}
        | {"paused"}
        for name, stage in _STAGES.values()
    }

    steered = {each for each in WORKFLOWS if issubclass(each, Steered)}
    assert steered == set(_STAGES), "a pipeline is new or gone: give it a line in _STAGES of this test"
    assert documented == settable | _ONE_STAGE, "say in docs/temporal-ui.md which stages a pipeline has"
