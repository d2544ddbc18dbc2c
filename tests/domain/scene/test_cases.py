"""The 21 cases that director rounds are accepted by, each with its tests; A19 is here."""

from penwright.domain.lore.scanning import scan
from penwright.domain.scene.plan.reading import ordered
from schemas.director import PlannedActor
from schemas.lore import LoreEntry
from tests.support.lore import book, case, entry, reasons, uids, words
from tests.support.named_cases import missing
from tests.support.scenes.plays import CAST

RULES, ROUND = "domain/scene/test_round_cases.py", "workflows/test_director_round.py"
STORE = "adapters/store/scenes/test_rounds.py"

CASES = {
    "A01 two passes": {
        RULES: "test_director_cast_director_and_the_round_is_completed",
        ROUND: "test_a_round_of_two_passes",
    },
    "A02 order": {
        "domain/scene/test_cases.py": "test_order_comes_first_then_priority_then_the_name",
        "domain/scene/test_plan_laws.py": (
            "test_to_shuffle_a_plans_lists_changes_nothing test_the_order_is_total_stable_and_idempotent"
        ),
    },
    "A03 cancel": {
        RULES: "test_a_round_that_is_stopped_keeps_what_is_said_and_asks_no_model_again",
        ROUND: "test_a_round_that_is_stopped_in_the_middle_of_a_reply_keeps_what_is_said",
    },
    "A04 activations alone": {RULES: "test_a_plan_with_an_entry_and_no_actors_lets_who_enters_act"},
    "A05 nobody to act": {
        RULES: "test_a_plan_with_nobody_ends_the_round_completed_and_says_that_nobody_acted",
        ROUND: "test_nobody_to_act_is_a_completed_round_that_says_so",
    },
    "A06 repair": {ROUND: "test_an_answer_that_is_no_plan_is_repaired_once_and_the_audit_shows_it"},
    "A07 never valid": {
        ROUND: (
            "test_a_director_who_never_gives_a_plan_is_an_error_if_the_scene_is_set_so "
            "test_without_a_director_those_who_are_named_act_first"
        )
    },
    "A08 director down": {
        RULES: (
            "test_a_director_without_a_plan_ends_the_round_with_an_error_if_the_scene_is_set_so "
            "test_without_a_plan_of_the_director_those_act_whom_the_scene_s_setting_says"
        )
    },
    "A09 unknown actor": {
        RULES: "test_an_unknown_actor_is_refused_with_a_note_and_the_next_pass_is_told",
        ROUND: "test_names_that_are_none_are_refused_and_the_next_pass_is_told",
    },
    "A10 same actor twice": {RULES: "test_who_is_listed_twice_acts_once_at_the_better_place"},
    "A11 activation": {
        RULES: (
            "test_who_enters_is_present_before_the_first_word_and_the_flag_is_gone_next_round "
            "test_to_let_in_who_is_there_already_does_nothing"
        ),
        ROUND: "test_who_enters_hears_its_guidance_and_knows_nothing_of_before",
    },
    "A12 leaving": {
        RULES: "test_who_leaves_without_acting_is_gone_after_the_pass_and_the_audit_says_how",
        ROUND: "test_who_leaves_is_available_in_the_next_round",
    },
    "A13 state first": {
        RULES: "test_pass_one_sets_states_before_the_cast_speaks",
        ROUND: "test_a_state_that_pass_one_sets_stands_in_every_prompt_of_the_round",
    },
    "A14 who hears what": {ROUND: "test_each_hears_what_was_said_before_and_the_second_pass_hears_all"},
    "A15 one fails": {
        RULES: "test_one_who_fails_is_left_out_and_the_director_is_told",
        ROUND: "test_one_who_fails_has_no_message_and_the_director_is_told",
    },
    "A16 pass two": {
        RULES: "test_the_second_pass_gets_who_is_there_and_none_of_the_first_ones_guidance",
        ROUND: "test_each_hears_what_was_said_before_and_the_second_pass_hears_all",
    },
    "A17 continuation": {
        RULES: "test_a_continued_round_tells_the_director_that_the_user_said_nothing",
        ROUND: "test_to_continue_is_a_round_without_a_message_of_the_user",
    },
    "A18 narrator": {ROUND: "test_only_the_narrator_answers_who_asks_for_a_description"},
    "A19 lore": {
        "domain/scene/test_cases.py": "test_of_six_entries_two_go_in_and_the_one_that_was_cut_is_reported"
    },
    "A20 events": {
        ROUND: "test_every_step_that_begins_ends_once_and_events_come_in_order",
        STORE: "test_the_events_of_a_round_come_in_order_each_begun_step_with_one_end",
        "e2e/test_scenes.py": "test_a_client_that_comes_back_misses_no_event",
    },
    "A21 memory": {
        "activities/test_scene_memory.py": (
            "test_each_who_was_there_remembers_once_and_nobody_else test_another_world_finds_nothing "
            "test_a_step_that_fails_twice_and_then_works_leaves_two_memories"
        ),
        "workflows/test_scene_memory.py": "test_memories_are_tried_again_and_never_fail_a_round",
    },
}


def test_there_is_a_test_of_each_of_the_cases() -> None:
    assert [case[:3] for case in CASES] == [f"A{number:02}" for number in range(1, 22)]
    assert missing(CASES) == []


def test_order_comes_first_then_priority_then_the_name() -> None:
    dov, ann, cleo, bob, bea = (
        ("d1", PlannedActor(who="Dov", priority=1)),
        ("a1", PlannedActor(who="Ann", order=2)),
        ("c1", PlannedActor(who="Cleo", priority=5)),
        ("b1", PlannedActor(who="Bob", order=1)),
        ("e1", PlannedActor(who="Bea", priority=5)),
    )

    assert [id for id, _ in ordered([dov, ann, cleo, bob, bea], CAST)] == ["b1", "a1", "e1", "c1", "d1"]


def test_of_six_entries_two_go_in_and_the_one_that_was_cut_is_reported() -> None:
    sea = book(
        entry("keyed", "whale", order=20, priority=2),
        entry("constant", constant=True, order=10, priority=3),
        entry("cased", "Rose", case_sensitive=True),
        LoreEntry(
            uid="and-all",
            content="x",
            keys=("whale",),
            secondary=("ship", "tide"),
            selective=True,
            logic="and-all",
        ),
        entry("off", "whale", enabled=False),
        entry("long", "whale", content="word " * 90, priority=1),
    )
    said = ("Long ago.", "A rose, a ship.", "And a whale!")
    asked = case(sea, said=said, scan_messages=2, tokens=20)

    told = reasons(asked)

    assert uids(scan(asked, words)) == ["constant", "keyed"]
    assert {uid: outcome for uid, (outcome, _) in told.items()} == {
        **{"constant": "fired", "keyed": "fired", "cased": "no-key"},
        **{"and-all": "secondary", "off": "disabled", "long": "trimmed"},
    }
    assert "occurs in" in told["long"][1]
    assert "16 of those for all books were left" in told["long"][1]
