"""A scene of secrets, played round by round in this process with real rules, prompts, memories and store."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, assert_never

from activities.director_round import DirectorRoundActivities
from activities.scenes.briefing import SceneBriefing
from activities.scenes.memory import SceneMemoryActivities
from penwright.adapters.clock import SystemClock
from penwright.adapters.tokens import EstimatedTokens
from penwright.domain import control
from penwright.domain.scene import round as rules
from penwright.domain.scene import transitions, turn_transitions
from schemas.base import Effect, OpId
from schemas.director import (
    CharacterReply,
    DirectorPlan,
    PlannedActor,
    PlannedEntry,
    PlannedExit,
    StatePatch,
)
from schemas.director_round import (
    Act,
    Acted,
    AwaitPlan,
    BeginRound,
    Direct,
    Directed,
    DirectorRoundInput,
    DirectorRoundState,
    EndRound,
    KeepSpoken,
    KeepSummary,
    RememberRound,
    SummariseScene,
    TakeTurns,
    UpdateWorld,
)
from schemas.envelope import Envelope
from schemas.lore import Attachment, Lorebook, LoreEntry
from schemas.scene import Author, CloseRound, KeepPass, UndoRound
from schemas.worlds import Arc, Campaign, Character, Persona, Scene, SceneNotes, SceneSettings, World
from tests.support.doubles.store import memory_store
from tests.support.scenes.playhouse import NoEmbeddings

MODEL = Author(kind="model", name="scripted")
NAMES: Final = ("Ann", "Bob", "Cleo")
WORDS: Final = (
    *("amber", "basalt", "cinder", "dowel", "ember", "fathom", "garnet", "halyard", "isinglass", "jasper"),
    *("kelp", "lantern", "marlin", "nettle", "oakum", "pewter", "quoin", "rowlock", "sextant", "tallow"),
)
_TOGETHER: Final = 7
"""Rounds in which the same two are present, so that both may read a summary of them."""
_TAKEN_BACK: Final = 5
"""Of so many rounds the last is taken back."""


def token(*parts: object) -> str:
    """A sentence that stands nowhere else."""
    mark = "-".join(map(str, parts))
    word = WORDS[sum(map(ord, mark)) % len(WORDS)]
    return f"The {word} of {mark.replace('-', ' ')} is kept under stone {mark.replace('-', '')}."


@dataclass
class SecretScene:
    """Three characters who come and go; each says, intends and keeps what the others must not know."""

    store: Any = field(default_factory=lambda: memory_store(clock=SystemClock()))
    scene: str = ""
    now: datetime = datetime(2026, 5, 4, 12, tzinfo=UTC)
    sessions: int = 0
    knobs: dict[str, int] = field(default_factory=dict)
    """Settings that are not as usual."""
    echoes: bool = False
    """The summariser answers with all that it was shown."""

    def __post_init__(self) -> None:
        worlds = self.store.worlds
        foresight = SceneNotes(scenario="A quay at night.", plot=token("plot"), goals=token("goal"))
        world = worlds.create(World(id="", name="Sea"))
        campaign = worlds.create(Campaign(id="", world=world.id, name="Tides"))
        arc = worlds.create(Arc(id="", campaign=campaign.id, name="The quay"))
        mira = worlds.create(Persona(id="", name="Mira", description="A pilot."))
        for name in NAMES:
            worlds.create(
                Character(id="", name=name, description=f"{name} works here.", secrets=token("secret", name))
            )
        worlds.create(Scene(id="", arc=arc.id, title="Elsewhere", roster=("ann", "bob", "cleo")))
        self.scene = worlds.create(
            Scene(
                id="",
                arc=arc.id,
                title="Quay",
                persona=mira.id,
                roster=("ann", "bob"),
                notes=foresight,
                settings=SceneSettings(
                    **{"context_tokens": 2_400, "answer_tokens": 200, "summarise_after": 4} | self.knobs,
                    director="always",
                ),
            )
        ).id
        self._lore("Of the lamp", "scene", self.scene, characters=("Bob",))
        self._lore("Of Ann", "character", "ann")

    def _lore(self, name: str, level: Any, at: str, characters: tuple[str, ...] = ()) -> None:
        entry = LoreEntry(
            uid="1", title=name, content=token("lore", *name.split()), constant=True, characters=characters
        )
        book = self.store.worlds.create(Lorebook(id="", name=name, entries=(entry,)))
        self.store.worlds.attach(Attachment(book=book.id, level=level, at=at))

    def play(self, rounds: int) -> "SecretScene":
        """Rounds in which one goes and another comes in turn, so that each misses some."""
        for number in range(1, rounds + 1):
            absent = "Cleo" if number <= _TOGETHER else NAMES[number // 2 % 3]
            self.round(token("user", number), absent)
            if number % _TAKEN_BACK == 0:
                self.store.scenes.undo(
                    UndoRound(effect=self._effect(), scene=self.scene, who="mira's player")
                )
        return self

    def round(self, text: str, absent: str) -> None:
        """One round; ``absent`` speaks first and goes, if it is there, and the others are fetched."""
        _PlayedRound(self, absent).play(text)

    def _effect(self) -> Effect:
        self.now += timedelta(seconds=1)
        return Effect(op_id=OpId(f"scene/{self.scene}#undo{self.sessions}:1"), issued_at=self.now)


class _NoMemoryRuns:
    """Implements ``MemoryRuns``: the round makes its memories itself."""

    async def wanted(self, scene: str, session: str, override_tag: str = "") -> None:
        raise AssertionError("no run of its own is wanted")


class _NoBacklog:
    """Implements ``Backlog``: nothing has vectors here."""

    async def wanted(self, session: str) -> None:
        raise AssertionError("nothing is embedded")


@dataclass
class _PlayedRound:
    """One of them, step by step as the workflow takes them."""

    of: SecretScene
    absent: str
    state: DirectorRoundState = field(default_factory=DirectorRoundState)

    def __post_init__(self) -> None:
        store = self.of.store
        self.of.sessions += 1
        self.does = DirectorRoundActivities(
            store.worlds, store.scenes, store.blobs, store.records, _NoMemoryRuns()
        )
        parts = (store.worlds, store.scenes, store.memories, NoEmbeddings())
        self.briefs = SceneBriefing(*parts, EstimatedTokens(), store.blobs)
        self.remembers = SceneMemoryActivities(*parts, _NoBacklog())

    def play(self, text: str) -> None:
        said = self.of.store.blobs.put(text.encode())
        self.given = DirectorRoundInput(scene=self.of.scene, session=f"s{self.of.sessions}", text=said)
        asyncio.run(self._to_the_end())

    async def _to_the_end(self) -> None:
        while (step := rules.next_step(self.given, self.state, self._effect)) is not None:
            self.state = await self._taken(step)

    @property
    def _effect(self) -> Any:
        self.of.now += timedelta(seconds=1)
        return control.effect(f"scene/{self.of.scene}#{self.given.session}:", self.state, self.of.now)

    async def _taken(self, step: rules.Step) -> DirectorRoundState:
        match step:
            case BeginRound():
                opened = await self.does.begin_round(step)
                assert not opened.code, opened.message
                return transitions.opened(
                    self.given,
                    self.state,
                    opened,
                    self.of.now,
                    present_first=True,
                    takes_turns=True,
                    narrator_planned=True,
                    memory_apart=False,
                )
            case Direct():
                brief = await self.briefs.brief_role(step)
                plan = self._plan() if step.pass_number == 1 else DirectorPlan()
                return transitions.directed(
                    self.given, self.state, step, Directed(plan=plan, author=MODEL, envelope=brief.envelope)
                )
            case Act():
                return await self._act(step)
            case KeepPass():
                await self.does.keep_pass(step)
                return transitions.pass_kept(self.state, step)
            case KeepSpoken():
                return turn_transitions.turn_kept(self.state, await self.does.keep_turn(step))
            case CloseRound():
                await self.does.close_round(step)
                return transitions.closed(self.state)
            case RememberRound():
                return transitions.remembered(self.state, await self.remembers.remember(step))
            case SummariseScene():
                return await self._summarise(step)
            case EndRound():
                await self.does.end_round(step)
                return transitions.ended(self.state)
            case TakeTurns() | AwaitPlan() | UpdateWorld():
                raise AssertionError("no such step in this scene")
            case _:
                assert_never(step)

    def _plan(self) -> DirectorPlan:
        roster = self.state.scene_state.roster
        number = self.of.sessions
        leaving = [self.absent] if self.absent.lower() in roster else []
        staying = [each for each in NAMES if each != self.absent]
        acting = [*leaving, *staying]
        return DirectorPlan(
            acting=tuple(
                PlannedActor(who=each, order=place, guidance=token("guidance", each, number))
                for place, each in enumerate(acting)
            ),
            activations=tuple(PlannedEntry(who=each) for each in acting if each.lower() not in roster),
            deactivations=tuple(PlannedExit(who=each) for each in leaving),
        )

    async def _act(self, step: Act) -> DirectorRoundState:
        assert step.turn is not None
        brief = await self.briefs.brief_role(step)
        who, number = step.turn.character, self.of.sessions
        text = f"{token('line', who, number)} I saw the lamp."
        reply = CharacterReply(text=text, reported=StatePatch(intentions=token("intent", who, number)))
        kept = self.of.store.blobs.put(text.encode())
        outcome = Acted(text=kept, reply=reply, author=MODEL, envelope=brief.envelope)
        return turn_transitions.acted(self.state, step, outcome)

    async def _summarise(self, step: SummariseScene) -> DirectorRoundState:
        brief = await self.briefs.brief_role(step)
        shown = Envelope.model_validate_json(self.of.store.blobs.get(brief.envelope.envelope))
        said = "\n".join(["All of it", *(each.text for each in shown.history)])
        told = said if self.of.echoes else token("summary", self.of.sessions)
        text = self.of.store.blobs.put(told.encode())
        keeping = KeepSummary(
            effect=step.effect, scene=step.scene, summary=text, envelope=brief.envelope.envelope
        )
        await self.does.keep_summary(keeping)
        return transitions.summarised(self.state, MODEL)
