"""The control flow of a director round: which step is next.

Steps: begin; the director plans a pass; those whom it names act, one after another, each turn kept before the
next begins; the director sees what they said and plans again, as long as passes remain; the world agent, if
the scene has one; close; its end for lists, which has memories and the summary made in a run of their own
(``memory.run``). A round that began before there was such a run makes them itself, after it is closed.
What a result changes is in ``transitions``, how a round ends in ``round_ending``.
"""

from typing import Any

from penwright.domain.scene import presence
from penwright.domain.scene.envelope.left_out import no_room
from penwright.domain.scene.plan.holding import holds
from penwright.domain.scene.resolving import NARRATOR, name_of
from penwright.domain.scene.round_ending import ending, failed_turns, is_over, spoken_turns
from penwright.domain.scene.round_status import result
from penwright.domain.scene.states import settled
from schemas.base import Effect
from schemas.director import CastMember, Turn
from schemas.director_round import (
    Act,
    AwaitPlan,
    BeginRound,
    Direct,
    DirectorRoundInput,
    DirectorRoundState,
    EndRound,
    KeepSpoken,
    RememberRound,
    SummariseScene,
    TakeTurns,
    UpdateWorld,
)
from schemas.scene import CloseRound, KeepPass, Round, RoundStatus, SceneState
from schemas.worlds import SceneSettings

Step = (
    BeginRound
    | Direct
    | TakeTurns
    | AwaitPlan
    | Act
    | UpdateWorld
    | KeepPass
    | KeepSpoken
    | CloseRound
    | RememberRound
    | SummariseScene
    | EndRound
)


def next_step(given: DirectorRoundInput, state: DirectorRoundState, effect: Effect) -> Step | None:
    """The first step whose result is missing, or None when the run has ended."""
    if state.control.ended:
        return None
    if state.opened is None and not is_over(state):
        return _begin(given, effect)
    if state.opened is None or state.opened.code:
        return _end(given, state, effect)
    if (keeping := _keep(given, state, effect)) is not None:
        return keeping
    if not state.closed:
        return _play(given, state, effect) or _close(given, state, effect)
    return _tidy_up(given, state, effect) or _end(given, state, effect)


def settings_of(state: DirectorRoundState) -> SceneSettings:
    """The settings of the scene."""
    located = state.opened.located if state.opened else None
    return located.scene.settings if located else SceneSettings()


def cast_of(state: DirectorRoundState) -> tuple[CastMember, ...]:
    """All who are known, with who is present now."""
    return presence.cast_now(state.opened.cast if state.opened else (), state.scene_state)


def castable(state: DirectorRoundState) -> tuple[CastMember, ...]:
    """Those whom a plan may name: who is present, and who may come in."""
    within = state.steering.within
    cast = cast_of(state)
    return cast if within is None else tuple(each for each in cast if each.present or each.id in within)


def named_of(state: DirectorRoundState) -> tuple[CastMember, ...]:
    """Those whom a plan may name, as names are understood in this round."""
    cast = castable(state)
    return cast if state.present_first else presence.without_presence(cast)


def is_last_pass(state: DirectorRoundState, number: int) -> bool:
    """Whether those whom this pass names are only recorded. A round of one pass plays that one."""
    return number >= settings_of(state).max_director_passes and number > 1


def narrates(given: DirectorRoundInput, state: DirectorRoundState) -> bool:
    """Whether only the narrator speaks."""
    return given.kind == "narrate" or (state.opened is not None and state.opened.narrates)


def between_passes(state: DirectorRoundState) -> SceneState:
    """The scene when a pass is over: those who were to leave without a turn are gone, too."""
    leaving = state.passes[-1].applied.leaving if state.passes else ()
    return presence.left(state.scene_state, leaving)


def next_turn(state: DirectorRoundState) -> Turn | None:
    """Whose turn it is in the present pass: those whom people force come first."""
    for character in state.steering.force:
        planned = next((each for each in state.queue if each.character == character), None)
        absent = character not in state.scene_state.roster
        return planned or Turn(character=character, entered=absent)
    return state.queue[0] if state.queue else None


def _begin(given: DirectorRoundInput, effect: Effect) -> BeginRound:
    return BeginRound(
        effect=effect,
        scene=given.scene,
        session=given.session,
        kind=given.kind,
        text=given.text,
        voice=given.voice,
        who=given.who,
        message=given.message,
        principal=given.principal,
    )


