"""The verbs about language models: what there is, whether it works, and what it has cost."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gateway.cli import output

if TYPE_CHECKING:
    from penwright.adapters.models.probe import ProbeReport
    from schemas.model_catalog import ModelCatalog, ModelEntry, Price
    from schemas.records import Spending
    from workers.settings import Loaded

_RUNG_WORDS = {"native": "native schema", "tool": "forced tool", "json-in-text": "JSON in text"}


def register(app: typer.Typer) -> None:
    """Add the verbs to ``app``."""
    models = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="List and test language models.")
    models.command("list")(list_models)
    models.command("test")(try_model)
    app.add_typer(models, name="models")
    app.command("cost")(cost)


def list_models(context: typer.Context, json: output.JsonFlag = False) -> None:
    """List models with their keys, prices and roles.

    \b
    Models stand in penwright.toml:
        [models.sonnet]
        model = "anthropic/claude-sonnet-4-5"
        key_env = "ANTHROPIC_API_KEY"
        [roles]
        writer = "sonnet"
    """
    from workers.wiring import catalog

    loaded = _loaded(context)
    models = catalog(loaded.settings)
    rows = [_row(entry, models, loaded) for entry in models.models]
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
    from penwright.adapters.clock import SystemClock
    from penwright.adapters.models.probe import probe
    from penwright.domain.models.choice import entry_named
    from schemas.base import Effect, OpId
    from workers.wiring import catalog

    loaded, out = _loaded(context), output.Printer(json)
    entry = entry_named(catalog(loaded.settings), name)
    report = asyncio.run(
        probe(
            entry,
            key=loaded.environ.get(entry.key_env, ""),
            effect=Effect(op_id=OpId(f"probe/{name}"), issued_at=SystemClock().now()),
            say=out.note,
            timeout_s=timeout_s,
        )
    )
    out.result(report, _probe_lines(report))


def cost(context: typer.Context, json: output.JsonFlag = False) -> None:
    """Show what models have cost: today over all books, and each book over its whole life.

    \b
    Example:
        penwright cost --json
    """
    from penwright.adapters.clock import SystemClock
    from schemas.model import BudgetScope
    from workers.store_opening import open_store_of

    store = open_store_of(_loaded(context).settings)
    try:
        today = SystemClock().now()
        books = [
            (book.book_id, store.ledger.spending(BudgetScope(run="", subject=book.book_id), day=today))
            for book in store.records.books()
        ]
        day = store.ledger.spending(BudgetScope(run="", subject=""), day=today)["day"]
    finally:
        store.close()
    rows = [("today", day), *((book, spent["subject"]) for book, spent in books)]
    output.Printer(json).result(
        {
            "today": day.model_dump(mode="json"),
            "books": {book: spent["subject"].model_dump(mode="json") for book, spent in books},
        },
        output.columns(
            [("", "calls", "tokens in", "tokens out", "cost"), *(_cost_cells(*row) for row in rows)]
        ),
    )


def _loaded(context: typer.Context) -> "Loaded":
    """The settings in effect; a test brings its own."""
    from workers.settings import Loaded, load

    return context.obj if isinstance(context.obj, Loaded) else load()


def _row(entry: "ModelEntry", models: "ModelCatalog", loaded: "Loaded") -> dict[str, Any]:
    """A model as JSON prints it."""
    from penwright.adapters.models.prices import listed_price

    price = listed_price(entry)
    roles = sorted(role for role, model in models.roles.items() if model == entry.name)
    return {
        "name": entry.name,
        "provider": entry.provider,
        "model": entry.model,
        "roles": [*roles, *(["every other role"] if entry.name == models.default else [])],
        "key": _key(entry, loaded),
        "key_env": entry.key_env,
        "price": price.model_dump(mode="json") if price else None,
        "price_text": _price_text(price),
        "structured": entry.structured,
    }


def _key(entry: "ModelEntry", loaded: "Loaded") -> str:
    if not entry.key_env:
        return "not needed"
    return "set" if loaded.environ.get(entry.key_env) else "missing"


def _model_cells(row: dict[str, Any]) -> Sequence[str]:
    key = f"{row['key_env']} {row['key']}" if row["key_env"] else "no key needed"
    model = (
        row["provider"] if row["provider"] == row["model"] else f"{row['provider']} {row['model']}".strip()
    )
    return (row["name"], model, key, row["price_text"], ", ".join(row["roles"]) or "no role")


def _price_text(price: "Price | None") -> str:
    """Dollars per million tokens."""
    if price is None:
        return "price not in our list"
    if not price.input_micros and not price.output_micros:
        return "free"
    return f"${price.input_micros / 1e6:g} in, ${price.output_micros / 1e6:g} out"


def _probe_lines(report: "ProbeReport") -> list[str]:
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


def _price_line(report: "ProbeReport") -> str:
    if report.price is None:
        return "unknown; set input_usd_per_million and output_usd_per_million to have it counted"
    text = _price_text(report.price)
    return text if report.price_from == "free" else f"{text} ({report.price_from})"


def _cost_cells(name: str, spent: "Spending") -> Sequence[str]:
    unknown = f" and {spent.unknown_prices} calls of unknown price" if spent.unknown_prices else ""
    money = _money(spent.cost_micros) + unknown
    return (name, str(spent.calls), str(spent.input_tokens), str(spent.output_tokens), money)


def _money(micros: int | None) -> str:
    return "unknown" if micros is None else f"${micros / 1e6:.4f}"
