"""The contract of ``Scenes``: a round from its beginning to its end."""

from collections.abc import Callable

import pytest

from penwright.errors import NotFound, Refused, UsageMistake
from schemas.director import CastMember, StateChange
from schemas.envelope import Telemetry, TokenBudget
from schemas.scene import BeginStep, KeepTurn, PatchState, SceneState, TurnRecord
from schemas.worlds import Character, Override, Persona, Scene
from tests.adapters.store.builders import AnyStore
from tests.adapters.store.scenes.builders import (
    MODEL,
    a_change,
    a_pass,
    a_scene,
    a_state,
    a_turn,
    an_effect,
    an_end,
    an_order,
    play,
    texts,
)


def test_a_round_begins_with_the_message_and_a_snapshot(store: AnyStore) -> None:
    scene = a_scene(store)

    opened = store.scenes.open_round(an_order(scene.id, "Hello\x00 ☕."))

    message = store.scenes.message(opened.user_message)
    assert (opened.code, opened.number, opened.user_message) == ("", 1, "the-harbour/1")
    assert opened.located == store.worlds.locate(scene.id)
    assert opened.state.roster == ("mira", "bo")
    assert message is not None
    assert (message.text, message.speaker, message.speaker_id, message.name) == (
        "Hello\x00 ☕.",
        "user",
        "ada",
        "Ada",
    )
    assert message.witnesses == ("mira", "bo", "ada")
    assert message.alternatives[0].author.name == "sam"
    assert store.scenes.running(scene.id) == 1


def test_without_a_persona_the_user_speaks_under_their_own_name(store: AnyStore) -> None:
    scene = a_scene(store, persona="")

    opened = store.scenes.open_round(an_order(scene.id))

    message = store.scenes.message(opened.user_message)
    assert message is not None
    assert (message.name, message.speaker_id, message.witnesses) == ("sam", "", ("mira", "bo"))


@pytest.mark.parametrize("kind", ["continue", "narrate"])
def test_a_round_without_a_message_begins_without_one(store: AnyStore, kind: str) -> None:
    scene = a_scene(store)

    opened = store.scenes.open_round(an_order(scene.id, "Tell of rain.").model_copy(update={"kind": kind}))

    assert (opened.number, opened.user_message) == (1, "")
    assert store.scenes.messages(scene.id) == ()


def test_the_cast_is_who_is_present_then_who_is_known_in_the_world(store: AnyStore) -> None:
    scene = a_scene(store, "Zoe", "Bo")
    for name in ("Cy", "Stranger", "Ed"):
        store.worlds.create(Character(id="", name=name, nickname=name[0]))
    store.worlds.create(Scene(id="", arc=scene.arc, title="Inn", roster=("cy",)))
    store.worlds.override(Override(level="campaign", at="storm", character="ed", fields={"goals": "x"}))

    opened = store.scenes.open_round(an_order(scene.id))

    assert opened.cast == (
        CastMember(id="zoe", name="Zoe", present=True),
        CastMember(id="bo", name="Bo", present=True),
        CastMember(id="cy", name="Cy", nickname="C"),
        CastMember(id="ed", name="Ed", nickname="E"),
    )


def test_no_round_begins_without_a_scene_or_words(store: AnyStore) -> None:
    scene = a_scene(store)

    missing = store.scenes.open_round(an_order("mars"))
    empty = store.scenes.open_round(an_order(scene.id, " \n"))

    assert (missing.code, empty.code) == ("no-such-scene", "empty-message")
    assert store.scenes.running(scene.id) is None
    assert store.scenes.rounds(scene.id) == ()


def test_a_second_round_is_refused_while_one_runs_and_named(store: AnyStore) -> None:
    scene = a_scene(store)
    store.scenes.open_round(an_order(scene.id, session="first"))

    second = store.scenes.open_round(an_order(scene.id, session="second"))

    assert (second.code, second.number) == ("round-runs", 1)
    assert "scene/the-harbour#first" in second.message
    assert texts(store, scene.id) == ["Hello."]


