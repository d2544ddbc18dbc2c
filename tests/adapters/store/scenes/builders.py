"""A small world, and the requests of a round in it."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import count

from schemas.base import Effect, OpId
from schemas.director import FIELDS, PlanApplied, StateChange, Turn
from schemas.memory import Memory
from schemas.scene import (
    Author,
    BranchScene,
    CharacterState,
    CloseRound,
    EditMessage,
    KeepPass,
    KeepTurn,
    OpenRound,
    PassRecord,
    RedoRound,
    Round,
    RoundOpened,
    SceneState,
    TurnRecord,
    UndoRound,
)
from schemas.worlds import Arc, Campaign, Character, Persona, Scene, World
from tests.adapters.store.builders import NOON, AnyStore

MODEL = Author(kind="model", name="quill-1", prompt_digest="abc")
_ops = count(1)


def an_effect(op_id: str = "") -> Effect:
    """An effect with an op id of its own, a second after the one before."""
    number = next(_ops)
    return Effect(op_id=OpId(op_id or f"op/{number}"), issued_at=NOON + timedelta(seconds=number))


def a_scene(store: AnyStore, *names: str, title: str = "The Harbour", persona: str = "Ada") -> Scene:
    """Store a world with one scene in which these are present; their ids are their names in small letters."""
    world = store.worlds.create(World(id="", name="Coast"))
    campaign = store.worlds.create(Campaign(id="", world=world.id, name="Storm"))
    arc = store.worlds.create(Arc(id="", campaign=campaign.id, name="Arrival"))
    roster = tuple(store.worlds.create(Character(id="", name=name)).id for name in names or ("Mira", "Bo"))
    who = store.worlds.create(Persona(id="", name=persona)).id if persona else ""
    return store.worlds.create(Scene(id="", arc=arc.id, title=title, roster=roster, persona=who))


def an_order(scene: str, text: str = "Hello.", *, op_id: str = "", session: str = "s1") -> OpenRound:
    return OpenRound(effect=an_effect(op_id), scene=scene, session=session, text=text, who="sam")


def a_state(*ids: str, mood: str = "calm", roster: Sequence[str] | None = None) -> SceneState:
    return SceneState(
        roster=tuple(ids if roster is None else roster),
        characters=tuple(CharacterState(id=id, mood=mood) for id in ids),
    )


def a_change(
    subject: str, new: str, *, old: str = "", field: str = "mood", source: str = "pass-1"
) -> StateChange:
    assert field in FIELDS or subject in ("world", "tracker")
    return StateChange.model_validate(
        {"subject": subject, "field": field, "old": old, "new": new, "source": source}
    )


def a_pass(
    scene: str,
    round: int,
    state: SceneState,
    *,
    actors: Sequence[str] = (),
    changes: Sequence[StateChange] = (),
) -> KeepPass:
    applied = PlanApplied(turns=tuple(Turn(character=id) for id in actors), changes=tuple(changes))
    record = PassRecord(number=1, applied=applied, author=MODEL)
    return KeepPass(effect=an_effect(), scene=scene, round=round, record=record, state=state)


def a_turn(
    store: AnyStore,
    scene: str,
    round: int,
    who: str,
    text: str,
    *,
    state: SceneState | None = None,
    witnesses: Sequence[str] = (),
    replaces: str = "",
) -> KeepTurn:
    return KeepTurn(
        effect=an_effect(),
        scene=scene,
        round=round,
        record=TurnRecord(character=who, pass_number=1, outcome="spoken"),
        name=who.title(),
        text=store.blobs.put(text.encode()),
        author=MODEL,
        witnesses=tuple(witnesses),
        state=state or SceneState(),
        replaces=replaces,
    )


def an_end(
    scene: str,
    round: int,
    state: SceneState,
    *,
    status: str = "completed",
    changes: Sequence[StateChange] = (),
) -> CloseRound:
    effect = an_effect()
    ended = Round.model_validate(
        {
            "scene": scene,
            "number": round,
            "kind": "message",
            "status": status,
            "changes": tuple(changes),
            "started_at": effect.issued_at,
            "cost_micros": 7,
        }
    )
    return CloseRound(effect=effect, scene=scene, round=ended, state=state)


def play(
    store: AnyStore, scene: str, said: str = "Hello.", *, mood: str = "calm", who: str = "mira"
) -> RoundOpened:
    """Play one round in which one character answers ``<said>?``, and is in that mood afterwards."""
    opened = store.scenes.open_round(an_order(scene, said))
    assert opened.code == "", opened.message
    state = a_state(*opened.state.roster, mood=mood)
    store.scenes.keep_pass(a_pass(scene, opened.number, opened.state, actors=[who]))
    store.scenes.keep_turn(a_turn(store, scene, opened.number, who, f"{said}?", state=state))
    store.scenes.close_round(an_end(scene, opened.number, state))
    return opened


def texts(store: AnyStore, scene: str, *, undone: bool = False) -> list[str]:
    return [message.text for message in store.scenes.messages(scene, undone=undone)]


def an_undo(scene: str) -> UndoRound:
    return UndoRound(effect=an_effect(), scene=scene, who="sam")


def a_redo(scene: str, round: int = 0) -> RedoRound:
    return RedoRound(effect=an_effect(), scene=scene, who="sam", round=round)


def a_branch(scene: str, after: int, title: str = "Another way") -> BranchScene:
    return BranchScene(effect=an_effect(), scene=scene, after_round=after, title=title, who="sam")


def an_edit(message: str, text: str) -> EditMessage:
    return EditMessage(effect=an_effect(), message=message, text=text, who="sam")


def a_memory(
    scene: str, text: str, *, round: int = 1, who: str = "mira", world: str = "coast", id: str = ""
) -> Memory:
    return Memory(
        id=id or f"op/{next(_ops)}/{who}",
        scene=scene,
        world=world,
        character=who,
        round=round,
        text=text,
        messages=(f"{scene}/1",),
        at=NOON,
    )
