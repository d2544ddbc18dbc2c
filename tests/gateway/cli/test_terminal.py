"""Commands at a terminal: questions, skipping them, and leaving."""

import os
import pty
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.support.engine.shared import console_script
from tests.support.gateway.services import git_in

_PATIENCE_S = 60.0
_ENTER, _CTRL_C, _CTRL_D = b"\r", b"\x03", b"\x04"


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, master: int, process: "subprocess.Popen[bytes]") -> None:
        self._master = master
        self.process = process
        self.seen = ""

    def type(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def await_text(self, text: str) -> None:
        """Read until ``text`` appears on the screen after the text awaited before."""
        deadline = time.monotonic() + _PATIENCE_S
        while text not in self.seen:
            assert time.monotonic() < deadline, self.seen
            self.seen += os.read(self._master, 4096).decode("utf-8", "replace")
        self.seen = self.seen.partition(text)[2]

    def await_end(self) -> int:
        """Read to the end, into ``seen``; the exit code."""
        while True:
            try:
                if not (read := os.read(self._master, 4096)):
                    break
                self.seen += read.decode("utf-8", "replace")
            except OSError:  # Linux reports EIO once no process holds the terminal
                break
        return self.process.wait(timeout=_PATIENCE_S)


Starts = Callable[..., Terminal]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Starts]:
    """Starts ``penwright`` on a terminal."""
    started: list[Terminal] = []

    @contextmanager
    def _closing(descriptor: int) -> Iterator[int]:
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def start(*arguments: str, program: str = "penwright", stderr: Path | None = None) -> Terminal:
        master, slave = pty.openpty()
        environment = {
            **os.environ,
            "TERM": "xterm",
            "PROMPT_TOOLKIT_NO_CPR": "1",  # this terminal does not answer cursor queries
            "PENWRIGHT_HOME": str(tmp_path / "home"),
        }
        with _closing(slave), ExitStack() as stack:
            process = subprocess.Popen(
                [console_script(program), *arguments],
                stdin=slave,
                stdout=slave,
                stderr=stack.enter_context(stderr.open("w")) if stderr else slave,
                env=environment,
                start_new_session=True,
            )
        started.append(Terminal(master, process))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()
        os.close(one._master)


def test_leaving_with_ctrl_c_makes_nothing(terminal: Starts, tmp_path: Path) -> None:
    at = terminal("book", "init", str(tmp_path / "books" / "tide"))
    at.await_text("What is the title?")
    at.type(b"Low Tide" + _ENTER)
    at.await_text("Whose name")

    at.type(_CTRL_C)

    assert at.await_end() == 130
    assert "interrupted; nothing was made" in at.seen
    assert not (tmp_path / "books").exists()


def test_an_answer_that_cannot_be_used_is_refused_at_its_question(terminal: Starts, tmp_path: Path) -> None:
    at = terminal("book", "init", str(tmp_path / "tide"), "--title", "Low Tide", "--author", "M. Orr")
    at.await_text("Enter skips")
    at.await_text("In which language")
    at.type(_ENTER)
    at.await_text("What kind of book")
    at.type(_ENTER)
    at.await_text("In which genre")
    at.type(_ENTER)
    at.await_text("How many pages should it")
    at.type(b"0" + _ENTER)
    at.await_text("give a whole number from 1")
    at.type(b"\x7f" + b"40" + _ENTER * 12)

    assert at.await_end() == 0
    assert "target_length: 10000" in (tmp_path / "tide/Global Material/Config.yml").read_text()


@pytest.mark.long
def test_leaving_a_question_of_yes_or_no_says_that_nothing_was_changed(
    terminal: Starts, tmp_path: Path
) -> None:
    found = terminal("book", "init", str(tmp_path / "tide"), "--agent")
    assert found.await_end() == 0
    at = terminal("book", "reset", str(tmp_path / "tide"))
    at.await_text("Type tide to go on")

    at.type(_CTRL_D)

    assert at.await_end() == 130
    assert "interrupted; nothing was changed" in at.seen


def test_answers_are_used_and_questions_can_be_skipped(terminal: Starts, tmp_path: Path) -> None:
    at = terminal("book", "init", str(tmp_path / "tide"), "--author", "M. Orr")
    at.await_text("What is the title?")
    at.type(b"Low Tide" + _ENTER)
    at.await_text("In which language")
    at.type(_ENTER)
    at.await_text("What kind of book")
    at.type(b"\x1b[B" + _ENTER)
    at.await_text("In which genre")
    at.type(_ENTER)
    at.await_text("How many pages should it")
    at.type(_ENTER * 12)  # the rest is skipped

    assert at.await_end() == 0
    config = (tmp_path / "tide/Global Material/Config.yml").read_text()
    assert "target_length: 5000" in config
    assert (tmp_path / "tide/README.md").read_text().startswith("# Low Tide\n\n*by M. Orr*")


@pytest.mark.parametrize("answer", [b"n\n", _CTRL_D])
def test_a_person_is_asked_on_the_terminal_while_stderr_goes_to_a_file(
    terminal: Starts, founded: Path, tmp_path: Path, answer: bytes
) -> None:
    book, log = Path(shutil.copytree(founded, tmp_path / "tide")), tmp_path / "log"
    git_in(book, "tag", "ink-2026-02-22-14-30")
    at = terminal("rollback", str(book), program="ink-cli", stderr=log)

    at.await_text("This goes back to ink-2026-02-22-14-30")
    at.await_text("Go on? [y/N]:")
    at.type(answer)

    assert at.await_end() == (1 if answer == b"n\n" else 130)
    assert "nothing was changed" in at.seen
    assert "This goes back to ink-2026-02-22-14-30" in log.read_text()
