"""SIGKILL the workers at every activity boundary of a citation scan: text, states and bill are the same."""

import asyncio
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from gateway.desk.engine.temporal.citation_audits import TemporalAudits
from gateway.desk.engine.temporal.citations import TemporalScans
from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.adapters.scaffold.novel import fresh_novel
from schemas.agent_state import StateKey
from schemas.citation_audit import CitationAuditInput, EntryState
from schemas.citation_scan import CitationScanInput
from schemas.model import Usage
from schemas.novel import NovelConfig
from schemas.workspace import Workspace
from tests.support.agents.scripted_model import calls_made
from tests.support.books.repos import git, make_repository
from tests.support.citations.desk import naming, picking, searching
from tests.support.crash.points import CrashPoint
from tests.support.engine.stand import Desk, Stand, desk

pytestmark = [pytest.mark.crash, pytest.mark.server, pytest.mark.xdist_group("engine")]

LONG = os.environ.get("PENWRIGHT_CRASH") == "long"
AT_ONCE = 6
ASKS = 6
"""Model calls of an undisturbed scan: twice the orchestrator, twice the generator for each sentence."""
TEXT = "# Doubt\n\nMost claimed findings are false. Many layers learn images. We think so.\n"
CLAIMED, LAYERS = 2, 3
USAGE = Usage(input_tokens=100, output_tokens=20, cost_micros=7)
ONCE = (
    *("read_text", "select_scene_intent", "survey_text", "set_targets", "plan_edits", "apply_operations"),
    *("keep_scan", "push_novel", "end_scan", "read_bibliography"),
)
SEVERAL = (
    *("brief_orchestrator", "brief_generator", "call_model", "look_up", "gather_records"),
    *("verify_reference", "compare_works", "propose_change"),
)
COMMITS = ("apply_operations", "keep_scan")
HANDFUL = ("call_model", "compare_works", *COMMITS)
BOUNDARIES = [
    CrashPoint(activity, when, number)
    for activity in ((*ONCE, *SEVERAL) if LONG else HANDFUL)
    for number in ((1, 2) if LONG and activity in SEVERAL else (1,))
    # What is lost before an activity begins is no more than a task that is sent again.
    for when in (("before", "after") if LONG or activity in COMMITS else ("after",))
]


def _answer(what: str, text: str) -> ScriptedAnswer:
    return ScriptedAnswer(op=f"*/{what}*", text=text, usage=USAGE)


OWN = {
    "sources/false.md": "# Results\n\nBy our model, most claimed findings are false. Bias adds to it.\n",
    "sources/sources.bib": "@article{ioannidis2005, author = {Ioannidis, John P. A.}, year = {2005}, "
    "title = {Why Most Published Research Findings Are False}, doi = {10.1371/journal.pmed.0020124}, "
    "file = {false.md}}\n",
}
"""The text of the first work; of the second there is an abstract."""
ANSWERS = (
    _answer("name-0", naming(CLAIMED, LAYERS)),
    _answer("name-1", naming()),
    _answer(
        "1/search", searching("published research findings false", ("doi", "10.1371/journal.pmed.0020124"))
    ),
    _answer("1/pick", picking(1)),
    _answer("2/search", searching("deep learning", ("doi", "10.1038/nature14539"))),
    _answer("2/pick", picking(1)),
)


@dataclass(frozen=True)
class Story:
    """What a scan leaves: text, commits, kept targets, ending."""

    text: str
    commits: tuple[str, ...]
    kept: tuple[Any, ...]  # rows as JSON
    ended: dict[str, Any]  # a result as JSON

    def after(self, point: CrashPoint) -> "Story":
        """What must be left if a worker dies there: a lost call counts against the caps, and nothing else."""
        if not point.fails_a_call:
            return self
        cost = self.ended["cost_micros"] + USAGE.cost_micros
        return replace(self, ended={**self.ended, "cost_micros": cost})


