"""The section that gives an agent the files of a book; its definition names ``SLICES`` among its own."""

import asyncio
from collections.abc import Callable
from typing import Annotated, Final, TypeVar

from pydantic import Field

from penwright.agents.definition.agent import Section
from penwright.agents.files.filesystem import Filesystem
from penwright.agents.files.paths import canonical
from penwright.agents.guardrails.known_files import FileSeen, FileWritten
from penwright.agents.guardrails.policies import IntentSelected
from penwright.agents.guardrails.selected_intent import SelectedIntent
from penwright.agents.tools.plan import Plan
from penwright.agents.tools.tool import Arguments, Failed, Ok, Tool, ToolContext, ToolResult
from penwright.domain.intents.baseline import shown
from penwright.domain.text.blocks import blocks_of
from penwright.errors import PermanentError, Refused, UsageMistake
from penwright.roles.outside_agent import reading, searching
from penwright.roles.outside_agent.telling import denial_of
from penwright.roles.outside_agent.tools import TOOLS, IntentId, ReadChapter, ReadMaterial, SearchBook
from penwright.roles.prompt_file import PromptFile
from penwright.roles.workspace.desk import WorkspaceDesk
from penwright.roles.workspace.shown import ShownFile, shown_event, shown_of
from schemas.outside_agent import HandshakeResult, PageOfText, SearchHits, WrittenFile
from schemas.trace import MutationClass
from schemas.workspace import Create, Denial, Modify, Operation, Published, ReadBaseline

Path = Annotated[str, Field(min_length=1, max_length=1024)]
Content = Annotated[str, Field(max_length=40_000)]


class SelectIntent(Arguments):
    intent_id: IntentId
    """An intent in progress, such as INT-001."""


class WriteToFile(Arguments):
    path: Path
    """Relative to the top of the book, such as `Global Material/Lore.md`."""
    content: Content
    """All that shall stand in the file."""
    mutation_class: MutationClass
    """AST_REFACTOR if the text says the same in another form, INTENT_EVOLUTION for anything else."""


class Edit(Arguments):
    path: Path
    """Relative to the top of the book."""
    old: Annotated[str, Field(min_length=1, max_length=20_000)]
    """Text as it stands in the file, once."""
    new: Annotated[str, Field(max_length=20_000)]
    """What shall stand in its place; empty takes it away."""
    mutation_class: MutationClass
    """AST_REFACTOR if the text says the same in another form, INTENT_EVOLUTION for anything else."""


WRITE: Final = "write_to_file"
EDIT: Final = "edit"
_AGAIN: Final = "read it again, and make the change to what it says now"

Asked = TypeVar("Asked", bound=Arguments)


async def select_active_intent(params: SelectIntent, context: ToolContext) -> ToolResult:
    return await _told(_select, params, context)


async def read_chapter(params: ReadChapter, context: ToolContext) -> ToolResult:
    return await _told(_read_chapter, params, context)


async def read_material(params: ReadMaterial, context: ToolContext) -> ToolResult:
    return await _told(_read_material, params, context)


async def search_book(params: SearchBook, context: ToolContext) -> ToolResult:
    return await _told(_search, params, context)


async def write_to_file(params: WriteToFile, context: ToolContext) -> ToolResult:
    return await _told(_write, params, context)


async def edit(params: Edit, context: ToolContext) -> ToolResult:
    return await _told(_edit, params, context)


async def _told(
    rule: Callable[[Asked, ToolContext], ToolResult], params: Asked, context: ToolContext
) -> ToolResult:
    """Run off the event loop; a refusal has the same form as for outside agents."""
    try:
        return await asyncio.to_thread(rule, params, context)
    except PermanentError as error:
        return _denied(denial_of(error))


def _denied(denial: Denial) -> Failed:
    code = denial.error_code.lower().replace("_", "-")
    return Failed(code=code, message=denial.model_dump_json(exclude={"asks"}))


