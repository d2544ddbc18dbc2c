"""``penwright intent``: which changes to a book are allowed, and why."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.intents import approvals
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.services import Services, services_of
from schemas.intents import Intent, IntentStatus

if TYPE_CHECKING:
    from gateway.desk.books import Book
    from penwright.domain.intents.registry import Registry
    from schemas.intents import Selected
    from schemas.workspace import TextFile

_HELP = """\
Say which changes to a book are allowed, and why.

An intent names the files it owns; while it is IN_PROGRESS, a session may write those and no others.
They stand in .orchestration/active_intents.yaml, which you may also edit by hand. What a session may not
write waits for you: pending, approve and deny.
"""
_ATTEMPTS = 5

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The intent, such as INT-001; case matters.")]
ScopeOption = Annotated[
    list[str] | None,
    typer.Option("--scope", help="Path glob it owns, `path#heading` for a section, `!path` to take out."),
]
ConstraintOption = Annotated[list[str] | None, typer.Option("--constraint", help="A rule it keeps to.")]
CriterionOption = Annotated[list[str] | None, typer.Option("--criterion", help="When it is done.")]


def register(app: typer.Typer) -> None:
    """Add the group to ``app``."""
    group = typer.Typer(help=_HELP, no_args_is_help=True, rich_markup_mode=None)
    group.command("list")(list_)
    group.command("show")(show)
    group.command("select")(select)
    group.command("add")(add)
    group.command("start")(start)
    group.command("complete")(complete)
    group.command("block")(block)
    approvals.register(group)
    app.add_typer(group, name="intent")


def list_(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """List a book's intents.

    \b
      penwright intent list ~/books/tide
    """
    _, registry = _read(services_of(ctx), book)
    data = {"intents": [intent.model_dump(mode="json") for intent in registry.intents]}
    width = max((len(intent.id) for intent in registry.intents), default=0)
    lines = [f"{i.id:<{width}}  {i.status:<11}  {i.name}" for i in registry.intents]
    Printer(json).result(data, lines or ["No intents; add one with `penwright intent add`."])


def show(
    ctx: typer.Context,
    intent: IdArgument,
    book: BookArgument = ".",
    context: Annotated[
        bool, typer.Option("--context", help="Show it as an agent is told of it, with its history.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Show one intent whole.

    \b
      penwright intent show INT-001 ~/books/tide
      penwright intent show INT-001 ~/books/tide --context    # what `select_active_intent` answers
    """
    from penwright.domain.intents.registry import unknown

    services = services_of(ctx)
    _, registry = _read(services, book)
    found = registry.find(intent)
    if found is None:
        raise unknown(intent, registry)
    if context:
        selected = _selected(services, book, registry, intent)
        Printer(json).result(selected, selected.context.splitlines())
    else:
        Printer(json).result(found, _described(found))


