"""Result of a director's plan: turns, entries, exits, changes, and notes on what is refused.

Every arrangement of the lists of a plan comes to the same. A character acts once in a round. One who acts
without being present enters; one who leaves goes after its turn, or without one at the end of the pass.
"""

from collections.abc import Iterable, Sequence

from penwright.domain.scene import states
from penwright.domain.scene.plan.reading import PlanReader, entry_values, exit_values
from penwright.domain.scene.resolving import NARRATOR, shortened
from schemas.director import (
    FIELDS,
    CastMember,
    ChangeSource,
    DirectorPlan,
    Note,
    PlanApplied,
    PlannedActor,
    StateChange,
    Steering,
    Turn,
)
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
    changes = _planned_changes(reader, plan, pass_number, owns_trackers)
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


def _planned_changes(
    reader: PlanReader, plan: DirectorPlan, pass_number: int, owns_trackers: bool
) -> tuple[StateChange, ...]:
    """Changes of people by name, then of trackers and facts; what is no usable value is noted."""
    source: ChangeSource = "pass-1" if pass_number == 1 else "pass-2"
    told = [
        (character, each.patch) for each in plan.states if (character := reader.find(each.who, each.or_else))
    ]
    found: list[StateChange] = []
    for character in reader.by_name(each for each, _ in told):
        patches = [patch for each, patch in told if each == character]
        values: dict[str, str | None] = {
            field: _one_of(reader, character, field, [getattr(patch, field) for patch in patches])
            for field in FIELDS
        }
        found += states.changes_of(reader.state, character, values, source, "director")
    if not owns_trackers:
        return tuple(found)
    for name in sorted({" ".join(each.name.split()) for each in plan.trackers} - {""}):
        given = [each.value for each in plan.trackers if " ".join(each.name.split()) == name]
        subject = states.WORLD if name in reader.state.world else states.TRACKER
        value: dict[str, str | None] = {name: _one_of(reader, subject, name, given)}
        found += states.changes_of(reader.state, subject, value, source, "director")
    return tuple(found)


def _one_of(reader: PlanReader, subject: str, field: str, given: Iterable[str | None]) -> str:
    """The value among those given that counts: the first by code point, so that their order does not."""
    values = sorted({states.real(each) for each in given} - {""})
    usable = [each for each in values if len(each) <= states.LONGEST]
    if len(usable) < len(values):
        _note(
            reader,
            subject,
            f"{shortened(field)} is longer than {states.LONGEST} characters and stays",
        )
    if len(usable) > 1:
        _note(reader, subject, f"{shortened(field)} has two values; {shortened(usable[0])!r} counts")
    return usable[0] if usable else ""


def _note(reader: PlanReader, subject: str, text: str) -> None:
    reader.notes.append(Note(code="bad-value", who=subject, text=f"{subject}: {text}."))
