"""Director rounds on a server: a scene in a store, a model that plays all roles by a script, and a worker."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from temporalio import activity
from temporalio.client import Client, WorkflowHandle
from temporalio.worker import Worker

from activities.agent_run import AgentRunActivities
from activities.agents.conversation import Conversation
from activities.agents.transcripts import Transcripts
from activities.agents.turn import AgentTurnActivities
from activities.director_round import DirectorRoundActivities
from activities.queue_time import QueueTimeActivities
from activities.scene_memory import SceneMemoryRunActivities, TemporalSceneMemory
from activities.scenes.briefing import SceneBriefing
from activities.scenes.memory import SceneMemoryActivities
from penwright.adapters.clock import SystemClock
from penwright.adapters.tokens import EstimatedTokens
from penwright.ports.records import Records
from penwright.ports.scenes import Scenes, TokenCounter, Worlds
from schemas.director_round import DirectorRoundInput, DirectorRoundResult, RememberRound
from schemas.memory import Charge, Remembered, Vectors
from schemas.model import ModelRequest, ModelResponse, Usage
from schemas.records import Event
from schemas.scene import Round, SceneMessage, SceneState
from schemas.scene_memory import SceneMemoryResult
from schemas.worlds import Arc, Campaign, Character, Persona, Scene, SceneSettings, World
from tests.support.doubles.override_files import MemoryOverrideFiles
from tests.support.doubles.store import memory_store
from tests.support.manuscripts.studio import Deaf
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import activity_methods
from workflows.director_round import DirectorRound
from workflows.options import TASK_TIMEOUT
from workflows.scene_memory import SceneMemory

Handle = WorkflowHandle[DirectorRound, DirectorRoundResult]
NAMES = ("Ann", "Bob", "Cleo", "Dov")
Reply = str | Exception


# Any: JSON.
def plan(*who: str, **more: Any) -> str:
    """A director's answer: these act, in this order."""
    acting = [
        {"name": each, "guidance": f"Guidance for {each}.", "order": place} for place, each in enumerate(who)
    ]
    return json.dumps({"actingCharacters": acting, "openGuidance": "", **more})


