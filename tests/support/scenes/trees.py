"""Trees of rounds whose every text says where it stands: branches, undone rounds, other takes, summaries."""

import re
from datetime import datetime
from itertools import count

from activities.scenes.material import SceneMaterial
from activities.scenes.memory import SceneMemoryActivities
from activities.scenes.opening import RoundOpening
from penwright.adapters.clock import SystemClock
from penwright.adapters.tokens import EstimatedTokens
from penwright.domain.scene import presence, states, transitions
from penwright.domain.scene.envelope.building import build
from penwright.domain.scene.envelope.rendering import material
from penwright.domain.scene.round import next_step
from schemas.director import PlanApplied, StateChange, Turn
from schemas.director_round import Act, BeginRound, DirectorRoundInput, DirectorRoundState, RememberRound
from schemas.envelope import Envelope, PromptRoom
from schemas.scene import (
    ChooseAlternative,
    KeepPass,
    PassRecord,
    Round,
    SceneMessage,
    SceneState,
    TurnRecord,
)
from schemas.worlds import Scene
from tests.adapters.store.builders import NOON
from tests.adapters.store.scenes.builders import (
    a_branch,
    a_redo,
    a_scene,
    a_turn,
    an_effect,
    an_end,
    an_order,
    an_undo,
)
from tests.support.doubles.store import memory_store
from tests.support.scenes.playhouse import NoEmbeddings

CAST = ("ann", "bob")
_MARK = re.compile(r"mark\d+")