def test_a_pass_is_kept_again_as_a_person_approved_it(store: AnyStore) -> None:
    scene = a_scene(store)
    store.scenes.open_round(an_order(scene.id))
    later = a_state("mira", "bo", mood="wary")
    kept = a_pass(scene.id, 1, later, actors=["mira", "bo"], changes=[a_change("mira", "wary")])
    version = store.scenes.keep_pass(kept)
    applied = kept.record.applied.model_copy(update={"turns": kept.record.applied.turns[1:]})
    record = kept.record.model_copy(update={"applied": applied, "approved_by": "sam"})
    again = kept.model_copy(update={"effect": an_effect(), "record": record})

    versions = [store.scenes.keep_pass(again) for _ in range(2)]

    found = store.scenes.round(scene.id, 1)
    assert found is not None
    assert found.passes == (record,)
    assert versions == [version, version]
    assert len(store.scenes.changes(scene.id)) == 1
    told = [each for each in store.records.events_after(0) if each.kind == "director.approved"]
    assert [(each.data["turns"], each.data["by"]) for each in told] == [(["bo"], "sam")]


def test_every_change_of_a_round_happens_once_and_answers_the_same_again(store: AnyStore) -> None:
    scene = a_scene(store)
    order = an_order(scene.id)
    first = store.scenes.open_round(order)
    later = a_state("mira", "bo", mood="wary")
    kept = a_pass(scene.id, 1, later, actors=["mira"], changes=[a_change("mira", "wary")])
    turn = a_turn(store, scene.id, 1, "mira", "Who goes there?", state=later)
    end = an_end(scene.id, 1, later)

    passes = [store.scenes.keep_pass(kept) for _ in range(2)]
    turns = [store.scenes.keep_turn(turn) for _ in range(2)]
    ends = [store.scenes.close_round(end) for _ in range(2)]
    told = store.records.events_after(0)

    assert store.scenes.open_round(order).state == first.state
    assert (passes, turns) == ([1, 1], ["the-harbour/2"] * 2)
    assert ends[0] == ends[1]
    assert store.scenes.open_round(order).number == 1, "even after the end"
    assert texts(store, scene.id) == ["Hello.", "Who goes there?"]
    assert len(store.scenes.changes(scene.id)) == 1
    assert store.records.events_after(0) == told


def test_a_reply_becomes_a_message_of_its_author_and_witnesses(store: AnyStore) -> None:
    scene = a_scene(store)
    store.scenes.open_round(an_order(scene.id))
    turn = a_turn(store, scene.id, 1, "mira", "A\x00b ☕", witnesses=("mira", "ada"))

    id = store.scenes.keep_turn(turn)

    message = store.scenes.message(id)
    assert message is not None
    assert (message.id, message.number, message.round, message.text) == ("the-harbour/2", 2, 1, "A\x00b ☕")
    assert (message.speaker, message.speaker_id, message.name) == ("character", "mira", "Mira")
    assert message.witnesses == ("mira", "ada")
    assert message.alternatives[0].author == MODEL
    assert message.alternatives[0].op_id == turn.effect.op_id


def test_a_failed_turn_is_kept_without_a_message_and_changes_no_state(store: AnyStore) -> None:
    scene = a_scene(store)
    opened = store.scenes.open_round(an_order(scene.id))
    store.scenes.keep_pass(a_pass(scene.id, 1, a_state("mira", "bo", mood="wary")))
    record = TurnRecord(character="bo", pass_number=1, outcome="failed", code="empty-reply", reason="None.")

    id = store.scenes.keep_turn(KeepTurn(effect=an_effect(), scene=scene.id, round=1, record=record))

    now = store.scenes.round(scene.id, 1)
    assert id == ""
    assert now is not None
    assert now.turns == (record,)
    assert [one.mood for one in store.scenes.state(scene.id).characters] == ["wary", "wary"]
    assert texts(store, scene.id) == ["Hello."]
    assert opened.number == 1


def test_a_running_round_shows_what_is_kept_so_far(store: AnyStore) -> None:
    scene = a_scene(store)
    opened = store.scenes.open_round(an_order(scene.id))
    kept = a_pass(scene.id, 1, opened.state, actors=["bo", "mira"])
    store.scenes.keep_pass(kept)
    ids = [store.scenes.keep_turn(a_turn(store, scene.id, 1, who, who)) for who in ("bo", "mira")]

    now = store.scenes.round(scene.id, 1)

    assert now is not None
    assert (now.status, now.ended_at) == ("running", None)
    assert now.passes == (kept.record,)
    assert [(turn.character, turn.message) for turn in now.turns] == [("bo", ids[0]), ("mira", ids[1])]
    assert store.scenes.rounds(scene.id) == (now,)


