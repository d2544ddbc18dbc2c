"""The live view at the keyboard of a shell: keys, pasted text, another size, Ctrl-Z, ``fg`` and Ctrl-C."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

_PATIENCE_S = 60.0
_KEY_EVERY_TICKS = 25
_FIXED_SIZE = ("COLUMNS", "LINES")
"""Where these are set, as for test processes, a terminal's own size is not asked for."""
_MOVES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Shell:
    """A person at a terminal in which bash runs the view."""

    def __init__(self, ticks: Path) -> None:
        self._ticks = ticks
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:  # pragma: no cover
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored where tests run in the background
            kept = {name: value for name, value in os.environ.items() if name not in _FIXED_SIZE}
            os.execlpe("bash", "bash", "--norc", "--noediting", "-i", {**kept, "PS1": "$ "})
        self.resize(24, 80)
        self.seen = ""

    def resize(self, lines: int, columns: int) -> None:
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def sees(self, text: str) -> None:
        """Wait until ``text`` shows after what was waited for before."""
        self.until(lambda: text in self.seen, f"{text!r} is shown")
        self.seen = self.seen.partition(text)[2]

    def until(self, done: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while not done():
            assert time.monotonic() < deadline, f"{what}: it did not come about; the screen had {self.seen!r}"
            if select.select([self._terminal], [], [], 0.01)[0]:
                self.seen += _MOVES.sub("", os.read(self._terminal, 65_536).decode("utf-8", "replace"))

    def has_ticked(self, times: int) -> None:
        before = self.ticks
        self.until(lambda: self.ticks >= before + times, "the loop goes on")

    @property
    def ticks(self) -> int:
        return self._ticks.stat().st_size

    @property
    def echoes(self) -> bool:
        """Whether the terminal echoes and waits for whole lines, as a shell's command finds it."""
        flags = termios.tcgetattr(self._terminal)[3]
        return bool(flags & termios.ECHO and flags & termios.ICANON)

    def leave(self) -> None:
        os.kill(self.pid, signal.SIGHUP)
        os.close(self._terminal)
        os.waitpid(self.pid, 0)


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    ticks = tmp_path_factory.mktemp("view") / "ticks"
    ticks.touch()
    at = Shell(ticks)
    at.type(f"{sys.executable} -m tests.support.gateway.live_view_stage {ticks}; echo left with $?\n")
    at.type("Is anyone")  # before the view is there
    at.sees("your turn")
    yield at
    at.leave()


def test_what_was_typed_before_the_view_was_there_is_in_its_line(shell: Shell) -> None:
    shell.type(" here?")
    shell.sees("Is anyone here?▏")
    shell.type("\x15")


def test_a_key_typed_now_and_then_never_stops_the_loop(shell: Shell) -> None:
    for key in "lantern":
        shell.type(key)
        shell.has_ticked(_KEY_EVERY_TICKS)
    shell.sees("lantern▏")
    shell.type("\x15")


def test_a_line_is_said_as_soon_as_enter_is_pressed(shell: Shell) -> None:
    shell.type("Who lit it?")
    shell.sees("Who lit it?▏")
    shell.type("\r")
    shell.sees("Ann answers in round")


def test_pasted_lines_stay_one_message_until_enter(shell: Shell) -> None:
    shell.type("\x1b[200~The tide\nis out.\x1b[201~")
    shell.sees("The tide↵is out.▏")
    shell.type("\x15")


def test_arrow_keys_leave_the_line_as_it_is_even_where_their_signs_come_apart(shell: Shell) -> None:
    for keys in ("lam", "\x1b", "[", "D", "p\x1b[A", "\x1bOC", "s"):
        shell.type(keys)
        shell.has_ticked(2)
    shell.sees("lamps▏")
    shell.type("\x15")


def test_another_size_of_the_terminal_is_drawn_at_once(shell: Shell) -> None:
    shell.type("x" * 60)
    shell.sees("x" * 60 + "▏")
    shell.resize(24, 40)
    shell.sees("> …" + "x" * (40 - len("you> …") - 1) + "▏")
    shell.resize(24, 80)
    shell.type("\x15")


def test_ctrl_z_gives_the_terminal_back_fg_goes_on_and_ctrl_c_leaves(shell: Shell) -> None:
    shell.type("Half a line")
    shell.sees("Half a line▏")
    shell.type("\x1a")
    shell.sees("Stopped")
    assert shell.echoes
    shell.type("echo the answer is $((6 * 7))\n")
    shell.sees("the answer is 42")
    shell.type("fg\n")
    shell.sees("Half a line▏")
    shell.type("!")
    shell.sees("Half a line!▏")
    shell.type("\x03")
    shell.sees("interrupted")
    shell.until(lambda: shell.echoes, "the terminal is as it was found")
