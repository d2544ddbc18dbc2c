"""What a person says to a session that waits for approval: pending, approve, deny."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.times import minute
from gateway.desk import approvals as desk
from gateway.desk.book import books
from penwright.domain.text.escaping import printable
from schemas.intents import ApprovalNeed, ApprovalRequest

_SHOWN = 40
"""Lines of a diff that are shown without being asked for."""

ApprovalArgument = Annotated[
    str,
    typer.Argument(metavar="[APPROVAL]", help="Its id, from `pending`. Default: the one that waits."),
]
ReasonOption = Annotated[str, typer.Option("--reason", help="Kept in the book's log.")]


def pending(
    ctx: typer.Context,
    book: BookArgument = ".",
    text: Annotated[bool, typer.Option("--text", help="Print the whole diff and the prose.")] = False,
    json: JsonFlag = False,
) -> None:
    """Show the change that waits for approval.

    \b
      penwright intent pending ~/books/tide
      penwright intent pending ~/books/tide --text

    First comes a diff of what the intent does not allow; a yes covers exactly that plan, and none after it.

    A session whose close needs approval waits half an hour, or until its time is over.
    """
    services = services_of(ctx)
    found = books.find(services, book)
    request = asyncio.run(desk.pending(services, found))
    if request is None:
        nothing = f"Nothing of {found.book_id} waits for approval."
        Printer(json).result({"book_id": found.book_id, "pending": []}, nothing)
        return
    diff = desk.diff_of(services, request)
    shown = {**request.model_dump(mode="json", exclude={"effect"}), "diff": diff}
    lines = _lines(request, book, diff.splitlines(), whole=text)
    if text and (prose := desk.prose_of(services, request)) is not None:
        shown["text"] = prose
        lines += ["", prose]
    Printer(json).result({"book_id": found.book_id, "pending": [shown]}, lines)


def approve(
    ctx: typer.Context,
    book: BookArgument = ".",
    approval: ApprovalArgument = "",
    reason: ReasonOption = "",
    json: JsonFlag = False,
) -> None:
    """Allow exactly the change that waits, and no other.

    \b
      penwright intent approve ~/books/tide
      penwright intent approve ~/books/tide AP-1f0c2b7e --reason "the map may change"

    It widens no scope: the next change of the kind is asked for again. The commit names who approved it.
    """
    _decide(ctx, book, approval, reason, "approved", json)


def deny(
    ctx: typer.Context,
    book: BookArgument = ".",
    approval: ApprovalArgument = "",
    reason: ReasonOption = "",
    json: JsonFlag = False,
) -> None:
    """Deny the change that waits; its prose goes to Review/.

    \b
      penwright intent deny ~/books/tide --reason "not this chapter"
    """
    _decide(ctx, book, approval, reason, "denied", json)


def _decide(
    ctx: typer.Context, book: str, approval: str, reason: str, decided: desk.Decision, json: bool
) -> None:
    services = services_of(ctx)
    found = books.find(services, book)
    deciding = desk.decide(services, found, decided, approval=approval, reason=reason)
    decision = asyncio.run(deciding)
    next_ = "the session goes on" if decided == "approved" else "the session keeps the prose and ends"
    data = {"status": decided, "book_id": found.book_id, **decision.model_dump(mode="json")}
    said = f"{decision.approval} is {decided} by {decision.by}; {next_}."
    Printer(json).result(data, f"{said} `penwright book watch {book}` follows it.")


def _lines(request: ApprovalRequest, book: str, diff: Sequence[str], *, whole: bool) -> list[str]:
    need = request.need
    shown = diff if whole else diff[:_SHOWN]
    left_out = len(diff) - len(shown)
    return [
        f"{request.id}  waits until {minute(request.expires_at)}  under {need.intent_id}",
        *(f"  {code}: {reason}" for code, reason in zip(need.codes, need.reasons, strict=True)),
        *(f"    {printable(line)}" for line in shown),
        *([f"    … and {left_out} more lines; --text shows all"] if left_out else []),
        f"  {_rest(need)}",
        f"Allow exactly this:  penwright intent approve {book} {request.id}",
        f"Keep it aside:       penwright intent deny {book} {request.id}",
        f"Read it first:       penwright intent pending {book} --text",
    ]


def _rest(need: ApprovalNeed) -> str:
    """What the plan would write beside what is denied."""
    beside = [path for path in need.paths if path not in need.denied and path not in need.bookkeeping]
    kept = len(need.bookkeeping)
    named = f"{', '.join(beside)} as its intent allows" if beside else "nothing else"
    counted = [f"and {kept} bookkeeping file{'s' if kept > 1 else ''}"] if kept else []
    return ", ".join([f"it would write {named}", *counted])
