"""The services that evals work with. Tests bring their own."""

from collections.abc import AsyncIterator, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from typing import TYPE_CHECKING, Protocol

from gateway.desk.engine.connecting import client, running
from gateway.desk.installed_services import InstalledServices

if TYPE_CHECKING:
    from activities.agents.eval_archive import EvalArchive
    from gateway.desk.engine.pipelines import Message
    from schemas.agent_run import RunQueues
    from schemas.base import Progress
    from schemas.eval_run import EvalRunInput, EvalRunResult


class EvalRuns(Protocol):
    """Evals as commands see them."""

    async def start(self, given: "EvalRunInput") -> bool:
        """Whether it was started; False if one of that id runs already."""
        ...

    async def result(self, eval_id: str) -> "EvalRunResult":
        """Wait for the running or latest one to end."""
        ...

    async def progress(self, eval_id: str) -> "Progress | None": ...

    async def signal(self, eval_id: str, message: "Message") -> None:
        """Kill, pause or resume it; ``Refused`` ``nothing-runs`` when no such eval runs."""
        ...


class EvalServices(Protocol):
    """Everything outside the desk itself."""

    def archive(self) -> "AbstractContextManager[EvalArchive]":
        """``EngineUnavailable`` or ``StoreUnavailable`` when nothing runs."""
        ...

    def evals(self) -> AbstractAsyncContextManager[EvalRuns]:
        """``EngineUnavailable`` when nothing runs."""
        ...

    def queues(self) -> "RunQueues": ...

    def register_agents(self) -> None:
        """Register the agents of this installation."""
        ...

    def person(self) -> str: ...


class InstalledEvalServices:
    """The services of this installation, opened when they are used."""

    def __init__(self) -> None:
        self._installed = InstalledServices()

    @contextmanager
    def archive(self) -> "Iterator[EvalArchive]":
        from activities.agents.eval_archive import EvalArchive
        from workers.store_opening import open_store_of

        store = open_store_of(self._installed.loaded().settings)
        try:
            yield EvalArchive(store.records, store.evals, store.blobs)
        finally:
            store.close()

    @asynccontextmanager
    async def evals(self) -> AsyncIterator[EvalRuns]:
        settings = running(self._installed.loaded().settings)

        from gateway.desk.engine.temporal.evals import TemporalEvals

        yield TemporalEvals(await client(settings), settings.worker.queue)

    def queues(self) -> "RunQueues":
        from schemas.agent_run import RunQueues

        settings = self._installed.loaded().settings
        return RunQueues(models=settings.worker.model_queue, tools=settings.repo_queue)

    def register_agents(self) -> None:
        self._installed.register_agents()

    def person(self) -> str:
        return self._installed.person()