def _select(params: SelectIntent, context: ToolContext) -> ToolResult:
    selected = context.resource(WorkspaceDesk).select(params.intent_id)
    pin = selected.pin
    return Ok(
        value=HandshakeResult(intent=pin.intent_id, context=selected.context, overlaps=selected.overlaps),
        events=(SelectedIntent(intent_id=pin.intent_id, digest=pin.digest),),
    )


def _read_chapter(params: ReadChapter, context: ToolContext) -> ToolResult:
    files = _files(context)
    return _page(files, reading.read_chapter(files, params.number, params.offset))


def _read_material(params: ReadMaterial, context: ToolContext) -> ToolResult:
    files = _files(context)
    return _page(files, reading.read_material(files, params.path, params.offset))


def _search(params: SearchBook, context: ToolContext) -> ToolResult:
    return Ok(value=searching.search(_files(context), params.text, params.most))


def _page(files: Filesystem, page: PageOfText) -> ToolResult:
    """A page of a file; only blocks that are wholly on it count as shown."""
    whole = files.read(page.path).decode()
    begins = page.offset == 0 or whole[page.offset - 1 : page.offset] == "\n"
    first = whole.count("\n", 0, page.offset) + (1 if begins else 2)
    last = None if page.next_offset is None else whole.count("\n", 0, page.next_offset)
    seen = shown(page.path, page.blob, whole, first=first, last=last)
    return Ok(value=page, events=(shown_event(seen), FileSeen(path=page.path, digest=page.blob)))


def _write(params: WriteToFile, context: ToolContext) -> ToolResult:
    path, content = _spelled(params.path), _text(params.content)
    _require_pin(context)
    seen = shown_of(context.state, path)
    # A text made from what was shown replaces what was shown; what others changed since is merged.
    base = seen.blob if seen else _files(context).digest(path)
    operation = Modify(path=path, content=content, base=base) if base else Create(path=path, content=content)
    return _planned(operation, params.mutation_class, seen)


def _edit(params: Edit, context: ToolContext) -> ToolResult:
    path, files = _spelled(params.path), _files(context)
    _require_pin(context)
    before = reading.decoded(path, files.read(path))
    if (found := before.count(params.old)) != 1:
        what = "does not hold that text" if not found else f"holds that text {found} times"
        raise Refused(
            "text-not-once",
            f"{path!r} {what}; nothing was changed",
            action_hint="read the file, and give a text that occurs in it exactly once",
        )
    content = _text(before.replace(params.old, params.new))
    operation = Modify(path=path, content=content, base=files.digest(path))
    return _planned(operation, params.mutation_class, shown_of(context.state, path))


def _planned(operation: Operation, mutation: MutationClass, seen: ReadBaseline | None) -> Ok:
    return Ok(plan=Plan(operations=(operation,), mutation=mutation, seen=(seen,) if seen else ()))


def written(params: WriteToFile, context: ToolContext, published: Published) -> ToolResult:
    """Result of ``write_to_file`` after its plan: it gave the whole content of the file."""
    return _published(context, _spelled(params.path), published, all_of=True)


def edited(params: Edit, context: ToolContext, published: Published) -> ToolResult:
    """Result of ``edit`` after its plan."""
    return _published(context, _spelled(params.path), published, all_of=False)


def _published(context: ToolContext, path: str, published: Published, *, all_of: bool) -> ToolResult:
    """The result of a change; ``all_of``: it gave the whole content of the file."""
    if published.denial is not None:
        return _denied(published.denial)
    if published.outcome == "conflict" or published.commit is None:
        return _denied(_changed_meanwhile(path))
    if published.outcome == "unchanged":
        return Ok(value=WrittenFile(path=path), text=f"{path!r} says that already; nothing was changed.")
    seen = _known_now(context, path, published, all_of=all_of)
    return Ok(
        value=WrittenFile(path=path, blob=seen.blob, commit=published.commit, merged=published.reconciled),
        events=(shown_event(seen), FileWritten(path=path, digest=seen.blob)),
        commit=published.commit,
    )


