"""Every command that an error names as the next step is run in the state that printed it."""

import re
import shlex
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.cli import output
from penwright.domain.text.placeholders import with_names
from tests.e2e.test_followed_advice import ERRORS as WHILE_RUNNING
from tests.e2e.test_followed_advice import LOOKS
from tests.e2e.test_followed_advice import TOLD as TOLD_WHILE_RUNNING
from tests.support.doubles.store import memory_store
from tests.support.each import for_each
from tests.support.gateway.advised_states import States, steps_in
from tests.support.gateway.agents import RehearsedAgents
from tests.support.gateway.command_lines import shape_of, told_in
from tests.support.gateway.next_steps import ROOT, codes_with_commands, sources
from tests.support.gateway.services import Run, StageServices

ERRORS = {
    "book export {book} --output tide.txt": "nothing-to-export",
    "book status nowhere": "unknown-book",
    "book status {empty}": "not-a-repository",
    "book init {book}": "already-a-book",
    "book export {book}": "unknown-format",
    "book export {book} --to odt": "unknown-format",
    "book complete {book}": "not-ready",
    "book complete {clone}": "not-ready",
    "book export {fresh_clone} --to html": "nothing-to-export",
    "book pause {book}": "nothing-runs",
    "book resume {book}": "nothing-runs",
    "book resume {sealed}": "nothing-runs",
    "book pause {sealed}": "nothing-runs",
    "book pause {scheduled}": "nothing-runs",
    "book watch {book}": "nothing-runs",
    "book rollback {book}": "needs-yes",
    "book undo {book}": "usage",
    "book findings {book} --intended 99": "no-such-finding",
    "book continuity {book} --reject 99": "no-such-fact",
    "book plan {book} --accept": "no-proposed-outline",
    "book plan {written} --stop": "nothing-plans",
    "book plan {sealed} --chapters 1": "sealed",
    "book facts {book} --about Nobody": "not-in-story",
    "book read {book} --stop": "nothing-reads",
    "book why {book}": "no-lore-told",
    "manuscript show nowhere": "unknown-novel",
    "manuscript why {novel}": "no-lore-told",
    "manuscript show {novel} nothing": "no-such-scene",
    "manuscript new {novel}": "already-a-novel",
    "manuscript pause {novel}": "nothing-runs",
    "manuscript watch {novel} empty": "nothing-runs",
    "manuscript export {novel}": "unknown-format",
    "manuscript export {novel} empty --to html": "nothing-to-export",
    "manuscript inspect {novel} --variable nonsense": "unknown-variable",
    "world show nowhere": "no-such-world",
    "character show nobody": "no-such-character",
    "persona show nobody": "no-such-persona",
    "lore show nothing": "no-such-lorebook",
    "campaign show nothing": "no-such-campaign",
    "scene show nothing": "no-such-scene",
    "scene export the-quay --to odt": "unknown-format",
    "scene undo the-quay": "nothing-to-undo",
    "scene redo the-quay": "nothing-to-redo",
    "scene stop the-quay": "no-round-runs",
    "scene pause the-quay --memory": "nothing-remembers",
    "agent show nothing": "unknown-agent",
    "models test nothing": "unknown-model",
    "logs activitys": "log-unknown",
    "web tokens revoke nothing": "no-token",
    "book status {bare}": "no-commits",
    "book status {novel}": "is-a-novel",
    "manuscript show {book}": "novel-missing",
    "manuscript show {empty}": "not-a-repository",
    "book session {broken}": "config-broken-yaml",
    "book rollback {scheduled} --to nothing --yes": "no-such-tag",
    "intent approve {book}": "nothing-to-approve",
    "intent start nothing {book}": "intent-unknown",
    "manuscript import {FILE} --into {novel}": "scene-exists",
    "manuscript inspect {novel} --call 99": "unknown-call",
    "manuscript rollback {novel} - --to nothing": "no-such-commit",
    "scene choose the-quay 9 1": "no-such-message",
    "scene give-back the-quay Bob": "not-taken",
    "scene take-away the-quay Bob": "no-such-seat",
    "scene invite the-quay --as Bob ; scene invite the-quay --as Bob": "seat-given",
    "scene hand-over the-quay Zed": "no-such-persona",
    "scene play the-quay": "no-terminal",
    "run show nothing": "unknown-run",
    "run watch nothing": "unknown-run",
    "run transcript nothing": "unknown-run",
    "run kill nothing": "unknown-run",
    "run kill over": "run-ended",
    "run pause over": "run-ended",
    "run resume over": "run-ended",
    "run approve over": "nothing-to-approve",
    "run deny over": "nothing-to-approve",
    "manuscript write {torn} -i TEXT": "novel-broken-yaml",
    "lore show tides 9": "no-such-entry",
    "logs": "log-missing",
    "help nothing": "unknown-topic",
    "eval show nothing": "engine-not-running",
    "init": "usage",
    "write": "usage",
    "new": "usage",
    "character export cleo --output {FOLDER}/cleo.json ; "
    "character import {FOLDER}/cleo.json ; character import {FOLDER}/cleo.json": "already-imported",
    "lore export {entries} --output {FOLDER}/lore.json ; "
    "lore import {FOLDER}/lore.json ; lore import {FOLDER}/lore.json": "already-imported",
    "lore show {entries} Same": "ambiguous-name",
    "book move {book} {other}": "another-book",
    "manuscript move {NOVEL} {other_novel}": "another-novel",
    "book schedule {book}": "bad-schedule",
    "character write {meanwhile} --for cleo --field goals": "changed-meanwhile",
    "book session {twice}": "config-duplicate-key",
    "book session {keyless}": "config-missing-key",
    "book session {wrong}": "config-wrong-value",
    "book init {lost} --keep": "config-lost",
    "book session {reset}": "config-missing",
    "book session {no_config}": "config-missing",
    "book restore {no_config}": "no-config-in-history",
    "scene import {damaged} --world {WORLD}": "damaged-scene",
    "book session {blocked} --intent INT-001": "intent-not-writable",
    "book session {blocked}": "no-writable-intent",
    "book session {elsewhere} --intent INT-002": "intent-owns-other-files",
    "scene create Alone --world {WORLD} ; scene say alone Hello": "no-cast",
    "scene create Silent --world {WORLD} --cast Bob ; scene regenerate silent": "no-message",
    "character write {nameless}": "no-name",
    "character write {wordless} --for cleo --field goals": "nothing-written",
    "character override bob --world {WORLD} --remove": "no-override",
    "manuscript import {FOLDER}/nothing --into {novel}": "no-such-file",
    "manuscript import {FOLDER} --into {novel}": "not-a-file",
    "manuscript export {novel} --to markdown --output {FOLDER}": "not-a-file",
    "book schedule {elsewhere} --pause": "not-scheduled",
    "book unschedule {elsewhere}": "not-scheduled",
    "manuscript write {mistaken} -i TEXT": "novel-wrong-value",
    "agent seed ink/editor --tag bolder ; agent seed ink/editor --tag bolder": "overrides-exist",
    "book session {book} --tag bolder": "override-tag-unknown",
    "world create Dunmore ; world edit dunmore --set plot=A ; "
    "world edit dunmore --set plot=B --based-on 1": "stale",
    "character remove ann --yes": "in-scenes",
    "scene remove the-quay": "needs-yes",
    "book craft {book} --save": "text-exists",
    "book complete {sealed}": "already-complete",
    "book advance {sealed}": "book-sealed",
    "book session {sealed}": "sealed",
    "book session {chattering}": "unusable-reply",
    "book close {held}": "no-prose",
    "scene create Wharf --world {WORLD} --cast cleo ; scene say wharf Hello ; "
    "scene choose wharf 2 9": "no-such-alternative",
    "scene create Dike --world {WORLD} --cast cleo ; scene say dike Hello ; "
    "scene show dike --round 9": "no-such-round",
    "web tokens create program --scope read --subject book/nothing": "no-such-subject",
    "intent add {book} --name Twin --scope Soul/** ; "
    "intent add {book} --name Twin --scope Soul/**": "intent-exists",
    "scene create Reef --world {WORLD} --cast cleo ; scene say reef Hello ; "
    "scene show reef --envelope --who bob": "no-envelope",
    "scene create Spit --world {WORLD} --cast cleo ; scene say spit Hello ; scene regenerate spit ; "
    "scene regenerate spit ; scene redo spit --round 1": "which-take",
    "manuscript inspect {novel} empty --version 7": "unknown-version",
    "scene picture {pictured}": "too-many-pictures",
    "scene picture {cramped}": "context-too-small",
}
"""Commands whose last one fails -> the code of its error. In order: what the first advises fills the book."""

