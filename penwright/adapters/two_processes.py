"""Work in many equal pieces, done by this process and a second one beside it."""

import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing.connection import Connection, Pipe
from typing import Any, Generic, TypeVar

_Piece = TypeVar("_Piece")
_Made = TypeVar("_Made")

_FEW = 64
"""Pieces for which no process is started: it takes longer to come up than they take."""
_AT_ONCE = 32
"""Pieces the second process is given together: it is looked after only between two of our own, or results."""
_AHEAD = 64
"""Parts that may wait for an earlier one."""
_END_S = 5.0
_PROGRAM = f"import sys; sys.path[:] = sys.argv[2:]; from {__name__} import serve; serve(int(sys.argv[1]))"
_MODEST = 10


def in_two_processes(work: Callable[[_Piece], _Made], pieces: Iterable[_Piece]) -> Generator[_Made]:
    """``map``, with a second process taking what it can; whatever becomes of that one, nothing is left out.

    Args:
        work: a function of a module, and pure: what the other process did not finish is done again here.
    """
    left = iter(pieces)
    first = list(islice(left, _FEW))
    if len(first) < _FEW:
        yield from map(work, first)
        return
    with _second(work) as second:
        yield from _shared(second, work, chain(first, left))


@dataclass(slots=True)
class _Part(Generic[_Piece, _Made]):
    """A few pieces in a row."""

    pieces: Sequence[_Piece]
    made: Sequence[_Made] | None = None
    """None while the other process has them."""


@dataclass(slots=True)
class _Second(Generic[_Piece, _Made]):
    """The other process, which has one part at a time."""

    work: Callable[[_Piece], _Made]
    line: "Connection[Any, Any]"  # what comes back are results, and nobody else writes there
    has: _Part[_Piece, _Made] | None
    gone: bool = False

    def idle(self) -> bool:
        """Whether it may be given something."""
        if self.has is not None and self.line.poll():
            self.collect()
        return self.has is None and not self.gone

    def give(self, part: _Part[_Piece, _Made]) -> None:
        """Let it do ``part``."""
        self.has = part
        try:
            self.line.send(part.pieces)
        except OSError:
            self._without()

    def collect(self) -> None:
        """Wait for what it has."""
        assert self.has is not None
        try:
            self.has.made = self.line.recv()
            self.has = None
        except (OSError, EOFError):
            self._without()

    def _without(self) -> None:
        """It is gone: somebody ended it, or there was no memory for it."""
        assert self.has is not None
        self.gone = True
        self.has.made = [self.work(piece) for piece in self.has.pieces]
        self.has = None


@contextmanager
def _second(work: Callable[[_Piece], _Made]) -> Iterator[_Second[_Piece, _Made]]:
    here, there = Pipe()
    # It says first that it is there: what it is sent before would fill the pipe and keep us waiting.
    second: _Second[_Piece, _Made] = _Second(work, here, has=_Part(()))
    process = None
    try:
        process = _started(there.fileno())
        here.send(work)
    except OSError:
        second.gone, second.has = True, None
    there.close()
    try:
        yield second
    finally:
        here.close()
        if process is not None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0 if second.has else _END_S)
            process.kill()
            process.wait()


def _started(line: int) -> "subprocess.Popen[bytes]":
    # Forked, it would share the threads' locks and the database's connections; a process of the standard
    # library's own would first load all that the program's main module does.
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _PROGRAM, str(line), *sys.path],
        stdin=subprocess.DEVNULL,
        pass_fds=(line,),
    )


def serve(descriptor: int) -> None:
    """What the second process does until the line is closed, or the first one ends."""
    line = Connection(descriptor)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # It helps with what nobody else has time for: the first process does the rest by itself.
    os.nice(_MODEST)
    # The line is closed; or the work went wrong, and will again where it is asked for.
    with suppress(Exception):
        work = line.recv()
        line.send(())
        while True:
            line.send([work(piece) for piece in line.recv()])


def _shared(
    second: _Second[_Piece, _Made], work: Callable[[_Piece], _Made], pieces: Iterator[_Piece]
) -> Iterator[_Made]:
    parts: deque[_Part[_Piece, _Made]] = deque()

    def keep_busy() -> None:
        if second.idle() and (given := list(islice(pieces, _AT_ONCE))):
            parts.append(_Part(given))
            second.give(parts[-1])

    keep_busy()
    for piece in pieces:
        parts.append(_Part([piece], [work(piece)]))
        keep_busy()
        if len(parts) > _AHEAD and parts[0].made is None:
            second.collect()
        while parts and parts[0].made is not None:
            for made in parts.popleft().made or ():
                yield made
                # Whoever takes it may have been at it for long.
                keep_busy()
    for part in parts:
        if part.made is None:
            second.collect()
        yield from part.made or ()
