"""The 22 cases that manuscripts are accepted by, each with its tests; some of those are here."""

from random import Random
from time import process_time

import pytest

from penwright.domain.text.patches import apply
from schemas.manuscript import ApplyDraft, DraftApplied
from schemas.manuscript_roles import Edited
from schemas.patching import Operation
from tests.support.manuscripts.plays import TITLES, Play, given, ref
from tests.support.named_cases import missing

LOOP, ON_A_SERVER = "domain/manuscript/test_loop.py", "workflows/test_manuscript_loop.py"
REPLIES, SCAN = "roles/manuscript/test_replies.py", "workflows/test_citation_scan.py"
PATCHES, LOCATOR = "domain/text/test_patches.py", "domain/text/test_locator.py"
HERE = "domain/manuscript/test_cases.py"

CASES = {
    "A01 order": {
        LOOP: (
            "test_an_empty_document_is_formatted_planned_written_in_order"
            "_and_criticised_before_it_is_finished"
        ),
        ON_A_SERVER: "test_one_line_of_instructions_becomes_a_finished_text",
    },
    "A02 score met": {LOOP: "test_a_score_that_is_just_enough_finishes_without_a_revision"},
    "A03 cycle": {
        LOOP: "test_n_cycles_cost_one_critique_more_than_revisions test_no_revision_is_criticised_twice"
    },
    "A04 low score, nothing to do": {LOOP: "test_a_low_score_without_items_asks_for_a_person"},
    "A05 bad decision": {
        LOOP: "test_a_choice_that_is_illegal_or_unreadable_becomes_the_policys_first",
        ON_A_SERVER: "test_a_manager_that_cannot_be_understood_is_asked_again_and_then_overruled",
    },
    "A06 heading detection": {
        LOOP: "test_sections_that_stand_are_not_offered_for_writing",
        "domain/manuscript/test_standing.py": (
            "test_a_section_stands_under_any_kind_of_heading_in_any_case "
            "test_a_longer_word_a_sentence_or_code_is_no_heading_of_the_section"
        ),
    },
    "A07 no progress": {
        LOOP: (
            "test_an_action_that_changes_nothing_twice_stalls_the_run "
            "test_a_section_whose_anchor_is_never_found_is_tried_twice"
        )
    },
    "A08 cancel": {
        LOOP: (
            "test_a_reply_that_comes_after_a_stop_is_kept_and_not_applied "
            "test_a_new_run_goes_on_at_the_section_that_was_stopped"
        ),
        ON_A_SERVER: "test_a_reply_that_comes_after_a_stop_is_kept_and_the_next_run_goes_on_there",
    },
    "A09 settings": {
        ON_A_SERVER: (
            "test_settings_edited_in_the_row_count_from_the_next_run_on "
            "test_amended_instructions_are_in_the_next_prompt_and_guidance_is_made_anew"
        )
    },
    "A10 score decoding": {
        REPLIES: (
            "test_a_score_is_a_number_also_where_it_is_written_as_text "
            "test_anything_else_is_no_score_and_there_is_no_default"
        ),
        ON_A_SERVER: "test_a_score_that_is_none_never_passes_the_gate",
    },
    "A11 exact and normalised": {
        LOCATOR: "test_what_typography_varies_is_found_and_the_span_is_the_original_one"
    },
    "A12 threshold": {LOCATOR: "test_a_twentieth_of_the_needle_may_be_edited_and_not_one_sign_more"},
    "A13 count": {PATCHES: "test_count_says_how_many_passages_from_the_start"},
    "A14 empty find": {
        PATCHES: ("test_an_empty_find_is_refused_where_there_is_text test_an_empty_text_takes_a_section_once")
    },
    "A15 hunk limit": {
        PATCHES: "test_operations_beyond_the_limit_are_not_looked_at",
        HERE: "test_operations_beyond_the_limit_are_in_the_history",
    },
    "A16 multi-line drift": {LOCATOR: "test_the_whole_of_three_lines_is_found_when_the_last_has_drifted"},
    "A17 figures differ": {LOCATOR: "test_what_decides_the_meaning_is_never_fuzzy"},
    "A18 time": {HERE: "test_five_operations_on_five_megabytes_take_less_than_a_second"},
    "A19 limit and batches": {
        "domain/citations/test_proposals.py": (
            "test_the_limit_is_asked_for_in_batches_of_ten "
            "test_a_reply_counts_only_with_new_sentences_of_the_window"
        )
    },
    "A20 changed sentence": {
        "domain/citations/test_proposals.py": "test_a_change_of_one_sign_of_the_sentence_is_refused"
    },
    "A21 outage": {
        SCAN: "test_an_outage_is_never_a_fabrication_and_nothing_is_accepted",
        "activities/test_scholarly.py": (
            "test_with_all_sources_out_nothing_is_verified_and_nothing_is_not_found"
        ),
    },
    "A22 single-pass variables": {
        "domain/manuscript/test_placeholders.py": (
            "test_a_value_that_looks_like_a_placeholder_stays_text "
            "test_an_unknown_placeholder_fails_when_the_template_is_parsed"
        )
    },
}