class Company:
    """A model that plays every role, by scripts that a test may change."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        """Name of each call, in order, such as ``director-1`` or ``ann``."""
        self.prompts: list[tuple[str, str]] = []
        """Name and whole prompt of each call."""
        self.roles: dict[str, str] = {}
        """Role of the newest call of each name, with the model that plays it."""
        self.scripts: dict[str, Iterator[Reply]] = {}
        """Replies by name of the call, before the usual ones."""
        self.gates: dict[str, asyncio.Event] = {}
        """A call waits for its gate before it is answered."""
        self.reached: dict[str, asyncio.Event] = {}
        self.instead_of = ""
        """The model that is away, if this is its fallback."""

    async def complete(self, request: ModelRequest) -> ModelResponse:
        name = request.effect.op_id.split("/")[4].split("#")[0].split(":")[0]
        self.asked.append(name)
        self.roles[name] = request.role
        self.prompts.append((name, "\n".join(each.content for each in request.messages)))
        self.reached.setdefault(name, asyncio.Event()).set()
        if name in self.gates:
            await self.gates[name].wait()
        reply = next(self.scripts.get(name, iter(())), None) or self._usual(name)
        if isinstance(reply, Exception):
            raise reply
        usage = Usage(input_tokens=100, output_tokens=20, cost_micros=7)
        return ModelResponse(
            text=reply,
            model="company",
            provider="test",
            finish_reason="stop",
            usage=usage,
            instead_of=self.instead_of,
        )

    def _usual(self, name: str) -> str:
        if name.startswith("director"):
            return plan("Ann", "Bob") if name == "director-1" else plan()
        if name == "world-agent":
            return json.dumps({"facts": {"tide": "high"}, "trackers": {}})
        count = Counter(self.asked)[name]
        return f"{name.capitalize()} says line {count}."

    def says(self, name: str, *replies: Reply) -> None:
        """What one is to answer first."""
        self.scripts[name] = iter(replies)

    def prompts_of(self, name: str) -> list[str]:
        return [said for who, said in self.prompts if who == name]

    async def until(self, name: str) -> None:
        """Until a call of this name has begun."""
        async with asyncio.timeout(60):
            await self.reached.setdefault(name, asyncio.Event()).wait()


class NoEmbeddings:
    """Search is by words."""

    model = ""

    def embed(self, texts: Sequence[str], charge: Charge) -> Vectors:
        raise AssertionError("nothing is embedded")


class NothingLacks:
    """No memory lacks a vector where search is by words."""

    async def wanted(self, session: str) -> None:
        raise AssertionError("nothing is embedded")


class Remembering:
    """The memory step; it fails as often as it is told to."""

    def __init__(self, store: Any) -> None:
        self.rounds: list[int] = []
        self.fails = 0
        self._real = SceneMemoryActivities(
            store.worlds, store.scenes, store.memories, NoEmbeddings(), NothingLacks()
        )

    @activity.defn(name="remember")
    async def remember(self, request: RememberRound) -> Remembered:
        if self.fails:
            self.fails -= 1
            raise OSError("no disk")
        self.rounds.append(request.round)
        return await self._real.remember(request)


@dataclass
class Playhouse:
    """A scene with its worker and company."""

    client: Client
    # Any: the store of doubles, or PostgreSQL's.
    store: Any
    company: Company
    queue: str
    scene: str
    remembering: Remembering

    def given(self, text: str = "Hello there.", **more: Any) -> DirectorRoundInput:
        """One order."""
        kind = more.pop("kind", "message")
        said = self.store.blobs.put(text.encode()) if text and kind in ("message", "narrate") else None
        return DirectorRoundInput(
            scene=self.scene, session=uuid4().hex[:6], kind=kind, text=said, who="mira's player", **more
        )

    async def start(self, given: DirectorRoundInput | None = None) -> Handle:
        return await self.client.start_workflow(
            DirectorRound.run,
            given or self.given(),
            id=f"scene/{self.scene}",
            task_queue=self.queue,
            task_timeout=TASK_TIMEOUT,
        )

    async def play(self, text: str = "Hello there.", **more: Any) -> DirectorRoundResult:
        """A round, to its end."""
        async with asyncio.timeout(60):
            return await (await self.start(self.given(text, **more))).result()

    async def remembered(self) -> SceneMemoryResult:
        """How the run ended that remembers and sums up what was played."""
        handle: WorkflowHandle[SceneMemory, SceneMemoryResult]
        handle = self.client.get_workflow_handle_for(SceneMemory.run, f"scene-memory/{self.scene}")
        async with asyncio.timeout(60):
            return await handle.result()

    @property
    def scenes(self) -> Scenes:
        scenes: Scenes = self.store.scenes
        return scenes

    @property
    def worlds(self) -> Worlds:
        worlds: Worlds = self.store.worlds
        return worlds

    @property
    def messages(self) -> list[tuple[str, str]]:
        """Name and text of what stands."""
        return [(each.name, each.text) for each in self.scenes.messages(self.scene)]

    def message(self, number: int) -> SceneMessage:
        found = self.scenes.message(f"{self.scene}/{number}")
        assert found is not None
        return found

    @property
    def summary(self) -> tuple[str, ...]:
        """Texts of the stretches that count."""
        return tuple(each.text for each in self.scenes.summed_up(self.scene).stretches)

    @property
    def state(self) -> SceneState:
        return self.scenes.state(self.scene)

    def round(self, number: int) -> Round:
        found = self.scenes.round(self.scene, number)
        assert found is not None
        return found

    @property
    def events(self) -> list[Event]:
        """All that followers of the scene are told."""
        records: Records = self.store.records
        found = records.events_after(0, limit=5_000)
        return [each for each in found if each.subject == f"scene/{self.scene}"]

    # Any: fields of the settings.
    def set(self, **settings: Any) -> None:
        """Change the scene's settings."""
        scene = self._read()
        knobs = scene.settings.model_copy(update=settings)
        self.worlds.change(scene.model_copy(update={"settings": knobs}))

    def describe(self, **notes: str) -> None:
        """Change the scene's notes."""
        scene = self._read()
        self.worlds.change(scene.model_copy(update={"notes": scene.notes.model_copy(update=notes)}))

    def _read(self) -> Scene:
        scene = self.worlds.read(Scene, self.scene)
        assert scene is not None
        return scene