def _keep(
    given: DirectorRoundInput, state: DirectorRoundState, effect: Effect
) -> KeepSpoken | KeepPass | None:
    """Store what was said or planned before anything else; also in a round that is told to end."""
    if state.control.failure is not None:
        return None
    if state.unkept_turn is not None:
        return state.unkept_turn.model_copy(update={"effect": effect})
    if state.unkept_pass is not None:
        return KeepPass(
            effect=effect,
            scene=given.scene,
            round=_number(state),
            record=state.unkept_pass,
            state=state.scene_state,
        )
    return None


def _play(
    given: DirectorRoundInput, state: DirectorRoundState, effect: Effect
) -> AwaitPlan | Act | Direct | TakeTurns | UpdateWorld | None:
    """Choose what is still to be played; None if nothing is."""
    if is_over(state):
        return None
    assert state.opened is not None, "the round is open"
    if state.opened.regenerates is not None or narrates(given, state):
        return None if state.turns else _alone(given, state, effect)
    if holds(settings_of(state), state.passes):
        return AwaitPlan(pass_number=state.passes[-1].number)
    if state.passes and (turn := next_turn(state)) is not None:
        return _act(given, state, effect, turn)
    directed = is_directed(state)
    if not directed and not state.passes:
        return TakeTurns()
    if directed and _wants_direction(state):
        return Direct(
            **_brief(given, state, effect),
            state=between_passes(state),
            for_="director",
            pass_number=len(state.passes) + 1,
            cast=castable(state),
            failed=_failed_names(state),
            overruled=tuple(each for each in settled(state.changes) if each.overruled),
            notes=state.passes[-1].applied.notes if state.passes else (),
            instruction=_direction(state),
        )
    if settings_of(state).world_agent and state.world_updated is None and spoken_turns(state):
        return UpdateWorld(**_brief(given, state, effect), for_="world", state=between_passes(state))
    return None


def _direction(state: DirectorRoundState) -> str:
    """Notes of people for the director: for every round, and for this one."""
    located = state.opened.located if state.opened else None
    standing = located.scene.notes.direction if located else ""
    return "\n\n".join(each for each in (standing.strip(), state.steering.note.strip()) if each)


def is_directed(state: DirectorRoundState) -> bool:
    """Whether a model plans: not where the scene says no, nor where one is here and no other is wanted.

    Who is wanted: an absent one whom the newest words name, or whom people call. What people tell the
    director and the trackers that it keeps need it, too.
    """
    settings = settings_of(state)
    if state.steering.hold:
        return True
    if not state.takes_turns or settings.director != "as-needed":
        return settings.director != "off"
    assert state.opened is not None, "the round is open"
    scene, called = state.scene_state, {*state.opened.mentioned, *state.steering.force}
    keeps_trackers = bool(scene.trackers) and not settings.world_agent
    played = [each.id for each in cast_of(state) if each.present and not each.taken]
    alone = len(scene.roster) == 1 and list(scene.roster) == played and called <= {*played}
    return not alone or keeps_trackers or settings.hold_plan or bool(_direction(state))


def _wants_direction(state: DirectorRoundState) -> bool:
    """Whether the director plans once more: there are words that it has not seen, and a pass is left."""
    if not state.passes:
        return True
    last, spoken = state.passes[-1], spoken_turns(state)
    tried = any(each.pass_number == last.number for each in state.turns)
    passes_left = len(state.passes) < settings_of(state).max_director_passes
    return last.outcome == "planned" and tried and bool(spoken) and passes_left


def _alone(given: DirectorRoundInput, state: DirectorRoundState, effect: Effect) -> Act:
    """One speaks without a plan: the narrator, or whose reply is wanted anew."""
    assert state.opened is not None, "the round is open"
    again = state.opened.regenerates
    if again is None:
        step = _act(given, state, effect, Turn(character=NARRATOR))
        wish = given.text if given.kind == "narrate" else None
        return step.model_copy(update={"instruction_at": wish})
    turn = state.opened.turn or Turn(character=again.speaker_id or NARRATOR)
    step = _act(given, state, effect, turn)
    return step.model_copy(update={"before": again.number, "open_guidance": state.opened.open_guidance})


