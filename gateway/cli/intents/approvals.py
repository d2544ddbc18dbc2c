"""Answers of a person to a session that waits for approval: pending, approve, deny."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from gateway.cli.arguments import WorkArgument
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.times import minute
from gateway.desk.services import Services
from gateway.desk.works import approvals as desk
from gateway.desk.works import works
from gateway.desk.works.approvals import Waiting
from gateway.desk.works.kinds import Work
from penwright.domain.intents.approval import UNREAD
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
    book: WorkArgument = ".",
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
    found = works.find(services, book)
    waiting = asyncio.run(desk.pending(services, found))
    described = [_described(services, each, book, text=text) for each in waiting]
    lines = [line for _, lines in described for line in lines]
    data = {f"{found.kind}_id": found.subject, "pending": [shown for shown, _ in described]}
    Printer(json).result(data, lines or f"Nothing of {found.subject} waits for approval.")


def approve(
    ctx: typer.Context,
    book: WorkArgument = ".",
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
    book: WorkArgument = ".",
    approval: ApprovalArgument = "",
    reason: ReasonOption = "",
    json: JsonFlag = False,
) -> None:
    """Deny the change that waits; its prose goes to Review/.

    \b
      penwright intent deny ~/books/tide --reason "not this chapter"

    Of a passage that was rewritten nothing is kept.
    """
    _decide(ctx, book, approval, reason, "denied", json)


def _decide(
    ctx: typer.Context, book: str, approval: str, reason: str, decided: desk.Decision, json: bool
) -> None:
    services = services_of(ctx)
    found = works.find(services, book)
    run = "run" if found.kind != "book" else asyncio.run(_session(services, found))
    deciding = desk.decide(services, found, decided, approval=approval, reason=reason)
    decision = asyncio.run(deciding)
    next_ = f"the {run} goes on" if decided == "approved" else _after_denial(run)
    data = {"status": decided, f"{found.kind}_id": found.subject, **decision.model_dump(mode="json")}
    said = f"{decision.approval} is {decided} by {decision.by}; {next_}."
    Printer(json).result(data, f"{said} {_follow(found, book)}")


async def _session(services: Services, book: Work) -> str:
    """The word for the book's session that waits."""
    waiting = await desk.pending(services, book)
    return "rewrite" if any(UNREAD in each.request.need.codes for each in waiting) else "session"


def _after_denial(run: str) -> str:
    if run == "rewrite":
        return "nothing of it is kept"
    if run == "session":
        return "the session keeps the prose and ends"
    return "the change is not made, and the run says what became of it"


def _follow(found: Work, named: str) -> str:
    """The command that shows how it goes on."""
    if found.kind == "book":
        return f"`penwright book watch {named}` follows it."
    return (
        f"`penwright manuscript watch {named}` follows it; a citation scan, `penwright cite watch {named}`."
    )


# Any: JSON.
def _described(
    services: Services, waiting: Waiting, book: str, *, text: bool
) -> tuple[dict[str, Any], list[str]]:
    """Describe the plan that waits, as JSON and for people."""
    request, scene = waiting.request, waiting.scene
    diff = desk.diff_of(services, request)
    shown = {**request.model_dump(mode="json", exclude={"effect"}), "diff": diff}
    lines = _lines(request, book, diff.splitlines(), whole=text)
    if scene:
        shown["scene"], lines = scene, [f"scene {scene!r}:", *lines]
    if text and (prose := desk.prose_of(services, request)) is not None:
        shown["text"] = prose
        lines += ["", prose]
    return shown, lines


def _lines(request: ApprovalRequest, book: str, diff: Sequence[str], *, whole: bool) -> list[str]:
    need = request.need
    shown = diff if whole else diff[:_SHOWN]
    left_out = len(diff) - len(shown)
    no = "Leave the book as it is:" if UNREAD in need.codes else "Keep it aside:      "
    return [
        f"{request.id}  waits until {minute(request.expires_at)}  under {need.intent_id}",
        *(f"  {code}: {reason}" for code, reason in zip(need.codes, need.reasons, strict=True)),
        *(f"    {printable(line)}" for line in shown),
        *([f"    … and {left_out} more lines; --text shows all"] if left_out else []),
        f"  {_rest(need)}",
        f"Allow exactly this:  penwright intent approve {book} {request.id}",
        f"{no} penwright intent deny {book} {request.id}",
        f"Read it first:       penwright intent pending {book} --text",
    ]


def _rest(need: ApprovalNeed) -> str:
    """Name what the plan would write beside what is denied."""
    beside = [path for path in need.paths if path not in need.denied and path not in need.bookkeeping]
    kept = len(need.bookkeeping)
    named = f"{', '.join(beside)} as its intent allows" if beside else "nothing else"
    counted = [f"and {kept} bookkeeping file{'s' if kept > 1 else ''}"] if kept else []
    return ", ".join([f"it would write {named}", *counted])
