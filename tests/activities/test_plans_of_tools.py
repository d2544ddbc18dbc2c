"""A tool's plan is published by the loop, once, and only if its call succeeds."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel

from activities.agents.tools import AgentToolActivities
from penwright.adapters.clock import SystemClock
from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.guardrails.completion import FilesExist, asked
from penwright.agents.state import StateView, apply, empty_state, load_event
from penwright.agents.tools.plan import Plan
from penwright.agents.tools.resources import Resources, opened
from penwright.agents.tools.tool import Arguments, Failed, Ok, Tool, ToolContext, ToolResult
from penwright.errors import PassingError, StoreUnavailable
from penwright.ports.blobs import Blobs
from penwright.roles import catalogue
from schemas.agent import SerializedState
from schemas.agent_run import CheckWork, RunToolCall, ToolCallResult
from schemas.base import BlobRef, CommitSha, Effect, OpId
from schemas.trace import MutationClass
from schemas.workspace import Create, Denial, Published
from tests.support.agents.guardrails import a_trajectory
from tests.support.doubles.store import memory_store

COMMIT = CommitSha("c" * 40)


class Wanted(Arguments):
    how: str = "plan"


PLAN = Plan(operations=(Create(path="a.md", content="A."),), mutation=MutationClass.INTENT_EVOLUTION)
ATTEMPTS: list[str] = []


async def _change(params: Wanted, context: ToolContext) -> ToolResult:
    ATTEMPTS.append(params.how)
    match params.how:
        case "fail":
            return Failed(code="no-ink", message="There is no ink.")
        case "raise":
            raise ValueError("no such shelf")
        case "raise once" if len(ATTEMPTS) == 1:
            raise ValueError("no such shelf")
        case "raise once":
            return Ok(text="Found.")
        case "outage":
            raise StoreUnavailable("store-unavailable", "the database is away")
        case "chatter":
            return Ok(plan=PLAN, text=f"attempt {len(ATTEMPTS)}")
        case _:
            return Ok(plan=PLAN)


CHANGE = Tool(
    name="change", description="Change it.", params=Wanted, effect="workspace-write", handler=_change
)


async def _post(params: Wanted, context: ToolContext) -> ToolResult:
    ATTEMPTS.append(params.how)
    return Ok(text="Posted".ljust(int(params.how), "."))


POST = Tool(
    name="post", description="Post it.", params=Wanted, effect="external", handler=_post, approval=False
)
LOOK = Tool(name="look", description="Look.", params=Wanted, effect="read", handler=_change)
SCRIBE = AgentDefinition(
    namespace="test",
    key="scribe",
    title="A scribe",
    sections=(Section(key="desk", title="Desk", body="Write.", tools=(CHANGE, LOOK, POST)),),
)
catalogue.register_agents(catalogue.Entry(SCRIBE))


@pytest.fixture(autouse=True)
def _first_attempt() -> None:
    ATTEMPTS.clear()


@dataclass
class Book:
    """A workspace that publishes plans, and a workbench for it."""

    done: list[Plan] = field(default_factory=list)
    denial: Denial | None = None
    lost: int = 0
    """How often the answer to a publishing is lost."""

    def earlier(self, asked: BaseModel) -> Published | None:
        return Published(outcome="published", commit=COMMIT, repeated=True) if self.done else None

    def publish(self, plan: Plan, asked: BaseModel, state: StateView) -> Published:
        if self.denial is not None:
            return Published(outcome="denied", denial=self.denial)
        self.done.append(plan)
        if self.lost:
            self.lost -= 1
            raise PassingError("store-away", "the answer was lost")
        return Published(outcome="published", commit=COMMIT)

    def files(self, published: Published) -> dict[str, str]:
        return {"a.md": "d1"}

    @asynccontextmanager
    async def call(self, request: RunToolCall | CheckWork) -> AsyncIterator[Resources]:
        async with opened(()) as resources, resources.call() as own:
            yield own

    def publisher(self, request: RunToolCall) -> "Book | None":
        return self if request.subject == "book" else None


class Away:
    """A store of texts that does not answer."""

    def put(self, content: bytes) -> BlobRef:
        raise StoreUnavailable("store-unavailable", "the database is away")

    def get(self, ref: BlobRef) -> bytes:
        raise StoreUnavailable("store-unavailable", "the database is away")


async def told(
    book: Book,
    how: str = "plan",
    *,
    tool: str = "change",
    subject: str = "book",
    blobs: Blobs | None = None,
) -> ToolCallResult:
    """The result of a call; attempted again after a passing error."""
    activities = AgentToolActivities(book, blobs or memory_store(clock=SystemClock()).blobs)
    request = RunToolCall(
        effect=Effect(op_id=OpId("r/call/1"), issued_at=datetime(2026, 3, 1, tzinfo=UTC)),
        agent="test/scribe",
        run_id="r",
        subject=subject,
        number=1,
        call_id="c",
        tool=tool,
        arguments={"how": how},
        state=SerializedState(),
    )
    try:
        return await activities.carry_out(request)
    except PassingError:
        return await activities.carry_out(request)


# Any: as ``told``.
async def called(book: Book, how: str = "plan", **more: Any) -> list[str]:
    """Fate, code, commit and text of a call."""
    result = await told(book, how, **more)
    return [result.fate, result.code, result.commit, result.text]


async def test_a_plan_is_published_and_named_by_its_commit() -> None:
    book = Book()

    assert await called(book) == ["ok", "", COMMIT, "Published as cccccccccc."]
    assert book.done == [PLAN]


async def test_a_completion_check_knows_the_files_that_a_plan_changed() -> None:
    """Also where only a second attempt learns that the first one had published it."""
    wanted = FilesExist(paths=("a.md",))
    for book in (Book(), Book(lost=1)):
        events = [load_event(each, SCRIBE.registry) for each in (await told(book)).events]
        state = apply(empty_state(SCRIBE.registry), events)
        assert asked(wanted, a_trajectory(), "", state).complete


async def test_a_second_attempt_says_what_the_first_one_published() -> None:
    book = Book(lost=1)

    assert await called(book) == ["ok", "", COMMIT, "Published as cccccccccc."]
    assert (book.done, ATTEMPTS) == ([PLAN], ["plan"])


@pytest.mark.parametrize(
    ("how", "tool", "subject", "code"),
    [
        ("fail", "change", "book", "no-ink"),
        ("chatter", "change", "book", "result-not-as-declared"),
        ("plan", "look", "book", "plan-not-allowed"),
        ("plan", "change", "no book", "no-workspace"),
    ],
)
async def test_a_call_that_fails_has_published_nothing(how: str, tool: str, subject: str, code: str) -> None:
    book = Book()

    answered = await called(book, how, tool=tool, subject=subject)

    assert answered[:3] == ["failed", code, ""]
    assert book.done == []


@pytest.mark.parametrize("size", [20, 100_000])
async def test_an_external_call_is_not_made_again_because_its_result_cannot_be_stored(size: int) -> None:

    fate, code, _, text = await called(Book(), f"{size}", tool="post", blobs=Away())

    assert (fate, code, ATTEMPTS) == ("ok", "", [f"{size}"])
    assert text.startswith("Posted")
    assert len(text) < 50_000
    assert ("could not be stored" in text) == (size > 50_000)


async def test_a_call_that_can_be_repeated_is_until_its_result_is_stored() -> None:

    with pytest.raises(StoreUnavailable):
        await called(Book(), "fail", tool="look", blobs=Away())

    assert ATTEMPTS == ["fail", "fail"]


async def test_a_denied_plan_is_a_failure_with_its_hint() -> None:
    denial = Denial(
        error_type="SCOPE",
        error_code="OUT_OF_SCOPE",
        message="Not yours.",
        action_hint="Ask.",
        recoverable=True,
    )
    answered = await called(Book(denial=denial))

    assert answered == ["failed", "out-of-scope", "", "Not yours. Ask."]


@pytest.mark.parametrize("tool", ["look", "change"])
async def test_what_a_tool_raises_itself_is_answered_after_few_attempts_and_logged_once(
    tool: str, caplog: pytest.LogCaptureFixture
) -> None:
    began = time.monotonic()
    fate, code, commit, text = await called(Book(), "raise", tool=tool)

    assert (fate, code, commit) == ("failed", "tool-failed", "")
    assert f"The tool '{tool}' failed in each of 3 attempts: ValueError('no such shelf')" in text
    assert ATTEMPTS == ["raise"] * 3
    assert time.monotonic() - began < 3
    assert [each.getMessage() for each in caplog.records if each.levelname == "WARNING"] == [
        f"the tool '{tool}' failed in each of 3 attempts"
    ]


async def test_a_tool_that_raises_once_is_called_again() -> None:
    assert await called(Book(), "raise once", tool="look") == ["ok", "", "", "Found."]
    assert ATTEMPTS == ["raise once"] * 2


async def test_an_outage_that_a_tool_meets_is_left_to_the_worker() -> None:
    with pytest.raises(StoreUnavailable):
        await called(Book(), "outage", tool="look")

    assert ATTEMPTS == ["outage"] * 2, "one for each attempt of the activity"
