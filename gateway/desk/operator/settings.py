"""The settings in effect and the configured models; secrets and keys by their names alone."""

from dataclasses import dataclass
from typing import Any

from gateway.desk import models
from gateway.desk.models import ConfiguredModel
from gateway.desk.principals import Principal, require_all
from gateway.desk.services import Services
from penwright.adapters.models.probe import ProbeReport
from workers.settings import SettingSource, effective, leaves

_PATIENCE_S = 60.0


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


async def try_model(services: Services, principal: Principal, name: str) -> ProbeReport:
    """Ask a model four short questions, which a vendor bills and no budget counts.

    Raises:
        Refused: ``not-permitted``.
        UsageMistake: no model is called that.
    """
    require_all(principal, "run", "the models")
    return await models.tried(services.loaded(), name, timeout_s=_PATIENCE_S, say=lambda _: None)


def configured_models(services: Services, principal: Principal) -> ConfiguredModels:
    """The models with their roles, prices and the names of their keys.

    Raises:
        Refused: ``not-permitted``.
    """
    require_all(principal, "read", "the models")
    catalog, found = models.configured(services.loaded())
    return ConfiguredModels(catalog.default, found)