def test_a_closed_round_is_as_it_was_closed(store: AnyStore) -> None:
    scene = a_scene(store)
    order = an_order(scene.id)
    opened = store.scenes.open_round(order)
    end = an_end(scene.id, 1, a_state("mira", "bo"), status="completed-with-errors")

    closed = store.scenes.close_round(end)

    assert closed.status == "completed-with-errors"
    assert (closed.cost_micros, closed.op_id) == (7, order.effect.op_id)
    assert closed.started_at == order.effect.issued_at
    assert closed.ended_at == end.effect.issued_at
    assert closed.before.roster == opened.state.roster
    assert store.scenes.round(scene.id, 1) == closed
    assert store.scenes.running(scene.id) is None
    located = store.worlds.locate(scene.id)
    assert located is not None
    assert located.scene.rounds == 1


def test_nothing_is_added_to_a_closed_round(store: AnyStore) -> None:
    scene = a_scene(store)
    state = a_state("mira", "bo")
    play(store, scene.id)
    late: list[Callable[[], object]] = [
        lambda: store.scenes.keep_pass(a_pass(scene.id, 1, state)),
        lambda: store.scenes.keep_turn(a_turn(store, scene.id, 1, "bo", "Late.")),
        lambda: store.scenes.close_round(an_end(scene.id, 1, state)),
        lambda: store.scenes.begin(_begins(scene.id)),
    ]

    for attempt in late:
        with pytest.raises(Refused) as caught:
            attempt()
        assert caught.value.code == "round-closed"
    assert texts(store, scene.id) == ["Hello.", "Hello.?"]


def test_a_round_of_no_scene_is_no_round(store: AnyStore) -> None:
    with pytest.raises(NotFound) as caught:
        store.scenes.keep_pass(a_pass("mars", 1, SceneState()))

    assert caught.value.code == "no-such-scene"
    assert store.scenes.state("mars") == SceneState()
    assert store.scenes.message("mars/1") is store.scenes.message("mars") is None
    assert store.scenes.round("mars", 1) is None
    assert store.scenes.running("mars") is None


def test_a_round_is_not_closed_as_running(store: AnyStore) -> None:
    scene = a_scene(store)
    store.scenes.open_round(an_order(scene.id))

    with pytest.raises(UsageMistake) as caught:
        store.scenes.close_round(an_end(scene.id, 1, SceneState(), status="running"))

    assert caught.value.code == "round-not-ended"


def test_who_enters_and_leaves_is_present_and_absent_at_once(store: AnyStore) -> None:
    scene = a_scene(store)
    store.worlds.create(Character(id="", name="Cy"))
    store.scenes.open_round(an_order(scene.id))

    store.scenes.keep_pass(a_pass(scene.id, 1, a_state("mira", "bo", "cy")))
    entered = store.worlds.read(Scene, scene.id)
    store.scenes.close_round(an_end(scene.id, 1, a_state("mira", "bo", "cy", roster=("cy", "bo"))))
    left = store.worlds.read(Scene, scene.id)

    assert entered is not None
    assert left is not None
    assert (entered.roster, left.roster) == (("mira", "bo", "cy"), ("cy", "bo"))
    assert (scene.version, entered.version, left.version) == (1, 2, 3)
    assert store.scenes.state(scene.id).roster == ("cy", "bo")


def test_a_change_of_the_cast_while_a_round_runs_is_made_at_its_end(store: AnyStore) -> None:
    scene = a_scene(store)
    store.worlds.create(Character(id="", name="Cy"))
    store.scenes.open_round(an_order(scene.id))

    kept = store.worlds.change(scene.model_copy(update={"roster": ("mira", "cy")}))
    store.scenes.keep_pass(a_pass(scene.id, 1, a_state("mira", "bo")))
    closed = store.scenes.close_round(an_end(scene.id, 1, a_state("mira", "bo")))
    after = store.worlds.read(Scene, scene.id)

    assert (kept.roster, kept.coming, kept.going) == (("mira", "bo"), ("cy",), ("bo",))
    assert after is not None
    assert (after.roster, after.coming, after.going) == (("mira", "cy"), (), ())
    assert store.scenes.state(scene.id).roster == ("mira", "cy")
    assert closed.status == "completed"


def test_a_character_may_be_known_in_a_scene_without_having_been_there(store: AnyStore) -> None:
    scene = a_scene(store)
    store.worlds.create(Character(id="", name="Cy"))

    store.worlds.may_come(scene.id, ["cy", "mira"])
    opened = store.scenes.open_round(an_order(scene.id))

    assert [(each.id, each.present) for each in opened.cast] == [("mira", True), ("bo", True), ("cy", False)]
    with pytest.raises(NotFound, match="nobody"):
        store.worlds.may_come(scene.id, ["nobody"])