def _known_now(context: ToolContext, path: str, published: Published, *, all_of: bool) -> ReadBaseline:
    """Baseline of a file that the agent changed: what it was shown of it, and what it wrote itself."""
    desk = context.resource(WorkspaceDesk)
    assert published.commit is not None, "it was published"
    made = desk.file_at(published.commit, path)
    assert made is not None, "a tool that writes leaves a file"
    before = desk.file_at(f"{published.commit}^", path)
    old = frozenset(block.hash for block in blocks_of(before.text if before else ""))
    earlier = shown_of(context.state, path)
    return ReadBaseline(
        path=path,
        blob=made.blob,
        blocks=tuple(block.hash for block in blocks_of(made.text) if block.hash not in old),
        whole=not published.reconciled and (all_of or bool(earlier and earlier.whole)),
    )


def _changed_meanwhile(path: str) -> Denial:
    return Denial(
        error_type="STALE_FILE",
        error_code="STALE_FILE",
        message=f"another writer changed the same passage of {path!r} meanwhile; nothing was changed",
        recoverable=True,
        action_hint=_AGAIN,
        details={"paths": path},
    )


def _files(context: ToolContext) -> Filesystem:
    return context.resource(Filesystem)  # type: ignore[type-abstract]


def _require_pin(context: ToolContext) -> None:
    if context.state.latest(SelectedIntent) is None:
        raise Refused("intent-not-selected", "no intent is selected; nothing was changed")


def _spelled(path: str) -> str:
    spelled = canonical(path)
    if spelled is None:
        raise UsageMistake("bad-path", f"{path[:200]!r} names nothing in the book; nothing was changed")
    return spelled


def _text(content: str) -> str:
    if "\0" in content:
        raise UsageMistake("not-text", "the text holds NUL signs; nothing was changed")
    return content


SLICES = (ShownFile,)
"""Files shown to a run are part of its state."""

_SELECT = Tool(
    name="select_active_intent",
    description=TOOLS["select_active_intent"].description,
    params=SelectIntent,
    result=HandshakeResult,
    effect="read",
    handler=select_active_intent,
    events=(SelectedIntent,),
)
_READ_CHAPTER = Tool(
    name="read_chapter",
    description=TOOLS["read_chapter"].description,
    params=ReadChapter,
    result=PageOfText,
    effect="read",
    handler=read_chapter,
    events=(ShownFile, FileSeen),
)
_READ_MATERIAL = Tool(
    name="read_material",
    description=TOOLS["read_material"].description,
    params=ReadMaterial,
    result=PageOfText,
    effect="read",
    handler=read_material,
    events=(ShownFile, FileSeen),
)
_SEARCH = Tool(
    name="search_book",
    description=TOOLS["search_book"].description,
    params=SearchBook,
    result=SearchHits,
    effect="read",
    handler=search_book,
)
_WRITE = Tool(
    name=WRITE,
    description="Create a file, or replace all of one that you read. One commit under the selected intent.",
    params=WriteToFile,
    result=WrittenFile,
    effect="workspace-write",
    handler=write_to_file,
    published=written,
    reads=(ShownFile, SelectedIntent),
    events=(ShownFile,),
)
_EDIT = Tool(
    name=EDIT,
    description="Replace a passage that you read by another. One commit under the selected intent.",
    params=Edit,
    result=WrittenFile,
    effect="workspace-write",
    handler=edit,
    published=edited,
    reads=(ShownFile, SelectedIntent),
    events=(ShownFile,),
)

WORKSPACE = Section(
    key="workspace",
    title="The files of the book",
    body=PromptFile.load("penwright.roles.workspace", "workspace.md").text,
    tools=(_SELECT, _READ_CHAPTER, _READ_MATERIAL, _SEARCH, _WRITE, _EDIT),
    policies=(IntentSelected(),),
)