FREE = {"write": ("BOOK", "NOVEL"), "book schedules": ("BOOK",)}
"""Commands -> words in their advice that stand for a work of the reader's choice: they name none."""

ELSEWHERE = {
    "tests/e2e/test_followed_advice.py": {
        "not-acknowledged": "where_to_look_works_while_no_worker_takes_a_message_up",
        "run-stuck": "where_to_look_works_while_a_run_is_stuck",
        "web-not-running": "the_workspace_answers_once_it_was_switched_on_as_advised",
    },
    "tests/adapters/store/scenes/test_importing.py": {
        "import-unfinished": "the_same_import_goes_on_after_a_kill_at_any_portion_and_doubles_nothing",
    },
    "tests/gateway/desk/scene/test_direction.py": {
        "prompt-past-window": "a_director_whose_prompt_is_full_is_answered_with_what_gives_it_room",
    },
    "tests/adapters/store/test_migration.py": {
        "no-pgvector": "a_database_without_pgvector_works_by_words_and_gets_vectors_later",
    },
    "tests/gateway/cli/book/test_plan.py": dict.fromkeys(
        ("no-premise", "outline-proposed", "outline-written", "premise-written"),
        "a_wish_that_cannot_be_met_names_one_that_can",
    ),
    "tests/gateway/cli/cite/test_scan_at_work.py": {
        "cited-already": "a_sentence_that_is_cited_is_scanned_again_as_advised",
        "scan-over": "what_a_scan_left_that_ended_before_a_decision_is_reviewed_as_advised",
    },
    "tests/gateway/cli/cite/test_references.py": {
        "registries-unreachable": "a_scan_that_no_registry_answers_exits_with_1_and_says_so_first",
    },
    "tests/gateway/cli/evals/test_evals.py": {
        "unknown-eval": "an_unknown_eval_is_refused_with_what_names_the_known_ones",
    },
    "tests/gateway/cli/manuscript/test_governed.py": {
        "which-approval": "of_several_that_wait_one_must_be_named",
    },
    "tests/gateway/cli/manuscript/test_sources.py": dict.fromkeys(
        ("no-such-source", "no-such-reference", "one-work"), "a_mistake_is_answered_with_a_step_that_helps"
    ),
    "tests/gateway/cli/manuscript/test_edit_conflicts.py": dict.fromkeys(
        ("no-such-conflict", "which-conflict"), "conflicts_are_listed_and_each_is_settled_once"
    ),
    "tests/gateway/cli/manuscript/test_settings.py": {
        "settings-conflict": "a_setting_that_changed_at_the_same_moment_is_shown_and_put_over_as_advised",
    },
    "tests/gateway/cli/runs/test_runs.py": dict.fromkeys(
        ("approval-mismatch", "which-call"), "a_call_that_was_not_shown_is_not_approved"
    ),
    "tests/gateway/cli/scene/test_looking.py": {"not-overruled": "an_overruled_value_can_be_brought_back"},
    "tests/gateway/cli/trace/test_repair.py": {
        "ledger-damaged": "a_session_runs_once_a_ledger_that_was_damaged_elsewhere_was_pulled_and_repaired",
    },
    "tests/workers/engine/test_home.py": {
        "temporal-database-held": "a_held_database_names_the_process_that_holds_it_and_what_ends_it",
    },
    "tests/workers/orders/test_signatures.py": {
        "orders-key-missing": "a_missing_key_is_there_once_it_was_made_or_set_as_advised",
    },
    "tests/gateway/http/test_followed_advice.py": {
        "code-spent": "the_link_that_is_advised_signs_in",
        "internal-error": "the_log_that_is_advised_has_a_fault_under_the_id_of_its_request",
        "no-session": "a_token_is_ended_as_advised_because_it_has_no_session",
        "no-settings-file": "a_budget_is_kept_once_there_is_a_settings_file_as_advised",
        "not-permitted": "the_token_that_is_advised_is_let_in",
        "not-signed-in": "the_token_that_is_advised_is_let_in",
        "not-steered-here": "the_page_that_is_advised_for_runs_that_are_not_steered_here_is_there",
    },
}
"""File of tests -> code of an error -> the test in which its next step is followed."""

