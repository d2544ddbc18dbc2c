"""What is printed while work goes on, or once it left something to decide, is followed on a whole engine."""

import asyncio
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from temporalio.client import Client

from tests.support.engine.home import EngineHome, engine_home, until
from tests.support.gateway.advised_states import steps_in
from tests.support.gateway.command_lines import shape_of
from tests.support.gateway.forked_commands import forked_commands
from tests.support.gateway.running_states import RunningStates

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("followed")]

ERRORS = {
    "book forget {held}": "already-running",
    "book close {fresh} < prose": "no-active-session",
    "cite review {doubt}": "no-scan",
    "cite kill {scanned}": "no-scan-runs",
    "cite accept {scanned} --number 9": "unknown-target",
    "cite accept {cited} --number 1": "not-waiting",
    "cite accept {cited} --verified --abstracts": "nothing-waits",
    "cite choose {scanned} -n 1 --work 9": "unknown-work",
    "cite undo {scanned}": "nothing-cited",
    "cite accept {scanned}": "nothing-named",
    "cite undo {uncited}": "undone-already",
    "cite undo {scanning}": "scan-runs",
    "cite undo {rewritten} -n 1": "changed-since",
    "cite scan {paused}": "document-busy",
    "manuscript forget {paused}": "already-running",
    "manuscript revise {blank} -i Shorter": "nothing-to-revise",
    "scene say {planned} Hello": "round-runs",
    "scene cast {planned} --remove Bob": "round-runs",
    "scene undo {planned}": "round-runs",
    "scene remove {planned} --yes": "in-use",
    "scene veto {planned} Cleo": "unknown-to-round",
    "scene approve {approved}": "no-plan-held",
    "scene approve {unheld}": "no-plan-held",
    "scene create The-Quay --world {WORLD} ; mcp --agent manuscript/critic": "agent-not-for-outside",
    "run start ink/editor --subject {book} --task Other --id {ended}": "run-id-taken",
}
"""Commands -> the code of their error."""
FIRST = {"unknown-to-round": "scene stop"}
"""Code of an error whose advice is for later -> what ends the work before that."""
TOLD = {
    "cite scan {doubt} --detach": "cite watch",
    "cite scan {doubt}": "cite review",
    "cite review {scanned}": "cite accept --number",
    "cite accept {scanned} --verified --abstracts": "cite undo",
}
"""Commands that succeed -> the commands and options, by the alphabet, that they print to be done next."""
LOOKS = (
    *("status", "status --json", "doctor", "logs", "config show"),
    *("operator housekeeping --dry-run", "book list --attention"),
)
"""Commands that look at what runs, advised in many states."""
WAITS_S = 5.0
"""How long a command that follows work is let run."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineHome]:
    file = tmp_path_factory.mktemp("settings") / "penwright.toml"
    file.write_text('[scholarly]\nsources = ["recorded"]\n[web]\nenabled = false\n', "utf-8")
    at = engine_home(PENWRIGHT_CONFIG=str(file))
    del at.environ["PENWRIGHT_WEB__ENABLED"]
    try:
        up = at.cli("up", "--detach")
        assert up.returncode == 0, up.stderr
        yield at
        at.cli("down")
    finally:
        at.remove()


@pytest.fixture(scope="module")
def states(home: EngineHome, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStates]:
    folder = tmp_path_factory.mktemp("works")
    with forked_commands(folder / "bin") as programs:

        def run(*words: str, stdin: bytes | None = None) -> tuple[int, str, str]:
            done = subprocess.run(
                [programs / "penwright", *words],
                env=home.environ,
                cwd=folder,
                input=stdin or b"",
                capture_output=True,
                check=False,
                timeout=120,
            )
            return done.returncode, done.stdout.decode(), done.stderr.decode()

        yield RunningStates(run, folder)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("line", "code"), ERRORS.items())
def test_what_an_error_names_next_works(
    home: EngineHome, states: RunningStates, line: str, code: str
) -> None:
    words, printed = states.ends_with(line)
    assert f"error[{code}]" in printed, printed
    many = len(list(steps_in(printed, words)))
    assert many, printed
    for number in range(many):
        if number:
            words, printed = states.ends_with(line)
        if code in FIRST:
            states.do(f"{FIRST[code]} {words[2]}")
        step = list(steps_in(printed, words))[number]
        assert (_followed(home, states, step), step) == ("", step)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("line", "told"), TOLD.items())
def test_what_a_command_that_succeeds_names_next_works(
    home: EngineHome, states: RunningStates, line: str, told: str
) -> None:
    said = states.says(line)
    steps = {shape_of(each): shlex.split(each)[1:] for each in re.findall(r"`(penwright\s[^`]+)`", said)}
    followed = {shape: step for shape, step in steps.items() if "models" not in shape}

    assert ", ".join(sorted(followed)) == told, said
    for step in followed.values():
        assert (_followed(home, states, step), step) == ("", step)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("line", LOOKS)
def test_a_look_at_what_runs_works(states: RunningStates, line: str) -> None:
    ended, said, err = states.run(*line.split())

    assert (ended, bool(said)) == (0, True), err


@pytest.mark.timeout(300)
def test_where_to_look_works_while_no_worker_takes_a_message_up(
    home: EngineHome, states: RunningStates
) -> None:
    held, worker = states["held"], home.child("workflows")
    worker.suspend()
    try:
        _, _, printed = states.run("book", "pause", held)
        followed = [_followed(home, states, step) for step in steps_in(printed, [])]
    finally:
        worker.resume()

    assert "error[not-acknowledged]" in printed
    assert followed == [""]
    until(lambda: "paused" in states.run("book", "status", held)[1])


@pytest.mark.timeout(300)
def test_where_to_look_works_while_a_run_is_stuck(home: EngineHome, states: RunningStates) -> None:
    async def start() -> None:
        at = home.record().temporal
        assert at is not None
        client = await Client.connect(at)
        await client.start_workflow("AgentLoop", id="agent/lost", task_queue="nobody")

    asyncio.run(start())
    _, _, printed = states.run("run", "kill", "lost")

    assert "error[run-stuck]" in printed
    assert [_followed(home, states, step) for step in steps_in(printed, [])] == [""]


@pytest.mark.timeout(600)
def test_the_workspace_answers_once_it_was_switched_on_as_advised(
    home: EngineHome, states: RunningStates
) -> None:
    _, _, printed = states.run("web")
    file = Path(home.environ["PENWRIGHT_CONFIG"])
    file.write_text(file.read_text("utf-8").replace("enabled = false", "enabled = true"), "utf-8")
    ended = [home.cli(*step) for step in steps_in(printed, [])]

    assert "error[web-not-running]" in printed
    assert [each.returncode for each in ended] == [0, 0], ended
    assert states.run("web")[0] == 0


def _followed(home: EngineHome, states: RunningStates, step: list[str]) -> str:
    """Why following a command failed, if it did; one that watches is left after a while."""
    words = states.filled(step, states.folder)
    if words[1:2] != ["watch"]:
        ended, _, err = states.typed(words)
        return f"{ended}: {err}" if ended else ""
    with subprocess.Popen(
        [sys.executable, "-m", "gateway", *words],
        env=home.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as watch:
        try:
            watch.wait(WAITS_S)
        except subprocess.TimeoutExpired:
            watch.terminate()
        told = watch.communicate(timeout=60)[1]
    return "" if watch.returncode in (0, -signal.SIGTERM) else f"{watch.returncode}: {told.decode()}"