def test_a_character_removed_meanwhile_is_not_present(store: AnyStore) -> None:
    scene = a_scene(store)
    state = a_state("mira", "bo", "ghost")
    store.scenes.open_round(an_order(scene.id))

    store.scenes.keep_pass(a_pass(scene.id, 1, state))

    assert store.scenes.state(scene.id).roster == ("mira", "bo")


def test_the_state_has_a_version_that_rises_with_every_change(store: AnyStore) -> None:
    scene = a_scene(store)
    store.scenes.open_round(an_order(scene.id))

    versions = [store.scenes.keep_pass(a_pass(scene.id, 1, a_state("mira", "bo"))) for _ in range(3)]

    assert versions == [1, 2, 3]
    assert store.scenes.state(scene.id).version == 3


def test_each_change_of_a_field_is_recorded_once_with_its_source(store: AnyStore) -> None:
    scene = a_scene(store)
    state = a_state("mira", "bo")
    store.scenes.open_round(an_order(scene.id))
    first = a_change("mira", "wary\x00")
    reported = a_change("mira", "glad", old="wary\x00", source="reported")
    last = a_change("mira", "sad", old="glad", source="pass-2")
    world = a_change("world", "rain", field="weather", source="world-agent")
    store.scenes.keep_pass(a_pass(scene.id, 1, state, changes=[first]))
    turn = a_turn(store, scene.id, 1, "mira", "Oh.", state=state)
    store.scenes.keep_turn(turn.model_copy(update={"changes": (reported,)}))
    overruled = reported.model_copy(update={"overruled": True})

    store.scenes.close_round(an_end(scene.id, 1, state, changes=[first, overruled, last, world]))

    events = store.scenes.changes(scene.id)
    assert [one.change for one in events] == [first, overruled, last, world]
    assert {one.round for one in events} == {1}
    assert events[1].op_id == turn.effect.op_id
    assert [one.change for one in store.scenes.changes(scene.id, subject="world")] == [world]
    assert [one.change for one in store.scenes.changes(scene.id, newest=1)] == [world]


def test_flags_of_the_round_before_are_cleared_at_the_beginning(store: AnyStore) -> None:
    scene = a_scene(store)
    opened = play(store, scene.id)
    acted = tuple(
        one.model_copy(update={"acted": True, "entered": True, "exited": True})
        for one in store.scenes.state(scene.id).characters
    )
    store.scenes.open_round(an_order(scene.id))
    state = SceneState(roster=opened.state.roster, characters=acted)
    store.scenes.close_round(an_end(scene.id, 2, state))

    third = store.scenes.open_round(an_order(scene.id))

    assert store.scenes.state(scene.id).characters == acted
    assert not any(one.acted or one.entered or one.exited for one in third.state.characters)


def test_messages_are_read_newest_first_in_pages_and_come_oldest_first(store: AnyStore) -> None:
    scene = a_scene(store)
    for number in range(3):
        play(store, scene.id, f"{number}")

    newest = store.scenes.messages(scene.id, newest=2)
    before = store.scenes.messages(scene.id, newest=3, before=newest[0].number)

    assert [one.text for one in (*before, *newest)] == ["0?", "1", "1?", "2", "2?"]
    assert [one.number for one in store.scenes.messages(scene.id)] == [1, 2, 3, 4, 5, 6]
    assert store.scenes.messages(scene.id, newest=0) == store.scenes.messages(scene.id, before=1) == ()
    assert [one.number for one in store.scenes.rounds(scene.id, newest=2)] == [2, 3]


def test_the_user_speaks_as_another_from_the_end_of_the_round_on(store: AnyStore) -> None:
    scene = a_scene(store)
    store.worlds.create(Persona(id="", name="Sir Ed"))
    state = a_state("mira", "bo")
    for number, persona in [(1, "sir-ed"), (2, "ghost"), (3, "")]:
        store.scenes.open_round(an_order(scene.id))
        end = an_end(scene.id, number, state).model_copy(update={"hand_over": persona})
        store.scenes.close_round(end)

    now = store.worlds.read(Scene, scene.id)
    assert now is not None
    assert (now.persona, now.version) == ("sir-ed", 2)
    assert [one.name for one in store.scenes.messages(scene.id)] == ["Ada", "Sir Ed", "Sir Ed"]


