"""A person types in the editor while the manuscript loop writes the same document: no keystroke is lost."""

import asyncio
import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.testing import WorkflowEnvironment

from schemas.editing import EditingInput, SaveOrder
from schemas.manuscript_text import TextSaved
from tests.support.manuscripts.studio import Studio, edit, scored, studio
from workflows.editing import Editing
from workflows.options import TASK_TIMEOUT

NOTES = "# Notes\n\nTyped:\n\nAnd later:\n"


@dataclass
class Typist:
    """An editor that shows a text, in which someone types, and which saves on its own revision."""

    here: Studio
    chance: random.Random
    shown: str = NOTES
    base: str = ""
    typed: list[str] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)

    async def work(self, done: asyncio.Event) -> None:
        while not done.is_set():
            for _ in range(self.chance.randint(1, 3)):
                self._type()
            await self._save()
            await asyncio.sleep(self.chance.uniform(0, 0.15))

    def _type(self) -> None:
        """A few keystrokes in one of two places."""
        word = f"k{len(self.typed)}k"
        self.typed.append(word)
        mark = self.chance.choice(("Typed:", "And later:"))
        self.shown = self.shown.replace(mark, f"{mark} {word}", 1)

    async def _save(self) -> None:
        saved = await self._saved()
        self.outcomes.append(saved.outcome)
        assert saved.outcome in ("saved", "merged", "unchanged"), saved
        self.base = saved.revision
        self.shown = self.here.novel.text(saved.text)

    async def _saved(self) -> TextSaved:
        order = SaveOrder(base=self.base, text=self.here.novel.put(self.shown), who="ada")
        given = EditingInput(
            novel_id=self.here.queue,
            scene=self.here.scene,
            workspace=self.here.novel.workspace,
            session="e1",
            repo_queue=self.here.queue,
        )
        handle = await self.here.client.start_workflow(
            Editing.run,
            given,
            id=f"editing/{self.here.queue}/-",
            task_queue=self.here.queue,
            task_timeout=TASK_TIMEOUT,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        )
        return await handle.execute_update(Editing.save, order)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
async def test_every_keystroke_is_in_the_final_text_and_so_is_what_the_loop_wrote(
    temporal_env: WorkflowEnvironment, tmp_path: Path, seed: int
) -> None:
    async with studio(temporal_env.client, tmp_path, NOTES) as here:
        revised = "The tide comes in twice a day."
        here.cast.scripts["critic"] = iter(
            [scored(0.5, "Say how often."), scored(0.6, "Again."), scored(0.9)]
        )
        here.cast.scripts["reviser"] = iter(
            [
                edit("The tide comes in twice, number 1.", revised),
                edit("The tide comes in twice, number 2.", "We counted."),
            ]
        )
        typist, done = Typist(here, random.Random(seed), base=here.novel.read().revision), asyncio.Event()
        typing = asyncio.create_task(typist.work(done))

        ended = await here.run()
        done.set()
        await typing

        text = here.text
        assert ended.stop in ("finished", "needs_input")  # what is typed makes a section too long
        assert [word for word in typist.typed if text.count(word) != 1] == []
        assert all(each in text for each in ("# Introduction", "# Method", revised, "We counted."))
        assert "merged" in typist.outcomes, "the loop wrote while the person typed"