TOLD = {
    "manuscript list": "manuscript new",
    "book list": "book init",
    "book log {book}": "book session",
    "book read {book}": "book facts",
    "book story {written}": "book read",
    "book schedules": "book schedule --every",
    "web tokens list": "web tokens create --scope",
    "web tokens create twin --scope read ; web tokens create twin --scope read": "web tokens revoke",
    "help book": "book --help",
    "doctor": "models --help, up --detach",
    "manuscript history {novel}": "manuscript write -i",
    "book init {FOLDER}/made": "book session",
    "book import {FILE} --into {FOLDER}/imported --yes": "book read --estimate",
    "manuscript new {FOLDER}/made-too --title T --author A": "manuscript import --into, manuscript write "
    "--instructions",
    "manuscript import {FILE} --into {novel} --scene new": "manuscript show",
    "manuscript write {novel} new -i TEXT": "manuscript export --output, manuscript show",
    "manuscript write {novel} new -i TEXT --detach": "manuscript watch",
    "manuscript watch {novel} new": "manuscript export --output, manuscript show",
    "manuscript undo {novel} new --yes": "manuscript rollback --to",
    "book status {lost}": "book restore",
    "book status {full}": "book advance",
    "book status {clone}": "book advance, book plan --accept",
    "book plan {clone}": "book plan --accept",
    "book plan {written}": "book plan --chapters",
    "book session {short}": "book complete",
    "book log {fresh_clone}": "book session",
    "book status {resting}": "book schedule --resume",
    "book doctor {lost}": "book restore",
    "book session {lost}": "book restore",
    "book rollback {book} --yes": "book rollback --undo",
    "lore create Currents": "lore add --content --key, lore attach --world, lore show",
    "lore show tides": "lore add --content --key",
    "persona create Olga": "persona show",
    "campaign create Fog --world {WORLD}": "campaign arc add --campaign, campaign show",
    "character write {wished}": "character show",
    "scene create Pier --world {WORLD} --cast Ann": "scene play, scene say",
    "scene create Mute --world {WORLD} --cast Ann ; scene log mute": "scene say",
    "scene create Bleak --world {WORLD}": "scene cast --add",
    "scene invite bleak --as Ann": "scene cast --add",
    "scene say pier Hello": "models --help, scene continue, scene hand-over, scene say",
    "scene show pier": "models --help, scene continue, scene say",
    "scene show pier --message 2": "scene choose",
    "scene regenerate pier": "models --help, scene continue, scene say",
    "scene undo pier": "scene show",
    "scene redo pier": "scene show",
    "scene state pier": "scene state --set --who",
    "scene continue pier": "models --help, scene continue, scene say",
    "scene watch pier": "models --help, scene continue, scene say",
    "scene choose pier 2 1": "scene choose",
    "scene hand-over pier Nell": "scene continue",
    "scene force pier Ann": "scene continue",
    "intent list {aimless}": "intent add",
    "trace verify {edited_ledger}": "trace repair",
    "character create Dora --set first_message=Hi ; scene create Cove --world {WORLD} --cast Dora": "scene "
    "play, scene say, scene show --message",
    "scene create Jetty --world {WORLD} --cast Ann ; scene say jetty Hello --detach": "scene hand-over, "
    "scene watch",
    "scene note jetty Hush": "scene continue",
    "scene pictures {painted}": "scene picture",
    "scene picture {painted}": "scene pictures --output",
    "scene picture {painted} --of cleo": "scene pictures --of --output",
    "web tokens create program --scope read ; web tokens create program --scope read": "web tokens revoke",
    "book schedule {book} --every 6h ; book schedule {book} --pause ; book status {book}": "book schedule "
    "--resume",
}
"""Commands that succeed -> the commands and options, by the alphabet, that they print to be done next."""
OF_AN_ENGINE = ("status", "doctor")
"""Commands that look at a whole engine, and are followed where there is one."""
NO_TERMINAL = "scene play"
"""It is for terminals only, as it says."""
TOLD_OF_NOTHING = {
    "world list": "world create",
    "campaign list": "campaign create --world",
    "character list": "character create",
    "persona list": "persona create",
    "lore list": "lore create",
    "scene list": "scene create --world",
    "run list": "run start --task",
}
"""As ``TOLD``, in a home without a world and a run."""
TOLD_ELSEWHERE = {
    "tests/adapters/store/scenes/test_importing.py": {
        "scene import": "the_same_import_goes_on_after_a_kill_at_any_portion_and_doubles_nothing",
        "scene remove": "an_unfinished_import_is_taken_back_and_may_begin_anew",
    },
    "tests/gateway/cli/manuscript/test_sources.py": {
        "manuscript sources add": "an_empty_list_says_how_sources_come_in",
        "manuscript sources identify": "a_mistake_is_answered_with_a_step_that_helps",
        "manuscript sources identify --doi": (
            "a_second_file_of_one_work_is_named_in_its_entry_and_both_texts_count"
        ),
        "manuscript sources undo": "what_is_removed_is_found_no_more_and_an_undo_brings_it_back",
    },
    "tests/gateway/cli/book/test_unasked_readings.py": {
        "book threads": "completing_names_what_the_story_leaves_open",
    },
    "tests/gateway/cli/book/test_story.py": {
        "book continuity --changed-by --note": "all_of_them_are_given_a_note_in_one_commit_and_once",
    },
    "tests/gateway/cli/book/test_rewrite.py": {
        "book rewrite": "a_note_in_the_book_is_answered_without_a_chapter",
    },
    "tests/gateway/cli/trace/test_trace.py": {
        "trace verify": "why_of_a_change_without_a_record_names_the_check_that_says_more",
        "trace why": "why_of_bookkeeping_names_the_commit_that_changed_text_last",
    },
    "tests/gateway/cli/scene/test_creating.py": {
        "scene approve": "a_plan_that_waits_is_shown_with_the_way_to_play_it",
    },
    "tests/gateway/cli/manuscript/test_edit_conflicts.py": {
        "manuscript settle": "conflicts_are_listed_and_each_is_settled_once",
    },
    "tests/gateway/cli/book/test_why.py": {"lore attach --to": "a_book_without_lore_says_how_it_gets_some"},
    "tests/gateway/cli/test_followed_advice.py": {"scene export --to": "what_an_error_names_next_works"},
}
"""File of tests -> command and options that are told -> the test in which they are followed."""
NOT_TOLD = {
    "is told by a live view, or of work that goes on while a command waits": """book kill, book watch,
    cite kill, cite watch --scene, eval kill, eval resume, manuscript stop, run kill, run list, run resume,
    run watch, scene stop""",
    "is told after a scan of one of several texts": """cite accept --number --scene, cite review --scene,
    cite scan --scene, cite search --in --number --scene, cite undo --scene""",
    "needs an answer of a model that no stage has": """lore list, manuscript inspect --call,
    run transcript, scene regenerate, scene show --round""",
    "is told by a demo": "book status, demo --keep",
    "is told of more than is shown, or of a document that was not written to its end": """book findings,
    manuscript write""",
    "stands in an error whose code the engine gives": "manuscript versions",
    "is told where nothing else helps": "penwright --help",
}
"""Reason for which what a command tells beside errors is not followed here -> commands and options."""

