"""``penwright character write``: sheets that the creator writes."""

import asyncio
from typing import Annotated

import typer

from gateway.cli.context import services_of
from gateway.cli.live import Waiter
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.worlds import reports
from gateway.cli.wrapping import wrapped
from gateway.desk.worlds import sheets, storing
from gateway.desk.worlds.kinds import CHARACTER
from penwright.errors import UsageMistake


def write(
    ctx: typer.Context,
    wish: Annotated[str, typer.Argument(metavar="WISH", help="Who it is, in a line or more.")],
    name: Annotated[str, typer.Option("--name", help="What a new character is called.")] = "",
    for_: Annotated[
        str, typer.Option("--for", metavar="NAME", help="A character that there is, to be written anew.")
    ] = "",
    field: Annotated[str, typer.Option("--field", help="With --for: only this field.")] = "",
    json: JsonFlag = False,
) -> None:
    """Have the creator write a character, or write one anew, from a wish.

    \b
      penwright character write "A pilot named Ines Roth who lies about the depth."
      penwright character write "Braver, and tired of it." --for "Ines Roth" --field goals

    The model of the role `creator` writes it. What you changed meanwhile in the same fields is
    not overwritten.
    """
    if (field and not for_) or (name and for_):
        raise UsageMistake(
            "options-apart", "--field goes with --for, and --name with a new character", hint="leave one out"
        )
    services = services_of(ctx)
    wait = Waiter("the run goes on; `penwright run list` shows it", quiet=json)
    if for_:
        made = asyncio.run(sheets.rewrite(services, for_, wish, wait, field=field))
    else:
        made = asyncio.run(sheets.write_new(services, wish, wait, name=name))
    character, answer = made.character, made.answer
    others = () if for_ else storing.namesakes(services, CHARACTER, character)
    data = {
        "status": "changed" if for_ else "created",
        "character": character.model_dump(mode="json"),
        "namesakes": others,
        "difference": made.difference,
        "run_id": answer.run_id,
        "demo": answer.delivered.demo,
        "cost_micros": answer.cost_micros,
        "unknown_prices": answer.unknown_prices,
    }
    lines = [f"{'Changed' if for_ else 'Created'} the character {character.id}.", *made.difference]
    if others:
        lines.append(reports.namesakes_line(others))
    if not for_:
        lines += wrapped("  ", character.description)
    lines.append(f"next: `penwright character show {character.id}`, or `edit`")
    Printer(json).result(data, lines)
