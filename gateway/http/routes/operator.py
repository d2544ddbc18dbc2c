"""The installation: its health, its settings, its models."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict

from gateway.desk.models import ConfiguredModel
from gateway.desk.operator import health, settings
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from schemas.model_catalog import Price
from schemas.model_trial import ProbeReport

router = APIRouter(tags=["operator"], route_class=StrictRoute)


class Finding(BaseModel):
    """One thing that was looked at."""

    model_config = ConfigDict(from_attributes=True)

    name: str
    verdict: Literal["ok", "warning", "failed"]
    message: str
    advice: str


class Health(BaseModel):
    """The state of the installation."""

    healthy: bool
    findings: list[Finding]
    """Failures first, then warnings."""
    engine: dict[str, Any]
    """Its processes, as ``penwright status --json`` tells them. Any: JSON."""


class Setting(BaseModel):
    """One value, and where it comes from."""

    key: str
    value: Any
    """Any: JSON; what is secret is masked."""
    layer: Literal["default", "file", "environment"]
    where: str
    """Path of the file, or name of the variable."""


class Settings(BaseModel):
    """All settings in effect."""

    file: str
    items: list[Setting]


class Model(BaseModel):
    """A model of the settings."""

    name: str
    provider: str
    model: str
    roles: list[str]
    is_default: bool
    """Every role without a model of its own uses it."""
    key_name: str
    """Name of the variable with its key; the key itself is never told."""
    key: Literal["not needed", "set", "missing"]
    price: Price | None
    """Null if it is unknown."""
    rejects: dict[str, str]
    """Parameters that it rejected, each with the name under which it is sent; empty: it is left out."""


class Models(BaseModel):
    """The models, by name."""

    default: str
    items: list[Model]


@router.get("/health")
def show_health(principal: Asking, services: FromServices) -> Health:
    """The checks of ``penwright doctor``, and what runs."""
    found = health.health(services, principal)
    findings = [Finding.model_validate(each) for each in found.findings]
    return Health(healthy=found.healthy, findings=findings, engine=dict(found.engine))


@router.get("/settings")
def show_installation_settings(principal: Asking, services: FromServices) -> Settings:
    """Every setting with its source, secrets masked."""
    found = settings.shown(services, principal)
    items = [
        Setting(key=each.key, value=each.value, layer=each.source.layer, where=each.source.where)
        for each in found.settings
    ]
    return Settings(file=found.file, items=items)


@router.get("/models")
def list_models(principal: Asking, services: FromServices) -> Models:
    """The configured models with their roles and prices, and whether their keys are set."""
    found = settings.configured_models(services, principal)
    return Models(default=found.default, items=[_model(each) for each in found.models])


@router.post("/models/{name}/try")
def try_model(
    name: Annotated[str, Path(max_length=200)],
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> ProbeReport:
    """Ask a model what its roles will ask, which its vendor bills and no budget counts."""
    return finished(settings.try_model(services, principal, name, op_id=operation))


def _model(each: ConfiguredModel) -> Model:
    return Model(
        name=each.entry.name,
        provider=each.entry.provider,
        model=each.entry.as_set,
        roles=list(each.roles),
        is_default=each.is_default,
        key_name=each.entry.key_env,
        key=each.key,
        price=each.price,
        rejects=dict(each.rejects),
    )
