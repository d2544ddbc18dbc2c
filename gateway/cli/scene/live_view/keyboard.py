"""Keys as they are typed."""

import asyncio
import codecs
import os
import signal
import sys
import termios
import tty
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
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
