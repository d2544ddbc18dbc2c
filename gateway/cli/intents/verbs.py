"""Verbs of ``penwright intent``: list, show, select, add, and the changes of a status."""

import asyncio
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from gateway.cli.arguments import WorkArgument
from gateway.cli.context import services_of
from gateway.cli.output import EXIT_FAILED, JsonFlag, Printer
from gateway.desk.agents import outside as outside_agent
from gateway.desk.works import intents, works
from gateway.desk.works.books import Book
from gateway.desk.works.intents import ChangedIntent, CheckedRules
from schemas.intents import Intent, IntentStatus

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The intent, such as INT-001; case matters.")]
ScopeOption = Annotated[
    list[str] | None,
    typer.Option("--scope", help="Path glob it owns, `path#heading` for a section, `!path` to take out."),
]
ConstraintOption = Annotated[list[str] | None, typer.Option("--constraint", help="A rule it keeps to.")]
CriterionOption = Annotated[list[str] | None, typer.Option("--criterion", help="When it is done.")]


def list_(ctx: typer.Context, book: WorkArgument = ".", json: JsonFlag = False) -> None:
    """List a book's intents.

    \b
      penwright intent list ~/books/tide
    """
    services = services_of(ctx)
    found = works.find(services, book)
    registry = intents.read(services, found)
    data = {"intents": [intent.model_dump(mode="json") for intent in registry.intents]}
    width = max((len(intent.id) for intent in registry.intents), default=0)
    lines = [f"{i.id:<{width}}  {i.status:<11}  {i.name}" for i in registry.intents]
    out = Printer(json)
    out.result(data, lines or [f"No intents; add one with `penwright intent add {shlex.quote(book)}`."])
    for line in _complaints(intents.check_rules(services, found.workspace)):
        out.note(line)


def check(ctx: typer.Context, book: WorkArgument = ".", json: JsonFlag = False) -> None:
    """Name rules that cannot be read, and rules that protect nothing.

    \b
      penwright intent check ~/books/tide

    A rule that cannot be read stops all writing. Exit codes: 0 all can be read, 1 something cannot.
    """
    services = services_of(ctx)
    checked = intents.check_rules(services, works.find(services, book).workspace)
    broken = bool(checked.registry or checked.faults)
    status = "issues" if broken else "healthy"
    lines = list(_complaints(checked)) or ["Every rule can be read and protects something."]
    Printer(json).result({"status": status, **asdict(checked)}, lines)
    if broken:
        raise typer.Exit(EXIT_FAILED)


def show(
    ctx: typer.Context,
    intent: IdArgument,
    book: WorkArgument = ".",
    context: Annotated[
        bool, typer.Option("--context", help="Show it as an agent gets it, with its history.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Show one intent whole.

    \b
      penwright intent show INT-001 ~/books/tide
      penwright intent show INT-001 ~/books/tide --context    # what `select_active_intent` answers
    """
    services = services_of(ctx)
    found = works.find(services, book)
    if context:
        selected = intents.context_of(services, found, intent)
        Printer(json).result(selected, selected.context.splitlines())
    else:
        shown = intents.intent_of(intents.read(services, found), intent)
        Printer(json).result(shown, _described(shown))


def select(ctx: typer.Context, intent: IdArgument, book: WorkArgument = ".", json: JsonFlag = False) -> None:
    """Choose the intent of your agent's session; prints it.

    \b
      penwright intent select INT-003 ~/books/tide

    Do it again when the intent was changed: what was selected before is denied at the close. The built-in
    writer's sessions take theirs when they begin (`--intent`).
    """
    services = services_of(ctx)
    found = works.find(services, book)
    if isinstance(found, Book):
        selected = asyncio.run(outside_agent.select_intent(services, found, intent))
    else:
        selected = intents.context_of(services, found, intent)
    Printer(json).result(selected, selected.context.splitlines())


def add(
    ctx: typer.Context,
    book: WorkArgument = ".",
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
    made = Intent(
        id=intent or "",
        name=name,
        status=IntentStatus.IN_PROGRESS if begin else IntentStatus.PENDING,
        owned_scope=tuple(scope or ()),
        constraints=tuple(constraint or ()),
        acceptance_criteria=tuple(criterion or ()),
    )
    services = services_of(ctx)
    changed = intents.add(services, works.find(services, book), made)
    out = Printer(json)
    if not scope:
        out.note(
            "It owns nothing yet, so nothing can be written under it; give it a --scope in the registry."
        )
    _tell(out, changed, f"Added {changed.intent.id} ({changed.intent.status}).")


def start(ctx: typer.Context, intent: IdArgument, book: WorkArgument = ".", json: JsonFlag = False) -> None:
    """Let an intent write.

    \b
      penwright intent start INT-002 ~/books/tide
    """
    _set_status(ctx, book, intent, IntentStatus.IN_PROGRESS, json)


def complete(
    ctx: typer.Context, intent: IdArgument, book: WorkArgument = ".", json: JsonFlag = False
) -> None:
    """Complete an intent; nothing more is written under it.

    \b
      penwright intent complete INT-002 ~/books/tide
    """
    _set_status(ctx, book, intent, IntentStatus.COMPLETED, json)


def block(ctx: typer.Context, intent: IdArgument, book: WorkArgument = ".", json: JsonFlag = False) -> None:
    """Stop an intent from writing until it is started again.

    \b
      penwright intent block INT-001 ~/books/tide

    A session that is open under it keeps its prose under Review/ instead of closing.
    """
    _set_status(ctx, book, intent, IntentStatus.BLOCKED, json)


def _set_status(ctx: typer.Context, book: str, intent: str, status: IntentStatus, json: bool) -> None:
    services = services_of(ctx)
    changed = intents.set_status(services, works.find(services, book), intent, status)
    already = "" if changed.commit else " already"
    _tell(Printer(json), changed, f"{intent} is {status}{already}.")


def _tell(out: Printer, changed: ChangedIntent, said: str) -> None:
    if changed.unsaved:
        out.note(
            "You have unsaved edits in the registry; they were left alone and will be merged when saved."
        )
    # Any: JSON.
    data: dict[str, Any] = {"intent": changed.intent.model_dump(mode="json"), "commit": changed.commit}
    out.result(data, f"{said} The next session pushes it." if changed.commit else said)


def _complaints(checked: CheckedRules) -> Iterator[str]:
    if checked.registry:
        yield f"unreadable: {checked.registry}"
    yield from (f"unreadable: {fault}" for fault in checked.faults)
    yield from (f"protects nothing: {idle}" for idle in checked.idle)


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
