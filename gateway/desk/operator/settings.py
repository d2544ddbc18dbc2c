"""The settings in effect and the configured models; secrets and keys by their names alone."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from gateway.desk import models
from gateway.desk.models import ConfiguredModel
from gateway.desk.principals import Principal, require_all
from gateway.desk.services import Services
from penwright.domain.text.nearest import meant
from penwright.errors import NotFound
from schemas.base import Effect, OpId
from schemas.model_trial import ModelTrialOrder, ProbeReport
from workers.settings import SettingSource, effective, file_to_make, leaves

_PATIENCE_S = 45.0
"""For each of the answers."""


@dataclass(frozen=True, slots=True)
class ShownSetting:
    """One value, and where it comes from."""

    key: str
    """Dotted path, such as ``engine.port``."""
    value: Any
    """Any: JSON; what is secret is masked."""
    source: SettingSource


@dataclass(frozen=True, slots=True)
class ShownSettings:
    """All settings in effect."""

    file: str
    """The settings file; empty if there is none."""
    settings: tuple[ShownSetting, ...]


@dataclass(frozen=True, slots=True)
class ConfiguredModels:
    """The models of the settings."""

    default: str
    """The one of each role without a model of its own."""
    models: tuple[ConfiguredModel, ...]


def shown(services: Services, principal: Principal) -> ShownSettings:
    """Every setting with its source; for administrators who may see every subject.

    Raises:
        Refused: ``not-permitted``.
    """
    require_all(principal, "admin", "the settings")
    loaded = services.loaded()
    found = leaves(effective(loaded.settings))
    return ShownSettings(
        str(loaded.file or ""),
        tuple(ShownSetting(path, value, loaded.origin(path)) for path, value in found),
    )


def written_in(services: Services, principal: Principal) -> str:
    """The settings file, or where one would be read from; empty for those who may not see settings."""
    if "admin" not in principal.scopes or principal.subjects is not None:
        return ""
    loaded = services.loaded()
    return str(loaded.file or file_to_make(loaded.environ))


async def try_model(
    services: Services, principal: Principal, name: str, *, op_id: OpId | None = None
) -> ProbeReport:
    """Ask a model what its roles will ask, which a vendor bills and no budget counts.

    Args:
        op_id: of the order; one that is given again gets the same trial. None: a new one.

    Raises:
        Refused: ``not-permitted``.
        NotFound: ``unknown-model``.
        EngineUnavailable: nothing runs, or no process that asks models.
        ModelFinal, ModelUnavailable: no question gets past this, such as ``model-auth``.
    """
    require_all(principal, "run", "the models")
    catalog, _ = models.configured(services.loaded())
    names = [each.name for each in catalog.models]
    if name not in names:
        raise NotFound("unknown-model", f"no model of the settings is called {name!r}{meant(name, names)}")
    order = ModelTrialOrder(
        effect=Effect(op_id=op_id or OpId(f"trial/{uuid4()}"), issued_at=services.now()),
        name=name,
        timeout_s=_PATIENCE_S,
        model_queue=services.defaults().model_queue,
    )
    async with services.engine() as engine:
        return await engine.trials.tried(order)


def configured_models(services: Services, principal: Principal) -> ConfiguredModels:
    """The models with their roles, prices and the names of their keys.

    Raises:
        Refused: ``not-permitted``.
    """
    require_all(principal, "read", "the models")
    catalog, found = models.configured(services.loaded())
    return ConfiguredModels(catalog.default, found)
