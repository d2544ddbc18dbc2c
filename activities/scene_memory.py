"""Memories and summary that a scene lacks, and the beginning and end of the run that makes them."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from temporalio import activity
from temporalio.client import Client

from activities.run_log import run_end
from penwright.domain.control import shown_outcome
from penwright.domain.scene.memory.run import MESSAGES, PIPELINE, run_name
from penwright.ports.records import Records
from penwright.ports.scenes import Memories, Scenes, Worlds
from schemas.records import Event, RunRow
from schemas.scene_memory import (
    EndSceneMemory,
    LookAtScene,
    Outstanding,
    SceneMemoryInput,
    SummaryTold,
)
from schemas.worlds import Scene

ROUNDS: Final = 50
"""Most rounds that one look returns."""


@dataclass(frozen=True, slots=True)
class TemporalSceneMemory:
    """Implements ``MemoryRuns``: starts the workflow, or tells the running one to look again."""

    queue: str
    """Of workflows."""
    model_queue: str
    client: Callable[[], Client] = activity.client

    async def wanted(self, scene: str, session: str, override_tag: str = "") -> None:
        await self.client().start_workflow(
            "SceneMemory",
            SceneMemoryInput(
                scene=scene, session=session, model_queue=self.model_queue, override_tag=override_tag
            ),
            id=f"scene-memory/{scene}",
            task_queue=self.queue,
            start_signal="wanted",
            static_summary=f"Memories and summary of {scene}",
        )


@dataclass(frozen=True)
class SceneMemoryRunActivities:
    """Activities for any worker that reaches the store."""

    worlds: Worlds
    scenes: Scenes
    memories: Memories
    records: Records

    @activity.defn
    async def look_at_scene(self, request: LookAtScene) -> Outstanding:
        """Find rounds without memories, and the next portion to sum up; of a scene that is gone, none.

        Lists show the run from now on.
        """
        return await asyncio.to_thread(self._look, request)

    @activity.defn
    async def tell_summary(self, request: SummaryTold) -> None:
        """Tell followers of the scene that the summariser is done."""
        await asyncio.to_thread(self._tell, request)

    @activity.defn
    async def end_scene_memory(self, request: EndSceneMemory) -> None:
        """Note the run's end, for lists."""
        await asyncio.to_thread(self.records.note, *_noted(request))

    def _look(self, request: LookAtScene) -> Outstanding:
        self._note_beginning(request)
        scene = self.worlds.read(Scene, request.scene)
        if scene is None:
            return Outstanding()
        lacking = self.memories.lacking(request.scene, after=request.after)
        found = self._unsummarised(request, scene.settings.summarise_after)
        return found.model_copy(update={"rounds": lacking[:ROUNDS], "left": len(lacking)})

    def _note_beginning(self, request: LookAtScene) -> None:
        """Note the run for lists, under the name with which its op ids begin."""
        run, _, _ = request.effect.op_id.rpartition(":")
        row = RunRow(
            run=run,
            pipeline=PIPELINE,
            subject=f"scene/{request.scene}",
            stage="look",
            started_at=request.effect.issued_at,
        )
        self.records.note(row, [])

    def _unsummarised(self, request: LookAtScene, most_rounds: int) -> Outstanding:
        """The next portion to be summed up, if more than ``most_rounds`` lie after the newest stretch.

        The rest of the portion before comes first, and what lies between stretches. A round that is being
        played is left out, and the newest that is over.
        """
        told, running = self.scenes.summed_up(request.scene), self.scenes.running(request.scene)
        outside = [each for each in told.outside if each.round != running]
        newest = outside[-1].round if outside else 0
        older = [each for each in outside if each.round != newest]
        last = max((number for each in told.stretches for number in each.readings), default=0)
        after = {each.round for each in outside if each.number > last}
        rest = [each for each in older if each.number < max(request.until, last)]
        wanted = rest or (older if len(after) > most_rounds else [])
        before = wanted[:MESSAGES][-1].number + 1 if wanted else None
        return Outstanding(round=newest, unsummarised=len(older), before=before)

    def _tell(self, request: SummaryTold) -> None:
        at, run = request.effect.issued_at, run_name(request.scene, request.session)
        subject = f"scene/{request.scene}"
        row = RunRow(
            run=run,
            pipeline=PIPELINE,
            subject=subject,
            stage="summarise",
            started_at=at,
            detail={"round": request.round},
        )
        cause = {"code": request.cause.code, "reason": request.cause.message} if request.cause else {}
        event = Event(
            run=run,
            subject=subject,
            kind="summariser.completed",
            at=at,
            op_id=f"{request.effect.op_id}/ended",
            data={"round": request.round, **cause},
        )
        self.records.note(row, [event])


def _noted(request: EndSceneMemory) -> tuple[RunRow, list[Event]]:
    ending = request.result
    row, event = run_end(
        run_name(request.scene, request.session),
        PIPELINE,
        f"scene/{request.scene}",
        request.effect,
        outcome=shown_outcome(ending.outcome, ending.code),
        data={"outcome": ending.outcome, "code": ending.code, "remembered": ending.remembered},
        detail=ending.model_dump(mode="json"),
        cost_micros=ending.cost_micros,
        started_at=request.effect.issued_at,
    )
    return row, [event]