def select(ctx: typer.Context, intent: IdArgument, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Choose the intent of the open session of your own agent; prints what it asks.

    \b
      penwright intent select INT-003 ~/books/tide

    Do it again when the intent was changed: what was selected before is denied at the close. The built-in
    writer's sessions take theirs when they begin (`--intent`).
    """
    from gateway.desk.outside_agent import select_intent

    selected = select_intent(services_of(ctx), book, intent)
    Printer(json).result(selected, selected.context.splitlines())


def add(
    ctx: typer.Context,
    book: BookArgument = ".",
    name: Annotated[str, typer.Option("--name", help="What it is for, in a few words.")] = "",
    scope: ScopeOption = None,
    constraint: ConstraintOption = None,
    criterion: CriterionOption = None,
    intent: Annotated[str | None, typer.Option("--id", help="Default: the next free INT-nnn.")] = None,
    begin: Annotated[bool, typer.Option("--start", help="Let it write at once.")] = False,
    json: JsonFlag = False,
) -> None:
    """Add an intent; it may write nothing until it is started.

    \b
      penwright intent add ~/books/tide --name "Tighten chapter 3" \\
          --scope "Current version/Full_Book.md#Chapter 3/**" --constraint "Keep every scene"
    """
    from penwright.domain.intents.registry import added

    status = IntentStatus.IN_PROGRESS if begin else IntentStatus.PENDING

    def change(content: bytes | None, registry: "Registry") -> tuple[str, str]:
        made = Intent(
            id=intent or _free_id(registry),
            name=name,
            status=status,
            owned_scope=tuple(scope or ()),
            constraints=tuple(constraint or ()),
            acceptance_criteria=tuple(criterion or ()),
        )
        return added(content, made), made.id

    changed = _change(services_of(ctx), book, change, lambda intent_id: f"Add intent {intent_id}")
    out = Printer(json)
    if not scope:
        out.note(
            "It owns nothing yet, so nothing can be written under it; give it a --scope in the registry."
        )
    _tell(out, changed, f"Added {changed.intent.id} ({changed.intent.status}).")


def start(ctx: typer.Context, intent: IdArgument, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Let an intent write.

    \b
      penwright intent start INT-002 ~/books/tide
    """
    _set_status(ctx, book, intent, IntentStatus.IN_PROGRESS, json)


def complete(
    ctx: typer.Context, intent: IdArgument, book: BookArgument = ".", json: JsonFlag = False
) -> None:
    """Say that an intent is done; nothing is written under it any more.

    \b
      penwright intent complete INT-002 ~/books/tide
    """
    _set_status(ctx, book, intent, IntentStatus.COMPLETED, json)


def block(ctx: typer.Context, intent: IdArgument, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Stop an intent from writing until it is started again.

    \b
      penwright intent block INT-001 ~/books/tide

    A session that is open under it keeps its prose under Review/ instead of closing.
    """
    _set_status(ctx, book, intent, IntentStatus.BLOCKED, json)


@dataclass(frozen=True, slots=True)
class _Changed:
    """An intent as it stands now, and the commit that made it so; no commit if it stood so already."""

    intent: Intent
    commit: str | None
    unsaved: bool


Change = Callable[[bytes | None, "Registry"], tuple[str, str]]
"""From the registry's content to its new text and the id that was changed."""


def _set_status(ctx: typer.Context, book: str, intent: str, status: IntentStatus, json: bool) -> None:
    from penwright.domain.intents.registry import unknown, with_status

    def change(content: bytes | None, registry: "Registry") -> tuple[str, str]:
        found = registry.find(intent)
        if found is None or content is None:
            raise unknown(intent, registry)
        unchanged = found.status is status
        return content.decode() if unchanged else with_status(content, intent, status), intent

    changed = _change(services_of(ctx), book, change, lambda intent_id: f"Set intent {intent_id} to {status}")
    already = "" if changed.commit else " already"
    _tell(Printer(json), changed, f"{intent} is {status}{already}.")


def _change(services: Services, named: str, change: Change, message: Callable[[str], str]) -> _Changed:
    """Publish one change of the registry, made anew whenever somebody else changed it meanwhile."""
    from gateway.desk import books
    from penwright.domain.intents.registry import REGISTRY, read_registry
    from penwright.errors import Refused, WorkspaceBusy
    from schemas.base import Effect, OpId
    from schemas.workspace import Contributor, Create, Modify, MutationPlan

    found = books.find(services, named)
    for _ in range(_ATTEMPTS):
        file, registry = _at_tip(services, found, may_be_missing=True)
        text, intent_id = change(file.text.encode() if file else None, registry)
        intent = read_registry(text.encode()).find(intent_id)
        assert intent is not None, "a change leaves the intent it is about"
        if file is not None and file.text == text:
            return _Changed(intent, None, unsaved=False)
        plan = MutationPlan(
            workspace=found.workspace,
            message=message(intent_id),
            contributor=Contributor.HUMAN,
            operations=(
                Modify(path=REGISTRY, content=text, base=file.blob)
                if file
                else Create(path=REGISTRY, content=text),
            ),
            tool="intent.edit",
        )
        op_id = OpId(f"intent/{found.book_id}/{secrets.token_hex(8)}")
        published = services.workspaces().publish(plan, Effect(op_id=op_id, issued_at=services.now()))
        if published.denial is not None:
            raise Refused("denied", f"{published.denial.message}; {published.denial.action_hint}")
        if published.outcome != "conflict":
            return _Changed(intent, published.commit, unsaved=REGISTRY in published.unsaved)
    raise WorkspaceBusy("registry-contended", f"somebody keeps changing {REGISTRY}; try again in a moment")


def _read(services: Services, named: str) -> "tuple[TextFile | None, Registry]":
    from gateway.desk import books

    return _at_tip(services, books.find(services, named), may_be_missing=False)


def _at_tip(services: Services, found: "Book", *, may_be_missing: bool) -> "tuple[TextFile | None, Registry]":
    """The committed registry, which is the one that counts."""
    from penwright.domain.intents.registry import REGISTRY, Registry, read_registry

    snapshot = services.workspaces().snapshot(found.workspace, (REGISTRY,))
    file = snapshot.files.get(REGISTRY)
    if file is None and may_be_missing and REGISTRY not in snapshot.unreadable:
        return None, Registry()
    unreadable = b"\xff" if REGISTRY in snapshot.unreadable else None
    return file, read_registry(file.text.encode() if file else unreadable)


def _selected(services: Services, named: str, registry: "Registry", intent: str) -> "Selected":
    """The handshake's answer; an intent that may not be selected says why."""
    from gateway.desk import books
    from penwright.domain.intents.handshake import select_intent, with_history
    from penwright.domain.intents.ignoring import IGNORE_FILES, read_ignored
    from penwright.domain.trace.intent_history.history import history_from_ledger
    from penwright.domain.trace.layout import LESSONS
    from penwright.domain.trace.lessons import lessons_of

    workspace = books.find(services, named).workspace
    files = services.workspaces().snapshot(workspace, (*IGNORE_FILES, LESSONS)).files
    texts = {path: file.text for path, file in files.items()}
    ignored = read_ignored(*(texts.get(path, "") for path in IGNORE_FILES))
    selected = select_intent(registry, ignored, intent)
    with services.workspaces().trace(workspace) as source:
        history = history_from_ledger(source, intent, lessons=lessons_of(texts.get(LESSONS, "")))
    return with_history(selected, history)


def _free_id(registry: "Registry") -> str:
    number = 1
    while registry.find(f"INT-{number:03d}") is not None:
        number += 1
    return f"INT-{number:03d}"


def _tell(out: Printer, changed: _Changed, said: str) -> None:
    if changed.unsaved:
        out.note(
            "You have unsaved edits in the registry; they were left alone and will be merged when saved."
        )
    # Any: JSON.
    data: dict[str, Any] = {"intent": changed.intent.model_dump(mode="json"), "commit": changed.commit}
    out.result(data, f"{said} The next session pushes it." if changed.commit else said)


def _described(intent: Intent) -> Sequence[str]:
    lists = (
        ("owns", intent.owned_scope),
        ("keeps to", intent.constraints),
        ("is done when", intent.acceptance_criteria),
        ("carries out", tuple(f"{spec.type}: {spec.ref}" for spec in intent.related_specs)),
    )
    lines = [f"{intent.id}  {intent.status}  {intent.name}"]
    for title, values in lists:
        lines += [f"  {title}:", *(f"    {value}" for value in values)] if values else []
    return lines
