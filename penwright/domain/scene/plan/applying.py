"""Result of a director's plan: turns, entries, exits, changes, and notes on what is refused.

Every arrangement of the lists of a plan comes to the same. A character acts once in a round. One who acts
without being present enters; one who leaves goes after its turn, or without one at the end of the pass.
"""

from collections.abc import Sequence

from penwright.domain.scene.plan.changes import planned_changes
from penwright.domain.scene.plan.reading import PlanReader, entry_values, exit_values
from penwright.domain.scene.resolving import NARRATOR
from schemas.director import CastMember, DirectorPlan, PlanApplied, PlannedActor, Steering, Turn
from schemas.scene import SceneState
from schemas.worlds import Persona


def apply_plan(
    plan: DirectorPlan,
    cast: Sequence[CastMember],
    state: SceneState,
    pass_number: int,
    last_pass: bool,
    steering: Steering,
    persona: Persona | None,
    *,
    owns_trackers: bool = True,
    may_narrate: bool = False,
    gives_turns: bool = False,
) -> PlanApplied:
    """Return what the rules make of a pass; nothing of it is in ``state`` yet.

    Args:
        pass_number: from 1.
        last_pass: whether those whom the plan names are only recorded, because no pass would see them.
        steering: whom people force to act, or forbid to.
        owns_trackers: False while the world agent keeps the trackers.
        may_narrate: whether the plan may have the narrator act, too.
        gives_turns: whether the plan says which person speaks next.
    """
    reader = PlanReader(cast, state, persona, may_narrate, gives_turns)
    entries, exits = reader.entries(plan), reader.exits(plan)
    # A character that comes in acts, if the plan names no other.
    actors = reader.actors(plan) or tuple((each, PlannedActor(who=each)) for each in entries)
    guided = reader.allowed(actors, steering)
    forced = [each for each in reader.forced(steering) if each not in steering.veto]
    acting = list(dict.fromkeys([*forced, *([] if last_pass else guided)]))
    fresh = [each for each in dict.fromkeys([*acting, *entries]) if each not in (*state.roster, NARRATOR)]
    leaving = _leaving(reader, exits, (*state.roster, *fresh))
    changes = planned_changes(reader, plan, pass_number, owns_trackers)
    return PlanApplied(
        turns=tuple(
            Turn(
                character=each,
                guidance=guided[each].guidance if each in guided else "",
                entry_guidance=entries.get(each, ""),
                exit_guidance=exits.get(each, ""),
                entered=each in fresh,
                exits=each in leaving,
            )
            for each in acting
        ),
        left_over=tuple(each for each in guided if last_pass and each not in forced),
        roster=(*state.roster, *fresh),
        leaving=leaving,
        floor=reader.floor(plan),
        entries=entry_values(fresh, entries),
        exits=exit_values(leaving, exits),
        changes=changes,
        notes=tuple(sorted(set(reader.notes), key=lambda each: (each.code, each.who, each.text))),
        open_guidance=plan.open_guidance,
    )


def _leaving(reader: PlanReader, exits: dict[str, str], present: Sequence[str]) -> tuple[str, ...]:
    for character in exits:
        if character not in present:
            reader.refuse("not-present", character, "is not here, so it cannot leave")
    return tuple(each for each in exits if each in present)
