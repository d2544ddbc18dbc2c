"""Progress while a command waits: one living line on a terminal's stderr; elsewhere, lines if asked for."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from gateway.cli.output import Interrupted, NotBegun, harmless
from penwright.domain.text.counted import counted
from penwright.domain.text.words import told_length
from penwright.errors import EngineUnavailable
from schemas.base import Progress

if TYPE_CHECKING:
    from rich.text import Text

_T = TypeVar("_T")
Tell = Callable[[], Awaitable[str]]
_PERIOD_S = 0.5
_SLOW_PERIOD_S = 5.0
_MINUTE_S = 60.0
_ENDING = "ending"
"""Shown while what has ended is read; no line of its own."""


@dataclass(frozen=True, slots=True)
class Waiter:
    """Waits with a progress line for what the engine does; Ctrl-C leaves that running."""

    goes_on: str
    """Message at Ctrl-C: that it goes on, and the commands for it."""
    quiet: bool
    resumes: str = ""
    """The command that lets a paused one go on."""
    by_step: bool = False
    """Whether stderr gets a line per step where it is no terminal."""

    async def __call__(
        self, awaited: Awaitable[_T], progress: Callable[[], Awaitable[Progress | None]], /
    ) -> _T:
        try:
            if self.by_step and not self.quiet and not sys.stderr.isatty():
                return await _wait_telling(
                    awaited,
                    lambda: _answer(_by_step(progress), self.resumes),
                    lambda: _answer(progress, self.resumes),
                    period_s=_PERIOD_S,
                )
            return await wait_showing(awaited, progress, quiet=self.quiet, resumes=self.resumes)
        except (asyncio.CancelledError, KeyboardInterrupt):  # how a Ctrl-C arrives here
            raise Interrupted(self.goes_on) from None


class Beginning:
    """Says at Ctrl-C that nothing was started, until ``asked`` is called."""

    def __init__(self, what: str, look: str) -> None:
        """``look``: the command that shows whether it runs after all."""
        self._what, self._look, self._is_asked = what, look, False

    def asked(self) -> None:
        self._is_asked = True

    def __enter__(self) -> "Beginning":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None or not issubclass(kind, KeyboardInterrupt):
            return
        if self._is_asked:
            raise Interrupted(f"`{self._look}` shows whether {self._what} runs") from None
        raise NotBegun(self._what) from None


async def wait_showing(
    waited_for: Awaitable[_T],
    ask: Callable[[], Awaitable[Progress | None]],
    *,
    quiet: bool,
    resumes: str = "",
) -> _T:
    """Await ``waited_for``; meanwhile show what ``ask`` says, unless ``quiet``.

    Where stderr is not a terminal, trouble is told, such as a full disk or a step that is tried again, and
    once a minute what is done.

    ``resumes``: the command that lets a paused one go on.
    """
    if quiet:
        return await waited_for
    if not sys.stderr.isatty():
        return await _wait_telling(
            waited_for,
            lambda: _trouble(ask),
            lambda: _answer(ask, resumes),
            period_s=_SLOW_PERIOD_S,
            first_s=_SLOW_PERIOD_S,
        )
    task = asyncio.ensure_future(waited_for)
    try:
        await _show_until(task, lambda: _answer(ask, resumes))
    finally:
        if not task.done():
            task.cancel()
    return await task


async def _wait_telling(
    waited_for: Awaitable[_T],
    tell: Tell,
    tell_all: Tell,
    *,
    period_s: float,
    first_s: float = 0,
) -> _T:
    """Await it; meanwhile print what ``tell`` says whenever that changes, the first time after ``first_s``.

    A minute without a line gets one of ``tell_all``.
    """
    task, last = asyncio.ensure_future(waited_for), ""
    minutes = _Minutes(asyncio.get_running_loop())
    try:
        await asyncio.wait({task}, timeout=first_s)
        while not task.done():
            said = await tell()
            if said in (last, _ENDING):
                said = await minutes.line(tell_all)
            else:
                last = said
            if said != _ENDING and not task.done():
                sys.stderr.write(f"{harmless(said)}\n")
                sys.stderr.flush()
                minutes.restart()
            await asyncio.wait({task}, timeout=period_s)
    finally:
        if not task.done():
            task.cancel()
    return await task


class _Minutes:
    """Says what goes on, and for how long, when nothing was told for a minute."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._began = self._told = loop.time()

    def restart(self) -> None:
        self._told = self._loop.time()

    async def line(self, tell: Tell) -> str:
        if self._loop.time() - self._told < _MINUTE_S or (said := await tell()) == _ENDING:
            return _ENDING
        return f"{said} · {_clock(self._loop.time() - self._began)}"


