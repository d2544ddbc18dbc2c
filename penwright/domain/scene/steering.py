"""Changes by people while a round runs: who acts next, who must not, an end in the middle of a reply."""

from collections.abc import Iterable

from penwright.domain import control
from penwright.domain.scene import presence
from penwright.domain.scene.plan.holding import Refusal, holds, turns_of
from penwright.domain.scene.resolving import name_of, resolve
from penwright.domain.scene.round import cast_of, named_of, narrates, settings_of
from penwright.domain.scene.round_ending import is_over
from penwright.domain.scene.transitions import persona_of
from schemas.control import KillRequest
from schemas.director import Note, PlanApproval, Steering, Turn
from schemas.director_round import DirectorRoundInput, DirectorRoundState


def halted(state: DirectorRoundState, request: KillRequest) -> DirectorRoundState:
    """End now, in the middle of a reply: what is spoken stays, no other acts. The first request counts."""
    if state.control.stop is not None:
        return state
    return control.stopped(state, request).model_copy(update={"halted": True})


def unsteerable(
    given: DirectorRoundInput, state: DirectorRoundState, asked: Steering
) -> tuple[str, str] | None:
    """Code and message of why people cannot have this; None if they can."""
    if is_over(state) or state.closed:
        return "round-over", "the round is ending; give it with the next one"
    if state.opened is None:
        return None
    if narrates(given, state) or state.opened.regenerates is not None:
        return "nothing-to-steer", "only one speaks in this round; give it with the next one"
    for who in (*asked.force, *asked.veto):
        found = resolve(who, named_of(state), persona_of(state))
        if isinstance(found, Note):
            return found.code, found.text
        if presence.has_acted(state.scene_state, found):
            return "has-acted", f"{name_of(found, cast_of(state))} has acted in this round already"
    return None


def unapprovable(state: DirectorRoundState, approval: PlanApproval) -> Refusal | None:
    """Reason why a plan cannot be approved like this; None if it can."""
    if is_over(state) or not holds(settings_of(state), state.passes):
        return Refusal("no-plan-held", "no plan waits for approval in this round")
    made = _approved_turns(state, approval)
    return made if isinstance(made, Refusal) else None


def approved(state: DirectorRoundState, approval: PlanApproval) -> DirectorRoundState:
    """The plan is played as approved; it is kept once more, with who approved it."""
    made = _approved_turns(state, approval)
    assert not isinstance(made, Refusal), "the validator has seen it"
    turns = tuple(each for each in made if each.character not in state.steering.veto)
    last = state.passes[-1]
    applied = last.applied.model_copy(update={"turns": turns})
    own = None if turns == last.applied.turns else last.applied.turns
    record = last.model_copy(update={"applied": applied, "approved_by": approval.who, "planned": own})
    passes = (*state.passes[:-1], record)
    return state.model_copy(update={"queue": turns, "passes": passes, "unkept_pass": record})


def _approved_turns(state: DirectorRoundState, approval: PlanApproval) -> tuple[Turn, ...] | Refusal:
    return turns_of(approval, state.passes[-1], named_of(state), state.scene_state, persona_of(state))


def steered(state: DirectorRoundState, asked: Steering) -> DirectorRoundState:
    """The newest word counts: who is forced is forbidden no longer, and the other way round."""
    force, veto = _ids(state, asked.force), _ids(state, asked.veto)
    force = [each for each in force if each not in veto]
    present = state.steering
    steering = Steering(
        force=tuple(dict.fromkeys([*force, *(each for each in present.force if each not in veto)])),
        veto=tuple(dict.fromkeys([*(each for each in present.veto if each not in force), *veto])),
        hand_over=asked.hand_over or present.hand_over,
        note=asked.note or present.note,
        hold=present.hold,
        within=present.within if asked.within is None else asked.within,
    )
    dropped = [each.character for each in state.queue if each.character in veto]
    notes = tuple(_forbidden(state, each) for each in dropped)
    queue = tuple(each for each in state.queue if each.character not in dropped)
    return state.model_copy(update={"steering": steering, "queue": queue, "notes": (*state.notes, *notes)})


def _forbidden(state: DirectorRoundState, who: str) -> Note:
    name = name_of(who, cast_of(state))
    return Note(code="vetoed", who=who, text=f"{name!r} was told by a person not to act in this round.")


def _ids(state: DirectorRoundState, names: Iterable[str]) -> list[str]:
    """Ids of those who are meant; before the round is open the names as they are, which the plan resolves."""
    if state.opened is None:
        return list(names)
    found = (resolve(each, named_of(state), persona_of(state)) for each in names)
    return [each for each in found if not isinstance(each, Note)]
