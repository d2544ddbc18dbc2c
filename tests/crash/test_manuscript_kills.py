"""SIGKILL the workers at every activity boundary of a manuscript's run: text, history, bill are the same."""

import asyncio
import os
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from gateway.desk.engine.temporal.manuscripts import TemporalManuscripts
from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.adapters.scaffold.novel import fresh_novel
from schemas.agent_state import ActionEntry, CallEntry
from schemas.manuscript import ManuscriptInput, ManuscriptResult, ManuscriptSettings
from schemas.model import Usage
from schemas.novel import NovelConfig
from schemas.workspace import Workspace
from tests.crash.worker import ProcessKind
from tests.support.agents.scripted_model import calls_made
from tests.support.books.repos import git, make_repository
from tests.support.crash.points import CrashPoint
from tests.support.engine.crew import KINDS
from tests.support.engine.stand import Desk, Stand, desk
from tests.support.manuscripts.studio import append, edit, planned, scored

pytestmark = [
    pytest.mark.crash,
    pytest.mark.server,
    pytest.mark.xdist_group("engine"),
    pytest.mark.timeout(900),
]

LONG = os.environ.get("PENWRIGHT_CRASH") == "long"
INSTANTS = 40 if LONG else 1
AT_ONCE = 8
SEED = 20261123
ASKS = 8
ACTIVITIES = (
    *("open_manuscript", "look_at_manuscript", "search_library"),
    *("gather_evidence", "brief_role", "call_model"),
    *("apply_draft", "keep_progress", "push_novel", "end_manuscript"),
)
NUMBERS = (1, 2, 3) if LONG else (1,)
ONCE = ("open_manuscript", "push_novel", "end_manuscript")
HANDFUL = (
    "search_library",
    "gather_evidence",
    "call_model",
    "apply_draft",
    "keep_progress",
    "end_manuscript",
)
BOUNDARIES = [
    CrashPoint(activity, when, number)
    for activity in (ACTIVITIES if LONG else HANDFUL)
    for number in (NUMBERS[:1] if activity in ONCE else NUMBERS)
    # What is lost before an activity begins is no more than a task that is sent again.
    for when in (("before", "after") if LONG or activity == "apply_draft" else ("after",))
]
USAGE = Usage(input_tokens=100, output_tokens=20, cost_micros=7)


def _role(role: str, text: str, call: int | None = None) -> ScriptedAnswer:
    return ScriptedAnswer(role=f"manuscript-{role}", call=call, text=text, usage=USAGE)


ANSWERS = (
    _role("formatter", "Write plainly."),
    _role("planner", planned("Introduction", "Method")),
    _role("writer", append("# Introduction\n\nThe tide comes in twice."), 1),
    _role("writer", append("# Method\n\nWe counted the tides of one year [1]."), 2),
    _role("critic", scored(0.5, "Say how often."), 1),
    _role("critic", scored(0.9), 2),
    _role("manager", '{"action": "revise_manuscript", "reasoning": "It asks for it."}'),
    _role("reviser", edit("The tide comes in twice.", "The tide comes in twice a day.")),
)


@dataclass(frozen=True)
class Story:
    """What a run leaves: text, commits, history, calls, ending."""

    text: str
    commits: tuple[str, ...]
    actions: tuple[tuple[str, str, str], ...]
    calls: tuple[tuple[str, int], ...]
    ended: dict[str, Any]  # a result as JSON

    def after(self, point: CrashPoint) -> "Story":
        """What must be left if a worker dies there: a lost call counts against the caps, and nothing else."""
        return self.with_a_lost_call(point.number) if point.fails_a_call else self

    def with_a_lost_call(self, number: int) -> "Story":
        """The same, and the role that asked ``number``-th, from 1, asked once more."""
        lost = {
            "calls": 1,
            "tokens": USAGE.input_tokens + USAGE.output_tokens,
            "cost_micros": USAGE.cost_micros,
        }
        calls = tuple((role, made + (at == number)) for at, (role, made) in enumerate(self.calls, start=1))
        counted = {name: self.ended[name] + more for name, more in lost.items()}
        return replace(self, calls=calls, ended={**self.ended, **counted})