def _act(given: DirectorRoundInput, state: DirectorRoundState, effect: Effect, turn: Turn) -> Act:
    applied = state.passes[-1].applied if state.passes else None
    return Act(
        **_brief(given, state, effect),
        for_="narrator" if turn.character == NARRATOR else "character",
        who="" if turn.character == NARRATOR else turn.character,
        pass_number=len(state.passes),
        open_guidance=applied.open_guidance if applied else "",
        turn=turn,
        failed=_failed_names(state),
    )


# Any: the fields of a request.
def _brief(given: DirectorRoundInput, state: DirectorRoundState, effect: Effect) -> dict[str, Any]:
    assert state.opened is not None, "the round is open"
    return {
        "effect": effect,
        "scene": given.scene,
        "round": _number(state),
        "session": given.session,
        "regenerates": given.kind == "regenerate",
        "continues": not state.opened.user_message and given.kind != "narrate",
    }


def _failed_names(state: DirectorRoundState) -> tuple[str, ...]:
    names = (name_of(each.character, cast_of(state)) for each in failed_turns(state))
    return tuple(dict.fromkeys(names))


def _close(given: DirectorRoundInput, state: DirectorRoundState, effect: Effect) -> CloseRound:
    """The round as it ended: timeline, changes, audit."""
    assert state.opened is not None, "the round is open"
    how = ending(given, state)
    closed = Round(
        scene=given.scene,
        number=_number(state),
        kind=given.kind,
        status=how.status,
        passes=state.passes,
        turns=state.turns,
        changes=settled(state.changes),
        notes=(*(note for each in state.passes for note in each.applied.notes), *state.notes),
        warnings=no_room(state.unshown),
        code=how.code,
        reason=how.message,
        cost_micros=state.control.cost_micros,
        unknown_prices=state.control.unknown_prices,
        started_at=state.control.started_at or effect.issued_at,
        ended_at=effect.issued_at,
        op_id=effect.op_id,
    )
    return CloseRound(
        effect=effect,
        scene=given.scene,
        round=closed,
        state=_final(state, how.status),
        session=given.session,
        hand_over=state.steering.hand_over,
        world_agent=state.world_updated is not None,
    )


def _final(state: DirectorRoundState, status: RoundStatus) -> SceneState:
    """The scene after the round; one that was stopped is left as it stood."""
    scene = state.scene_state if status == "stopped" else between_passes(state)
    fired = sorted((*scene.timers, *state.timers), key=lambda each: each.message)
    newest = {(each.book, each.uid): each for each in fired}
    return scene.model_copy(update={"timers": tuple(newest.values())})


def _tidy_up(
    given: DirectorRoundInput, state: DirectorRoundState, effect: Effect
) -> RememberRound | SummariseScene | None:
    """Choose the work that a closed round leaves; nothing of it can fail the round."""
    assert state.opened is not None, "the round is open"
    if state.memory_apart:
        return None
    is_new = state.opened.regenerates is None
    said = bool(spoken_turns(state)) or bool(state.opened.user_message)
    if state.control.failure is not None or not (is_new and said):
        return None
    if state.remembered is None:
        return RememberRound(
            effect=effect, scene=given.scene, round=_number(state), principal=given.principal
        )
    outside = state.opened.unsummarised + 1
    if not state.summarised and not is_over(state) and outside > settings_of(state).summarise_after:
        before = first_message(state)
        fields = _brief(given, state, effect)
        return SummariseScene(**fields, for_="summariser", before=before) if before else None
    return None


def first_message(state: DirectorRoundState) -> int | None:
    """Number of the first message of this round; None if it has none."""
    assert state.opened is not None, "the round is open"
    ids = [state.opened.user_message, *(each.message for each in state.turns)]
    numbers = [int(number) for each in ids if (number := each.rpartition("/")[2]).isdigit()]
    return min(numbers, default=None)


def _end(given: DirectorRoundInput, state: DirectorRoundState, effect: Effect) -> EndRound:
    return EndRound(
        effect=effect,
        scene=given.scene,
        session=given.session,
        result=result(given, state),
        summarised=state.summarised,
        wants_memory=state.memory_apart and state.closed,
        override_tag=given.override_tag,
    )


def _number(state: DirectorRoundState) -> int:
    return state.opened.number if state.opened else 0