@pytest.mark.parametrize(
    ("outcome", "told"), [("planned", "completed"), ("failed", "failed"), ("cancelled", "cancelled")]
)
def test_how_a_pass_ended_is_told(store: AnyStore, outcome: str, told: str) -> None:
    scene = a_scene(store)
    opened = store.scenes.open_round(an_order(scene.id))
    kept = a_pass(scene.id, 1, opened.state)
    record = kept.record.model_copy(update={"outcome": outcome, "code": "bad-json"})

    store.scenes.keep_pass(kept.model_copy(update={"record": record}))

    event = store.records.events_after(0)[-1]
    assert (event.kind, event.data["outcome"], event.data["code"]) == ("director.completed", told, "bad-json")


def test_a_summary_is_kept_once(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id)

    shown = {each.number: each.text for each in store.scenes.messages(scene.id)}
    for summary in ("They met.", "Other."):
        assert store.scenes.summarised(scene.id, summary, "op/summary", ("mira", "ada"), shown)

    (stretch,) = store.scenes.summed_up(scene.id).stretches
    assert (stretch.text, tuple(stretch.readings), stretch.rounds) == ("They met.", (1, 2), (1, 1))
    assert stretch.witnesses == ("mira", "ada")
    assert store.scenes.state(scene.id).roster == ("mira", "bo")
    with pytest.raises(NotFound):
        store.scenes.summarised("mars", "x", "op/none", (), {1: "x"})


def _begins(scene: str, kind: str = "character", who: str = "mira") -> BeginStep:
    return BeginStep.model_validate(
        {"effect": an_effect(), "scene": scene, "round": 1, "kind": kind, "pass_number": 1, "who": who}
    )


def _told(store: AnyStore, run: str) -> list[tuple[str, str, str]]:
    events = store.records.events_after(0, run=run)
    return [(one.kind, one.data.get("character", ""), one.data.get("outcome", "")) for one in events]


def test_the_events_of_a_round_come_in_order_each_begun_step_with_one_end(store: AnyStore) -> None:
    scene = a_scene(store)
    store.scenes.open_round(an_order(scene.id, session="s9"))
    later = a_state("mira", "bo", mood="wary")
    store.scenes.begin(_begins(scene.id, "director", ""))
    store.scenes.keep_pass(a_pass(scene.id, 1, later, actors=["mira", "bo"]))
    store.scenes.begin(_begins(scene.id))
    store.scenes.begin(_begins(scene.id))
    store.scenes.keep_turn(a_turn(store, scene.id, 1, "mira", "Hm."))
    facts = later.model_copy(update={"world": {"weather": "rain"}})
    store.scenes.keep_turn(a_turn(store, scene.id, 1, "bo", "Rain.", state=facts))
    store.scenes.begin(_begins(scene.id, "director", "").model_copy(update={"pass_number": 2}))
    store.scenes.close_round(an_end(scene.id, 1, facts, status="stopped"))

    assert _told(store, "scene/the-harbour#s9") == [
        ("round.started", "", ""),
        ("director.started", "", ""),
        ("director.completed", "", "completed"),
        ("state.updated", "", ""),
        ("character.started", "mira", ""),
        ("character.completed", "mira", "completed"),
        ("character.started", "bo", ""),
        ("character.completed", "bo", "completed"),
        ("world.updated", "", ""),
        ("director.started", "", ""),
        ("director.completed", "", "cancelled"),
        ("round.completed", "", ""),
    ]
    last = store.records.events_after(0, run="scene/the-harbour#s9")[-1]
    assert last.subject == "scene/the-harbour"
    assert (last.data["round"], last.data["status"], last.data["cost_micros"]) == (1, "stopped", 7)


def test_what_fails_leaves_neither_row_nor_event(store: AnyStore) -> None:
    scene = a_scene(store)
    opened = store.scenes.open_round(an_order(scene.id))
    before = store.records.events_after(0)
    turn = a_turn(store, scene.id, 1, "mira", "Hm.", replaces="the-harbour/9", state=a_state("mira"))

    with pytest.raises(NotFound) as caught:
        store.scenes.keep_turn(turn)

    assert caught.value.code == "no-such-message"
    assert store.records.events_after(0) == before
    assert store.scenes.state(scene.id).roster == opened.state.roster
    assert store.scenes.keep_turn(turn.model_copy(update={"replaces": ""})) == "the-harbour/2"


