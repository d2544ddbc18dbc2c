"""What a change of the agents' variables does, and when two changes conflict."""

from datetime import timedelta

import pytest

from penwright.domain.manuscript.agent_state import applied, changed, changes_of, conflict, rebased
from penwright.domain.manuscript.placeholders import ACCUMULATING, EPHEMERAL, STATIC
from penwright.errors import Refused, UsageMistake
from schemas.agent_state import VARIABLES, AgentState, StateChanges, StateKey, Variable, WriteState
from schemas.base import OpId
from tests.adapters.store.builders import NOON
from tests.support.each import for_each

KEY = StateKey(novel="tide")
STATE = AgentState(key=KEY, version=4, last_modified=NOON, instructions="one", max_hunks=3)


def a_write(changes: StateChanges, base: int) -> WriteState:
    return WriteState(key=KEY, changes=changes, base_version=base, op_id=OpId("1"), at=NOON)


def test_a_change_makes_the_next_version() -> None:
    later = NOON + timedelta(hours=1)

    after = applied(STATE, StateChanges(instructions="two", max_hunks=3), later)

    assert (after.version, after.instructions, after.max_hunks) == (5, "two", 3)
    assert after.last_modified == later
    assert changed(STATE, StateChanges(instructions="two", max_hunks=3)) == ("instructions",)


def test_equal_values_change_nothing() -> None:
    assert applied(STATE, StateChanges(instructions="one"), NOON + timedelta(hours=1)) == STATE


def test_an_empty_value_is_a_value_and_none_is_not() -> None:
    assert applied(STATE, StateChanges(instructions=""), NOON).instructions == ""
    assert applied(STATE, StateChanges(instructions=None), NOON).instructions == "one"


@pytest.mark.parametrize(
    ("changes", "since", "overlapping"),
    [
        (StateChanges(instructions="two"), {"instructions": 4}, ("instructions",)),
        (StateChanges(instructions="two"), {"instructions": 3}, ()),
        (StateChanges(instructions="one"), {"instructions": 4}, ()),
        (StateChanges(instructions="two", max_hunks=9), {"instructions": 2, "max_hunks": 4}, ("max_hunks",)),
    ],
)
def test_variables_overlap_if_both_changed_them_to_different_values(
    changes: StateChanges, since: dict[Variable, int], overlapping: tuple[str, ...]
) -> None:
    request = a_write(changes, 3)

    met = conflict(request, STATE, since)

    assert met.overlapping == overlapping
    again = rebased(request, met)
    assert (again is None) == bool(overlapping)
    assert again is None or again.base_version == 4


def test_what_only_the_next_step_may_use_cannot_be_stored() -> None:
    for placeholder in EPHEMERAL:
        with pytest.raises(Refused) as caught:
            changes_of({placeholder.name: "x"})
        assert caught.value.code == "ephemeral-kept"
    assert not {each.name for each in EPHEMERAL} & set(VARIABLES)


def test_every_setting_and_every_value_that_accumulates_is_stored_or_can_be_computed() -> None:
    computed = {"current_manuscript", "manuscript_word_count", "has_format_guidance", "last_history_entry"}

    assert {each.name for each in (*STATIC, *ACCUMULATING)} - computed <= set(VARIABLES)


@for_each(
    "values, code",
    [
        ({"instruction": "x"}, "unknown-variable"),
        ({"version": 3}, "unknown-variable"),
        ({"min_score": 1.1}, "bad-variable"),
        ({"min_score": float("nan")}, "bad-variable"),
        ({"max_passes": -1}, "bad-variable"),
        ({"max_hunks": 0}, "bad-variable"),
        ({"pass_index": "many"}, "bad-variable"),
        ({"section_plan": [{"section_summary": "no title"}]}, "bad-variable"),
    ],
)
def test_a_name_or_value_that_cannot_be_stored_is_refused_by_name(
    values: dict[str, object], code: str
) -> None:
    with pytest.raises(UsageMistake) as caught:
        changes_of(values)

    assert caught.value.code == code
    assert caught.value.details["variable"].partition(".")[0] == next(iter(values))


def test_a_type_checked_caller_cannot_name_anything_else() -> None:
    assert set(StateChanges.model_fields) == set(VARIABLES)
    assert set(VARIABLES) < set(AgentState.model_fields)
