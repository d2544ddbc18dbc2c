"""Rounds, and the run that remembers them, whose worker is killed: nothing is done twice or lost."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import WorkflowHandle

from gateway.desk.engine.temporal.scenes import TemporalRounds
from gateway.desk.scene import rounds
from gateway.desk.scene.orders import RoundOptions
from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.errors import EngineUnavailable
from schemas.base import BlobRef
from schemas.director_round import DirectorRoundInput, DirectorRoundResult
from schemas.model import Usage
from tests.support.agents.scripted_model import calls_made
from tests.support.crash.points import CrashPoint
from tests.support.engine.stand import Desk, Stand, desk
from tests.support.gateway.services import StageServices
from tests.support.scenes.playhouse import build_scene, plan
from workflows.director_round import DirectorRound
from workflows.options import TASK_TIMEOUT

pytestmark = [pytest.mark.crash, pytest.mark.server, pytest.mark.xdist_group("engine")]

LONG = os.environ.get("PENWRIGHT_CRASH") == "long"
AT_ONCE = 6
ASKS = 4
"""Model calls of an undisturbed round: director, two characters, director."""
SUMMED_UP = 2
"""Rounds after which the first one is summed up."""
USAGE = Usage(input_tokens=100, output_tokens=20, cost_micros=7)
ONCE = ("begin_round", "close_round", "end_round")
SEVERAL = ("brief_role", "call_model", "keep_pass", "keep_turn")
HANDFUL = ("keep_turn", "close_round")
BOUNDARIES = [
    CrashPoint(activity, when, number)
    for activity in ((*ONCE, *SEVERAL) if LONG else HANDFUL)
    for number in ((1, 2) if LONG and activity in SEVERAL else (1,))
    for when in (("before", "after") if LONG else ("after",))
]
REMEMBERING = [
    CrashPoint(activity, when, number)
    for activity in ("look_at_scene", "remember", "keep_summary", "tell_summary", "end_scene_memory")
    for number in ((1, 2) if LONG and activity in ("look_at_scene", "remember") else (1,))
    for when in (("before", "after") if LONG else ("after",))
    if LONG or activity in ("remember", "keep_summary")
]
ANSWERS = (
    ScriptedAnswer(role="summariser", text="They met by the lamp.", usage=USAGE),
    ScriptedAnswer(op="*/director-1*", text=plan("Ann", "Bob"), usage=USAGE),
    ScriptedAnswer(op="*/director-2*", text=plan(), usage=USAGE),
    ScriptedAnswer(role="character", text='"The lamp is out," said the keeper.', usage=USAGE),
)


@dataclass(frozen=True)
class Story:
    """What a round leaves: messages, events, memories, timeline."""

    messages: tuple[tuple[int, str, str], ...]
    events: tuple[str, ...]
    memories: tuple[str, ...]
    summary: tuple[tuple[str, int], ...]
    status: str
    outcome: str
    turns: tuple[str, ...]


@dataclass
class Stage:
    """Scenes that are played once each."""

    stand: Stand
    folder: Path
    performances: int = 0

    async def perform(self, crash: CrashPoint | None = None, *, rounds: int = 1) -> tuple[Story, Desk]:
        """Rounds of a scene of its own, until they are remembered and the first is summed up."""
        self.performances += 1
        store, folder = self.stand.store, self.folder / str(self.performances)
        scene = build_scene(store.worlds, title=f"Kills {os.getpid()} {self.performances}", summarise_after=1)
        async with desk(self.stand, folder, crash=crash, PENWRIGHT_ROLES__SCENE="scripted") as at:
            at.says(*ANSWERS)
            async with asyncio.timeout(120):
                for number in range(1, rounds + 1):
                    handle = await self._start(scene, at, f"s{number}", store.blobs.put(b"Who lit the lamp?"))
                    ended = await handle.result()
                await self.stand.client.get_workflow_handle(f"scene-memory/{scene}").result()
        return self._story(scene, ended), at

    async def _start(
        self, scene: str, at: Desk, session: str, text: BlobRef
    ) -> "WorkflowHandle[DirectorRound, DirectorRoundResult]":
        given = DirectorRoundInput(
            scene=scene, session=session, text=text, model_queue=at.environ["PENWRIGHT_WORKER__MODEL_QUEUE"]
        )
        return await self.stand.client.start_workflow(
            DirectorRound.run,
            given,
            id=f"scene/{scene}",
            task_queue=at.environ["PENWRIGHT_WORKER__QUEUE"],
            task_timeout=TASK_TIMEOUT,
        )

    def _story(self, scene: str, ended: DirectorRoundResult) -> Story:
        store = self.stand.store
        played, told = store.scenes.round(scene, 1), store.scenes.summed_up(scene)
        assert played is not None
        events = store.records.events_after(0, run=f"scene/{scene}#s1")
        return Story(
            messages=tuple((each.number, each.name, each.text) for each in store.scenes.messages(scene)),
            events=tuple(each.kind for each in events),
            memories=tuple(each.text for each in store.memories.of(scene)),
            summary=tuple((each.text, max(each.readings)) for each in told.stretches),
            status=played.status,
            outcome=ended.outcome,
            turns=tuple(each.outcome for each in played.turns),
        )


async def test_a_worker_killed_at_any_boundary_of_a_round_changes_nothing(
    stand: Stand, tmp_path: Path
) -> None:
    stage = Stage(stand, tmp_path)
    original, undisturbed = await stage.perform()
    assert (original.outcome, original.status, original.turns) == ("completed",) * 2 + (("spoken",) * 2,)
    assert [name for _, name, _ in original.messages] == ["Mira", "Ann", "Bob"]
    assert len(calls_made(undisturbed.script)) == ASKS

    assert await wrong_after(stage, BOUNDARIES, original, rounds=1, asks=ASKS) == {}


async def test_a_worker_killed_while_a_scene_is_remembered_and_summed_up_changes_nothing(
    stand: Stand, tmp_path: Path
) -> None:
    stage, asks = Stage(stand, tmp_path), ASKS * SUMMED_UP + 1
    original, undisturbed = await stage.perform(rounds=SUMMED_UP)
    assert original.summary == (("They met by the lamp.", 3),)
    assert len(original.memories) == 2 * SUMMED_UP, "Ann and Bob remember each round once"
    assert len(calls_made(undisturbed.script)) == asks

    assert await wrong_after(stage, REMEMBERING, original, rounds=SUMMED_UP, asks=asks) == {}


class Lost(TemporalRounds):
    """Starts a round, and then the caller's process dies before it knows."""

    async def start(self, given: DirectorRoundInput) -> bool:
        await super().start(given)
        raise EngineUnavailable("engine-unavailable", "the connection was lost")


