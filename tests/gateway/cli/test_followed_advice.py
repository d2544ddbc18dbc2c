"""Every command that an error names as the next step is run in the state that printed it."""

import re
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gateway.desk.engine.agent_runs import RunSummary
from gateway.desk.manuscript import new_novels
from tests.support.each import for_each
from tests.support.gateway.http import a_scene, a_world
from tests.support.gateway.next_steps import codes_with_commands, sources
from tests.support.gateway.services import Run, StageServices, git_in

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
}
"""Command that fails -> the code of its error; in order: the advice of the first fills the book."""

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
    "is told by pages, the API, tokens or an agent's tools": """code-spent internal-error no-session
    not-permitted not-signed-in not-steered-here web-not-running agent-not-for-outside no-such-subject
    too-many-pictures""",
    "needs an installation of another kind": """no-pgvector orders-key-missing no-settings-file
    temporal-database-held unrecorded""",
    "is not followed yet": """already-imported ambiguous-name another-book another-novel bad-schedule
    changed-meanwhile config-duplicate-key config-lost config-missing config-missing-key config-wrong-value
    damaged-scene intent-not-writable intent-owns-other-files no-cast no-config-in-history
    no-message no-name no-override no-such-file no-such-version no-writable-intent not-a-file
    not-scheduled nothing-written novel-wrong-value overrides-exist settings-conflict stale
    unknown-eval""",
}
"""Reason for which a next step is not followed here -> codes of errors."""

FILLED = {"FOLDER", "FILE", "BOOK", "NOVEL", "WORLD"}
"""Placeholders in advice that stand for something that has to exist, or must not."""


@pytest.fixture
def named(
    run: Run, book: Path, services: StageServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """Values of the placeholders in commands, in a home and a current folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PENWRIGHT_HOME", str(tmp_path / "home"))
    empty, novel, text = tmp_path / "empty", tmp_path / "ebb", tmp_path / "text.md"
    sealed, scheduled = (Path(shutil.copytree(book, tmp_path / name)) for name in ("sealed", "scheduled"))
    broken, bare = Path(shutil.copytree(book, tmp_path / "broken")), tmp_path / "bare"
    (broken / "Global Material/Config.yml").write_text("a: [", "utf-8")
    bare.mkdir()
    git_in(bare, "init", "-q", "-b", "main")
    texts = {"-": "# Ebb\n", "empty": ""}
    made = new_novels.create(services, novel, {"title": "Low Tide", "author": "M. Orr"}, scenes=texts)
    torn = Path(shutil.copytree(novel, tmp_path / "torn"))
    (torn / "Novel.yml").write_text("a: [", "utf-8")
    run("lore", "create", "Tides")
    assert services.agents is not None
    services.agents.over = (
        RunSummary("over", "ink/writer", "", "completed", "end", services.now(), services.now(), 0),
    )
    run("book", "session", str(sealed))
    run("book", "complete", str(sealed), "--early")
    run("book", "schedule", str(scheduled), "--every", "6h")
    empty.mkdir()
    text.write_text("He waits.\n", "utf-8")
    world = a_world(services)
    a_scene(services, world)
    given = {"FILE": str(text), "BOOK": str(book), "NOVEL": made.novel_id, "WORLD": world}
    places = {"book": book, "sealed": sealed, "scheduled": scheduled, "broken": broken}
    places |= {"torn": torn, "novel": novel, "empty": empty, "bare": bare}
    return {**{name: str(place) for name, place in places.items()}, **given}


@pytest.fixture
def follow(
    run: Run, services: StageServices, named: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[list[str]], tuple[int, str]]:
    """Runs a command of an advice as a person would, in a folder of its own: exit code and errors."""

    def follow(step: list[str]) -> tuple[int, str]:
        here = Path(tempfile.mkdtemp(dir=tmp_path))
        monkeypatch.chdir(here)
        if step[0] == "up":
            services.runs = True
            return 0, ""
        values = {**named, "FOLDER": str(here / "new")}
        ended, _, err = run(*(values[word] if word in FILLED else word for word in step))
        return ended, err

    return follow


@pytest.mark.long
@for_each("line, code", ERRORS.items())
def test_what_an_error_names_next_works(
    run: Run, named: dict[str, str], follow: Callable[[list[str]], tuple[int, str]], line: str, code: str
) -> None:
    words = line.format(**named).split()
    _, _, printed = run(*words)
    steps = list(_steps(printed, words))

    assert f"error[{code}]" in printed
    assert steps, printed
    for step in steps:
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
    run: Run,
    services: StageServices,
    named: dict[str, str],
    follow: Callable[[list[str]], tuple[int, str]],
    line: str,
) -> None:
    words = line.format(**named).split()
    services.runs = False
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
    """The words of each command after ``next:``; of an option alone, those of the failed command with it."""
    for text in re.findall("`([^`]+)`", printed.partition("\n  next: ")[2]):
        words = shlex.split(text)
        if words[0] == "penwright":
            yield words[1:]
        elif words[0].startswith("--"):
            yield [*failed, *words]
