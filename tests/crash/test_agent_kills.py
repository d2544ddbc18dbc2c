"""SIGKILL the workers around and within every call of an agent's model and tools: its run ends the same.

Two things must differ: a failed attempt of a turn counts against the run's caps, and a letter that a worker
died with is not sent again; the agent is told that.
"""

import asyncio
import json
import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from temporalio.client import WorkflowHandle
from temporalio.service import RPCError

from activities.agents.transcripts import run_of
from penwright.adapters.models.scripted import Fault, ScriptedAnswer
from schemas.agent_run import AgentRunInput, AgentRunResult, CallDecision, RunLimits, RunQueues
from tests.support.agents.scripted_model import calls_made
from tests.support.crash.agent_summary import RunSummary, summarise_run
from tests.support.crash.disk_agents import CHANGES, LETTER, LETTER_CHANGE, TOOL_CALLS, TURNS, Archive, struck
from tests.support.crash.points import CrashPoint
from tests.support.engine.home import until
from tests.support.engine.postgres import Template
from tests.support.engine.stand import Desk, Stand, desk
from workflows.agents.loop import AgentLoop
from workflows.options import TASK_TIMEOUT

pytestmark = [
    pytest.mark.crash,
    pytest.mark.server,
    pytest.mark.xdist_group("engine"),
    pytest.mark.timeout(900),
]

LONG = os.environ.get("PENWRIGHT_CRASH") == "long"
AT_ONCE = 8
SHORT_SEGMENTS = RunLimits(segment_steps=5)
"""The run continues as new in the midst of its work."""
MODULES = '["tests.support.crash.disk_agents"]'


@dataclass(frozen=True)
class Trial:
    """One death, or a model whose process dies, or is stopped, before it answers."""

    crash: CrashPoint | None = None
    answering: int | None = None
    fault: Fault = "crash"

    def __str__(self) -> str:
        point = f"{self.crash}-{self.crash.sends.name}" if self.crash else f"answering-{self.answering}"
        point += "-lasting" if self.crash and self.crash.lasts else ""
        return f"{point}-{self.fault}"

    @property
    def turns(self) -> Sequence[ScriptedAnswer]:
        return struck(self.answering, self.fault) if self.answering else TURNS

    @property
    def repeats_a_turn(self) -> bool:
        """Whether an attempt of a turn fails, which counts against the run's caps."""
        lost = self.crash is not None and self.crash.fails_a_call
        return lost or self.answering is not None

    @property
    def loses_the_letter(self) -> bool:
        """Whether the worker dies in the call with effects outside, which is not attempted again."""
        if self.crash is None or self.crash.activity != "carry_out":
            return False
        return self.crash.number == (LETTER_CHANGE if self.crash.when == "done" else LETTER)

    @property
    def asked(self) -> int:
        """How often the model is asked: an answer that was paid for is not asked for again."""
        return len(TURNS) + (self.answering is not None)


_MODEL = [
    *(Trial(CrashPoint("call_model", when, n)) for n in range(1, 9) for when in ("before", "done", "after")),
    *(Trial(answering=n) for n in range(1, 9)),
]
_TOOLS = [
    *(
        Trial(CrashPoint("carry_out", when, n))
        for n in range(1, TOOL_CALLS + 1)
        for when in ("before", "during", "after")
    ),
    *(Trial(CrashPoint("carry_out", "done", n)) for n in range(1, len(CHANGES) + 1)),
]
_RECORDS = [
    Trial(CrashPoint(activity, when, n))
    for activity, times in (
        ("prepare_run", 2),
        ("store_messages", 1),
        ("announce_call", 1),
        ("end_run", 2),
    )
    for n in range(1, times + 1)
    for when in ("before", "after")
]
_HANDED_BACK = Trial(CrashPoint("carry_out", "done", 1, sends=signal.SIGTERM, lasts=True))
_STOPS = [
    Trial(answering=4, fault="stop"),
    Trial(CrashPoint("carry_out", "during", 2, sends=signal.SIGTERM)),
    _HANDED_BACK,
]
"""A process that receives SIGTERM: a turn that it must hand back, a call that it can finish, and a call whose
effect has happened and whose answer takes longer than the process may live."""
MATRIX = [*_MODEL, *_TOOLS, *_RECORDS, *_STOPS]
HANDFUL = [
    Trial(CrashPoint("call_model", "done", 2)),
    Trial(answering=4),
    Trial(CrashPoint("carry_out", "during", 2)),
    Trial(CrashPoint("carry_out", "done", 2)),
    Trial(CrashPoint("store_messages", "after", 1)),
    Trial(CrashPoint("end_run", "after", 2)),
    *_STOPS,
]
"""A paid answer, a sub-agent's turn, a half and a whole page, a sent letter, a new segment, an end, stops."""

