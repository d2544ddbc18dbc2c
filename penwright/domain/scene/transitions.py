"""Transitions of a round by its steps' results; each returns the new state."""

from datetime import datetime, timedelta

from penwright.domain import control
from penwright.domain.scene import presence, states
from penwright.domain.scene.plan.applying import apply_plan
from penwright.domain.scene.plan.turn_taking import Chosen, by_turns
from penwright.domain.scene.resolving import NARRATOR
from penwright.domain.scene.round import Step, between_passes, cast_of, is_last_pass, named_of, settings_of
from penwright.domain.scene.round_ending import is_over
from schemas.base import Cause
from schemas.director import DirectorPlan, PlanApplied, PlannedActor, StateChange, WorldUpdate
from schemas.director_round import (
    BeginRound,
    Direct,
    Directed,
    DirectorRoundInput,
    DirectorRoundState,
    EndRound,
    RememberRound,
    SummariseScene,
    UpdateWorld,
)
from schemas.lore import LoreTimer
from schemas.memory import Remembered
from schemas.scene import Author, CloseRound, KeepPass, PassRecord, RoundOpened
from schemas.worlds import Persona


def opened(
    given: DirectorRoundInput,
    state: DirectorRoundState,
    outcome: RoundOpened,
    now: datetime,
    *,
    present_first: bool,
    takes_turns: bool,
    narrator_planned: bool,
    memory_apart: bool = False,
) -> DirectorRoundState:
    """The round is open, or refused; flags of the last round are over."""
    deadline = now + timedelta(minutes=given.minutes) if given.minutes else None
    state = control.started(state, now, deadline)
    before = presence.begun(outcome.state)
    return control.after_step(
        state,
        opened=outcome,
        scene_state=before,
        present_first=present_first,
        takes_turns=takes_turns,
        narrator_planned=narrator_planned,
        memory_apart=memory_apart,
    )


def persona_of(state: DirectorRoundState) -> Persona | None:
    """Whom the user speaks as; never played."""
    return state.opened.located.persona if state.opened and state.opened.located else None


def directed(
    given: DirectorRoundInput, state: DirectorRoundState, step: Direct, outcome: Directed
) -> DirectorRoundState:
    """The director's pass is over, whatever came of it; it is kept next."""
    state = paid(state, outcome.author, outcome.cost_micros, outcome.unknown_prices)
    state = timed(state, outcome.timers)
    chosen = ""
    if not is_over(state):
        state = state.model_copy(update={"scene_state": between_passes(state)})
    if outcome.plan is not None:
        applied, how = _applied(state, outcome.plan, step.pass_number), {}
    elif is_over(state):
        applied, how = _nothing(state), {"outcome": "cancelled", "code": "stopped"}
    else:
        cause = outcome.cause or Cause(code="no-plan", message="the director gave no plan")
        state, applied, chosen = _without_director(state, step)
        how = {"outcome": "failed", "code": cause.code, "reason": cause.message}
    record = PassRecord(
        number=step.pass_number,
        applied=applied,
        raw=outcome.raw,
        failures=outcome.failures,
        held=state.steering.hold and step.pass_number == 1,
        chosen=chosen,
        author=outcome.author,
        envelope=outcome.envelope.envelope if outcome.envelope else None,
    ).model_copy(update=how)
    state = _planned(state, applied)
    return control.after_step(state, unkept_pass=record, passes=(*state.passes, record))


def _applied(state: DirectorRoundState, plan: DirectorPlan, number: int) -> PlanApplied:
    return apply_plan(
        plan,
        named_of(state),
        state.scene_state,
        number,
        is_last_pass(state, number),
        state.steering,
        persona_of(state),
        owns_trackers=state.steering.hold or not settings_of(state).world_agent,
        gives_turns=settings_of(state).turns == "director",
        may_narrate=state.narrator_planned and not any(each.character == NARRATOR for each in state.turns),
    )


def _nothing(state: DirectorRoundState) -> PlanApplied:
    return PlanApplied(roster=state.scene_state.roster)


def _without_director(state: DirectorRoundState, step: Direct) -> tuple[DirectorRoundState, PlanApplied, str]:
    """The director failed: nobody acts, or in its first pass those whom the scene's setting says."""
    how = "stop" if state.steering.hold else settings_of(state).on_director_failure
    if how == "stop" or step.pass_number > 1 or (how == "turns" and not state.takes_turns):
        return state, _nothing(state), ""
    chosen = _everyone(state) if how == "roster" else _by_turns(state)
    applied = _acting(state, chosen, step.pass_number)
    return state.model_copy(update={"replanned": bool(applied.turns)}), applied, chosen.why


def turns_taken(state: DirectorRoundState) -> DirectorRoundState:
    """The only pass of a round, which no model planned; it is kept next."""
    chosen = _by_turns(state)
    applied = _acting(state, chosen, 1)
    record = PassRecord(number=1, applied=applied, chosen=chosen.why)
    state = _planned(state, applied)
    return control.after_step(state, unkept_pass=record, passes=(*state.passes, record))


def _everyone(state: DirectorRoundState) -> Chosen:
    """Those whom the newest words name first, then the others in the order in which they came."""
    named = state.opened.mentioned if state.opened else ()
    roster = state.scene_state.roster
    first = (each for each in named if each in roster)
    return Chosen((*first, *(each for each in roster if each not in named)), "everyone acts, in order")