@dataclass
class Stage:
    """Novels that are written from nothing, each once."""

    stand: Stand
    folder: Path

    async def perform(
        self,
        *,
        crash: CrashPoint | None = None,
        disturb: Callable[[Desk], Awaitable[None]] | None = None,
    ) -> tuple[Story, Desk]:
        """One run on a novel of its own; ``disturb`` runs beside it."""
        name = f"kills-{uuid4().hex[:8]}"  # a second stage must not find the first one's answers
        folder = self.folder / name
        make_repository(folder / "novel", fresh_novel(NovelConfig(id=name, title="Tides"), {}))
        async with desk(
            self.stand,
            folder / "desk",
            crash=crash,
            PENWRIGHT_ROLES__MANUSCRIPT="scripted",
            PENWRIGHT_SCHOLARLY__SOURCES='["recorded"]',
        ) as at:
            at.says(*ANSWERS)
            given = self._given(name, folder / "novel", at)
            runs = TemporalManuscripts(self.stand.client, at.environ["PENWRIGHT_WORKER__QUEUE"])
            await runs.start(given)
            disturbing = asyncio.ensure_future(disturb(at)) if disturb else None
            async with asyncio.timeout(120):
                ended = await runs.result(given.document)
            if disturbing is not None:
                disturbing.cancel()
        return self._story(given, folder / "novel", ended), at

    def _given(self, name: str, folder: Path, at: Desk) -> ManuscriptInput:
        instructions = self.stand.store.blobs.put(b"Write about tides.")
        return ManuscriptInput(
            novel=name,
            session="s1",
            workspace=Workspace(path=str(folder)),
            settings=ManuscriptSettings(instructions=instructions),
            repo_queue=at.environ["PENWRIGHT_WORKER__REPO_QUEUE"],
            model_queue=at.environ["PENWRIGHT_WORKER__MODEL_QUEUE"],
            evidence=True,
            title="Why most published research findings are false",
        )

    def _story(self, given: ManuscriptInput, folder: Path, ended: ManuscriptResult) -> Story:
        entries = [each.entry for each in self.stand.store.agent_logs.read(given.key)]
        told = ended.model_dump(mode="json", exclude={"novel", "commit", "best", "last"})
        return Story(
            text=git(folder, "show", "main:manuscript.md"),
            commits=tuple(git(folder, "log", "--reverse", "--format=%s", "main").splitlines()),
            actions=tuple(
                (each.action, each.code, each.summary) for each in entries if isinstance(each, ActionEntry)
            ),
            calls=tuple((each.role, each.calls) for each in entries if isinstance(each, CallEntry)),
            ended=told,
        )


@pytest.fixture(scope="module")
async def stage(stand: Stand, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(stand, tmp_path_factory.mktemp("stage"))


async def test_a_worker_killed_at_any_boundary_of_a_manuscripts_run_changes_nothing(stage: Stage) -> None:
    original, undisturbed = await stage.perform()
    assert original.ended["stop"] == "finished"
    assert "The tide comes in twice a day." in original.text
    assert "We counted the tides of one year [[@article{ioannidis2005most, " in original.text
    assert len(calls_made(undisturbed.script)) == ASKS
    turns = asyncio.Semaphore(AT_ONCE)

    async def trial(point: CrashPoint) -> tuple[str, list[str]]:
        async with turns:
            story, at = await stage.perform(crash=point)
        expected = original.after(point)
        wrong = [] if story == expected else [f"{story} is not {expected}"]
        if len(at.crew.deaths) != 1:
            wrong.append(f"{len(at.crew.deaths)} processes died")
        if len(calls_made(at.script)) != ASKS:
            wrong.append(f"the model was asked {len(calls_made(at.script))} times")
        return str(point), wrong

    outcomes = await asyncio.gather(*(trial(point) for point in BOUNDARIES))

    assert {name: wrong for name, wrong in outcomes if wrong} == {}


async def test_a_worker_killed_at_any_instant_of_a_manuscripts_run_changes_nothing(stage: Stage) -> None:
    original, _ = await stage.perform()
    allowed = [original, *(original.with_a_lost_call(number + 1) for number in range(ASKS))]
    instants = random.Random(SEED)
    deaths: Counter[str] = Counter()

    async def trial(kind: ProcessKind, delay: float) -> tuple[str, bool]:
        async def kill(at: Desk) -> None:
            await asyncio.sleep(delay)
            at.crew.kill(kind)

        story, at = await stage.perform(disturb=kill)
        deaths.update(at.crew.deaths)
        return f"{kind} at {delay:.3f} s", story in allowed

    choices = [(KINDS[number % len(KINDS)], instants.uniform(0.2, 3)) for number in range(INSTANTS)]
    outcomes = [await trial(*choice) for choice in choices]

    assert [name for name, same in outcomes if not same] == []
    assert deaths
