"""Whose turn it is among people at one table, and how a director gives it."""

import pytest

from penwright.domain.scene.envelope.people import others
from penwright.domain.scene.plan.applying import apply_plan
from penwright.domain.scene.table_turns import Chair, whose_turn
from schemas.director import CastMember, DirectorPlan, PlanApplied, PlannedActor, Steering
from schemas.scene import SceneState
from tests.support.scenes.envelopes import case, located
from tests.support.scenes.plays import RoundPlay, acting, opened

CAST = (
    CastMember(id="ann", name="Ann", present=True, taken=True),
    CastMember(id="bob", name="Bob", present=True),
    CastMember(id="cleo", name="Cleo", present=True, taken=True),
    CastMember(id="dov", name="Dov", taken=True),
)


def chairs(*told: str) -> list[Chair]:
    """``ann``: at the table; ``ann away``: not at it; ``ann out``: not in the scene."""
    parts = [each.partition(" ") for each in told]
    return [Chair(who, where != "out", where != "away") for who, _, where in parts]


@pytest.mark.parametrize(
    ("order", "last", "named", "whose"),
    [
        ("free", "ann", "ann", ""),
        ("initiative", "", "", "ann"),
        ("initiative", "ann", "ann", "bob"),
        ("initiative", "cleo", "", "ann"),
        ("director", "ann", "cleo", "cleo"),
        ("director", "ann", "ann", "ann"),
        ("director", "ann", "", "bob"),
        ("director", "ann", "nobody", "bob"),
    ],
)
def test_the_turn_goes_round_or_to_the_one_whom_the_director_names(
    order: str, last: str, named: str, whose: str
) -> None:
    assert whose_turn(order, chairs("ann", "bob", "cleo"), last, named) == whose  # type: ignore[arg-type]


def test_who_is_away_is_passed_over_and_who_is_elsewhere_has_no_turn() -> None:
    assert whose_turn("initiative", chairs("ann", "bob away", "cleo"), "ann", "") == "cleo"
    assert whose_turn("initiative", chairs("ann", "bob out", "cleo"), "ann", "") == "cleo"
    assert whose_turn("director", chairs("ann", "bob", "cleo away"), "ann", "cleo") == "bob"
    assert whose_turn("director", chairs("ann", "bob", "cleo out"), "ann", "cleo") == "bob"


def test_the_turn_waits_for_the_next_where_everyone_is_away_and_for_nobody_at_an_empty_table() -> None:
    assert whose_turn("initiative", chairs("ann away", "bob away"), "ann", "") == "bob"
    assert whose_turn("initiative", [], "", "") == ""
    assert whose_turn("director", chairs("ann out"), "", "ann") == ""


def applied(*who: str, gives_turns: bool = True) -> PlanApplied:
    plan = DirectorPlan(acting=tuple(PlannedActor(who=each, order=n) for n, each in enumerate(who)))
    state = SceneState(roster=("ann", "bob", "cleo"))
    return apply_plan(plan, CAST, state, 1, False, Steering(), None, gives_turns=gives_turns)


def test_a_person_whom_the_plan_lists_gets_the_turn_and_is_never_played() -> None:
    made = applied("Ann", "Bob", "Cleo")

    assert [each.character for each in made.turns] == ["bob"]
    assert (made.floor, made.notes) == ("cleo", ())


def test_a_plan_gives_no_turn_to_a_model_or_to_one_who_is_elsewhere() -> None:
    assert applied("Bob").floor == ""
    elsewhere = applied("Dov")
    assert elsewhere.floor == ""
    assert [each.code for each in elsewhere.notes] == ["taken-over"]


def test_where_people_do_not_take_turns_by_the_director_a_person_in_a_plan_is_a_mistake() -> None:
    made = applied("Ann", "Bob", gives_turns=False)

    assert made.floor == ""
    assert [each.code for each in made.notes] == ["taken-over"]


def test_a_round_keeps_whom_its_director_gives_the_turn_and_plays_nobody_in_their_place() -> None:
    begun = opened("a1", "b1", turns="director")
    cast = tuple(each.model_copy(update={"taken": each.id == "a1"}) for each in begun.cast)
    plans = [acting("Bob", "Ann"), acting("Ann")]

    play = RoundPlay(begun.model_copy(update={"cast": cast}), plans).play()

    assert [each.character for each in play.state.turns] == ["b1"]
    assert [each.applied.floor for each in play.state.passes] == ["a1", "a1"]


@pytest.mark.parametrize(("order", "told"), [("free", "never plan for them"), ("director", "List them last")])
def test_a_director_is_told_what_to_do_about_a_character_of_a_person(order: str, told: str) -> None:
    cast = (CastMember(id="ann", name="Ann", present=True, taken=True),)
    given = case("director", located=located(turns=order), cast=cast)

    assert told in next(each.text for each in others(given) if each.id == "ann")
