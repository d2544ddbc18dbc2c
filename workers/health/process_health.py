"""Whether a worker process lives and can work, and why not."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from workers.health.answers import Answer, healthy, unavailable
from workers.health.liveness import LivenessReport
from workers.health.running_activities import RunningActivities

FRESH_S = 1.0
"""Time the answers of the servers are cached, so that probes cannot load them."""


@dataclass(frozen=True, slots=True)
class NotReadyReason:
    """Reason why a process cannot work."""

    reason: str
    """For programs: ``database-unreachable``."""
    message: str


Check = Callable[[], Awaitable[NotReadyReason | None]]
Phase = Literal["starting", "working", "draining"]

STARTING = NotReadyReason("starting", "the process is starting")
DRAINING = NotReadyReason("draining", "the process is stopping and takes no more work")


class ProcessHealth:
    """The health of this process; everything runs on its event loop."""

    def __init__(
        self, process: str, under_way: RunningActivities, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.process = process
        self.under_way = under_way
        self.health: str | None = None
        self.phase: Phase = "starting"
        self.step = ""
        """What it does at this point of its start."""
        self.checks: Sequence[Check] = ()
        self._clock = clock
        self._began = clock()
        self._turned = clock()
        self._turns = 0
        self._known: NotReadyReason | None = STARTING
        self._looked: float | None = None
        self._looking = asyncio.Lock()

    def turn(self) -> None:
        """Note that the event loop came round."""
        self._turned = self._clock()
        self._turns += 1

    def work(self, checks: Sequence[Check]) -> None:
        """The workers run; from now on readiness is what ``checks`` find."""
        self.phase, self.checks = "working", checks

    def drain(self) -> None:
        """No more work from now on."""
        self.phase = "draining"
        self.under_way.draining = True

    def alive(self) -> Answer:
        """Answer ``/healthz``: 200, or 503 if overdue activities hold every slot of a queue."""
        now = self._clock()
        details = {
            "process": self.process,
            "pid": os.getpid(),
            "phase": self.phase,
            "uptime_s": round(now - self._began, 1),
            "turns": self._turns,
            "turned_s_ago": round(now - self._turned, 2),
            "under_way": list(self.under_way.rows()),
        }
        if queue := self.under_way.blocked_queue():
            message = f"every slot of the queue {queue!r} is held by an activity that is long overdue"
            return unavailable("activities-stuck", message, **details)
        return healthy(**details)

    async def ready(self) -> Answer:
        """Answer ``/readyz``: whether new work would be done now."""
        lack = await self._lack()
        return unavailable(lack.reason, lack.message) if lack else healthy()

    def pulse(self) -> LivenessReport:
        """The beat of this moment, with what was last known of the servers."""
        own = self._own()
        known = own if own or self.phase == "starting" else self._known
        return LivenessReport(
            reason=known.reason if known else "",
            step=self.step if self.phase == "starting" else "",
            health=self.health,
            under_way=len(self.under_way),
            finished=self.under_way.finished,
            handed_back=self.under_way.handed_back,
        )

    def _own(self) -> NotReadyReason | None:
        return {"starting": STARTING, "draining": DRAINING}.get(self.phase)

    async def _lack(self) -> NotReadyReason | None:
        if own := self._own():
            return own
        async with self._looking:
            if self._looked is None or self._clock() - self._looked > FRESH_S:
                self._known = await _first(self.checks)
                self._looked = self._clock()
        # It may have been asked to stop meanwhile.
        return self._own() or self._known


async def _first(checks: Sequence[Check]) -> NotReadyReason | None:
    for check in checks:
        if lack := await check():
            return lack
    return None
