"""Every command that an error names as the next step is run in the state that printed it."""

import re
import shlex
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.each import for_each
from tests.support.gateway.advised_states import States
from tests.support.gateway.next_steps import codes_with_commands, sources
from tests.support.gateway.services import Run, StageServices

ERRORS = {
    "book export {book} --output tide.txt": "nothing-to-export",
    "book status nowhere": "unknown-book",
    "book status {empty}": "not-a-repository",
    "book init {book}": "already-a-book",
    "book export {book}": "unknown-format",
    "book export {book} --to odt": "unknown-format",
    "book complete {book}": "not-ready",
    "book pause {book}": "nothing-runs",
    "book resume {book}": "nothing-runs",
    "book resume {sealed}": "nothing-runs",
    "book pause {sealed}": "nothing-runs",
    "book pause {scheduled}": "nothing-runs",
    "book watch {book}": "nothing-runs",
    "book rollback {book}": "needs-yes",
    "book undo {book}": "usage",
    "manuscript show nowhere": "unknown-novel",
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
    "character remove ann --yes": "in-scenes",
    "scene remove the-quay": "needs-yes",
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
    "world create Dunmore ; world edit dunmore --set plot=A ; "
    "world edit dunmore --set plot=B --based-on 1": "stale",
}
"""Commands whose last one fails -> the code of its error. In order: what the first advises fills the book."""

NOT_RUN = {
    "asks a person, or waits for one": """already-complete book-sealed sealed which-approval which-call
    which-conflict approval-mismatch no-such-conflict undone-already no-plan-held""",
    "needs something that goes on": """already-running no-active-session no-prose not-acknowledged round-runs
    run-stuck scan-runs no-scan-runs unknown-to-round in-use document-busy not-overruled run-id-taken
    changed-since""",
    "needs citations of a scan, so a registry that answers": """cited-already no-scan nothing-cited
    nothing-named nothing-waits not-waiting registries-unreachable unknown-target unknown-work""",
    "needs a model that was called": """context-too-small no-image-model no-envelope no-such-alternative
    no-such-round nothing-to-revise unknown-version which-take""",
    "is followed in a test of its own": "unknown-eval",
    "needs a second change in the same moment": "settings-conflict",
    "is told by pages, the API, tokens or an agent's tools": """code-spent internal-error no-session
    no-such-version not-permitted not-signed-in not-steered-here web-not-running
    agent-not-for-outside no-such-subject
    too-many-pictures""",
    "needs an installation of another kind": """no-pgvector orders-key-missing no-settings-file
    temporal-database-held unrecorded""",
}
"""Reason for which a next step is not followed here -> codes of errors."""

Follow = Callable[[list[str]], tuple[int, str]]


@pytest.fixture
def states(
    run: Run, founded: Path, services: StageServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> States:
    """What the placeholders in command lines mean, in a home and a current folder of the test's own."""
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
        ended, _, err = states.run(*states.filled(step, here))
        return ended, err

    return follow


@pytest.mark.long
@for_each("line, code", ERRORS.items())
def test_what_an_error_names_next_works(
    run: Run, states: States, follow: Follow, line: str, code: str
) -> None:
    words, printed = states.ends_with(line)
    many = len(list(_steps(printed, words)))

    assert f"error[{code}]" in printed
    assert many, printed
    for number in range(many):
        if number and states.are_new_in(line):
            words, printed = states.ends_with(line)
        step = list(_steps(printed, words))[number]
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
    assert [follow(step)[0] for step in _steps(printed, words)] == [0]
    assert run(*words)[0] == 0


def test_every_error_that_names_a_command_is_tried_or_says_why_not() -> None:
    told, left = set(codes_with_commands(sources())), set(" ".join(NOT_RUN.values()).split())

    assert len(told) > 100
    assert told - left - set(ERRORS.values()) == set()
    assert left - told == set(), "needs no entry any more"
    assert left & set(ERRORS.values()) == set()


def _steps(printed: str, failed: list[str]) -> Iterator[list[str]]:
    """The words of each command in an error; of an option alone, those of the failed command with it."""
    for text in re.findall("`([^`]+)`", printed):
        words = shlex.split(text)
        if words[0] == "penwright":
            yield words[1:]
        elif words[0].startswith("--"):
            yield [*failed, *words]