async def test_words_that_are_sent_again_because_the_web_died_are_said_once(
    stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = build_scene(stand.store.worlds, title=f"Said once {os.getpid()}")
    wanted = RoundOptions(text="Who lit the lamp?", session="0123456789abcdef")
    services = StageServices()
    monkeypatch.setattr(services, "store", stand.store)
    async with desk(stand, tmp_path, PENWRIGHT_ROLES__SCENE="scripted") as at:
        at.says(*ANSWERS)
        queues = [at.environ[f"PENWRIGHT_WORKER__{name}"] for name in ("QUEUE", "MODEL_QUEUE")]
        defaults = replace(services.defaults(), model_queue=queues[1])
        monkeypatch.setattr(services, "defaults", lambda: defaults)
        monkeypatch.setattr(services, "rounds", Lost(stand.client, *queues))
        with pytest.raises(EngineUnavailable):
            await rounds.play(services, scene, wanted, wait=None)
        monkeypatch.setattr(services, "rounds", TemporalRounds(stand.client, *queues))

        at_once = await rounds.begin(services, scene, wanted, queue=True)
        await services.rounds.result(scene)
        later = await rounds.begin(services, scene, wanted, queue=True)

    assert at_once.given.session == later.given.session == wanted.session
    assert [each.name for each in stand.store.scenes.messages(scene)] == ["Mira", "Ann", "Bob"]


# Any: a story, or a sentence.
async def wrong_after(
    stage: Stage, points: Sequence[CrashPoint], original: Story, *, rounds: int, asks: int
) -> dict[str, list[Any]]:
    """Outcomes that are not as in the original, by where a process was killed."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def trial(point: CrashPoint) -> tuple[str, list[Any]]:
        async with turns:
            story, at = await stage.perform(point, rounds=rounds)
        wrong: list[Any] = [] if story == original else [story]
        if len(at.crew.deaths) != 1:
            wrong.append(f"{len(at.crew.deaths)} processes died")
        if len(calls_made(at.script)) != asks:
            wrong.append(f"the model was asked {len(calls_made(at.script))} times")
        return str(point), wrong

    outcomes = await asyncio.gather(*(trial(point) for point in points))
    return {name: wrong for name, wrong in outcomes if wrong}
