"""Language models: what is configured, and whether one works."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.lesson_files import LessonFiles
from penwright.adapters.models.parameters import lesson_in_words
from penwright.adapters.models.prices import price_of
from penwright.adapters.models.probe import CatalogProbes
from penwright.domain.models.choice import entry_named
from penwright.errors import ModelFinal, UsageMistake
from schemas.base import Effect, OpId
from schemas.model_catalog import ModelCatalog, ModelEntry, Price
from schemas.model_trial import ProbeReport
from workers.engine.local_models import served
from workers.model_catalog import catalog
from workers.settings import Loaded
from workers.store_opening import counts_dollars


@dataclass(frozen=True, slots=True)
class ConfiguredModel:
    """A model of the settings."""

    entry: ModelEntry
    roles: tuple[str, ...]
    is_default: bool
    """Whether every role without a model of its own uses it."""
    key: Literal["not needed", "set", "missing"]
    price: Price | None
    """None if it is unknown."""
    rejects: Mapping[str, str]
    """Parameters that it rejected, each with the name under which it is sent; empty: it is left out.

    A field of thought that it misses stands here under its own name.
    """

    @property
    def learned(self) -> str:
        """The same in words; empty if it rejected nothing."""
        return ", ".join(lesson_in_words(name, taken) for name, taken in self.rejects.items())


def configured(loaded: Loaded) -> tuple[ModelCatalog, tuple[ConfiguredModel, ...]]:
    """The catalog, and each of its models."""
    models = catalog(loaded.settings)
    return models, tuple(_configured(entry, models, loaded) for entry in models.models)


def check_model(loaded: Loaded, name: str) -> None:
    """Raise ``UsageMistake`` (``unknown-model``), with the nearest name, unless it is configured."""
    try:
        entry_named(catalog(loaded.settings), name)
    except ModelFinal as unknown:
        raise UsageMistake(unknown.code, unknown.message, hint=unknown.details["hint"]) from None


async def tried(
    loaded: Loaded, name: str, *, timeout_s: float | None, roles: Sequence[str], say: Callable[[str], None]
) -> ProbeReport:
    """Ask a model what its roles will ask, see ``CatalogProbes``; not counted against any budget.

    A model that is a file is served meanwhile, whether or not an engine serves it already.
    """
    effect = Effect(op_id=OpId(f"probe/{name}"), issued_at=SystemClock().now())
    with served(loaded, name) as asked:
        probes = CatalogProbes(
            catalog(asked.settings),
            asked.environ,
            lessons=LessonFiles(asked.settings.home),
            capped=counts_dollars(asked.settings),
        )
        return await probes.probe(name, effect, timeout_s=timeout_s, roles=roles, say=say)


def _configured(entry: ModelEntry, models: ModelCatalog, loaded: Loaded) -> ConfiguredModel:
    has_key = loaded.has_key(entry.key_env)
    return ConfiguredModel(
        entry=entry,
        roles=tuple(sorted(role for role, model in models.roles.items() if model == entry.name)),
        is_default=entry.name == models.default,
        key="not needed" if not entry.key_env else "set" if has_key else "missing",
        price=price_of(entry),
        rejects=LessonFiles(loaded.settings.home).of(entry),
    )
