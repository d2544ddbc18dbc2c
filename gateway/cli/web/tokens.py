"""The verbs about tokens of programs."""

from datetime import timedelta
from typing import Annotated, cast

import typer

from gateway.cli import output
from gateway.cli.context import services_of
from gateway.cli.times import minute
from gateway.desk.access import LONGEST_TOKEN, TOKEN_VALID, Access
from gateway.desk.principals import SCOPES, Scope, local_user
from penwright.errors import UsageMistake
from schemas.web import Credential


def create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="What it is for; shown in lists and logs.")],
    scope: Annotated[
        list[str], typer.Option("--scope", help=f"What it may do, repeatable: {', '.join(SCOPES)}.")
    ],
    subject: Annotated[
        list[str] | None,
        typer.Option(
            "--subject", metavar="KIND/ID", help="It may touch only this, as book/tide; repeatable."
        ),
    ] = None,
    future: Annotated[
        bool, typer.Option("--future", help="Subjects may be named that do not exist yet.")
    ] = False,
    days: Annotated[
        int, typer.Option(min=1, max=LONGEST_TOKEN.days, help="How long it is valid.")
    ] = TOKEN_VALID.days,
    json: output.JsonFlag = False,
) -> None:
    """Make a token; its secret is shown once.

    \b
    Example:
      penwright web tokens create reader --scope read --days 30
      penwright web tokens create player --scope read --scope run --subject scene/harbour

    A subject that is removed goes out of every token; a token for it alone ends.
    """
    services = services_of(context)
    if unknown := sorted(set(scope) - set(SCOPES)):
        raise UsageMistake("bad-token", f"there is no scope {unknown[0]!r}; there are: {', '.join(SCOPES)}")
    access, person = Access(services), local_user(services.person())
    issued = access.create_token(
        person,
        name,
        cast(list[Scope], scope),
        subject or None,
        timedelta(days=days),
        future=future,
    )
    others = access.namesakes(person, issued.credential)
    document = issued.credential.model_dump(mode="json") | {"secret": issued.secret, "namesakes": others}
    out = output.Printer(json)
    out.result(document, issued.secret)
    if others:
        ends = f"`penwright web tokens revoke {others[0]}` ends {'it' if len(others) == 1 else 'the first'}"
        out.note(f"others of that name: {', '.join(others)}, which stay valid; {ends}")
    out.note("it is not shown again; programs send it as `Authorization: Bearer SECRET`")


def list_(context: typer.Context, json: output.JsonFlag = False) -> None:
    """List the valid tokens.

    \b
    Example:
      penwright web tokens list
    """
    services = services_of(context)
    found = Access(services).tokens(local_user(services.person()))
    documents = [each.model_dump(mode="json") for each in found]
    lines = (
        output.columns(map(_cells, found))
        if found
        else ["no token; `penwright web tokens create NAME --scope read` makes one"]
    )
    output.Printer(json).result({"tokens": documents}, lines)


def revoke(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="The token's id, as `list` shows it.")],
    json: output.JsonFlag = False,
) -> None:
    """End a token at once.

    \b
    Example:
      penwright web tokens revoke 3f2a91c07d55
    """
    services = services_of(context)
    Access(services).revoke(local_user(services.person()), id)
    output.Printer(json).result({"status": "revoked", "id": id}, f"the token {id} is revoked")


def _cells(token: Credential) -> tuple[str, ...]:
    used = f"used {minute(token.last_used_at)}" if token.last_used_at else "never used"
    subjects = "everything" if token.subjects is None else " ".join(token.subjects)
    return token.id, token.name, ",".join(token.scopes), subjects, f"until {minute(token.expires_at)}", used
