"""Transitions of a round by a turn: the words are kept next, with who heard them and what changed."""

from typing import Any, Literal

from penwright.domain import control
from penwright.domain.scene import presence, states
from penwright.domain.scene.resolving import NARRATOR, name_of
from penwright.domain.scene.round import cast_of
from penwright.domain.scene.round_ending import is_over
from penwright.domain.scene.transitions import paid, persona_of, timed, with_leavers_gone
from penwright.domain.scene.witnesses import witnesses
from schemas.base import Cause
from schemas.director import Turn
from schemas.director_round import Act, Acted, DirectorRoundState, KeepSpoken, TurnKept
from schemas.scene import SceneState, TurnRecord

NARRATORS_NAME = "Narrator"


def acted(state: DirectorRoundState, step: Act, outcome: Acted) -> DirectorRoundState:
    """A turn is over, whatever came of it."""
    assert step.turn is not None, "a turn was begun"
    who = step.turn.character
    state = paid(state, outcome.author, outcome.cost_micros, outcome.unknown_prices)
    state = timed(state, outcome.timers)
    force = tuple(each for each in state.steering.force if each != who)
    state = state.model_copy(
        update={
            "steering": state.steering.model_copy(update={"force": force}),
            "queue": tuple(each for each in state.queue if each.character != who),
        }
    )
    if outcome.text is not None:
        return _spoken(state, step, outcome)
    return _silent(state, step, outcome)


def _spoken(state: DirectorRoundState, step: Act, outcome: Acted) -> DirectorRoundState:
    assert step.turn is not None, "a turn was begun"
    who, note = step.turn.character, Cause(code="", message=outcome.note)
    place = _place(state, step.turn)
    if "replaces" in place:
        keeping = _keeping(state, step, outcome, "spoken", note, **place)
        return control.after_step(state, unkept_turn=keeping)
    entering = (who,) if step.turn.entered else ()
    scene = presence.entered(state.scene_state, entering)
    after = _at_end_of_pass(state) if who == NARRATOR else _after(state, step, scene)
    keeping = _keeping(
        state,
        step,
        outcome,
        "spoken",
        note,
        **place,
        own=None if who == NARRATOR else presence.of(scene, who),
        reported=outcome.reply.reported if outcome.reply else None,
        entering=entering,
        leaving=_gone(scene, after.scene_state),
    )
    return control.after_step(after, unkept_turn=keeping)


# Any: fields of the request.
def _place(state: DirectorRoundState, turn: Turn) -> dict[str, Any]:
    """Position of a turn's words, and who hears them."""
    who, opened = turn.character, state.opened
    if opened is not None and opened.regenerates is not None:
        return {"witnesses": opened.regenerates.witnesses, "replaces": opened.regenerates.id}
    scene = presence.entered(state.scene_state, (who,) if turn.entered else ())
    heard_by = witnesses(scene, "" if who == NARRATOR else who, persona_of(state))
    return {"witnesses": heard_by, "carries": opened.earlier.get(who, "") if opened else ""}


def _after(state: DirectorRoundState, step: Act, scene: SceneState) -> DirectorRoundState:
    """The scene after the turn: the speaker has acted, and is gone if it was to leave."""
    assert step.turn is not None, "a turn was begun"
    scene = presence.acted(scene, step.turn.character)
    if step.turn.exits:
        scene = presence.left(scene, (step.turn.character,))
    return _at_end_of_pass(state.model_copy(update={"scene_state": scene}))


def _at_end_of_pass(state: DirectorRoundState) -> DirectorRoundState:
    if state.queue or not state.passes:
        return state
    return with_leavers_gone(state, state.passes[-1].applied)


def _gone(before: SceneState, after: SceneState) -> tuple[str, ...]:
    return tuple(each for each in before.roster if each not in after.roster)


def _silent(state: DirectorRoundState, step: Act, outcome: Acted) -> DirectorRoundState:
    """No answer: the turn failed, or was stopped with the round; then what was sent of it counts."""
    assert step.turn is not None, "a turn was begun"
    if outcome.stopped or is_over(state):
        cut = Cause(code="stopped", message="the round was ended")
        place = _place(state, step.turn)
        return control.after_step(state, unkept_turn=_keeping(state, step, outcome, "stopped", cut, **place))
    cause = outcome.cause or Cause(code="empty-reply", message="the model answered without any words")
    entering = (step.turn.character,) if step.turn.entered else ()
    before = presence.entered(state.scene_state, entering)
    after = _at_end_of_pass(state.model_copy(update={"scene_state": before}))
    keeping = _keeping(
        state,
        step,
        outcome,
        "failed",
        cause,
        entering=entering,
        leaving=_gone(before, after.scene_state),
    )
    return control.after_step(after, unkept_turn=keeping)


# Any: further fields of the request.
def _keeping(
    state: DirectorRoundState,
    step: Act,
    outcome: Acted,
    how: Literal["spoken", "failed", "stopped"],
    why: Cause,
    **more: Any,
) -> KeepSpoken:
    assert step.turn is not None, "a turn was begun"
    who = step.turn.character
    is_narrator = who == NARRATOR
    return KeepSpoken(
        effect=step.effect,
        scene=step.scene,
        round=step.round,
        record=TurnRecord(
            character=who,
            pass_number=step.pass_number,
            outcome=how,
            code=why.code,
            reason=why.message,
            envelope=outcome.envelope.envelope if outcome.envelope else None,
        ),
        speaker="narrator" if is_narrator else "character",
        name=NARRATORS_NAME if is_narrator else name_of(who, cast_of(state)),
        text=outcome.text,
        author=outcome.author,
        **{name: value for name, value in more.items() if value is not None},
    )


def turn_kept(state: DirectorRoundState, kept: TurnKept) -> DirectorRoundState:
    """The turn is in the timeline; the next may begin."""
    assert state.unkept_turn is not None, "a turn was kept"
    record = state.unkept_turn.record.model_copy(update={"message": kept.message})
    return control.after_step(
        state,
        turns=(*state.turns, record),
        unkept_turn=None,
        changes=(*state.changes, *kept.changes),
        scene_state=states.fold(state.scene_state, kept.changes),
    )
