"""List language models and their prices, and try one out."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from gateway.cli import output
from gateway.desk import models as desk
from gateway.desk.models import ConfiguredModel
from penwright.domain.models.choice import MANUSCRIPT
from schemas.model_catalog import Price
from schemas.model_trial import ProbeReport
from workers.settings import Loaded, load

_RUNG_WORDS = {"native": "native schema", "tool": "forced tool", "json-in-text": "JSON in text"}


def list_models(context: typer.Context, json: output.JsonFlag = False) -> None:
    """List models with their keys, prices and roles.

    `penwright models --help` has the lines of one.
    """
    models, found = desk.configured(_loaded(context))
    rows = [_row(each) for each in found]
    output.Printer(json).result(
        {"models": rows, "default": models.default}, output.columns(map(_model_cells, rows))
    )


def try_model(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The model's name in penwright.toml, or `demo`.")],
    timeout_s: Annotated[float, typer.Option("--timeout", help="Seconds to wait for each answer.")] = 60.0,
    json: output.JsonFlag = False,
) -> None:
    """Try a model out with four short questions.

    Shows whether it answers, how fast, and which way of asking for structured output works.
    It is not counted against any budget; a vendor's model costs about a cent.

    \b
    Example:
        penwright models test sonnet
    """
    loaded, out = _loaded(context), output.Printer(json)
    report = asyncio.run(desk.tried(loaded, name, timeout_s=timeout_s, say=out.note))
    out.result(report, _probe_lines(report))


def _loaded(context: typer.Context) -> Loaded:
    """The settings in effect; a test brings its own."""
    return context.obj if isinstance(context.obj, Loaded) else load()


def _row(found: ConfiguredModel) -> dict[str, Any]:
    """A model as JSON prints it."""
    entry, price = found.entry, found.price
    return {
        "name": entry.name,
        "provider": entry.provider,
        "model": entry.model,
        "roles": [*found.roles, *(["every other role"] if found.is_default else [])],
        "key": found.key,
        "key_env": entry.key_env,
        "price": price.model_dump(mode="json") if price else None,
        "price_text": _price_text(price),
        "structured": entry.structured,
        "rejects": dict(found.rejects),
    }


def _model_cells(row: dict[str, Any]) -> Sequence[str]:
    key = f"{row['key_env']} {row['key']}" if row["key_env"] else "no key needed"
    model = (
        row["provider"] if row["provider"] == row["model"] else f"{row['provider']} {row['model']}".strip()
    )
    roles = ", ".join(map(_role_text, row["roles"])) or "no role"
    learned = ", ".join(_learned_text(*each) for each in row["rejects"].items())
    return (row["name"], model, key, row["price_text"], roles, learned)


def _learned_text(rejected: str, taken: str) -> str:
    return f"{rejected} is sent as {taken}" if taken else f"{rejected} is left out"


def _role_text(role: str) -> str:
    return "every manuscript role without a model of its own" if role == MANUSCRIPT else role


def _price_text(price: Price | None) -> str:
    """Dollars per million tokens."""
    if price is None:
        return "price unknown"
    if not price.input_micros and not price.output_micros:
        return "free"
    return f"${price.input_micros / 1e6:g} in, ${price.output_micros / 1e6:g} out"


def _probe_lines(report: ProbeReport) -> list[str]:
    label = "  (demo: no real model wrote this)" if report.demo else ""
    lines = [
        f"{report.name}: answered in {report.latency_ms} ms{label}",
        f"  {report.answer[:300]}",
        f"  price: {_price_line(report)}",
        f"  this test cost: {_money(report.cost_micros)}",
    ]
    for rung in report.rungs:
        verdict = "works" if rung.works else f"does not work: {rung.problem}"
        lines.append(f"  structured output, {_RUNG_WORDS[rung.rung]}: {verdict}")
    if report.best_rung is None:
        lines.append("  It gives no structured output: use it for prose only.")
    elif report.best_rung != report.configured_rung:
        lines.append(
            f'  Set structured = "{report.best_rung}" under [models.{report.name}] in penwright.toml.'
        )
    return lines


def _price_line(report: ProbeReport) -> str:
    if report.price is None:
        return "unknown; set input_usd_per_million and output_usd_per_million to have it counted"
    text = _price_text(report.price)
    return text if report.price_from == "free" else f"{text} ({report.price_from})"


def _money(micros: int | None) -> str:
    return "unknown" if micros is None else f"${micros / 1e6:.4f}"
