"""State: all of an event or none of it, and the same in every process."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import permutations
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, JsonValue

from penwright.agents.state import (
    Append,
    Event,
    Extend,
    Reducer,
    Replace,
    SliceItem,
    State,
    StateView,
    Upcaster,
    applied_failed,
    apply,
    dump_event,
    dump_state,
    empty_state,
    load_event,
    load_state,
    one_per,
    registry,
)
from penwright.agents.state.folding import Chain
from penwright.errors import BrokenDefinition
from schemas.agent import SerializedEvent, SerializedSlice, SerializedState
from tests.support.agents.state import Counted, Diary, Note, Renamed, Shaken, reducing
from tests.support.each import for_each

SLICES = (Note, Diary, Counted)


def fresh(*slices: type[BaseModel]) -> State:
    return empty_state(registry(slices or SLICES))


def raises(_state: StateView, _event: BaseModel) -> object:
    raise ZeroDivisionError("no such thing")


# Effects of events.


def test_an_event_without_a_reducer_is_appended_to_its_slice() -> None:
    state = apply(fresh(), [Note(text="one"), Note(text="two")])

    assert [note.text for note in state.all(Note)] == ["one", "two"]
    assert state.latest(Note) == Note(text="two")
    assert state.latest(Diary) is None


def test_an_event_reduced_elsewhere_is_also_appended_to_its_slice() -> None:
    state = apply(fresh(), [Note(text="one"), Note(text="two")])

    assert state.count(Note) == 2
    assert [one.notes for one in state.all(Counted)] == [0, 1]


def test_every_slice_that_reduces_an_event_changes_by_it() -> None:
    state = apply(fresh(), [Note(text="one"), Note(text="two"), Renamed(to="Ada")])

    assert [note.text for note in state.all(Note)] == ["Ada"]
    assert [entry.line for entry in state.all(Diary)] == ["renamed to Ada"]


def test_apply_does_not_change_the_previous_state() -> None:
    before = apply(fresh(), [Note(text="one")])

    apply(before, [Note(text="two")])
    apply(before, [Renamed(to="Ada")])
    after = apply(before, [Note(text="three")])

    assert [note.text for note in before.all(Note)] == ["one"]
    assert [note.text for note in after.all(Note)] == ["one", "three"]


def test_state_is_independent_of_later_changes_to_its_events() -> None:
    note = Note(text="one", tags={"a": 1})
    state = apply(fresh(), [note])

    note.tags["a"] = 2

    assert state.latest(Note) == Note(text="one", tags={"a": 1})


def test_an_event_without_a_slice_is_named() -> None:
    with pytest.raises(BrokenDefinition, match="'Renamed'") as caught:
        apply(fresh(Counted), [Renamed(to="Ada")])

    assert caught.value.code == "unknown-event"


def test_reading_an_undeclared_slice_is_an_error() -> None:
    with pytest.raises(BrokenDefinition, match="'Diary'") as caught:
        fresh(Note).all(Diary)

    assert caught.value.code == "unknown-slice"


class Score(SliceItem):
    """The newest of each player and game."""

    event_name: ClassVar[str] = "scores"
    player: str
    game: int
    points: int

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {cls: one_per("player", "game")}


def test_a_keyed_slice_holds_the_newest_item_of_each_key() -> None:
    def scores(*each: tuple[str, int, int]) -> list[Score]:
        return [Score(player=player, game=game, points=points) for player, game, points in each]

    state = apply(fresh(Score), scores(("a", 1, 5), ("b", 1, 6), ("a", 2, 7), ("b", 1, 6), ("a", 1, 9)))

    assert list(state.all(Score)) == scores(("b", 1, 6), ("a", 2, 7), ("a", 1, 9))


def test_a_repeated_event_leaves_a_keyed_slice_unchanged() -> None:
    state = apply(fresh(Score), [Score(player=player, game=1, points=5) for player in "ab"])

    assert apply(state, [Score(player="a", game=1, points=5)]) == state


# A10: atomic.


@for_each("order", list(permutations((Note, Diary, None))))
def test_a_raising_reducer_changes_no_slice_and_is_named(order: tuple[type[SliceItem] | None, ...]) -> None:
    fragile = reducing(Renamed, raises)
    state = apply(fresh(*(kind or fragile for kind in order)), [Note(text="one")])

    with pytest.raises(BrokenDefinition) as caught:
        apply(state, [Note(text="two"), Renamed(to="Ada")])

    assert caught.value.code == "reducer-failed"
    assert caught.value.details == {"reducer": "raises", "slice": "fragile", "event": "Renamed"}
    assert "'raises'" in caught.value.message
    assert "ZeroDivisionError('no such thing')" in caught.value.message
    assert [note.text for note in state.all(Note)] == ["one"]
    assert state.all(Diary) == ()


def test_a_run_continues_after_its_reducer_is_fixed() -> None:
    broken = fresh(Note, Diary, reducing(Renamed, raises))
    state = apply(broken, [Note(text="one")])
    with pytest.raises(BrokenDefinition):
        apply(state, [Renamed(to="Ada")])

    fixed = reducing(Renamed, lambda _state, _event: Replace((fixed(),)))
    again = load_state(dump_state(state), registry([Note, Diary, fixed]))
    after = apply(again, [Renamed(to="Ada")])

    assert after.all(fixed) == (fixed(),)
    assert after.latest(Diary) == Diary(line="renamed to Ada")


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "returned None"),
        (Note(text="bare"), "not an Append, Extend, Replace or Clear"),
        (Append(Note(text="of another slice")), "which is not a Fragile"),
        (Replace((Diary(line="of another slice"),)), "which is not a Fragile"),
        (Append(Renamed(to="an event")), "which is not a Fragile"),
    ],
)
def test_a_reducer_with_an_invalid_result_is_named(returned: object, said: str) -> None:
    state = fresh(Note, Diary, reducing(Renamed, lambda _state, _event: returned))

    with pytest.raises(BrokenDefinition, match=said) as caught:
        apply(state, [Renamed(to="Ada")])

    assert caught.value.code == "reducer-failed"
    assert caught.value.details["slice"] == "fragile"


def test_reducers_see_the_state_before_the_event_in_any_order() -> None:
    seen: list[int] = []

    def watching(state: StateView, _event: BaseModel) -> object:
        seen.append(len(state.all(Note)))
        return Replace(())

    first, last = (reducing(Renamed, watching, name=name) for name in ("a-first", "z-last"))
    slices: tuple[type[BaseModel], ...] = (Note, first, last)
    for order in permutations(slices):
        apply(fresh(*order), [Note(text="one"), Note(text="two"), Renamed(to="Ada")])

    assert seen == [2] * 12


# A11: state and log.


def test_a_failed_call_keeps_only_log_events() -> None:
    state = applied_failed(fresh(), [Note(text="one"), Diary(line="tried"), Renamed(to="Ada")])

    assert [entry.line for entry in state.all(Diary)] == ["tried", "renamed to Ada"]
    assert state.all(Note) == ()
    assert state.all(Counted) == ()


def test_a_call_that_succeeds_leaves_both() -> None:
    state = apply(fresh(), [Note(text="one"), Diary(line="done")])

    assert (state.count(Note), state.count(Diary), state.count(Counted)) == (1, 1, 1)


def test_a_log_keeps_its_newest_entries_and_counts_the_others() -> None:
    state = fresh()
    for at in range(23):
        state = applied_failed(state, [Diary(line=str(at))])

        assert [entry.line for entry in state.all(Diary)] == [str(n) for n in range(at + 1)][-5:]
        assert state.spilled(Diary) == max(0, at + 1 - 5)


def test_spilled_log_entries_are_counted_after_dump_and_load() -> None:
    state = apply(fresh(), [Diary(line=str(at)) for at in range(8)])

    again = load_state(dump_state(state), state.registry)
    longer = apply(again, [Diary(line="8")])

    assert (again.spilled(Diary), again.count(Diary)) == (3, 5)
    assert (longer.spilled(Diary), longer.count(Diary)) == (4, 5)


# A12: at rest, and in a fresh process.


def test_an_empty_slice_is_not_dumped() -> None:
    rest = dump_state(apply(fresh(), [Diary(line="x")]))

    assert [one.name for one in rest.slices] == ["diary"]


def test_only_the_requested_slices_are_dumped() -> None:
    state = apply(fresh(), [Note(text="one"), Diary(line="x")])

    assert [one.name for one in dump_state(state, [Note, Counted]).slices] == ["notes", "tally"]


@for_each("order", list(permutations(SLICES)))
def test_state_loads_with_any_declaration_order(order: tuple[type[SliceItem], ...]) -> None:
    state = apply(
        fresh(), [Note(text="é\u2028", at=datetime(2026, 1, 2, tzinfo=UTC), tags={"a": 1}), Renamed(to="b")]
    )

    again = load_state(
        SerializedState.model_validate_json(dump_state(state).model_dump_json()), registry(order)
    )

    assert again == state
    assert dump_state(again) == dump_state(state)


def test_a_fresh_process_reads_the_state_and_writes_it_alike() -> None:
    state = apply(fresh(), [Note(text="ä", at=datetime(2026, 1, 2, tzinfo=UTC)), Renamed(to="Ada")])
    rest = dump_state(state).model_dump_json()
    program = (
        "import sys\n"
        "from penwright.agents.state import dump_state, load_state, registry\n"
        "from schemas.agent import SerializedState\n"
        "from tests.support.agents.state import Counted, Diary, Note\n"
        "rest = SerializedState.model_validate_json(sys.stdin.read())\n"
        "print(dump_state(load_state(rest, registry([Counted, Note, Diary]))).model_dump_json(), end='')\n"
    )

    told = subprocess.run(
        [sys.executable, "-c", program], input=rest, capture_output=True, text=True, check=True
    )

    assert told.stdout == rest


def test_a_slice_this_build_does_not_know_fails_with_its_name() -> None:
    rest = SerializedState(slices=(SerializedSlice(name="future", version=1, policy="state", items=({},)),))

    with pytest.raises(BrokenDefinition, match="'future'") as caught:
        load_state(rest, registry(SLICES))

    assert caught.value.code == "unknown-slice"


def test_a_slice_of_a_newer_build_fails_with_its_name_and_versions() -> None:
    rest = SerializedState(
        slices=(SerializedSlice(name="notes", version=2, policy="state", items=({"text": "x"},)),)
    )

    with pytest.raises(BrokenDefinition, match=r"'notes' was written by version 2, .* up to 1") as caught:
        load_state(rest, registry(SLICES))

    assert caught.value.code == "newer-version"


def test_incompatible_items_fail_with_the_name_of_their_slice() -> None:
    rest = SerializedState(
        slices=(SerializedSlice(name="notes", version=1, policy="state", items=({"txt": "x"},)),)
    )

    with pytest.raises(BrokenDefinition, match="'notes'") as caught:
        load_state(rest, registry(SLICES))

    assert caught.value.code == "unreadable-state"


def test_unknown_fields_are_ignored_on_load() -> None:
    item: JsonValue = {"text": "x", "colour": "red"}
    rest = SerializedState(slices=(SerializedSlice(name="notes", version=1, policy="state", items=(item,)),))

    assert load_state(rest, registry(SLICES)).all(Note) == (Note(text="x"),)


class Place(SliceItem):
    """Was ``{"name"}``, then ``{"title"}``, and is ``{"title", "pages"}``."""

    event_name: ClassVar[str] = "places"
    event_version: ClassVar[int] = 3
    title: str
    pages: int

    @classmethod
    def upcasters(cls) -> Mapping[int, Upcaster]:
        return {1: lambda old: {"title": _of(old)["name"]}, 2: lambda old: {**_of(old), "pages": 0}}


def _of(value: JsonValue) -> dict[str, JsonValue]:
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize(
    ("version", "item"), [(1, {"name": "a"}), (2, {"title": "a"}), (3, {"title": "a", "pages": 0})]
)
def test_an_older_version_is_brought_up_to_date(version: int, item: JsonValue) -> None:
    rest = SerializedState(
        slices=(SerializedSlice(name="places", version=version, policy="state", items=(item,)),)
    )

    state = load_state(rest, registry([Place]))

    assert state.all(Place) == (Place(title="a", pages=0),)
    assert load_event(SerializedEvent(name="places", version=version, data=item), state.registry) == Place(
        title="a", pages=0
    )


def test_a_version_older_than_any_upcaster_fails_with_its_name() -> None:
    with pytest.raises(BrokenDefinition, match="'places'") as caught:
        load_event(SerializedEvent(name="places", version=0, data={}), registry([Place]))

    assert caught.value.code == "no-upcaster"


def test_an_upcaster_that_fails_is_named() -> None:
    with pytest.raises(BrokenDefinition, match="upcaster of 'places' from version 1 failed") as caught:
        load_event(SerializedEvent(name="places", version=1, data={}), registry([Place]))

    assert caught.value.code == "upcaster-failed"


def test_an_event_survives_dump_and_load() -> None:
    event = Shaken(how="extend", texts=("a", "b"))

    assert load_event(dump_event(event), registry(SLICES)) == event


def test_an_event_of_unknown_name_fails_with_it() -> None:
    with pytest.raises(BrokenDefinition, match="'storm'") as caught:
        load_event(SerializedEvent(name="storm", data={}), registry(SLICES))

    assert caught.value.code == "unknown-event"


# Declarations.


def _declared(**body: Any) -> type[SliceItem]:  # Any: the values of a class body
    return type("Odd", (SliceItem,), {"__module__": __name__, "event_name": "odd", **body})


def _callable_field() -> type[SliceItem]:
    class Odd(SliceItem):
        event_name: ClassVar[str] = "odd"
        hook: Callable[[], None]

    return Odd


@for_each(
    "slices, code, said",
    [
        ((BaseModel,), "bad-slice", "'BaseModel' is not a slice"),
        ((_declared(event_name=""),), "bad-slice", "event_name ''"),
        ((_declared(event_name="Odd"),), "bad-slice", "event_name 'Odd'"),
        ((_declared(event_name="a/b"),), "bad-slice", "event_name 'a/b'"),
        ((_declared(event_name="o" * 65),), "bad-slice", "1 to 64"),
        ((_declared(event_version=0),), "bad-slice", "version 0"),
        (
            (_declared(event_version=3, upcasters=classmethod(lambda _: {1: str})),),
            "bad-slice",
            r"from \[1\]",
        ),
        ((_declared(slice_policy="log", slice_keep=0),), "bad-slice", "keeps nothing"),
        ((_declared(event_name="notes"), Note), "bad-slice", "two slices are called 'notes'"),
        ((Note, Note), "bad-slice", "two slices are called 'notes'"),
        ((_declared(event_name="renamed"), Note), "bad-slice", "two events are called 'renamed'"),
        ((_callable_field(),), "not-json", "'odd'"),
    ],
)
def test_a_slice_that_could_not_work_is_refused_when_it_is_declared(
    slices: tuple[type[BaseModel], ...], code: str, said: str
) -> None:
    with pytest.raises(BrokenDefinition, match=said) as caught:
        registry(slices)

    assert caught.value.code == code


class Pair(SliceItem):
    """Keyed by pairs, which JSON has not."""

    event_name: ClassVar[str] = "pairs"
    weights: dict[tuple[int, int], float] = {}
    weight: float = 0
    anything: Any = None  # Any: filled with values that do not round-trip


@for_each(
    "item",
    [
        Pair(weights={(1, 2): 0.5}),
        Pair(weights={(1, 2): float("nan")}),
        Pair(anything=float("inf")),
        Pair(anything=(1, 2)),
        Pair(anything=object()),
        Pair(anything="\ud800"),
        Pair(weight=float("inf")),
        Pair().model_copy(update={"weight": "heavy"}),
    ],
)
def test_an_item_that_would_not_come_back_from_json_never_enters_the_state(item: Pair) -> None:
    state = fresh(Pair)

    with pytest.raises(BrokenDefinition, match="'pairs'") as caught:
        apply(state, [item])

    assert caught.value.code == "not-json"
    assert state.count(Pair) == 0


@pytest.mark.parametrize("op", [Append, lambda item: Extend((item,)), lambda item: Replace((item,))])
def test_no_way_into_a_slice_leads_past_its_json_form(op: Callable[[SliceItem], object]) -> None:
    fragile = reducing(Renamed, lambda _state, _event: op(fragile.model_validate({"anything": (1, 2)})))

    with pytest.raises(BrokenDefinition, match="'fragile'") as caught:
        apply(fresh(fragile), [Renamed(to="Ada")])

    assert caught.value.code == "not-json"


def test_items_kept_by_a_replace_are_unchanged() -> None:
    note = Note(text="one", tags={"a": 1})
    keeping = reducing(Renamed, lambda state, _event: Replace((*state.all(keeping)[1:], keeping(text="new"))))
    state = apply(fresh(keeping), [keeping(text="old"), keeping(text="kept", anything=note.tags)])

    note.tags["a"] = 2
    after = apply(state, [Renamed(to="Ada")])

    assert after.all(keeping) == (keeping(text="kept", anything={"a": 1}), keeping(text="new"))


# Slices of one policy.


def test_two_owners_of_the_same_kind_of_slice_do_not_share_it() -> None:
    state = empty_state(registry([Note], {"left": [Note, Diary], "right": [Note]}))

    state = apply(state, [Note(text="mine")], owner="left")
    state = apply(state, [Shaken(how="clear")], owner="right")
    state = apply(state, [Note(text="the run's")])

    assert state.seen_by("left").all(Note) == (Note(text="mine"),)
    assert state.seen_by("right").all(Note) == ()
    assert state.all(Note) == (Note(text="the run's"),)
    assert load_state(dump_state(state), state.registry) == state
    assert [one.name for one in dump_state(state).slices] == ["left/notes", "notes"]


def test_an_owner_cannot_change_the_slices_of_the_run() -> None:
    state = empty_state(registry([Note, Diary], {"left": [Counted]}))

    with pytest.raises(BrokenDefinition, match="of policy 'left'") as caught:
        apply(state, [Shaken(how="clear")], owner="left")

    assert caught.value.code == "unknown-event"


# Properties.

texts = st.text(max_size=4).filter(str.isprintable)
happenings = st.one_of(
    st.builds(Note, text=texts, tags=st.dictionaries(texts, st.integers(-5, 5), max_size=2)),
    st.builds(Diary, line=texts),
    st.builds(Renamed, to=texts),
    st.builds(
        Shaken,
        how=st.sampled_from(["append", "extend", "replace", "clear"]),
        texts=st.lists(texts, max_size=40).map(tuple),
    ),
)
calls = st.lists(st.tuples(st.booleans(), st.lists(happenings, max_size=6)), max_size=12)


class Plain:
    """The state as lists, changed in place."""

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self.diary: list[Diary] = []
        self.counted: list[int] = []

    def call(self, succeeded: bool, events: list[Event]) -> None:
        for event in events:
            if succeeded:
                self.change(event)
            self.tell(event)

    def change(self, event: Event) -> None:
        match event:
            case Note():
                self.counted.append(len(self.notes))
                self.notes.append(event)
            case Renamed():
                self.notes = [Note(text=event.to)]
            case Shaken(how="append"):
                self.notes.append(Note(text=" ".join(event.texts)))
            case Shaken(how="extend"):
                self.notes += [Note(text=text) for text in event.texts]
            case Shaken():
                self.notes = [Note(text=text) for text in event.texts if event.how == "replace"]

    def tell(self, event: Event) -> None:
        if isinstance(event, Diary):
            self.diary.append(event)
        if isinstance(event, Renamed):
            self.diary.append(Diary(line=f"renamed to {event.to}"))


@given(calls)
def test_state_agrees_with_a_plain_model_through_dump_and_load(
    calls: list[tuple[bool, list[Event]]],
) -> None:
    plain, state = Plain(), fresh()

    for succeeded, events in calls:
        plain.call(succeeded, events)
        state = apply(state, events) if succeeded else applied_failed(state, events)
        state = load_state(
            SerializedState.model_validate_json(dump_state(state).model_dump_json()), state.registry
        )

    assert list(state.all(Note)) == plain.notes
    assert list(state.all(Diary)) == plain.diary[-5:]
    assert state.spilled(Diary) == max(0, len(plain.diary) - 5)
    assert [one.notes for one in state.all(Counted)] == plain.counted
    assert state.latest(Note) == (plain.notes[-1] if plain.notes else None)


@given(calls, st.permutations(SLICES))
def test_the_order_of_declaration_decides_nothing(
    calls: list[tuple[bool, list[Event]]], order: list[type[SliceItem]]
) -> None:
    one, other = fresh(), fresh(*order)

    for succeeded, events in calls:
        change = apply if succeeded else applied_failed
        one, other = change(one, events), change(other, events)

    assert one == other
    assert dump_state(one).model_dump_json() == dump_state(other).model_dump_json()


class Broken(Event):
    event_name: ClassVar[str] = "broken"


BREAKING = reducing(Broken, raises)


@given(st.lists(happenings, max_size=6), st.lists(happenings, max_size=6))
def test_a_failing_batch_changes_nothing(before: list[Event], after: list[Event]) -> None:
    state = apply(fresh(*SLICES, BREAKING), before)
    rest = dump_state(state)

    with pytest.raises(BrokenDefinition):
        apply(state, [*after, Broken()])

    assert dump_state(state) == rest


@given(st.lists(st.tuples(st.integers(0, 70), st.booleans()), max_size=12), st.integers(0, 200))
def test_branching_chains_equal_plain_lists(steps: list[tuple[int, bool]], most: int) -> None:
    chain, plain, kept = Chain[int](), list[int](), []
    for number, (count, looked) in enumerate(steps):
        items = range(number * 100, number * 100 + count)
        chain, plain = chain.extended(items), [*plain, *items]
        kept.append((chain, tuple(plain)))
        if looked:
            chain.all()
        chain.extended([-1])

    assert all(one.all() == said and one.length == len(said) for one, said in kept)
    assert list(chain.newest(most)) == plain[max(0, len(plain) - most) :]


def test_an_event_costs_the_same_at_any_length() -> None:
    read: list[int] = []

    def short(state: StateView, _event: BaseModel) -> object:
        read.append(len(state.newest(Note, 3)))
        return Append(fragile())

    fragile = reducing(Note, short)
    state = fresh(Note, fragile)
    for at in range(100):
        state = apply(state, [Note(text=str(100 * at + n)) for n in range(100)])

    longest = state.held["notes"].items
    parts = sum(1 for _ in longest._parts())
    assert (state.count(Note), state.count(fragile)) == (10_000, 10_000)
    assert read[-1] == 3
    assert 10_000 / 32 <= parts <= 10_000 / 32 + 1
    assert all(part._all is None for part in longest._parts() if part._before is not None)
