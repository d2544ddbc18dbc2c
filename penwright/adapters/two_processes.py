"""Work in many equal pieces, done by this process and a second one beside it."""

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from penwright.ports import Spread

_Piece = TypeVar("_Piece")
_Made = TypeVar("_Made")

_FEW = 32
"""Pieces for which no process is started: it takes longer to come up than they take."""
_AT_ONCE = 8
"""Pieces the second process is given together: it is looked after only between two of our own."""
_AHEAD = 64
"""Parts that may wait for an earlier one."""
_END_S = 5.0
_MODEST = 10


@contextmanager
def two_processes() -> Iterator[Spread]:
    """``map``, with a second process taking what it can; whatever becomes of that one, nothing is left out.

    The same process serves whatever is asked while the context lasts; it starts when there is enough to do.
    The work must be a function of a module, or a ``partial`` of one, and pure: what the other process did not
    finish is done again here.
    """
    second = _Second()
    try:
        yield second.spread
    finally:
        second.end()


@dataclass(slots=True)
class _Part(Generic[_Piece, _Made]):
    """A few pieces in a row."""

    work: Callable[[_Piece], _Made]
    pieces: Sequence[_Piece]
    made: Sequence[_Made] | None = None
    """None while the other process has them."""


@dataclass(slots=True)
class _Second:
    """The other process, which has one part at a time, of whichever work."""

    process: BaseProcess | None = None
    """None until there is enough to do."""
    # What goes through are pieces and results of any work, and nobody else writes there.
    line: "Connection[Any, Any] | None" = None
    """None before it starts, and when it is gone: somebody ended it, or there was no memory for it."""
    has: _Part[Any, Any] | None = None

    def spread(self, work: Callable[[_Piece], _Made], pieces: Iterable[_Piece], /) -> Generator[_Made]:
        """What ``work`` makes of each piece, in order."""
        left = iter(pieces)
        if self.process is None:
            yield from map(work, islice(left, _FEW))
            for piece in left:
                self._start()
                left = chain((piece,), left)
                break
        yield from self._shared(work, left)

    def end(self) -> None:
        """Let it go, whatever it is doing."""
        if self.line is not None:
            self.line.close()
        if self.process is not None and self.process.pid is not None:
            self.process.join(0 if self.has else _END_S)
            self.process.kill()
            self.process.join()

    def _start(self) -> None:
        # Forked, it would share the threads' locks and the database's connections.
        context = get_context("spawn")
        here, there = context.Pipe()
        self.process = context.Process(target=_serve, args=(there,), daemon=True)
        try:
            self.process.start()
            # It says first that it is there: what it is sent before would fill the pipe and keep us waiting.
            self.line, self.has = here, _Part(_nothing, ())
        except OSError:
            here.close()
        there.close()

    def _shared(self, work: Callable[[_Piece], _Made], pieces: Iterator[_Piece]) -> Iterator[_Made]:
        parts: deque[_Part[_Piece, _Made]] = deque()
        for piece in pieces:
            if self._is_idle():
                parts.append(_Part(work, [piece, *islice(pieces, _AT_ONCE - 1)]))
                self._give(parts[-1])
            else:
                parts.append(_Part(work, [piece], [work(piece)]))
            if len(parts) > _AHEAD and parts[0].made is None:
                self._collect()
            while parts and parts[0].made is not None:
                yield from parts.popleft().made or ()
        for part in parts:
            if part.made is None:
                self._collect()
            yield from part.made or ()

    def _is_idle(self) -> bool:
        """Whether it may be given something."""
        if self.line is not None and self.has is not None and self.line.poll():
            self._collect()
        return self.line is not None and self.has is None

    def _give(self, part: _Part[Any, Any]) -> None:
        """Let it do a part."""
        assert self.line is not None
        self.has = part
        try:
            self.line.send((part.work, part.pieces))
        except OSError:
            self._do_without()

    def _collect(self) -> None:
        """Wait for what it has."""
        assert self.line is not None
        assert self.has is not None
        try:
            self.has.made = self.line.recv()
            self.has = None
        except (OSError, EOFError):
            self._do_without()

    def _do_without(self) -> None:
        assert self.line is not None
        assert self.has is not None
        self.line.close()
        part, self.line, self.has = self.has, None, None
        part.made = [part.work(piece) for piece in part.pieces]


def _nothing(piece: object) -> object:
    return piece


def _serve(line: "Connection[Any, Any]") -> None:
    """What the second process does until the line is closed, or the first one ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # It helps with what nobody else has time for: the first process does the rest by itself.
    os.nice(_MODEST)
    line.send(())
    # The line is closed; or the work went wrong, and will again where it is asked for.
    with suppress(Exception):
        while True:
            work, pieces = line.recv()
            line.send([work(piece) for piece in pieces])
