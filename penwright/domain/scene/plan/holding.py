"""Plans that wait for a person: which do, and what becomes of one that is approved as it is or otherwise."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from penwright.domain.scene import presence
from penwright.domain.scene.resolving import NARRATOR, name_of, resolve
from schemas.director import ApprovedTurn, CastMember, Note, PlanApproval, Turn
from schemas.scene import PassRecord, SceneState
from schemas.worlds import Persona, SceneSettings

MOST_TURNS: Final = 50
LONGEST_GUIDANCE: Final = 4_000
"""Characters."""


class Refusal(NamedTuple):
    """Reason why a plan cannot be played as approved."""

    code: str
    message: str


def holds(settings: SceneSettings, passes: Sequence[PassRecord]) -> bool:
    """Whether the newest plan waits for a person; one by which nobody acts does only if it was asked for."""
    if not passes or passes[-1].outcome != "planned" or passes[-1].approved_by:
        return False
    return passes[-1].held or (settings.hold_plan and bool(passes[-1].applied.turns))


def turns_of(
    approval: PlanApproval,
    planned: PassRecord,
    cast: Sequence[CastMember],
    state: SceneState,
    persona: Persona | None,
) -> tuple[Turn, ...] | Refusal:
    """The turns of the approved plan, or why it cannot be played.

    A character whom the plan did not name enters if it is not present. Comings and goings stay as planned,
    also those of a character who is struck.
    """
    if approval.pass_number != planned.number:
        waits = f"the plan of pass {planned.number} waits, not that of pass {approval.pass_number}"
        return Refusal("other-plan", waits)
    if approval.turns is None:
        return planned.applied.turns
    if len(approval.turns) > MOST_TURNS:
        return Refusal("too-many-turns", f"a plan has at most {MOST_TURNS} turns")
    made: dict[str, Turn] = {}
    for wanted in approval.turns:
        is_narrator = wanted.who == NARRATOR and any(
            each.character == NARRATOR for each in planned.applied.turns
        )
        who = NARRATOR if is_narrator else resolve(wanted.who, cast, persona)
        if isinstance(who, Note):
            return Refusal(who.code, who.text)
        if refusal := _unplayable(who, wanted, made, cast, state):
            return refusal
        turn = _turn(who, wanted, planned.applied.turns, state)
        if turn is None:
            return Refusal("no-guidance", f"{name_of(who, cast)} is not in the plan; say what it is told")
        made[who] = turn
    return tuple(made.values())


def _unplayable(
    who: str, wanted: ApprovedTurn, made: dict[str, Turn], cast: Sequence[CastMember], state: SceneState
) -> Refusal | None:
    name = name_of(who, cast)
    if who in made:
        return Refusal("duplicate-actor", f"{name} acts once in a round, and is named twice")
    if presence.has_acted(state, who):
        return Refusal("has-acted", f"{name} has acted in this round already")
    if len(wanted.guidance or "") > LONGEST_GUIDANCE:
        told = f"what {name} is told has over {LONGEST_GUIDANCE:,} characters"
        return Refusal("guidance-too-long", told)
    return None


def _turn(who: str, wanted: ApprovedTurn, planned: Sequence[Turn], state: SceneState) -> Turn | None:
    """The turn as a person wants it; None if it is neither planned nor said what the character is told."""
    known = next((each for each in planned if each.character == who), None)
    if wanted.guidance is None:
        return known
    if known is None:
        return Turn(character=who, guidance=wanted.guidance, entered=who not in state.roster)
    return known.model_copy(update={"guidance": wanted.guidance})
