"""What a turn changes: the words are kept next, with who heard them and what they did to the speaker."""

from typing import Literal

from penwright.domain import control
from penwright.domain.scene import presence, states
from penwright.domain.scene.inferring import inferred
from penwright.domain.scene.resolving import name_of
from penwright.domain.scene.round import NARRATOR, cast_of
from penwright.domain.scene.round_ending import is_over
from penwright.domain.scene.round_folds import paid, persona_of, with_leavers_gone
from penwright.domain.scene.witnesses import witnesses
from schemas.base import Cause
from schemas.director import StateChange
from schemas.director_round import Act, Acted, DirectorRoundState
from schemas.scene import KeepTurn, SceneState, TurnRecord

NARRATORS_NAME = "Narrator"


def acted(state: DirectorRoundState, step: Act, outcome: Acted) -> DirectorRoundState:
    """A turn is over, whatever came of it."""
    assert step.turn is not None, "a turn was begun"
    who = step.turn.character
    state = paid(state, outcome.author, outcome.cost_micros, outcome.unknown_prices)
    force = tuple(each for each in state.steering.force if each != who)
    state = state.model_copy(
        update={
            "steering": state.steering.model_copy(update={"force": force}),
            "queue": tuple(each for each in state.queue if each.character != who),
        }
    )
    if outcome.reply is not None and outcome.reply.text.strip():
        return _spoken(state, step, outcome)
    return _silent(state, step, outcome)


def _spoken(state: DirectorRoundState, step: Act, outcome: Acted) -> DirectorRoundState:
    assert outcome.reply is not None, "there are words"
    assert step.turn is not None, "a turn was begun"
    again = state.opened.regenerates if state.opened else None
    who = step.turn.character
    heard_by = witnesses(_at_turn(state, step), "" if who == NARRATOR else who, persona_of(state))
    changes: tuple[StateChange, ...] = ()
    if again is None and who != NARRATOR:
        changes = _changes(state, who, outcome)
        state = _after(state, step, changes)
    keeping = _keeping(state, step, outcome, "spoken").model_copy(
        update={
            "witnesses": again.witnesses if again else heard_by,
            "replaces": again.id if again else "",
            "carries": "" if again else _carried(state, who),
            "changes": changes,
        }
    )
    return control.after_step(
        state,
        unkept_turn=keeping,
        unkept_prose=outcome.reply.text,
        changes=(*state.changes, *changes),
    )


def _changes(state: DirectorRoundState, who: str, outcome: Acted) -> tuple[StateChange, ...]:
    assert outcome.reply is not None, "there are words"
    own = presence.of(state.scene_state, who)
    by_rules = inferred(outcome.reply.text, own, name_of(who, cast_of(state)))
    return states.reported_or_inferred(state.scene_state, who, outcome.reply.reported, by_rules)


def _after(state: DirectorRoundState, step: Act, changes: tuple[StateChange, ...]) -> DirectorRoundState:
    """The scene after the turn: the speaker has acted, and is gone if it was to leave."""
    assert step.turn is not None, "a turn was begun"
    scene = states.fold(_at_turn(state, step), changes)
    scene = presence.acted(scene, step.turn.character)
    if step.turn.exits:
        scene = presence.left(scene, (step.turn.character,))
    return _at_end_of_pass(state.model_copy(update={"scene_state": scene}))


def _at_turn(state: DirectorRoundState, step: Act) -> SceneState:
    """The scene when the turn began: who was forced to act from outside has come in."""
    assert step.turn is not None, "a turn was begun"
    return presence.entered(state.scene_state, [step.turn.character] if step.turn.entered else [])


def _at_end_of_pass(state: DirectorRoundState) -> DirectorRoundState:
    if state.queue or not state.passes:
        return state
    return with_leavers_gone(state, state.passes[-1].applied)


def _silent(state: DirectorRoundState, step: Act, outcome: Acted) -> DirectorRoundState:
    """No words: the turn was stopped with the round, or failed; nothing is invented in their place."""
    if outcome.stopped or is_over(state):
        cut = Cause(code="stopped", message="the round was ended")
        return control.after_step(state, unkept_turn=_keeping(state, step, outcome, "stopped", cut))
    cause = outcome.cause or Cause(code="empty-reply", message="the model answered without any words")
    state = state.model_copy(update={"scene_state": _at_turn(state, step)})
    state = _at_end_of_pass(state)
    return control.after_step(state, unkept_turn=_keeping(state, step, outcome, "failed", cause))


def _keeping(
    state: DirectorRoundState,
    step: Act,
    outcome: Acted,
    how: Literal["spoken", "failed", "stopped"],
    cause: Cause | None = None,
) -> KeepTurn:
    assert step.turn is not None, "a turn was begun"
    who = step.turn.character
    is_narrator = who == NARRATOR
    return KeepTurn(
        effect=step.effect,
        scene=step.scene,
        round=step.round,
        record=TurnRecord(
            character=who,
            pass_number=step.pass_number,
            outcome=how,
            code=cause.code if cause else "",
            reason=cause.message if cause else "",
            envelope=outcome.envelope.envelope if outcome.envelope else None,
        ),
        speaker="narrator" if is_narrator else "character",
        name=NARRATORS_NAME if is_narrator else name_of(who, cast_of(state)),
        author=outcome.author,
        state=state.scene_state,
    )


def _carried(state: DirectorRoundState, who: str) -> str:
    """The hidden reply of the same speaker, where a round is played again."""
    return state.opened.earlier.get(who, "") if state.opened else ""
