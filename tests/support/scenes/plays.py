"""A director round played by its rules alone: a script answers for director, cast and store."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, assert_never

from penwright.domain import control
from penwright.domain.scene import presence, steering, transitions, turn_keeping, turn_transitions
from penwright.domain.scene import round as rules
from penwright.domain.scene.round_status import result
from schemas.base import BlobRef, Cause
from schemas.director import (
    CastMember,
    CharacterReply,
    DirectorPlan,
    PlanApproval,
    PlannedActor,
    PlannedEntry,
    PlannedExit,
    PlannedState,
    StatePatch,
    WorldUpdate,
)
from schemas.director_round import (
    Act,
    Acted,
    AwaitPlan,
    BeginRound,
    Direct,
    Directed,
    DirectorRoundInput,
    DirectorRoundResult,
    DirectorRoundState,
    EndRound,
    KeepSpoken,
    RememberRound,
    SummariseScene,
    TakeTurns,
    TurnKept,
    UpdateWorld,
)
from schemas.memory import Remembered
from schemas.scene import Author, CloseRound, KeepPass, RoundOpened, SceneState
from schemas.worlds import Arc, Campaign, Located, Persona, Scene, SceneSettings, World

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
MIRA = Persona(id="mira", name="Mira")
ANN, BOB, CLEO, DOV, BEA = (
    CastMember(id=id, name=name)
    for id, name in (("a1", "Ann"), ("b1", "Bob"), ("c1", "Cleo"), ("d1", "Dov"), ("e1", "Bea"))
)
CAST = (ANN, BOB, CLEO, DOV, BEA)
MODEL = Author(kind="model", name="scripted")


def acting(*who: str, **more: Any) -> DirectorPlan:
    """A plan in which these act, in this order."""
    actors = tuple(
        PlannedActor(who=each, order=place, guidance=f"to {each}") for place, each in enumerate(who)
    )
    return DirectorPlan(acting=actors, **more)


def enters(who: str, guidance: str = "") -> tuple[PlannedEntry, ...]:
    return (PlannedEntry(who=who, entry_guidance=guidance),)


def leaves(who: str, guidance: str = "") -> tuple[PlannedExit, ...]:
    return (PlannedExit(who=who, exit_guidance=guidance),)


def sets(who: str, **fields: str | None) -> tuple[PlannedState, ...]:
    return (PlannedState(who=who, patch=StatePatch(**fields)),)


def located(settings: SceneSettings | None = None) -> Located:
    scene = Scene(
        id="harbour", arc="arc", title="Harbour", persona="mira", settings=settings or SceneSettings()
    )
    return Located(
        scene=scene,
        arc=Arc(id="arc", campaign="tides", name="Arc"),
        campaign=Campaign(id="tides", world="sea", name="Tides"),
        world=World(id="sea", name="Sea"),
        persona=MIRA,
    )


# Any: fields of the settings.
def opened(*roster: str, state: SceneState | None = None, **settings: Any) -> RoundOpened:
    """A round that is open, with these present."""
    before = state or SceneState(roster=roster)
    return RoundOpened(
        number=1,
        located=located(SceneSettings(**{"director": "always"} | settings)),
        cast=CAST,
        state=before,
        user_message="harbour/1",
    )


@dataclass
class RoundPlay:
    """One round; every answer can be given, and every step be seen."""

    opened: RoundOpened
    plans: Sequence[DirectorPlan | Cause]
    replies: Mapping[str, str | Cause | CharacterReply] = field(default_factory=dict)
    given: DirectorRoundInput = field(
        default_factory=lambda: DirectorRoundInput(scene="harbour", session="s1")
    )
    world: WorldUpdate = field(default_factory=lambda: WorldUpdate(unchanged=True))
    before_step: Callable[["RoundPlay", rules.Step], None] | None = None
    approvals: Mapping[int, PlanApproval] = field(default_factory=dict)
    """By the number of the pass whose plan is held."""
    present_first: bool = True
    """As in rounds that begin now."""
    memory_apart: bool = True
    """As in rounds that begin now."""
    state: DirectorRoundState = field(default_factory=DirectorRoundState)
    steps: list[rules.Step] = field(default_factory=list)
    messages: int = 1
    texts: dict[str, str] = field(default_factory=dict)
    scenes: list[SceneState] = field(default_factory=list)
    """As it was at each turn in which something was said."""
    stored: SceneState = field(default_factory=SceneState)
    """As a store has it."""

    def play(self) -> "RoundPlay":
        """To the end."""
        while (step := rules.next_step(self.given, self.state, self._effect)) is not None:
            assert len(self.steps) < 200, "the round never ends"
            self.steps.append(step)
            if self.before_step is not None:
                self.before_step(self, step)
            self.state = self._taken(step)
        return self

    @property
    def _effect(self) -> Any:
        return control.effect("scene/harbour#s1:", self.state, NOW)

    def _taken(self, step: rules.Step) -> DirectorRoundState:
        match step:
            case BeginRound():
                first = self.present_first
                return transitions.opened(
                    self.given,
                    self.state,
                    self.opened,
                    NOW,
                    present_first=first,
                    takes_turns=True,
                    narrator_planned=True,
                    memory_apart=self.memory_apart,
                )
            case Direct():
                return transitions.directed(self.given, self.state, step, self._directed(step))
            case TakeTurns():
                return transitions.turns_taken(self.state)
            case AwaitPlan():
                self.state = steering.approved(self.state, self.approvals[step.pass_number])
                return control.after_step(self.state)
            case Act():
                return turn_transitions.acted(self.state, step, self._acted(step))
            case KeepPass():
                self.stored = step.state
                return transitions.pass_kept(self.state, step)
            case KeepSpoken():
                return turn_transitions.turn_kept(self.state, self._kept(step))
            case UpdateWorld():
                return transitions.world_updated(self.state, self.world, MODEL, 0, 0)
            case CloseRound():
                return transitions.closed(self.state)
            case RememberRound():
                return transitions.remembered(self.state, Remembered(written=1))
            case SummariseScene():
                return transitions.summarised(self.state)
            case EndRound():
                return transitions.ended(self.state)
            case _:
                assert_never(step)

    def _directed(self, step: Direct) -> Directed:
        said = self.plans[step.pass_number - 1] if step.pass_number <= len(self.plans) else DirectorPlan()
        return Directed(cause=said) if isinstance(said, Cause) else Directed(plan=said, author=MODEL)

    def _acted(self, step: Act) -> Acted:
        assert step.turn is not None
        said = self.replies.get(step.turn.character, f"{step.turn.character} speaks.")
        if isinstance(said, Cause):
            return Acted(cause=said)
        reply = said if isinstance(said, CharacterReply) else CharacterReply(text=said)
        if not reply.text.strip():
            return Acted(cause=Cause(code="empty-reply", message="There are no words."))
        digest = sha256(reply.text.encode()).hexdigest()
        self.texts[digest] = reply.text
        self.scenes.append(presence.entered(self.state.scene_state, [step.who] if step.turn.entered else []))
        return Acted(text=BlobRef(sha256=digest, size=len(reply.text)), reply=reply, author=MODEL)

    def _kept(self, step: KeepSpoken) -> TurnKept:
        if step.text is None:
            return TurnKept()
        self.messages += 1
        changes = turn_keeping.changes_by(step, self.texts[step.text.sha256])
        stored = turn_keeping.stored_turn(step, changes, self.stored)
        self.stored = stored.state
        return TurnKept(message=step.replaces or f"harbour/{self.messages}", changes=changes)

    @property
    def result(self) -> DirectorRoundResult:
        return result(self.given, self.state)

    @property
    def calls(self) -> list[str]:
        """Of models, in order: ``director``, or who acts."""
        named = {Direct: "director", UpdateWorld: "world agent", SummariseScene: "summariser"}
        return [
            step.turn.character if isinstance(step, Act) and step.turn else named[type(step)]
            for step in self.steps
            if isinstance(step, Act | Direct | UpdateWorld | SummariseScene)
        ]

    # Any: the kind of step decides.
    def of(self, kind: type[Any]) -> list[Any]:
        """All steps of one kind."""
        return [step for step in self.steps if isinstance(step, kind)]

    @property
    def closing(self) -> CloseRound:
        """How the round was closed."""
        (close,) = self.of(CloseRound)
        assert isinstance(close, CloseRound)
        return close
