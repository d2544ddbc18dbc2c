"""Activities that run in a worker process, and how many of them it finished or handed back on shutdown."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

HAND_OVER = timedelta(milliseconds=100)
"""Retry delay of a handed-back activity; the delays of the retry policy are meant for failures."""
OVERDUE_S = 60.0
"""Time past its timeout after which an activity counts as stuck; Temporal has long stopped waiting for it."""


@dataclass(frozen=True, slots=True)
class RunningActivity:
    """One activity in this process."""

    activity: str
    queue: str
    since: float
    limit_s: float | None
    """Its start-to-close timeout."""

    def overdue(self, now: float) -> bool:
        """Whether it still holds its slot although Temporal stopped waiting for it."""
        return self.limit_s is not None and now - self.since > self.limit_s + OVERDUE_S


class RunningActivities(Interceptor):
    """Tracks every running activity of the workers that have this interceptor."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._attempts: dict[object, RunningActivity] = {}
        self._slots: dict[str, int] = {}
        self.draining = False
        self.finished = 0
        self.handed_back = 0

    def __len__(self) -> int:
        return len(self._attempts)

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _Counted(next, self)

    def offer(self, queue: str, slots: int) -> None:
        """Note that this process runs ``slots`` activities of ``queue`` at once."""
        self._slots[queue] = slots

    def begin(self, attempt: str, queue: str, limit_s: float | None) -> object:
        """Note that an activity started; returns the key that ``end`` takes."""
        key = object()
        self._attempts[key] = RunningActivity(attempt, queue, self._clock(), limit_s)
        return key

    def end(self, key: object, *, handed_back: bool) -> None:
        """Note that it ended. ``handed_back``: another process will run it."""
        del self._attempts[key]
        self.handed_back += handed_back
        self.finished += self.draining and not handed_back

    def blocked_queue(self) -> str:
        """Return a queue whose every slot is held by an overdue activity; empty if there is none."""
        now = self._clock()
        stuck = Counter(each.queue for each in self._attempts.values() if each.overdue(now))
        return next((queue for queue, slots in self._slots.items() if stuck[queue] >= slots), "")

    # Any: JSON.
    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield each running activity, oldest first."""
        now = self._clock()
        for each in sorted(self._attempts.values(), key=lambda attempt: attempt.since):
            yield {
                "activity": each.activity,
                "queue": each.queue,
                "for_s": round(now - each.since, 1),
                "overdue": each.overdue(now),
            }


class _Counted(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, under_way: RunningActivities) -> None:
        super().__init__(next)
        self._under_way = under_way

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # any activity's own result type
        info = activity.info()
        limit = info.start_to_close_timeout
        key = self._under_way.begin(
            info.activity_type, info.task_queue, limit.total_seconds() if limit else None
        )
        handed_back = False
        try:
            return await super().execute_activity(input)
        except (asyncio.CancelledError, CancelledError):
            handed_back = _worker_stops()
            if handed_back:
                raise ApplicationError(
                    "the worker was stopped; another one runs this activity",
                    type="worker-stopped",
                    next_retry_delay=HAND_OVER,
                ) from None
            raise
        finally:
            self._under_way.end(key, handed_back=handed_back)


def _worker_stops() -> bool:
    """Whether the activity was cancelled because this process ends; otherwise its run cancelled it."""
    details = activity.cancellation_details()
    return details is not None and details.worker_shutdown