TRIALS = MATRIX if LONG else HANDFUL


@dataclass
class Office:
    """Runs of the archivist, each with processes, a folder and a database of its own."""

    stand: Stand
    template: Template
    folder: Path
    runs: int = 0

    async def perform(self, trial: Trial) -> tuple[RunSummary, Desk]:
        self.runs += 1
        run_id = f"archive-{self.runs}"
        name, place = self.template.copy(), self.folder / f"{self.runs}-{trial}"
        more = {"PENWRIGHT_DATABASE_URL": self.template.url(name), "PENWRIGHT_AGENTS": MODULES}
        more["PENWRIGHT_WORKER__GRACE_S"] = "0.3"
        async with desk(self.stand, place, crash=trial.crash, **more) as at:
            at.says(*trial.turns)
            result = await self._run(at, run_id)
        summary = summarise_run(result, Archive(place / "archive"), more["PENWRIGHT_DATABASE_URL"])
        self.template.drop(name)
        return summary, at

    async def _run(self, at: Desk, run_id: str) -> AgentRunResult:
        handle = await self.begin(at, run_id)
        allowing = asyncio.ensure_future(_allow_the_letter(handle))
        try:
            return await handle.result()
        finally:
            allowing.cancel()

    async def begin(self, at: Desk, run_id: str) -> WorkflowHandle[AgentLoop, AgentRunResult]:
        """Start a run of the archivist."""
        queues = RunQueues(
            models=at.environ["PENWRIGHT_WORKER__MODEL_QUEUE"],
            tools=at.environ["PENWRIGHT_WORKER__REPO_QUEUE"],
        )
        return await self.stand.client.start_workflow(
            AgentLoop.run,
            AgentRunInput(
                agent="test/archivist",
                run_id=run_id,
                subject="archive",
                task="Keep the pages.",
                limits=SHORT_SEGMENTS,
                queues=queues,
            ),
            id=run_of(run_id),
            task_queue=at.environ["PENWRIGHT_WORKER__QUEUE"],
            task_timeout=TASK_TIMEOUT,
        )


async def _allow_the_letter(handle: WorkflowHandle[AgentLoop, AgentRunResult]) -> None:
    """Approve every request at once; queries may fail while a worker is dead."""
    while True:
        with suppress(RPCError):
            state = await handle.query(AgentLoop.state, rpc_timeout=timedelta(seconds=5))
            if (asked := state.approval) is not None:
                decision = CallDecision(approval=asked.id, digest=asked.digest, decided="approved", by="ada")
                await handle.execute_update(AgentLoop.decide_call, decision, id="yes")
                return
        await asyncio.sleep(0.1)


