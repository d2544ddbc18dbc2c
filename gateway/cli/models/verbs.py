"""List language models and their prices, and try one out."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from gateway.cli import output
from gateway.cli.tables import block
from gateway.cli.wrapping import wrapped
from gateway.desk import models as desk
from gateway.desk.models import ConfiguredModel
from penwright.domain.models.choice import IMAGES, MANUSCRIPT
from schemas.model_catalog import Price
from schemas.model_trial import ProbeReport
from workers.settings import Loaded, load

_CELLS = {"works": "yes", "fails": "NO", "not needed": "-", "unknown": "?"}


def list_models(context: typer.Context, json: output.JsonFlag = False) -> None:
    """List models with their keys, prices and roles.

    `penwright models --help` has the lines of one.
    """
    models, found = desk.configured(loaded_settings(context))
    rows = [_row(each) for each in found]
    output.Printer(json).result(
        {"models": rows, "default": models.default}, output.columns(map(_model_cells, rows))
    )


def try_model(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The model's name in penwright.toml, or `demo`.")],
    roles: Annotated[
        list[str] | None,
        typer.Option("--role", help="Try it for this role; may be repeated. Default: those that it has."),
    ] = None,
    timeout_s: Annotated[
        float | None, typer.Option("--timeout", help="Seconds to wait for each answer; default: as runs do.")
    ] = None,
    json: output.JsonFlag = False,
) -> None:
    """Ask a model what its roles will ask, in small.

    Each role that the settings give it, or all of them if they give it none, is asked with its own
    instructions, form, tools and largest answer, in one call for roles of the same form. It is not counted
    against any budget; a vendor's model costs a few cents. Exit code 1: a role is not served.

    \b
    Examples:
        penwright models test sonnet
        penwright models test sonnet --role director --role character
    """
    loaded, out = loaded_settings(context), output.Printer(json)
    report = asyncio.run(desk.tried(loaded, name, timeout_s=timeout_s, roles=roles or (), say=out.note))
    out.result(report, trial_lines(report))
    if not all(each.works for each in report.roles):
        raise typer.Exit(output.EXIT_FAILED)


def loaded_settings(context: typer.Context) -> Loaded:
    """The settings in effect; a test brings its own."""
    return context.obj if isinstance(context.obj, Loaded) else load()


def _row(found: ConfiguredModel) -> dict[str, Any]:
    """A model as JSON prints it."""
    entry, price = found.entry, found.price
    return {
        "name": entry.name,
        "provider": entry.provider,
        "model": entry.as_set,
        "roles": [*found.roles, *(["every other role"] if found.is_default else [])],
        "key": found.key,
        "key_env": entry.key_env,
        "price": price.model_dump(mode="json") if price else None,
        "price_text": _price_text(price),
        "structured": entry.structured,
        "rejects": dict(found.rejects),
        "learned": found.learned,
    }


def _model_cells(row: dict[str, Any]) -> Sequence[str]:
    key = f"{row['key_env']} {row['key']}" if row["key_env"] else "no key needed"
    model = (
        row["provider"] if row["provider"] == row["model"] else f"{row['provider']} {row['model']}".strip()
    )
    roles = ", ".join(map(_role_text, row["roles"])) or "no role"
    return (row["name"], model, key, row["price_text"], roles, row["learned"])


def _role_text(role: str) -> str:
    return "every manuscript role without a model of its own" if role == MANUSCRIPT else role


def _price_text(price: Price | None) -> str:
    """Dollars per million tokens."""
    if price is None:
        return "price unknown"
    if not price.input_micros and not price.output_micros:
        return "free"
    return f"${price.input_micros / 1e6:g} in, ${price.output_micros / 1e6:g} out"


def trial_lines(report: ProbeReport) -> list[str]:
    """The table of a trial, and what to set."""
    label = "  (demo: no real model wrote this)" if report.demo else ""
    named = [check.name for check in report.roles[0].checks]
    rows = [[each.role, *(_CELLS[check.state] for check in each.checks)] for each in report.roles]
    return [
        f"{report.name}: answered in {report.latency_ms} ms{label}",
        f"price: {_price_line(report)}",
        f"this test: {report.calls} calls, {_money(report.cost_micros)}",
        "",
        *output.columns([["role", *named], *rows]),
        "- is not needed; ? was not seen, which is no failure",
        *_mending_lines(report),
    ]


def _mending_lines(report: ProbeReport) -> list[str]:
    """The settings to change, each once, with its problem and roles."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for each in report.roles:
        for check in each.checks:
            if check.mend:
                mend = check.mend.replace(each.role, "ROLE")
                found.setdefault((check.name, check.problem, mend), []).append(each.role)
    return [
        line
        for (name, problem, mend), roles in found.items()
        for line in ("", *wrapped(f"{name}: ", ", ".join(roles)), *block(f"{problem} Set {mend}.".strip()))
    ]


def _price_line(report: ProbeReport) -> str:
    if [each.role for each in report.roles] == [IMAGES]:
        return "by the picture"
    if report.price is None:
        return "unknown; set input_usd_per_million and output_usd_per_million to have it counted"
    text = _price_text(report.price)
    return text if report.price_from == "free" else f"{text} ({report.price_from})"


def _money(micros: int | None) -> str:
    return "unknown" if micros is None else f"${micros / 1e6:.4f}"
