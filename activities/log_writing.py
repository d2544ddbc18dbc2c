"""Entries of the agents' log, coalesced: one transaction for all that come within a moment."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from penwright.errors import PermanentError
from penwright.ports.agents import AgentLogs
from schemas.agent_state import LogEntry, StateKey

QUIET_S = 0.2
"""Seconds that the first entry waits for company."""

Batch = tuple[tuple[StateKey, LogEntry], ...]


@dataclass
class LogWriter:
    """The one place that appends to the log. An entry counts as logged only when it is stored, so that an
    activity that is interrupted before sends it again; op ids make that harmless."""

    logs: AgentLogs
    quiet_s: float = QUIET_S
    _waiting: list[tuple[Batch, "asyncio.Future[None]"]] = field(default_factory=list)
    _hurry: asyncio.Event = field(default_factory=asyncio.Event)
    _flushing: "asyncio.Task[None] | None" = None

    async def append(self, key: StateKey, entries: Sequence[LogEntry], *, now: bool = False) -> None:
        """Return when ``entries`` are stored, together with others' that came meanwhile.

        Args:
            now: store them without waiting for others, because the run ends.
        """
        if not entries:
            return
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((tuple((key, entry) for entry in entries), stored))
        if now:
            self._hurry.set()
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.create_task(self._flush())
        await stored

    async def _flush(self) -> None:
        while self._waiting:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._hurry.wait(), self.quiet_s)
            self._hurry.clear()
            taken, self._waiting = self._waiting, []
            await self._store(taken)

    async def _store(self, taken: list[tuple[Batch, "asyncio.Future[None]"]]) -> None:
        try:
            await asyncio.to_thread(self.logs.append, [each for batch, _ in taken for each in batch])
        except PermanentError as error:
            if len(taken) == 1:
                _conclude(taken, error)
                return
            # One bad entry must not hold up the others that it came with.
            for each in taken:
                await self._store([each])
        except BaseException as error:
            _conclude(taken, error)
            if not isinstance(error, Exception):
                raise
        else:
            _conclude(taken, None)


def _conclude(taken: list[tuple[Batch, "asyncio.Future[None]"]], error: BaseException | None) -> None:
    for _, stored in taken:
        if stored.done():
            continue  # the caller that waited was cancelled
        if error is None:
            stored.set_result(None)
        else:
            stored.set_exception(error)
