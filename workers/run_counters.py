"""Counters of what runs do: how they ended, their words, cost, refusals, waits and what was not pushed."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from opentelemetry.metrics import Meter
from temporalio.client import Interceptor as ClientInterceptor
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from schemas.book_session import BookSessionResult, EndSession
from schemas.citation_scan import EndScan
from schemas.continuity import EndReading
from schemas.director_round import EndRound
from schemas.manuscript import EndManuscript
from schemas.model import Usage

Waiting = Callable[[], AbstractContextManager[None]]
_PIPELINES: Final[Mapping[type, str]] = {
    EndSession: "book",
    EndManuscript: "manuscript",
    EndScan: "scan",
    EndRound: "scene",
    EndReading: "reading",
}
_PENDING: Final = "pending"


class RunCounters(ClientInterceptor, Interceptor):
    """Counts runs by how they ended, in their last activity; one that is repeated is counted again."""

    def __init__(self, meter: Meter) -> None:
        self._sessions = meter.create_counter("penwright.sessions", "{session}", "Runs that ended")
        self._words = meter.create_counter("penwright.words", "{word}", "Words of sessions that wrote a book")
        self._unpushed = meter.create_counter(
            "penwright.unpushed", "{session}", "Runs whose commits no remote has yet"
        )

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _Ends(next, self._count)

    # Any: a request of any activity.
    def _count(self, asked: Any) -> None:
        pipeline = _PIPELINES.get(type(asked))
        if pipeline is None:
            return
        told = asked.result
        self._sessions.add(1, {"penwright.pipeline": pipeline, "penwright.outcome": told.outcome})
        if isinstance(told, BookSessionResult):
            self._words.add(told.report.session_word_count if told.report else 0)
        if not isinstance(asked, EndRound):
            self._unpushed.add(int(told.push == _PENDING), {"penwright.pipeline": pipeline})


class _Ends(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, count: Callable[[Any], None]) -> None:
        super().__init__(next)
        self._count = count

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # the SDK's own signature
        done = await super().execute_activity(input)
        if input.args:
            self._count(input.args[0])
        return done


class CallCounters:
    """Counts what calls to models cost, how many were refused, and how many waited for their vendor."""

    def __init__(self, meter: Meter) -> None:
        self._cost = meter.create_counter("penwright.cost", "{microdollar}", "Cost of model calls, if known")
        self._refusals = meter.create_counter("penwright.refusals", "{call}", "Calls that a model refused")
        self._waits = meter.create_counter("penwright.waits", "{call}", "Calls that waited for their vendor")

    def paid(self, model: str, usage: Usage, *, refused: bool) -> None:
        """Count a call that was answered."""
        named = {"gen_ai.response.model": model}
        self._cost.add(usage.cost_micros or 0, named)
        self._refusals.add(int(refused), named)

    def counted(self, waiting: Waiting) -> Waiting:
        """``waiting``, which counts each call that enters it."""

        @contextmanager
        def counting() -> Iterator[None]:
            self._waits.add(1)
            with waiting():
                yield

        return counting