Follow = Callable[[list[str]], tuple[int, str]]


@pytest.fixture
def states(
    run: Run, founded: Path, services: StageServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> States:
    """Values of the placeholders in command lines, in a home and a current folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PENWRIGHT_HOME", str(tmp_path / "home"))
    services.drafts = tmp_path / "drafts"
    return States(run, services, founded, tmp_path)


@pytest.fixture
def follow(states: States, monkeypatch: pytest.MonkeyPatch) -> Follow:
    """Runs a command of an advice as a person would, in a folder of its own: exit code and errors."""

    def follow(step: list[str]) -> tuple[int, str]:
        here = Path(tempfile.mkdtemp(dir=states.folder))
        monkeypatch.chdir(here)
        if step[0] == "up":
            states.services.runs = True
            return 0, ""
        ended, _, err = states.typed(states.filled(step, here))
        return ended, err

    return follow


@pytest.mark.long
@for_each("line, code", ERRORS.items())
def test_what_an_error_names_next_works(
    run: Run, states: States, follow: Follow, line: str, code: str
) -> None:
    words, printed = states.ends_with(line)
    many = len(list(steps_in(printed, words)))

    assert f"error[{code}]" in printed
    assert many, printed
    for number in range(many):
        if number and states.are_new_in(line):
            words, printed = states.ends_with(line)
        free = FREE.get(line, ())
        step = [states[word] if word in free else word for word in list(steps_in(printed, words))[number]]
        ended, err = follow(step)
        assert not ended, f"{printed}{step} -> {ended}: {err}"


@pytest.mark.long
@for_each(
    "line",
    [
        "book session {book}",
        "manuscript write {novel} -i TEXT",
        "manuscript history {novel}",
        "world list",
        "scene say the-quay TEXT",
        "run list",
    ],
)
def test_a_command_works_once_the_engine_was_started_as_advised(
    run: Run, states: States, follow: Follow, line: str
) -> None:
    words = states.before_last(line)
    states.services.runs = False
    _, _, printed = run(*words)

    assert "error[engine-not-running]" in printed
    assert [follow(step)[0] for step in steps_in(printed, words)] == [0]
    assert run(*words)[0] == 0


@pytest.mark.long
@for_each("line, told", TOLD.items())
def test_what_a_command_that_succeeds_names_next_works(
    states: States, follow: Follow, line: str, told: str
) -> None:
    printed = states.says(line)
    steps = {shape_of(each): shlex.split(each)[1:] for each in re.findall(r"`(penwright\s[^`]+)`", printed)}

    assert ", ".join(sorted(steps)) == told, printed
    for shape, step in steps.items():
        words = [states[word] if word in FREE.get(line, ()) else word for word in step]
        ended, err = (0, "") if shape == NO_TERMINAL else follow(words)
        assert not ended, f"{printed}{words} -> {ended}: {err}"


@pytest.mark.long
def test_what_errors_of_a_kind_advise_works(states: States, follow: Follow) -> None:
    named = {"BOOK": states["book"], "MODEL": "demo"}
    told = [with_names(step, named) for _, step in output._NEXT_STEPS]
    steps = [step for each in told for step in steps_in(each, []) if step[0] not in OF_AN_ENGINE]

    assert len(steps) > 5
    assert [(step, said) for step in steps if (said := follow(step))[0]] == []


@pytest.mark.long
def test_what_an_empty_home_names_first_works(states: States, follow: Follow) -> None:
    states.services.store = memory_store(clock=states.services.clock)
    states["WORLD"] = "bob"
    assert states["wished"]
    assert isinstance(states.services.agents, RehearsedAgents)
    states.services.agents.over = ()

    for line, told in TOLD_OF_NOTHING.items():
        (step,) = re.findall("`(penwright [^`]+)`", states.says(line))
        assert (shape_of(step), follow(shlex.split(step)[1:])) == (told, (0, ""))


def test_everything_that_is_told_is_followed_or_says_why_not() -> None:
    told = {shape_of(line) for line in told_in((ROOT / "gateway/cli").rglob("*.py"))}
    tables = (TOLD, TOLD_OF_NOTHING, TOLD_WHILE_RUNNING)
    kinds = [line for _, step in output._NEXT_STEPS for line in re.findall(r"`(penwright [^`]+)`", step)]
    followed = set(", ".join(each for table in tables for each in table.values()).split(", "))
    followed |= {shape for tests in TOLD_ELSEWHERE.values() for shape in tests}
    followed |= {shape_of(line) for line in (*kinds, *(f"penwright {each}" for each in LOOKS))}
    left = {" ".join(each.split()) for each in ",".join(NOT_TOLD.values()).split(",")}

    assert told - followed - left == set()
    assert left - told == set(), "needs no entry any more"
    assert left & followed == set()


def test_every_error_that_names_a_command_is_tried() -> None:
    told = set(codes_with_commands(sources()))

    assert len(told) > 100
    elsewhere = [code for tests in ELSEWHERE.values() for code in tests]
    tried = {*ERRORS.values(), *WHILE_RUNNING.values(), *elsewhere}
    assert told - tried == set()


def test_each_test_that_follows_a_next_step_elsewhere_is_there() -> None:
    lost = [
        name
        for file, tests in (*ELSEWHERE.items(), *TOLD_ELSEWHERE.items())
        for name in tests.values()
        if f"def test_{name}(" not in (ROOT / file).read_text("utf-8")
    ]

    assert lost == []