@dataclass
class Stage:
    """Novels that are scanned once each."""

    stand: Stand
    folder: Path

    async def perform(self, crash: CrashPoint | None = None) -> tuple[Story, Desk]:
        """One scan of a novel of its own; what is verified is accepted by rule."""
        name = f"scans-{uuid4().hex[:8]}"  # a second stage must not find the first one's answers
        folder = self.folder / name
        novel = fresh_novel(NovelConfig(id=name, title="Doubt"), {"-": TEXT})
        make_repository(folder / "novel", {**novel, **OWN})
        settings = {
            "PENWRIGHT_ROLES__MANUSCRIPT": "scripted",
            "PENWRIGHT_SCHOLARLY__SOURCES": '["recorded"]',
        }
        async with desk(self.stand, folder / "desk", crash=crash, **settings) as at:
            at.says(*ANSWERS)
            scans = TemporalScans(self.stand.client, at.environ["PENWRIGHT_WORKER__QUEUE"])
            await scans.start(self._given(name, folder / "novel", at))
            async with asyncio.timeout(120):
                ended = await scans.result(f"{name}/-")
        assert ended is not None
        return self._story(name, folder / "novel", ended.model_dump(mode="json")), at

    def _given(self, name: str, folder: Path, at: Desk) -> CitationScanInput:
        return CitationScanInput(
            novel=name,
            session="s1",
            workspace=Workspace(path=str(folder)),
            auto_accept=True,
            accepts_abstracts=True,
            waits=False,
            repo_queue=at.environ["PENWRIGHT_WORKER__REPO_QUEUE"],
            model_queue=at.environ["PENWRIGHT_WORKER__MODEL_QUEUE"],
        )

    def _story(self, name: str, folder: Path, ended: dict[str, Any]) -> Story:
        state = self.stand.store.agent_states.read(StateKey(novel=name))
        assert state is not None
        told = {key: value for key, value in ended.items() if key not in ("novel", "commits")}
        return Story(
            text=git(folder, "show", "main:manuscript.md"),
            commits=tuple(git(folder, "log", "--reverse", "--format=%s", "main").splitlines()),
            kept=tuple(_timeless(row) for row in state.citation_targets),
            ended={**told, "commits": len(ended["commits"])},
        )


def _timeless(row: Any) -> Any:  # rows as JSON
    """A kept target without the time of its decision."""
    standing = {name: value for name, value in row["standing"].items() if name != "at"}
    return {**row, "standing": standing}


async def test_a_worker_killed_at_any_boundary_of_a_citation_scan_changes_nothing(
    stand: Stand, tmp_path: Path
) -> None:
    stage = Stage(stand, tmp_path)
    original, undisturbed = await stage.perform()
    assert (original.ended["outcome"], original.ended["counts"]["applied"]) == ("done", 2)
    assert original.text.count("[[@article{") == 2
    assert [row["proposal"]["change"]["support"] for row in original.kept] == ["says", "abstract only"]
    assert len(calls_made(undisturbed.script)) == ASKS
    turns = asyncio.Semaphore(AT_ONCE)

    async def trial(point: CrashPoint) -> tuple[str, list[str]]:
        async with turns:
            story, at = await stage.perform(point)
        expected = original.after(point)
        wrong = [] if story == expected else [f"{story} is not {expected}"]
        if len(at.crew.deaths) != 1:
            wrong.append(f"{len(at.crew.deaths)} processes died")
        if len(calls_made(at.script)) != ASKS:
            wrong.append(f"the model was asked {len(calls_made(at.script))} times")
        return str(point), wrong

    outcomes = await asyncio.gather(*(trial(point) for point in BOUNDARIES))

    assert {name: wrong for name, wrong in outcomes if wrong} == {}


AUDITED = ("read_cited_texts", "list_entries", "audit_entries", "end_audit")
AUDIT_POINTS = [
    CrashPoint(activity, when, 1)
    for activity in (AUDITED if LONG else AUDITED[2:])
    for when in (("before", "after") if LONG else ("after",))
]
CITING = (
    "# Doubt\n\nIt is so. [[@article{ioannidis2005, author = {Ioannidis, John P. A.}, "
    "title = {Why Most Published Research Findings Are False}, year = {2005}, "
    "doi = {10.1371/journal.pmed.0020124}}]] And so. [[@book{orr1999, author = {Orr, M.}, "
    "title = {Counterfeit dawns in coastal parishes}, year = {1999}}]]\n"
)


async def test_a_worker_killed_at_any_boundary_of_an_audit_changes_nothing_of_its_report(
    stand: Stand, tmp_path: Path
) -> None:
    async def audited(crash: CrashPoint | None) -> tuple[dict[EntryState, int], list[str], int]:
        name = f"audits-{uuid4().hex[:8]}"
        make_repository(
            tmp_path / name / "novel", fresh_novel(NovelConfig(id=name, title="Doubt"), {"-": CITING})
        )
        settings = {"PENWRIGHT_SCHOLARLY__SOURCES": '["recorded"]'}
        async with desk(stand, tmp_path / name / "desk", crash=crash, **settings) as at:
            audits = TemporalAudits(stand.client, at.environ["PENWRIGHT_WORKER__QUEUE"])
            given = CitationAuditInput(
                subject=f"{name}/-",
                session="s1",
                workspace=Workspace(path=str(tmp_path / name / "novel")),
                scene="-",
                repo_queue=at.environ["PENWRIGHT_WORKER__REPO_QUEUE"],
            )
            await audits.start(given.subject, given)
            async with asyncio.timeout(120):
                ended = await audits.result(given.subject)
            rows = stand.store.records.runs(pipeline="citation-audit", subject=given.subject)
            return ended.counts, [each.outcome for each in rows], len(at.crew.deaths)

    outcomes = {str(point): await audited(point) for point in AUDIT_POINTS}

    whole: dict[EntryState, int] = {"found": 1, "not_found": 1}
    assert {name: told for name, told in outcomes.items() if told != (whole, ["done"], 1)} == {}
