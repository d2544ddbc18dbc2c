"""Keys as they are typed, and the line that they make."""

import asyncio
import codecs
import os
import re
import signal
import sys
import termios
import tty
import unicodedata
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Final

_MOST = 65_536
_MARK_PASTES: Final = b"\x1b[?2004h"
_MARK_NO_PASTES: Final = b"\x1b[?2004l"


class Keyboard:
    """Standard input without waiting for Enter, and without echo, while it is entered."""

    def __init__(self) -> None:
        self._descriptor = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._descriptor)

    def __enter__(self) -> "Keyboard":
        self._take()
        return self

    def __exit__(self, *_: object) -> None:
        self._give_back()

    def _take(self) -> None:
        """Have keys come at once, and pasted text marked as such; what was typed before is kept."""
        tty.setcbreak(self._descriptor, termios.TCSADRAIN)
        os.write(self._descriptor, _MARK_PASTES)

    def _give_back(self) -> None:
        """Leave the terminal as it was found."""
        os.write(self._descriptor, _MARK_NO_PASTES)
        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    @contextmanager
    def signals(
        self, hidden: Callable[[], AbstractContextManager[None]], redraw: Callable[[], None]
    ) -> Iterator[None]:
        """Let Ctrl-Z stop the process with the terminal as it was found, and ``fg`` go on; follow a resize.

        Args:
            hidden: what takes the view off the terminal while the process is stopped.
        """
        loop = asyncio.get_running_loop()

        def stop() -> None:
            with hidden():
                self._give_back()
                loop.remove_signal_handler(signal.SIGTSTP)
                signal.raise_signal(signal.SIGTSTP)  # returns once the shell continues the process
                loop.add_signal_handler(signal.SIGTSTP, stop)
                self._take()

        loop.add_signal_handler(signal.SIGTSTP, stop)
        loop.add_signal_handler(signal.SIGWINCH, redraw)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGTSTP)
            loop.remove_signal_handler(signal.SIGWINCH)

    async def keys(self) -> AsyncIterator[str]:
        """Yield what is typed, until the terminal goes away."""
        typed: asyncio.Queue[bytes] = asyncio.Queue()
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        loop, descriptor = asyncio.get_running_loop(), _never_blocking(self._descriptor)

        def read() -> None:
            keys = _read(descriptor)
            if keys is not None:
                typed.put_nowait(keys)
            if keys == b"":
                loop.remove_reader(descriptor)

        loop.add_reader(descriptor, read)
        try:
            while keys := await typed.get():
                yield decoder.decode(keys)
        finally:
            loop.remove_reader(descriptor)
            os.close(descriptor)


def _never_blocking(descriptor: int) -> int:
    """The same terminal opened once more: flags set on standard input would be those of the output, too."""
    return os.open(os.ttyname(descriptor), os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)


def _read(descriptor: int) -> bytes | None:
    """Read what is there; None if nothing is, empty once the terminal is gone."""
    try:
        return os.read(descriptor, _MOST)
    except BlockingIOError:
        return None
    except OSError:  # Linux reports EIO
        return b""


LEAVE: Final = "/quit"
"""Command that Ctrl-D on an empty line stands for."""
_KEY = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|[^\[O])|\r\n|.", re.DOTALL)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*|O)?\Z")
_PASTE_BEGINS, _PASTE_ENDS = "\x1b[200~", "\x1b[201~"
_ENTER = ("\r", "\n", "\r\n")
_BACK = "\x7f\x08"
_CLEAR, _WORD, _END = "\x15", "\x17", "\x04"


@dataclass
class LineEditor:
    """A line without a cursor of its own: typing and erasing happen at its end."""

    text: str = ""
    _unfinished: str = ""
    """The beginning of the sequence of a key whose rest was not read yet."""
    _pasting: bool = False

    def typed(self, keys: str) -> list[str]:
        """Take keys; returns the lines that they finish. Line breaks of pasted text finish none."""
        lines = []
        for key in _KEY.findall(self._finished(keys)):
            if key.startswith("\x1b"):
                self._pasting = key == _PASTE_BEGINS or (self._pasting and key != _PASTE_ENDS)
            elif self._pasting:
                self.text += "\n" if key in _ENTER else " " if key == "\t" else _printable(key)
            elif key in _ENTER:
                lines.append(self.text)
                self.text = ""
            elif key == _END and not self.text:
                lines.append(LEAVE)
            else:
                self.text = _after(self.text, key)
        return lines

    def _finished(self, keys: str) -> str:
        """The keys without a sequence that is cut off at their end; Escape alone begins none."""
        begun, self._unfinished = self._unfinished, ""
        if begun != "\x1b" or keys[:1] in ("[", "O"):
            keys = begun + keys
        if cut := _UNFINISHED.search(keys):
            self._unfinished = cut.group()
            return keys[: cut.start()]
        return keys


def _after(text: str, key: str) -> str:
    if key in _BACK:
        return _without_last(text)
    if key == _CLEAR:
        return ""
    if key == _WORD:
        return text.rstrip().rpartition(" ")[0]
    return text + _printable(key)


def _printable(key: str) -> str:
    return key if key.isprintable() or key == "\u200d" else ""


def _without_last(text: str) -> str:
    """Without the last character as a person sees it: marks go with their letter."""
    kept = text[:-1]
    return _without_last(kept) if kept and unicodedata.combining(text[-1]) else kept