@contextmanager
def busy(doing: str, *, quiet: bool, told: bool = False) -> Iterator[Callable[[str], None]]:
    """Show on a terminal's stderr that ``doing`` goes on, unless ``quiet``; gives what changes these words.

    Args:
        told: say it in one line where stderr is no terminal.
    """
    if quiet or not sys.stderr.isatty():
        if told and not quiet:
            sys.stderr.write(f"{harmless(doing)} …\n")
            sys.stderr.flush()
        yield lambda said: None
        return
    from rich.console import Console

    with Console(stderr=True).status(_plain(f"{doing} …")) as line:
        yield lambda said: line.update(_plain(f"{said} …"))


def _plain(line: str) -> "Text":
    """The line as it is: what rich takes for markup, or a terminal for a command, is neither."""
    from rich.text import Text

    return Text(harmless(line))


async def _show_until(task: "asyncio.Future[_T]", tell: Callable[[], Awaitable[str]]) -> None:
    from rich.console import Console

    loop = asyncio.get_running_loop()
    began = loop.time()
    with Console(stderr=True).status("starting …") as line:
        while not task.done():
            said = await tell()
            line.update(_plain(f"{said} · {_clock(loop.time() - began)}"))
            await asyncio.wait({task}, timeout=_PERIOD_S)


async def _trouble(ask: Callable[[], Awaitable[Progress | None]]) -> str:
    try:
        progress = await ask()
    except EngineUnavailable:
        return _ENDING
    is_told = progress is not None and progress.code and not progress.outcome
    return f"{progress.code}: {progress.detail}" if progress and is_told else _ENDING


async def _answer(ask: Callable[[], Awaitable[Progress | None]], resumes: str) -> str:
    try:
        progress = await ask()
    except EngineUnavailable:
        return "waiting for a worker (`penwright status` shows whether one runs)"
    return describe(progress, resumes=resumes) if progress else _ENDING


def _by_step(ask: Callable[[], Awaitable[Progress | None]]) -> Callable[[], Awaitable[Progress | None]]:
    """``ask`` for the step alone: the tokens that have come of an answer are other ones each time."""

    async def of_step() -> Progress | None:
        told = await ask()
        return told and told.model_copy(update={"detail": told.step})

    return of_step


def describe(progress: Progress, *, resumes: str = "") -> str:
    """One line: what happens, words, money; ``resumes``: the command that lets it go on if it is paused."""
    parts = [progress.detail or progress.stage or "starting"]
    parts.append(told_length(progress.words, progress.unit) if progress.words else "")
    paid = progress.cost_micros or progress.unknown_prices
    parts.append(money(progress.cost_micros, progress.unknown_prices) if paid else "")
    parts.append(f"`{resumes}` goes on" if progress.paused and resumes else "")
    return " · ".join(part for part in parts if part)


def estimated(known: Sequence[int], unknown: int) -> str:
    """The cost of an estimate: the known prices of its roles, and how many have none."""
    if unknown and not known:
        return "cost unknown: no model of it has a known price"
    roles = "1 role" if unknown == 1 else f"{unknown} roles"
    return money(sum(known)) + (f", and {roles} whose model has no known price" if unknown else "")


def money(micros: int, unknown_prices: int = 0) -> str:
    """US dollars, to a tenth of a cent below one dollar; calls of unknown price never count as nothing."""
    if unknown_prices and not micros:
        return "unknown"
    dollars = micros / 1_000_000
    shown = f"${dollars:.3f}" if dollars < 1 else f"${dollars:,.2f}"
    calls = counted(unknown_prices, "call")
    return f"{shown} and {calls} of unknown price" if unknown_prices else shown


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"