def test_there_is_a_test_of_each_of_the_cases() -> None:
    assert [case[:3] for case in CASES] == [f"A{number:02}" for number in range(1, 23)]
    assert missing(CASES) == []


@pytest.mark.parametrize("failed", [0, 1])
def test_operations_beyond_the_limit_are_in_the_history(failed: int) -> None:
    def applies(play: Play, step: ApplyDraft) -> DraftApplied:
        play.text += f"\n\n# {step.section}\n\nWords {len(play.asked)}."
        return play.applied(applied=3 - failed, failed=failed, over_limit=2)

    sent = Edited(operations=ref("five operations"), count=5)
    play = Play(
        given(max_hunks=3), titles=TITLES[:1], scores=[0.9], applies=applies, says={"writer": lambda *_: sent}
    )

    play.run()

    (written, *_) = [each for each in play.log if each.action == "write_section"]
    assert written.code == ("partly-applied" if failed else "over-limit")
    assert f"{3 - failed} of 3 operations applied, 2 beyond max_hunks left out" in written.summary
    assert written.detail["reply"]["sha256"] == sent.operations.sha256


def test_an_edit_that_no_rule_read_is_in_the_history_with_the_reason() -> None:
    def applies(play: Play, step: ApplyDraft) -> DraftApplied:
        play.text += f"\n\n# {step.section}\n\nWords."
        return play.applied(applied=1).model_copy(update={"unread": "No rule read it."})

    play = Play(given(), titles=TITLES[:1], scores=[0.9], applies=applies)

    play.run()

    (written, *_) = [each for each in play.log if each.action == "write_section"]
    assert written.summary.endswith("No rule read it.")


def test_five_operations_on_five_megabytes_take_less_than_a_second() -> None:
    chance = Random(1)
    lexicon = [
        "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9))) for _ in range(6_000)
    ]
    text = ". ".join(" ".join(chance.choices(lexicon, k=14)) for _ in range(55_000))
    assert len(text) > 5_000_000
    passages = [
        text[at : text.index(" ", at + 200)] for at in (text.index(" ", n * 900_000) + 1 for n in range(1, 6))
    ]
    operations = [Operation(find=drifted(each), replace="It was cut.") for each in passages]

    began = process_time()
    patched = apply(operations, text)
    took = process_time() - began

    assert [each.outcome for each in patched.results] == ["applied"] * 5
    assert all(each.distance > 0 for each in patched.results)
    assert took < 1


def drifted(passage: str) -> str:
    """The passage with three of its letters changed."""
    letters = [at for at, sign in enumerate(passage) if sign.isalpha()]
    places = {letters[20], letters[80], letters[140]}
    return "".join("ä" if at in places else sign for at, sign in enumerate(passage))
