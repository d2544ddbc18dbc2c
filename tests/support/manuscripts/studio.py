"""The manuscript loop on a server: a novel in real git, a store in memory, a model that plays all roles."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from temporalio.client import Client, WorkflowHandle
from temporalio.worker import Worker

from activities.agent_run import AgentRunActivities
from activities.agents.conversation import Conversation
from activities.agents.progress import AgentProgress
from activities.agents.transcripts import Transcripts
from activities.agents.turn import AgentTurnActivities
from activities.holding import HoldingActivities
from activities.log_writing import LogWriter
from activities.manuscript import ManuscriptActivities
from activities.manuscripts.evidence import EvidenceActivities, LibraryActivities
from activities.notifying import NoOutbox
from activities.queue_time import QueueTimeActivities
from activities.work_lore import WorkLore
from penwright.adapters.clock import SystemClock
from penwright.adapters.memory_scholarly import MemoryScholarly
from schemas.agent_state import ActionEntry, AgentState, CallEntry, StateKey
from schemas.manuscript import ManuscriptInput, ManuscriptResult, ManuscriptSettings
from schemas.model import ModelRequest, ModelResponse, Usage
from tests.support.doubles.override_files import MemoryOverrideFiles
from tests.support.manuscripts.novel_repo import NovelRepo
from tests.support.manuscripts.shelf import Shelf, registries
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import activity_methods
from workflows.manuscript_loop import ManuscriptLoop
from workflows.options import TASK_TIMEOUT, scholarly_queue

TITLES = ("Introduction", "Method")
ROLES = ("manager", "formatter", "planner", "writer", "critic", "reviser")
Says = Callable[[ModelRequest], str]


def edit(find: str, by: str) -> str:
    """A reply with one replacement."""
    return f"status: continue\nrationale: better\n@@@ replace\n@@@ find\n{find}\n@@@ with\n{by}\n@@@ end\n"


def append(text: str) -> str:
    """A reply that adds text at the end."""
    return f"status: continue\nrationale: new\n@@@ append\n@@@ with\n{text}\n@@@ end\n"


def scored(score: object, *items: str) -> str:
    """A critic's reply."""
    return json.dumps({"critique_summary": "So so.", "score": score, "action_items": list(items)})


def planned(*titles: str) -> str:
    """A planner's reply."""
    sections = [
        {"section_title": title, "section_summary": "What it says.", "section_word_count": 8}
        for title in titles
    ]
    return json.dumps({"sections": sections})


def section_in(prompt: str) -> str:
    """The section that a writer is asked for."""
    found = re.search(r"^- title: (.+)$", prompt, re.MULTILINE)
    assert found is not None, "the writer is told what to write"
    return found[1]


class Cast:
    """A model that plays every role of a manuscript, by scripts that a test may change."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.prompts: list[tuple[str, str]] = []
        """Role and user's message of each call, in order."""
        self.scripts: dict[str, Iterator[str | Exception]] = {}
        """Replies by role, before the usual ones."""
        self.gates: dict[str, asyncio.Event] = {}
        """A role waits for its gate before it answers."""
        self.reached: dict[str, asyncio.Event] = {role: asyncio.Event() for role in ROLES}
        self.paid = 0

    async def complete(self, request: ModelRequest) -> ModelResponse:
        role = request.role.removeprefix("manuscript-")
        self.asked[role] += 1
        said = next(each.content for each in request.messages if each.role == "user")
        self.prompts.append((role, said))
        self.reached[role].set()
        if role in self.gates:
            await self.gates[role].wait()
        reply = next(self.scripts.get(role, iter(())), None) or self._usual(role, said)
        if isinstance(reply, Exception):
            raise reply
        self.paid += 1
        usage = Usage(input_tokens=100, output_tokens=20, cost_micros=7)
        return ModelResponse(text=reply, model="cast", provider="test", finish_reason="stop", usage=usage)

    def _usual(self, role: str, said: str) -> str:
        match role:
            case "manager":
                return json.dumps({"action": "revise_manuscript", "reasoning": "It asks for it."})
            case "formatter":
                return "Write plainly, in short sections."
            case "planner":
                return planned(*TITLES)
            case "writer":
                title = section_in(said)
                return append(f"# {title}\n\nThe tide comes in twice, number {self.asked[role]}.")
            case "critic":
                return scored(0.9)
            case _:
                return edit("The tide comes in twice, number 1.", "The tide comes in twice a day.")

    def prompts_of(self, role: str) -> list[str]:
        """What a role was asked."""
        return [said for who, said in self.prompts if who == role]


