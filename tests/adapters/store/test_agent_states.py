"""The contract of ``AgentStates``."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from penwright.errors import UsageMistake
from schemas.agent_state import AgentState, StateChanges, StateConflict, StateKey, StateWritten, WriteState
from schemas.base import OpId
from schemas.manuscript_roles import PlannedSection
from tests.adapters.store.builders import NOON, AnyStore
from tests.support.each import for_each

KEY = StateKey(novel="tide", scene="dawn")


def a_write(
    op_id: str, base: int, changes: StateChanges, *, key: StateKey = KEY, by: str = "laptop", hours: int = 0
) -> WriteState:
    return WriteState(
        key=key,
        changes=changes,
        base_version=base,
        op_id=OpId(op_id),
        by=by,
        at=NOON + timedelta(hours=hours),
    )


def instructed(text: str) -> StateChanges:
    return StateChanges(instructions=text)


def test_a_document_without_a_state_has_none(store: AnyStore) -> None:
    assert store.agent_states.read(KEY) is None
    assert store.agent_states.at(KEY, 1) is None
    assert store.agent_states.past(KEY, "instructions") == ()
    assert store.agent_states.of("local") == ()
    assert store.agent_states.events_after(KEY, 0) == ()


def test_what_was_written_is_read_back(store: AnyStore) -> None:
    changes = StateChanges(
        instructions="Write about tides.\x00 é ☕ \\u0000 '",
        max_passes=4,
        min_score=0.75,
        max_hunks=7,
        max_targets=12,
        run="manuscript/tide/dawn#1",
        pass_index=2,
        section_plan=(
            PlannedSection(section_title="Ebb", section_summary="It goes.", section_word_count=90),
        ),
        sections_drafted=("Ebb",),
        format_guidance="### Form\n- two sections",
        citation_targets=({"sentence": 3, "reason": "claim", "weight": 1.5},),
        existing_citations=("@article{tide2020ebb, title={Ebb}}",),
    )

    written = store.agent_states.write(a_write("1", 0, changes))

    expected = AgentState(key=KEY, version=1, last_modified=NOON, **changes.given())
    assert isinstance(written, StateWritten)
    assert written.state == expected
    assert store.agent_states.read(KEY) == expected


def test_a_change_leaves_other_variables_alone_and_an_empty_value_empties(store: AnyStore) -> None:
    store.agent_states.write(a_write("1", 0, StateChanges(instructions="one", format_guidance="two")))

    store.agent_states.write(a_write("2", 1, StateChanges(format_guidance="", pass_index=1), hours=1))

    state = store.agent_states.read(KEY)
    assert state is not None
    assert (state.version, state.instructions, state.format_guidance, state.pass_index) == (2, "one", "", 1)
    assert state.last_modified == NOON + timedelta(hours=1)


def test_the_scene_and_the_whole_novel_and_principals_have_states_of_their_own(store: AnyStore) -> None:
    keys = [
        StateKey(novel="tide"),
        StateKey(novel="tide", scene="dawn"),
        StateKey(novel="ebb", scene="dawn"),
        StateKey(novel="tide", scene="dawn", principal="ada"),
    ]
    for number, key in enumerate(keys):
        store.agent_states.write(a_write(str(number), 0, instructed(f"text {number}"), key=key))

    assert [state.instructions for state in store.agent_states.of("local")] == ["text 2", "text 0", "text 1"]
    assert [state.key.scene for state in store.agent_states.of("local", "tide")] == ["-", "dawn"]
    assert [state.instructions for state in store.agent_states.of("ada")] == ["text 3"]


def test_a_write_on_an_old_version_is_a_conflict_with_both_values(store: AnyStore) -> None:
    store.agent_states.write(a_write("1", 0, instructed("begin")))
    store.agent_states.write(a_write("2", 1, instructed("from the phone"), by="phone"))

    met = store.agent_states.write(a_write("3", 1, instructed("from the laptop")))

    assert isinstance(met, StateConflict)
    assert met.mine.instructions == "from the laptop"
    assert (met.theirs.instructions, met.theirs.version) == ("from the phone", 2)
    assert met.overlapping == ("instructions",)
    stands = store.agent_states.read(KEY)
    assert stands == met.theirs


def test_a_conflict_of_other_variables_says_that_nothing_overlaps(store: AnyStore) -> None:
    store.agent_states.write(a_write("1", 0, instructed("begin")))
    store.agent_states.write(a_write("2", 1, StateChanges(pass_index=1, max_hunks=3), by="the run"))

    met = store.agent_states.write(a_write("3", 1, StateChanges(instructions="again", max_hunks=3)))

    assert isinstance(met, StateConflict)
    assert met.overlapping == ()


def test_a_version_that_the_store_never_had_is_a_conflict(store: AnyStore) -> None:
    empty = store.agent_states.write(a_write("1", 4, instructed("mine")))
    store.agent_states.write(a_write("2", 0, instructed("theirs")))
    restored = store.agent_states.write(a_write("3", 9, instructed("mine")))

    assert isinstance(empty, StateConflict)
    assert isinstance(restored, StateConflict)
    assert (empty.theirs.version, restored.theirs.version) == (0, 1)
    assert restored.overlapping == ("instructions",)


def test_a_repeated_write_returns_what_the_first_attempt_stored(store: AnyStore) -> None:
    first = store.agent_states.write(a_write("1", 0, StateChanges(instructions="one", pass_index=0)))
    store.agent_states.write(a_write("2", 1, instructed("two")))

    again = store.agent_states.write(a_write("1", 0, StateChanges(instructions="one", pass_index=0)))

    assert again == first
    assert isinstance(again, StateWritten)
    assert again.changed == ("instructions",)
    state = store.agent_states.read(KEY)
    assert state is not None
    assert state.instructions == "two"
    assert len(store.agent_states.events_after(KEY, 0)) == 2


def test_a_write_that_changes_nothing_makes_no_version_and_no_event(store: AnyStore) -> None:
    store.agent_states.write(a_write("1", 0, instructed("one")))

    same = store.agent_states.write(a_write("2", 1, instructed("one")))

    assert isinstance(same, StateWritten)
    assert (same.state.version, same.changed) == (1, ())
    assert len(store.agent_states.events_after(KEY, 0)) == 1


def test_an_op_id_of_another_document_is_refused(store: AnyStore) -> None:
    store.agent_states.write(a_write("1", 0, instructed("one")))

    with pytest.raises(UsageMistake) as caught:
        store.agent_states.write(a_write("1", 0, instructed("one"), key=StateKey(novel="other")))

    assert caught.value.code == "op-id-used"
    assert store.agent_states.read(StateKey(novel="other")) is None


def test_the_past_of_a_variable_has_each_of_its_values(store: AnyStore) -> None:
    store.agent_states.write(a_write("1", 0, instructed("one")))
    store.agent_states.write(a_write("2", 1, StateChanges(pass_index=1)))
    store.agent_states.write(a_write("3", 2, instructed("three"), by="phone", hours=2))

    past = store.agent_states.past(KEY, "instructions")

    assert [(each.version, each.value, each.by, each.op_id) for each in past] == [
        (3, "three", "phone", "3"),
        (1, "one", "laptop", "1"),
    ]
    assert past[0].at == NOON + timedelta(hours=2)
    assert [each.value for each in store.agent_states.past(KEY, "max_passes")] == [3]
    assert len(store.agent_states.past(KEY, "instructions", limit=1)) == 1


def test_every_version_can_be_read_again(store: AnyStore) -> None:
    written = [
        store.agent_states.write(a_write("1", 0, instructed("one"))),
        store.agent_states.write(a_write("2", 1, StateChanges(pass_index=1), hours=1)),
        store.agent_states.write(a_write("3", 2, StateChanges(instructions="", pass_index=0), hours=2)),
    ]

    for version, each in enumerate(written, start=1):
        assert isinstance(each, StateWritten)
        assert store.agent_states.at(KEY, version) == each.state
    assert store.agent_states.at(KEY, 0) is None
    assert store.agent_states.at(KEY, 4) is None


def test_two_devices_that_create_a_state_at_once_make_one(store: AnyStore) -> None:
    with ThreadPoolExecutor(4) as devices:
        results = list(
            devices.map(
                lambda number: store.agent_states.write(
                    a_write(str(number), 0, instructed(f"text {number}"))
                ),
                range(8),
            )
        )

    (won,) = (each for each in results if isinstance(each, StateWritten))
    assert store.agent_states.read(KEY) == won.state
    assert all(each.theirs == won.state for each in results if isinstance(each, StateConflict))


def test_events_carry_what_each_version_brought(store: AnyStore) -> None:
    store.agent_states.write(a_write("1", 0, instructed("one")))
    store.agent_states.write(a_write("2", 1, StateChanges(pass_index=1)))
    store.agent_states.write(a_write("other", 0, instructed("else"), key=StateKey(novel="other")))

    first, second = store.agent_states.events_after(KEY, 0)

    assert (first.version, first.changes.instructions, first.changes.max_passes) == (1, "one", 3)
    assert (second.version, second.op_id, second.changes) == (2, "2", StateChanges(pass_index=1))
    assert store.agent_states.events_after(KEY, first.cursor) == (second,)
    assert store.agent_states.events_after(KEY, 0, limit=1) == (first,)


@for_each("name", ["", "x" * 201, "a\x00b", "a/b", "a\n", "\ud83d"])
def test_an_invalid_name_of_a_document_is_refused(store: AnyStore, name: str) -> None:
    for key in (
        StateKey(novel=name),
        StateKey(novel="tide", scene=name),
        StateKey(novel="tide", principal=name),
    ):
        with pytest.raises(UsageMistake) as caught:
            store.agent_states.write(a_write("1", 0, instructed("one"), key=key))
        assert caught.value.code == "bad-state-key"


def test_a_number_that_is_not_finite_is_refused_whole(store: AnyStore) -> None:
    changes = StateChanges(instructions="one", citation_targets=({"weight": float("nan")},))

    with pytest.raises(UsageMistake) as caught:
        store.agent_states.write(a_write("1", 0, changes))

    assert caught.value.code == "unstorable-value"
    assert store.agent_states.read(KEY) is None