def a_telemetry(scene: str, number: int) -> Telemetry:
    budget = TokenBudget(context=8_192, answer=700, fixed=number, counter="about 4 characters")
    return Telemetry(scene=scene, round=number, step="act", role="character", budget=budget)


def test_of_a_scene_the_newest_500_token_counts_are_kept_each_once(store: AnyStore) -> None:
    scene, other = a_scene(store), a_scene(store, title="Inn", persona="")
    store.scenes.record(a_telemetry(other.id, 0), "op/other")
    for number in range(503):
        store.scenes.record(a_telemetry(scene.id, number), f"op/telemetry/{number}")
    store.scenes.record(a_telemetry(scene.id, 99), "op/telemetry/502")

    kept = store.scenes.telemetry(scene.id)

    assert [one.round for one in kept] == list(range(3, 503))
    assert kept[0] == a_telemetry(scene.id, 3)
    assert len(store.scenes.telemetry(other.id)) == 1
    assert store.scenes.telemetry("mars") == ()
    with pytest.raises(NotFound):
        store.scenes.record(a_telemetry("mars", 1), "op/none")


def _patch(scene: str, *changes: StateChange) -> PatchState:
    return PatchState(effect=an_effect(), scene=scene, changes=changes, who="sam")


def test_a_person_sets_fields_of_the_state(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id)
    asked = _patch(
        scene.id,
        a_change("mira", "merry", old="calm"),
        a_change("ada", "bored"),
        a_change("tracker", "3", field="gold"),
        a_change("world", "rain", field="weather"),
    )

    first, second = store.scenes.patch(asked), store.scenes.patch(asked)
    store.scenes.patch(_patch(scene.id, a_change("tracker", "", field="gold")))

    state = store.scenes.state(scene.id)
    moods = {one.id: one.mood for one in state.characters}
    assert first == second
    assert (first.code, first.round) == ("", 1)
    assert moods == {"mira": "merry", "bo": "calm", "ada": "bored"}
    assert (state.world, state.trackers) == ({"weather": "rain"}, {})
    recorded = [one.change for one in store.scenes.changes(scene.id)]
    assert [(one.old, one.new, one.source, one.by) for one in recorded] == [
        ("calm", "merry", "person", "sam"),
        ("", "bored", "person", "sam"),
        ("", "3", "person", "sam"),
        ("", "rain", "person", "sam"),
        ("3", "", "person", "sam"),
    ]


def test_a_change_of_the_state_that_cannot_be_made_changes_nothing(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id)
    before = store.scenes.state(scene.id)
    fine = a_change("bo", "merry")
    height = fine.model_copy(update={"field": "height"})

    codes = [
        store.scenes.patch(_patch(scene.id, fine, a_change("mira", "merry", old="sad"))).code,
        store.scenes.patch(_patch(scene.id, fine, a_change("ghost", "merry"))).code,
        store.scenes.patch(_patch(scene.id, fine, height)).code,
        store.scenes.patch(_patch("mars", fine)).code,
    ]
    store.scenes.open_round(an_order(scene.id))
    running = store.scenes.patch(_patch(scene.id, fine))

    assert codes == ["stale", "no-such-character", "no-such-field", "no-such-scene"]
    assert (running.code, running.round) == ("round-runs", 2)
    assert store.scenes.state(scene.id) == before


def test_the_user_may_speak_as_a_character_and_does_so_again_when_the_round_is_played_again(
    store: AnyStore,
) -> None:
    scene = a_scene(store, "Ann", "Bob")
    store.worlds.change(scene.model_copy(update={"taken": ("ann",)}))
    voice = CastMember(id="ann", name="Ann")

    opened = store.scenes.open_round(an_order(scene.id, "I lit it.").model_copy(update={"voice": voice}))
    store.scenes.keep_turn(a_turn(store, scene.id, opened.number, "bob", "You?"))
    store.scenes.close_round(an_end(scene.id, opened.number, a_state("ann", "bob")))
    again = store.scenes.open_round(an_order(scene.id, "").model_copy(update={"kind": "regenerate"}))

    assert [(each.id, each.taken) for each in opened.cast] == [("ann", True), ("bob", False)]
    for number in (opened.number, again.number):
        said = next(each for each in store.scenes.messages(scene.id, undone=True) if each.round == number)
        assert (said.speaker, said.speaker_id, said.name, said.text) == ("user", "ann", "Ann", "I lit it.")
        assert len(said.witnesses) == len(set(said.witnesses)) == 3