@dataclass
class Studio:
    """A novel, its worker and its cast."""

    client: Client
    novel: NovelRepo
    cast: Cast
    queue: str
    shelf: Shelf = field(default_factory=Shelf)
    registries: MemoryScholarly = field(default_factory=registries)
    scene: str = "-"

    def given(self, instructions: str = "Write about tides.", **settings: Any) -> ManuscriptInput:
        """One run of this novel."""
        made = ManuscriptSettings(instructions=self.novel.put(instructions), **settings)
        return ManuscriptInput(
            novel=self.queue,
            scene=self.scene,
            session=uuid4().hex[:6],
            workspace=self.novel.workspace,
            settings=made,
            repo_queue=self.queue,
            model_queue=self.queue,
        )

    def sourced(self, **settings: Any) -> ManuscriptInput:
        """One run that gathers evidence."""
        return self.given(**settings).model_copy(update={"evidence": True, "title": "Tides"})

    async def start(
        self, given: ManuscriptInput | None = None
    ) -> WorkflowHandle[ManuscriptLoop, ManuscriptResult]:
        given = given or self.given()
        return await self.client.start_workflow(
            ManuscriptLoop.run,
            given,
            id=f"manuscript/{given.document}",
            task_queue=self.queue,
            task_timeout=TASK_TIMEOUT,
        )

    async def run(self, given: ManuscriptInput | None = None) -> ManuscriptResult:
        async with asyncio.timeout(60):
            return await (await self.start(given)).result()

    @property
    def key(self) -> StateKey:
        return StateKey(novel=self.queue, scene=self.scene)

    @property
    def row(self) -> AgentState:
        """The row of ``agent_state``."""
        row = self.novel.store.agent_states.read(self.key)
        assert row is not None
        return row

    @property
    def actions(self) -> list[tuple[str, str]]:
        """Action and code of each entry of the history."""
        return [(each.action, each.code or each.outcome) for each in self.entries]

    @property
    def entries(self) -> list[ActionEntry]:
        """The entries of the history about actions."""
        logged = [each.entry for each in self.novel.store.agent_logs.read(self.key, kind="action")]
        return [each for each in logged if isinstance(each, ActionEntry)]

    @property
    def calls(self) -> list[CallEntry]:
        entries = [each.entry for each in self.novel.store.agent_logs.read(self.key, kind="call")]
        return [each for each in entries if isinstance(each, CallEntry)]

    @property
    def text(self) -> str:
        """The manuscript at the tip."""
        return self.novel.committed

    def type(self, text: str) -> None:
        """A person saves the file in the folder."""
        (self.novel.folder / "manuscript.md").write_text(text)


@dataclass
class Deaf:
    """People who are told nothing."""

    heard: list[str] = field(default_factory=list)

    def notify(self, *, title: str, body: str, key: str, data: object) -> tuple[str, ...]:
        self.heard.append(title)
        return ()


def _loop_activities(novel: NovelRepo) -> ManuscriptActivities:
    store = novel.store
    progress = AgentProgress(store.agent_states, LogWriter(store.agent_logs))
    return ManuscriptActivities(
        novel.ask,
        store.agent_states,
        store.agent_logs,
        progress,
        store.blobs,
        store.records,
        NoOutbox(),
        WorkLore(store.worlds),
    )


@asynccontextmanager
async def studio(
    client: Client, folder: Path, text: str = "", *, workflows: Sequence[type] = WORKFLOWS
) -> AsyncIterator[Studio]:
    """A worker for one novel."""
    queue = f"studio-{uuid4().hex[:8]}"
    novel, cast = NovelRepo(folder / queue, {"-": text} if text else {}), Cast()
    store = novel.store
    conversation, transcripts = Conversation(store.messages, store.blobs), Transcripts(store.records)
    activities = [
        *activity_methods(AgentRunActivities(MemoryOverrideFiles(), conversation, transcripts, Deaf())),
        *activity_methods(AgentTurnActivities(cast, conversation, transcripts)),
        *activity_methods(HoldingActivities()),
        *activity_methods(QueueTimeActivities(SystemClock())),
        *activity_methods(novel.ask),
        *activity_methods(_loop_activities(novel)),
    ]
    here = Studio(client, novel, cast, queue)
    gathering = EvidenceActivities(store.blobs, here.registries)
    activities += activity_methods(LibraryActivities(store.agent_states, store.blobs, here.shelf))
    with ThreadPoolExecutor(4) as executor:
        async with (
            Worker(client, task_queue=scholarly_queue(queue), activities=activity_methods(gathering)),
            Worker(
                client,
                task_queue=queue,
                workflows=workflows,
                activities=activities,
                activity_executor=executor,
            ),
        ):
            yield here