@pytest.fixture(scope="module")
async def office(
    stand: Stand, database_template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Office:
    return Office(stand, database_template, tmp_path_factory.mktemp("office"))


@pytest.fixture(scope="module")
async def originals(office: Office) -> Sequence[tuple[RunSummary, Desk]]:
    """Two undisturbed runs."""
    return await asyncio.gather(office.perform(Trial()), office.perform(Trial()))


@pytest.fixture(scope="module")
async def undisturbed(originals: Sequence[tuple[RunSummary, Desk]]) -> RunSummary:
    """The summary of the undisturbed run."""
    return originals[0][0]


async def test_undisturbed_runs_are_identical_and_act_once(
    originals: Sequence[tuple[RunSummary, Desk]], undisturbed: RunSummary
) -> None:
    again, at = originals[1]

    assert again.differences(undisturbed) == []
    assert undisturbed.result["outcome"] == "completed"
    assert undisturbed.result["commit"] == "commit-2"
    assert undisturbed.result["spent"]["model_calls"] == len(calls_made(at.script)) == len(TURNS)
    assert (len(undisturbed.written), len(undisturbed.sent)) == (2, 1)
    assert undisturbed.gaps == []


async def test_the_run_that_is_disturbed_continues_as_new(
    office: Office, originals: Sequence[tuple[RunSummary, Desk]]
) -> None:
    described = await office.stand.client.get_workflow_handle(run_of("archive-1")).describe()
    info = described.raw_description.workflow_execution_info

    assert info.first_run_id != info.execution.run_id


async def test_a_worker_killed_during_any_call_does_not_change_the_result(
    office: Office, undisturbed: RunSummary
) -> None:
    turns = asyncio.Semaphore(AT_ONCE)
    began = time.monotonic()

    async def tried(trial: Trial) -> list[str]:
        async with turns:
            summary, at = await office.perform(trial)
        wrong = _wrong(trial, summary, undisturbed)
        if len(at.crew.deaths) != 1:
            wrong.append(f"{len(at.crew.deaths)} processes died")
        if len(asked := calls_made(at.script)) != trial.asked:
            wrong.append(f"the model was asked {len(asked)} times")
        if trial == _HANDED_BACK and (left := _left_undone(at)) != [1]:
            wrong.append(f"after SIGTERM, the worker left {left} calls to others")
        return wrong

    outcomes = await asyncio.gather(*map(tried, TRIALS))

    print(f"\n{len(TRIALS)} deaths in {time.monotonic() - began:.0f} s")
    found = {str(trial): wrong for trial, wrong in zip(TRIALS, outcomes, strict=True) if wrong}
    assert found == {}


def _wrong(trial: Trial, summary: RunSummary, undisturbed: RunSummary) -> list[str]:
    """What differs from the undisturbed run, beside what must."""
    if trial.loses_the_letter:
        return summary.differences_but_for_the_letter(undisturbed)
    if trial.repeats_a_turn:
        try:
            return summary.without_failed_attempt(undisturbed).differences(undisturbed)
        except AssertionError as error:
            return [f"counted: {error}"]
    return summary.differences(undisturbed)


async def test_a_stopping_process_is_unready_and_a_second_signal_kills_it(
    office: Office, tmp_path: Path
) -> None:
    patient = desk(office.stand, tmp_path, PENWRIGHT_WORKER__GRACE_S="600", PENWRIGHT_AGENTS=MODULES)
    async with patient as at:
        at.says(*struck(1, "hang"))
        run = await office.begin(at, "two-signals")
        await asyncio.to_thread(until, lambda: len(calls_made(at.script)) == 1)
        process = at.crew.dismiss("models")
        assert process.pid is not None

        before = await asyncio.to_thread(_readiness, at)
        os.kill(process.pid, signal.SIGTERM)
        await asyncio.to_thread(until, lambda: _readiness(at) != before)
        after = await asyncio.to_thread(_readiness, at)
        os.kill(process.pid, signal.SIGTERM)
        await asyncio.to_thread(process.join, 60)
        code = process.exitcode
        await run.terminate()

    assert (before, after, code) == ("", "draining", 128 + signal.SIGTERM)


def _left_undone(at: Desk) -> list[int]:
    """How many calls each stopped worker left to others: handed back, or, on a machine that is
    too busy for that, abandoned at the end of its time."""
    counts = {"stopped": "handed_back", "ends without waiting longer": "abandoned"}
    return [line[counts[line["event"]]] for line in _log(at, "activities") if line["event"] in counts]


def _log(at: Desk, kind: str) -> list[dict[str, Any]]:  # Any: JSON
    log = (at.crew.folder / f"{kind}.log").read_text(encoding="utf-8")
    return [json.loads(line) for line in log.splitlines() if line.startswith("{")]


def _readiness(at: Desk) -> str:
    """Why the models process is not ready for work, as its endpoint says; empty when it is."""
    (address,) = [line["at"] for line in _log(at, "models") if line["event"] == "health"]
    try:
        with urlopen(f"{address}/readyz", timeout=30):
            return ""
    except HTTPError as error:
        return str(json.load(error)["reason"])