class Tree:
    """Scenes of one story, and one elsewhere in the same world."""

    def __init__(self) -> None:
        self.store = memory_store(clock=SystemClock())
        first = a_scene(self.store, "Ann", "Bob")
        settings = first.settings.model_copy(update={"memories": 50, "context_tokens": 100_000})
        first = self.store.worlds.change(first.model_copy(update={"settings": settings}))
        other = Scene(id="", arc=first.arc, title="Elsewhere", roster=CAST)
        self.elsewhere = self.store.worlds.create(other).id
        self.scenes = [first.id]
        self.stands: dict[str, float] = {}
        """By mark, the number of the message that it came with; between two messages, a half."""
        self.born: dict[str, datetime] = {}
        """By mark from elsewhere, when it was remembered."""
        self._marks = count(1)

    def play(self, at: int, speakers: int, *, replays: bool = False) -> None:
        """A round in which Ann, Bob, or both speak, and each change of the state is marked."""
        scene = self._scene(at)
        order = an_order(scene, self._marked(self._newest(scene) + 1))
        if replays:
            order = order.model_copy(update={"kind": "regenerate", "text": ""})
        opened = self.store.scenes.open_round(order)
        if not opened.code and opened.regenerates is None:
            self._act(
                scene, opened.number, presence.begun(opened.state), CAST[: speakers + 1], opened.earlier
            )

    def play_again(self, at: int, _: int) -> None:
        self.play(at, 1, replays=True)

    def another_take(self, at: int, which: int) -> None:
        """One reply again."""
        scene = self._scene(at)
        if replies := self.replies(scene):
            message = replies[which % len(replies)]
            order = an_order(scene, "").model_copy(update={"kind": "regenerate", "message": message.id})
            number = self.store.scenes.open_round(order).number
            text = self._marked(message.number)
            who, now = message.speaker_id, self.store.scenes.state(scene)
            self.store.scenes.keep_turn(a_turn(self.store, scene, number, who, text, replaces=message.id))
            self.store.scenes.close_round(an_end(scene, number, now))

    def choose(self, at: int, which: int) -> None:
        scene = self._scene(at)
        if replies := self.replies(scene):
            message = replies[which % len(replies)]
            wish = ChooseAlternative(effect=an_effect(), message=message.id, index=0, who="sam")
            self.store.scenes.choose(wish)

    def undo(self, at: int, _: int) -> None:
        self.store.scenes.undo(an_undo(self._scene(at)))

    def redo(self, at: int, round: int) -> None:
        self.store.scenes.redo(a_redo(self._scene(at), round))

    def branch(self, at: int, after: int) -> None:
        made = self.store.scenes.branch(a_branch(self._scene(at), after))
        if made.scene is not None:
            self.scenes.append(made.scene.id)

    def summarise(self, at: int, left: int) -> None:
        """All but the newest messages, in their own words."""
        scene = self._scene(at)
        messages = self.store.scenes.messages(scene)
        if covered := messages[: len(messages) - left - 1]:
            told = {
                number for each in self.store.scenes.summed_up(scene).stretches for number in each.readings
            }
            shown = {each.number: each.text for each in covered if each.number not in told}
            text, op_id = " ".join(shown.values()), an_effect().op_id
            self.store.scenes.summarised(scene, text, op_id, CAST, shown)

    def meet_elsewhere(self, _: int, speakers: int) -> None:
        """A round of another scene of the world, which the cast remembers."""
        mark = f"mark{next(self._marks)}"
        number = self.store.scenes.open_round(an_order(self.elsewhere, f"{mark} the lamp")).number
        heard = a_turn(
            self.store, self.elsewhere, number, CAST[speakers % 2], f"{mark} the lamp", witnesses=CAST
        )
        self.store.scenes.keep_turn(heard)
        self.store.scenes.close_round(an_end(self.elsewhere, number, SceneState(roster=CAST)))
        self.born[mark] = self._remember(self.elsewhere, number)

    def replies(self, scene: str) -> list[SceneMessage]:
        return [each for each in self.store.scenes.messages(scene) if each.speaker == "character"]

    def prompt(self, message: SceneMessage) -> str:
        """What the model is shown for another take, by the round's own steps; no take comes of it."""
        store, scene = self.store, message.id.rpartition("/")[0]
        given = DirectorRoundInput(scene=scene, session="s9", kind="regenerate", message=message.id)
        begin = BeginRound(
            effect=an_effect(), scene=scene, session="s9", kind="regenerate", message=message.id
        )
        opened = RoundOpening(store.worlds, store.scenes, store.blobs).begin(begin)
        state = transitions.opened(
            given,
            DirectorRoundState(),
            opened,
            NOON,
            present_first=True,
            takes_turns=True,
            narrator_planned=True,
        )
        step = next_step(given, state, an_effect())
        assert isinstance(step, Act)
        tokens = EstimatedTokens()
        reading = SceneMaterial(
            store.worlds, store.scenes, store.memories, NoEmbeddings(), tokens, store.blobs
        )
        case = reading.read(step, "character").case
        envelope = build(case, lambda texts: tokens.count("character", texts), PromptRoom(counter="about"))
        now = self.store.scenes.state(scene)
        store.scenes.close_round(an_end(scene, opened.number, now, status="stopped"))
        assert isinstance(envelope, Envelope)
        return material(envelope, step.for_)

    def later(self, message: SceneMessage, prompt: str) -> list[str]:
        """Marks of the prompt that stand at the message or after it, or came from elsewhere since."""
        scene = message.id.rpartition("/")[0]
        played = self.store.scenes.round(scene, message.round)
        assert played is not None
        own = {mark for each in message.alternatives for mark in _MARK.findall(each.text)}
        return [
            mark
            for mark in dict.fromkeys(_MARK.findall(prompt))
            if mark in own
            or self.stands.get(mark, 0) >= message.number
            or self.born.get(mark, NOON) > played.started_at
        ]

    def _act(
        self, scene: str, number: int, state: SceneState, speakers: tuple[str, ...], earlier: dict[str, str]
    ) -> None:
        """The pass and the turns of an open round, to its end."""
        store = self.store
        plan = (self._change("tracker", "tide", "pass-1", self._newest(scene) + 0.5),)
        turns = tuple(Turn(character=who, guidance="Speak.") for who in speakers)
        applied = PlanApplied(turns=turns, roster=state.roster, changes=plan)
        kept = PassRecord(number=1, applied=applied)
        state = states.fold(state, plan)
        store.scenes.keep_pass(
            KeepPass(effect=an_effect(), scene=scene, round=number, record=kept, state=state)
        )
        changes, records = list(plan), list[TurnRecord]()
        for who in speakers:
            place = self._newest(scene) + 1
            own = self._change(who, "mood", "reported", place)
            state = presence.acted(states.fold(state, (own,)), who)
            said = a_turn(store, scene, number, who, self._marked(place), state=state, witnesses=CAST)
            said = said.model_copy(update={"changes": (own,), "carries": earlier.get(who, "")})
            records.append(said.record.model_copy(update={"message": store.scenes.keep_turn(said)}))
            changes.append(own)
        end = an_end(scene, number, state, changes=states.settled(changes))
        timeline = {"passes": (kept,), "turns": tuple(records)}
        closed: Round = end.round.model_copy(update=timeline)
        store.scenes.close_round(end.model_copy(update={"round": closed}))
        self._remember(scene, number)

    def _remember(self, scene: str, number: int) -> datetime:
        store, effect = self.store, an_effect()
        remembering = SceneMemoryActivities(
            store.worlds, store.scenes, store.memories, NoEmbeddings(), _NoBacklog()
        )
        remembering._remember(RememberRound(effect=effect, scene=scene, round=number))
        return effect.issued_at

    def _scene(self, at: int) -> str:
        return self.scenes[at % len(self.scenes)]

    def _newest(self, scene: str) -> int:
        messages = self.store.scenes.messages(scene, newest=1, undone=True)
        return messages[-1].number if messages else 0

    def _change(self, subject: str, field: str, source: str, at: float) -> StateChange:
        fields = {
            "subject": subject,
            "field": field,
            "new": self._marked(at),
            "source": source,
            "by": subject,
        }
        return StateChange.model_validate(fields)

    def _marked(self, at: float) -> str:
        mark = f"mark{next(self._marks)}"
        self.stands[mark] = at
        return f"{mark} the lamp"


class _NoBacklog:
    async def wanted(self, session: str) -> None:
        """No memory has a vector here."""
