"""Small workflows for the tests of this room, apart because the sandbox imports a workflow's whole module."""

from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy

from penwright.errors import BrokenBook, Refused
from schemas.base import Value


class Text(Value):
    """A value of any size."""

    text: str


@workflow.defn
class Troubled:
    """Runs one activity that may fail."""

    @workflow.run
    async def run(self) -> str:
        said: str = await workflow.execute_activity(
            "trouble",
            start_to_close_timeout=timedelta(seconds=10),
            retry_policy=RetryPolicy(maximum_attempts=5, initial_interval=timedelta(milliseconds=10)),
            result_type=str,
        )
        return said


@workflow.defn
class Refusing:
    """Fails by itself, or refuses an update."""

    def __init__(self) -> None:
        self._ended = False

    @workflow.run
    async def run(self, at_once: bool) -> None:
        if at_once:
            raise BrokenBook(
                "config-broken", "'Config.yml' has no 'target_length'; add it", file="Config.yml"
            )
        await workflow.wait_condition(lambda: self._ended)

    @workflow.update
    async def ask(self, code: str) -> None:
        self._ended = code == "end"
        if not self._ended:
            raise Refused(code, "the book is sealed; nothing was changed")


@workflow.defn
class Growing:
    """Returns its text so many times over."""

    @workflow.run
    async def run(self, given: Text) -> Text:
        return Text(text=given.text * int(given.text[0]))


@workflow.defn
class Echo:
    """Returns its input, or fails with it."""

    @workflow.run
    async def run(self, words: str) -> str:
        if words.startswith("fail"):
            raise Refused("no", words)
        return words


@workflow.defn
class Waiting:
    """Runs two slow activities side by side."""

    @workflow.run
    async def run(self) -> list[str]:
        both = [
            workflow.start_activity(
                name,
                start_to_close_timeout=timedelta(seconds=30),
                heartbeat_timeout=timedelta(seconds=1),
                result_type=str,
            )
            for name in ("in_thread", "on_loop")
        ]
        return [await one for one in both]
