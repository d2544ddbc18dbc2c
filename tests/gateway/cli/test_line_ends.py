"""On a terminal of 60 columns no word and no command is broken; elsewhere a message is one line."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gateway.cli.tables import display_width
from gateway.cli.wrapping import folded
from tests.support.engine.shared import console_script


def _on_a_terminal(columns: int, folder: Path, *arguments: str) -> list[str]:
    """What a command writes to a terminal of so many columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "PENWRIGHT_HOME": str(folder / "home")}
    process = subprocess.Popen(
        [console_script("penwright"), *arguments], stdin=slave, stdout=slave, stderr=slave, env=environment
    )
    os.close(slave)
    seen = b""
    while read := _read(master):
        seen += read
    process.wait(timeout=60)
    os.close(master)
    return seen.decode("utf-8").replace("\r\n", "\n").splitlines()


def _read(master: int) -> bytes:
    try:
        return os.read(master, 4096)
    except OSError:  # Linux reports EIO once no process holds the terminal
        return b""


def test_a_hint_on_a_narrow_terminal_breaks_between_words(tmp_path: Path) -> None:
    lines = _on_a_terminal(60, tmp_path, "book", "status", "no-such-book")

    assert lines[0].startswith("error[")
    assert any(line.startswith("  next: ") for line in lines)
    assert max(map(len, lines)) <= 60
    words = " ".join(lines).split()
    wide = " ".join(_on_a_terminal(500, tmp_path, "book", "status", "no-such-book")).split()
    assert words == wide


def test_a_message_that_is_not_read_on_a_terminal_stays_one_line(tmp_path: Path) -> None:
    environment = {**os.environ, "PENWRIGHT_HOME": str(tmp_path)}
    done = subprocess.run(
        [console_script("penwright"), "book", "status", "no-such-book"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert len(done.stderr.splitlines()) == 2


def test_a_command_is_never_broken() -> None:
    line = "  next: `penwright book session tide-again-c31f --intent INT-004` answers the instructions"

    assert folded(line, 40) == (
        "  next:\n    `penwright book session tide-again-c31f --intent INT-004`\n    answers the instructions"
    )


@given(st.text(alphabet="ab 灯が`.", max_size=120), st.integers(10, 60))
def test_no_word_is_lost_and_no_line_of_several_is_too_wide(line: str, width: int) -> None:
    lines = folded(line, width).split("\n")

    assert " ".join(lines).split() == line.split()
    assert all(display_width(each) <= width or " " not in each.strip() or "`" in each for each in lines)
