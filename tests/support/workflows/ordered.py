"""A workflow that takes orders of every kind, for signatures."""

from collections.abc import Mapping
from datetime import timedelta

from pydantic import BaseModel, ConfigDict
from temporalio import activity, workflow


class Wish(BaseModel):
    """What is ordered."""

    model_config = ConfigDict(frozen=True)

    words: str = ""
    marks: Mapping[str, float] = {}
    waits: bool = True


@activity.defn
async def start_another(name: str) -> str:
    """Start a run from an activity, as notifications are."""
    client, queue = activity.client(), activity.info().task_queue
    handle = await client.start_workflow("Ordered", Wish(waits=False), id=name, task_queue=queue)
    return str(await handle.result())


@workflow.defn
class Ordered:
    """Remembers what it was told, and ends with it."""

    def __init__(self) -> None:
        self._told: list[str] = []
        self._ends = False
        self._turns = False

    @workflow.run
    async def run(self, given: Wish) -> str:
        await workflow.wait_condition(lambda: not given.waits or self._ends or self._turns)
        if self._turns:
            heard = f"{given.words}{','.join(self._told)};"
            workflow.continue_as_new(given.model_copy(update={"words": heard}))
        return given.words + ",".join(self._told)

    @workflow.signal
    def tell(self, wish: Wish) -> None:
        self._told.append(wish.words)

    @workflow.signal
    def end(self) -> None:
        self._ends = True

    @workflow.signal
    def turn(self) -> None:
        """Continue as new."""
        self._turns = True

    @workflow.update
    def say(self, wish: Wish) -> str:
        self._told.append(wish.words)
        return wish.words

    @workflow.update
    def say_checked(self, wish: Wish) -> str:
        self._told.append(wish.words)
        return wish.words

    @say_checked.validator
    def _check(self, wish: Wish) -> None:
        if not wish.words:
            raise ValueError("nothing said")

    @workflow.query
    def told(self) -> list[str]:
        return self._told


@workflow.defn
class Ordering:
    """Orders others: a child, what it is told, and a run that an activity starts."""

    @workflow.run
    async def run(self, name: str) -> list[str]:
        child = await workflow.start_child_workflow("Ordered", Wish(words="child:"), id=f"{name}/child")
        await child.signal("tell", Wish(words="inner"))
        outside = workflow.get_external_workflow_handle(f"{name}/child")
        await outside.signal("tell", Wish(words="outer"))
        await outside.signal("end")
        started = await workflow.execute_activity(
            start_another, f"{name}/other", start_to_close_timeout=timedelta(seconds=20)
        )
        return [str(await child), started]


@workflow.defn
class Asking:
    """Orders one activity of another queue."""

    @workflow.run
    async def run(self, name: str, queue: str) -> str:
        return await workflow.execute_activity(
            start_another, name, task_queue=queue, start_to_close_timeout=timedelta(seconds=20)
        )
