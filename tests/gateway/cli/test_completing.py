"""The Tab key completes commands and names, as bash asks the program for them."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.desk.works import books
from tests.support.each import for_each
from tests.support.gateway.advised_states import States
from tests.support.gateway.services import Run, StageServices

NAMES = {
    "book session ": "{BOOK}",
    "book status lo": "{BOOK}",
    "book move ": "{BOOK}",
    "trace verify ": "{BOOK} {NOVEL}",
    "mcp ": "{BOOK} {NOVEL}",
    "manuscript write ": "{NOVEL}",
    "cite scan ": "{NOVEL}",
    "scene say ": "the-quay",
    "scene say the-": "the-quay",
    "scene say nowhere": "",
    "scene force the-quay c": "cleo",
    "scene hand-over the-quay ": "nell mira",
    "scene create Pier --world ": "{WORLD}",
    "scene create Pier --cast an": "ann",
    "character show ": "ann bob cleo",
    "character override cleo --campaign ": "skerrow",
    "world show ": "{WORLD}",
    "lore show ": "tides",
    "book session --int": "--intent",
    "boo": "book",
    "book roll": "rollback",
}
"""What was typed -> what is offered for its last word."""


Tab = Callable[[str], set[str]]
"""What was typed -> what is offered."""


@pytest.fixture
def states(
    run: Run, founded: Path, services: StageServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> States:
    monkeypatch.setenv("PENWRIGHT_HOME", str(tmp_path / "home"))
    return States(run, services, founded, tmp_path)


@pytest.fixture
def tab(run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Tab:
    def tab(typed: str) -> set[str]:
        with monkeypatch.context() as asked:
            for name, value in asked_by_bash(typed).items():
                asked.setenv(name, value)
            with pytest.raises(SystemExit, match="0"):
                run()
        return set(capsys.readouterr().out.split())

    return tab


def asked_by_bash(typed: str) -> dict[str, str]:
    """The environment in which bash asks to complete the last word."""
    words = ["penwright", *typed.split(" ")]
    return {
        "_PENWRIGHT_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }


@for_each("typed, offered", NAMES.items())
def test_what_was_typed_is_completed(states: States, tab: Tab, typed: str, offered: str) -> None:
    book = books.find(states.services, states["book"]).book_id
    ids = {"BOOK": book, "NOVEL": states["NOVEL"], "WORLD": states["WORLD"]}

    assert tab(typed) == set(offered.format_map(ids).split())


def test_a_store_that_cannot_be_read_completes_nothing_and_says_nothing(tmp_path: Path) -> None:
    environ = {**os.environ, "PENWRIGHT_HOME": str(tmp_path), **asked_by_bash("scene say ")}
    done = subprocess.run(
        [sys.executable, "-c", "from gateway.cli.program import main; main()"],
        env=environ,
        capture_output=True,
        check=True,
        text=True,
    )

    assert (done.stdout.strip(), done.stderr) == ("", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_for_a_shell(tmp_path: Path, shell: str) -> None:
    environ = {**os.environ, "HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = subprocess.run(
        [sys.executable, "-c", "from gateway.cli.program import main; main()", "--install-completion", shell],
        env=environ,
        capture_output=True,
        check=True,
        text=True,
    )

    assert f"{shell} completion installed in {tmp_path}" in done.stdout
