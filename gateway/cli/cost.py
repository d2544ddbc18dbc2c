"""``penwright cost``: what models have cost."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Final

import typer

from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer, columns
from gateway.desk.operator.spending import USUAL_DAYS, By, Spent, per_cent, spent
from gateway.desk.principals import local_user
from penwright.domain.text.counted import counted

_HEAD: Final = ("", "calls", "tokens in", "cached", "tokens out", "thought", "cost")


def cost(
    ctx: typer.Context,
    by: Annotated[By, typer.Option("--by", help="Add up by it.")] = "subject",
    days: Annotated[
        int, typer.Option("--days", min=1, max=366, help="How many, today included.")
    ] = USUAL_DAYS,
    json: JsonFlag = False,
) -> None:
    """Show what models have cost.

    Each book, novel and scene over its whole life; roles, models and days over the last --days.

    \b
    Examples:
      penwright cost
      penwright cost --by model --days 7
    """
    services = services_of(ctx)
    person = local_user(services.person())
    today = spent(services, person, "day", days=1)
    rows = spent(services, person, by, days=days)
    data = {
        "by": by,
        "today": asdict(today[0]) if today else None,
        "items": [asdict(each) for each in rows],
    }
    cells = [
        *(_cells("today", each) for each in today),
        *(_cells(each.name or f"no {by}", each) for each in rows),
    ]
    Printer(json).result(data, columns([_HEAD, *cells]) if cells else "No model was asked yet.")


def _cells(name: str, each: Spent) -> Sequence[str]:
    return (
        *(name, f"{each.calls:,}"),
        *(f"{each.input_tokens:,}", per_cent(each.cached_tokens, each.input_tokens)),
        *(f"{each.output_tokens:,}", per_cent(each.thought_tokens, each.output_tokens)),
        _money(each),
    )


def _money(each: Spent) -> str:
    known = "unknown" if each.cost_micros is None else f"${each.cost_micros / 1e6:.4f}"
    calls = counted(each.unknown_prices, "call")
    unknown = f" and {calls} of unknown price" if each.unknown_prices and each.cost_micros is not None else ""
    answers = "1 answer" if each.possibly_billed == 1 else f"{each.possibly_billed} answers"
    lost = f" and {answers} that never came, which may be billed" if each.possibly_billed else ""
    return known + unknown + lost