def build_scene(
    worlds: Worlds, *, roster: Sequence[str] = ("ann", "bob"), title: str = "", summarise_after: int = 8
) -> str:
    """Lay out a world with a scene in it; returns the scene's id. All four characters are known there."""
    world = worlds.create(World(id="", name="Sea"))
    campaign = worlds.create(Campaign(id="", world=world.id, name="Tides"))
    arc = worlds.create(Arc(id="", campaign=campaign.id, name="The quay"))
    persona = worlds.create(Persona(id="", name="Mira", description="A pilot."))
    ids = {
        name.lower(): worlds.create(
            Character(id="", name=name, description=f"{name} works here.", secrets=f"Secret of {name}.")
        ).id
        for name in NAMES
    }
    everyone = tuple(ids.values())
    worlds.create(Scene(id="", arc=arc.id, title="Elsewhere", position=1, roster=everyone))
    present = tuple(ids[each] for each in roster)
    settings = SceneSettings(context_tokens=16_000, summarise_after=summarise_after)
    scene = Scene(
        id="",
        arc=arc.id,
        title=title or f"Harbour {uuid4().hex[:8]}",
        persona=persona.id,
        roster=present,
        settings=settings,
    )
    return worlds.create(scene).id


@asynccontextmanager
async def playhouse(
    client: Client,
    *,
    roster: Sequence[str] = ("ann", "bob"),
    store: Any = None,
    workflows: Sequence[type] = WORKFLOWS,
    fakes: Mapping[str, Callable[..., Any]] | None = None,
    counter: TokenCounter | None = None,
) -> AsyncIterator[Playhouse]:
    """A worker for one scene.

    Args:
        counter: of the tokens of prompts; by default they are estimated.
        fakes: activities that take the place of the real ones, by name.
    """
    store = store or memory_store(clock=SystemClock())
    queue = f"playhouse-{uuid4().hex[:8]}"
    scene = build_scene(store.worlds, roster=roster)
    house = Playhouse(client, store, Company(), queue, scene, Remembering(store))
    activities = [(fakes or {}).get(each.__name__, each) for each in scene_activities(house, counter)]
    with ThreadPoolExecutor(4) as executor:
        async with Worker(
            client,
            task_queue=queue,
            workflows=workflows,
            activities=activities,
            activity_executor=executor,
        ):
            yield house


# Any: an activity's own types.
def scene_activities(house: Playhouse, counter: TokenCounter | None = None) -> list[Callable[..., Any]]:
    """All that a round asks for, on one queue."""
    store = house.store
    memory = TemporalSceneMemory(house.queue, "", lambda: house.client)
    conversation, transcripts = Conversation(store.messages, store.blobs), Transcripts(store.records)
    briefing = SceneBriefing(
        store.worlds, store.scenes, store.memories, NoEmbeddings(), counter or EstimatedTokens(), store.blobs
    )
    return [
        *activity_methods(AgentRunActivities(MemoryOverrideFiles(), conversation, transcripts, Deaf())),
        *activity_methods(AgentTurnActivities(house.company, conversation, transcripts)),
        *activity_methods(
            DirectorRoundActivities(store.worlds, store.scenes, store.blobs, store.records, memory)
        ),
        *activity_methods(
            SceneMemoryRunActivities(store.worlds, store.scenes, store.memories, store.records)
        ),
        *activity_methods(briefing),
        *activity_methods(QueueTimeActivities(SystemClock())),
        *activity_methods(house.remembering),
    ]
