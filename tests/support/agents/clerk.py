"""An agent to be driven: a clerk who reads pages, writes them, sends letters, and may be shut out."""

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.guardrails.known_files import FileSeen, FileWritten
from penwright.agents.state import SliceItem, StateView
from penwright.agents.tools.tool import Arguments, Failed, Ok, Tool, ToolContext, ToolResult
from penwright.errors import PassingError
from tests.support.agents.loop import World


class Page(Arguments):
    """Which page."""

    path: str
    times: int = 1


class Letter(Arguments):
    """What to send."""

    to: str
    text: str = ""


class Door(SliceItem):
    """Whether the archive is open."""

    event_name: ClassVar[str] = "clerk.door"
    open: bool


class Remark(SliceItem):
    """An event that is kept even if its call fails."""

    event_name: ClassVar[str] = "clerk.remark"
    slice_policy: ClassVar[Any] = "log"
    text: str


class Report(BaseModel):
    """What the clerk answers."""

    words: int
    title: str = ""


async def read_page(params: Page, context: ToolContext) -> ToolResult:
    files = context.resource(World).files
    digest = files.get(params.path, "")
    return Ok(
        text=f"page {params.path}: {digest or 'missing'}", events=(FileSeen(path=params.path, digest=digest),)
    )


async def write_page(params: Page, context: ToolContext) -> ToolResult:
    world = context.resource(World)
    digest = f"written-{context.key}"
    world.files[params.path] = digest
    events = (FileWritten(path=params.path, digest=digest),)
    return Ok(text=f"wrote {params.path}", events=events, commit=f"commit-{context.key}")


async def send(params: Letter, context: ToolContext) -> ToolResult:
    return Ok(text=f"sent to {params.to}")


async def fail(params: Page, context: ToolContext) -> ToolResult:
    events = (Door(open=False), Remark(text="tried"))
    return Failed(
        code="no-such-page", message="There is no such page.", hint="List them first.", events=events
    )


async def flaky(params: Page, context: ToolContext) -> ToolResult:
    """Fails ``times`` times, then works."""
    if context.resource(World).attempts[context.key] <= params.times:
        raise PassingError("shelf-busy", "the shelf did not answer; it will again")
    return Ok(text="worked at last")


async def huge(params: Page, context: ToolContext) -> ToolResult:
    return Ok(text="x" * 6_000_000)


def shut(params: Page, state: StateView) -> ToolResult:
    return Ok(text="shut", events=(Door(open=False),))


def count(params: Page, state: StateView) -> ToolResult:
    return Ok(text="y" * 6_000_000 if params.times > 1 else f"{len(state.all(Remark))} remarks")


def break_down(params: Page, state: StateView) -> ToolResult:
    raise ValueError("a bug in a tool")


def is_open(params: BaseModel | None, state: StateView) -> bool:
    door = state.latest(Door)
    return door is None or door.open


def tool(name: str, handler: Any, effect: Any = "read", **more: Any) -> Tool:  # Any: parts of a tool
    params = {"params": Page, "description": f"To {name}.", **more}
    return Tool(name=name, handler=handler, effect=effect, **params)


TOOLS = (
    tool("read_page", read_page, events=(FileSeen,)),
    tool("write_page", write_page, "workspace-write"),
    tool("send", send, "external", params=Letter),
    tool("fail", fail, events=(Door, Remark)),
    tool("flaky", flaky),
    tool("vital", flaky, fatal=True),
    tool("huge", huge),
    tool("shut", shut, "pure", events=(Door,)),
    tool("count", count, "pure"),
    tool("break_down", break_down, "pure"),
)


def clerk(*more: Tool, hidden: Sequence[Tool] = (), **changes: Any) -> AgentDefinition:  # Any: its fields
    """The clerk; ``archive`` is a section that ``shut`` closes."""
    archive = (tool("fetch", read_page, events=(FileSeen,)), *hidden)
    sections = (
        Section(key="desk", title="Desk", body="Work.", tools=(*TOOLS, *more)),
        Section(key="archive", title="Archive", body="Look.", enabled=is_open, tools=archive),
    )
    fields = {
        "namespace": "test",
        "key": "agent",
        "title": "Clerk",
        "sections": sections,
        "slices": (Door, Remark),
    }
    return AgentDefinition(**{**fields, **changes})