def _by_turns(state: DirectorRoundState) -> Chosen:
    if state.steering.force:
        return Chosen((), "people said who acts")
    opened, veto = state.opened, state.steering.veto
    known = {each.id: each for each in cast_of(state) if not each.taken and each.id not in veto}
    present = tuple(known[each] for each in state.scene_state.roster if each in known)
    return by_turns(present, opened.mentioned if opened else (), opened.longest_silent if opened else ())


def _acting(state: DirectorRoundState, chosen: Chosen, number: int) -> PlanApplied:
    acting = (PlannedActor(who=each, order=place) for place, each in enumerate(chosen.acting))
    return _applied(state, DirectorPlan(acting=tuple(acting)), number)


def _planned(state: DirectorRoundState, applied: PlanApplied) -> DirectorRoundState:
    """Apply what a plan says of people, places and presence; its turns are to come."""
    scene = states.fold(state.scene_state, applied.changes)
    scene = presence.entered(scene, applied.roster)
    steering = state.steering.model_copy(update={"force": ()})
    state = state.model_copy(
        update={
            "scene_state": scene,
            "queue": applied.turns,
            "changes": (*state.changes, *applied.changes),
            "steering": steering,
        }
    )
    return state if applied.turns else with_leavers_gone(state, applied)


def with_leavers_gone(state: DirectorRoundState, applied: PlanApplied) -> DirectorRoundState:
    """The end of a pass: those who were to leave without a turn are gone."""
    return state.model_copy(update={"scene_state": presence.left(state.scene_state, applied.leaving)})


def pass_kept(state: DirectorRoundState, step: KeepPass) -> DirectorRoundState:
    """The pass is kept; if a person approved it meanwhile, it is kept as approved next."""
    unkept = None if state.unkept_pass == step.record else state.unkept_pass
    return control.after_step(state, unkept_pass=unkept)


def timed(state: DirectorRoundState, timers: tuple[LoreTimer, ...]) -> DirectorRoundState:
    """Lore fired for a prompt; of one entry the newest time counts."""
    newest = {(each.book, each.uid): each for each in (*state.timers, *timers)}
    return state.model_copy(update={"timers": tuple(newest.values())})


def world_updated(
    state: DirectorRoundState,
    outcome: WorldUpdate,
    author: Author | None = None,
    cost_micros: int = 0,
    unknown_prices: int = 0,
) -> DirectorRoundState:
    """The world agent has looked at the round; without an answer the world stays as it is."""
    state = paid(state, author, cost_micros, unknown_prices)
    scene = state.scene_state
    changes: tuple[StateChange, ...] = ()
    if not outcome.unchanged:
        facts: dict[str, str | None] = dict(outcome.facts)
        trackers: dict[str, str | None] = dict(outcome.trackers)
        changes = (
            *states.changes_of(scene, states.WORLD, facts, "world-agent", "world-agent"),
            *states.changes_of(scene, states.TRACKER, trackers, "world-agent", "world-agent"),
        )
    return control.after_step(
        state,
        world_updated=outcome,
        scene_state=states.fold(scene, changes),
        changes=(*state.changes, *changes),
    )


def unshown(state: DirectorRoundState, texts: tuple[str, ...]) -> DirectorRoundState:
    """A prompt had no room for all of these."""
    return state.model_copy(update={"unshown": tuple(dict.fromkeys((*state.unshown, *texts)))})


def closed(state: DirectorRoundState) -> DirectorRoundState:
    return control.after_step(state, closed=True)


def remembered(state: DirectorRoundState, outcome: Remembered) -> DirectorRoundState:
    cost = outcome.usage.cost_micros
    return control.after_step(control.spent(state, cost or 0, cost is None), remembered=outcome)


def summarised(
    state: DirectorRoundState, author: Author | None = None, cost_micros: int = 0, unknown_prices: int = 0
) -> DirectorRoundState:
    """The summary covers the rounds before this one, or could not be made; a later round tries again."""
    return control.after_step(paid(state, author, cost_micros, unknown_prices), summarised=True)


def ended(state: DirectorRoundState) -> DirectorRoundState:
    return control.after_step(control.ended(state))


def paid(
    state: DirectorRoundState, author: Author | None, cost_micros: int, unknown: int
) -> DirectorRoundState:
    state = control.spent(state, cost_micros, unknown)
    if author is None or author.kind == "person":
        return state
    models = tuple(dict.fromkeys([*state.models, author.name]))
    return state.model_copy(update={"models": models, "demo": state.demo or author.demo})


def failed(
    given: DirectorRoundInput, state: DirectorRoundState, step: Step, cause: Cause
) -> DirectorRoundState:
    """A step failed for good. What only tidies up never fails the round; a role's failure is its own."""
    match step:
        case Direct():
            return directed(given, state, step, Directed(cause=cause))
        case UpdateWorld():
            return world_updated(state, WorldUpdate(unchanged=True))
        case RememberRound():
            return remembered(state.model_copy(update={"trouble": cause}), Remembered())
        case SummariseScene():
            return summarised(state.model_copy(update={"trouble": cause}))
        case BeginRound() if cause.final:
            refused = RoundOpened(code=cause.code, message=cause.message)
            return control.after_step(state, opened=refused)
        case CloseRound():
            return closed(control.failed(state, "close", cause))
        case EndRound():
            return control.after_step(control.ended(control.failed(state, "end", cause)))
        case _:
            return control.after_step(control.failed(state, "keep", cause))
