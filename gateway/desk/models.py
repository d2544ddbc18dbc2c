"""Language models: what is configured, whether one works, and what all of them have cost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.prices import listed_price
from penwright.adapters.models.probe import probe
from penwright.adapters.store.opening import Store
from penwright.domain.models.choice import entry_named
from schemas.base import Effect, OpId
from schemas.model import BudgetScope
from schemas.model_catalog import ModelCatalog, ModelEntry, Price
from schemas.model_trial import ProbeReport
from schemas.records import Spending
from workers.model_catalog import catalog
from workers.settings import Loaded
from workers.store_opening import open_store_of


@dataclass(frozen=True, slots=True)
class ConfiguredModel:
    """A model of the settings."""

    entry: ModelEntry
    roles: tuple[str, ...]
    is_default: bool
    """Whether every role without a model of its own uses it."""
    key: Literal["not needed", "set", "missing"]
    price: Price | None
    """None if it is not in our list."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What models have cost."""

    today: Spending
    books: Mapping[str, Spending]
    """By book, over its whole life."""
    novels: Mapping[str, Spending]
    """By novel, over its whole life: the sum of its scenes."""


def configured(loaded: Loaded) -> tuple[ModelCatalog, tuple[ConfiguredModel, ...]]:
    """The catalog, and each of its models."""
    models = catalog(loaded.settings)
    return models, tuple(_configured(entry, models, loaded) for entry in models.models)


async def tried(loaded: Loaded, name: str, *, timeout_s: float, say: Callable[[str], None]) -> ProbeReport:
    """Ask a model four short questions; not counted against any budget."""
    entry = entry_named(catalog(loaded.settings), name)
    return await probe(
        entry,
        key=loaded.environ.get(entry.key_env, ""),
        effect=Effect(op_id=OpId(f"probe/{name}"), issued_at=SystemClock().now()),
        say=say,
        timeout_s=timeout_s,
    )


def costs(loaded: Loaded) -> Costs:
    """Today's cost of all books and novels, and the cost of each of them."""
    store = open_store_of(loaded.settings)
    try:
        today = SystemClock().now()
        books = {
            book.book_id: store.ledger.spending(BudgetScope(run="", subject=book.book_id), day=today)
            for book in store.records.books()
        }
        subjects = store.ledger.subjects()
        novels = {
            str(novel.book_id): _of_scenes(store, _scenes_of(novel.book_id, subjects), today)
            for novel in store.records.books("novel")
        }
        day = store.ledger.spending(BudgetScope(run="", subject=""), day=today)["day"]
    finally:
        store.close()
    return Costs(day, {book: spent["subject"] for book, spent in books.items()}, novels)


def _scenes_of(novel: str, subjects: Sequence[str]) -> tuple[str, ...]:
    return tuple(each for each in subjects if each.startswith(f"{novel}/"))


def _of_scenes(store: Store, names: Sequence[str], day: datetime) -> Spending:
    """What these documents have cost together."""
    spent = [store.ledger.spending(BudgetScope(run="", subject=name), day=day)["subject"] for name in names]
    fields = (name for name in Spending.model_fields if name != "scope")
    return Spending(scope="", **{name: sum(getattr(each, name) for each in spent) for name in fields})


def _configured(entry: ModelEntry, models: ModelCatalog, loaded: Loaded) -> ConfiguredModel:
    has_key = loaded.has_key(entry.key_env)
    return ConfiguredModel(
        entry=entry,
        roles=tuple(sorted(role for role, model in models.roles.items() if model == entry.name)),
        is_default=entry.name == models.default,
        key="not needed" if not entry.key_env else "set" if has_key else "missing",
        price=listed_price(entry),
    )
