"""The models of the settings, as the model port wants them."""

from schemas.model_catalog import DEMO, ModelCatalog, ModelEntry, Price
from workers.settings import ModelSettings, Settings

_MICROS = 1_000_000


def catalog(settings: Settings) -> ModelCatalog:
    """Return the models of the settings for the model port; the demo model always exists."""
    entries = tuple(_entry(name, model) for name, model in settings.models.items())
    own = () if "demo" in settings.models else (DEMO,)
    known = {DEMO.name, *settings.models}
    roles = {role: name for role, name in settings.roles.items() if name in known}
    roles |= {role: each.model for role, each in settings.profiles.items() if each.model}
    return ModelCatalog(
        models=(*own, *entries),
        roles=roles,
        profiles={role: each.profile for role, each in settings.profiles.items()},
        default=roles.get("writer", DEMO.name),
    )


def _entry(name: str, model: ModelSettings) -> ModelEntry:
    return ModelEntry(
        name=name,
        provider=model.provider,
        model=model.model,
        key_env=model.key_env,
        api_base=model.api_base,
        local=model.local,
        price=_price(model),
        image_micros=None if model.usd_per_image is None else round(model.usd_per_image * _MICROS),
        structured=model.structured,
        timeout_s=model.timeout_s,
        max_output_tokens=model.max_output_tokens,
        context_tokens=model.context_tokens,
        reasoning=model.reasoning,
        temperature=model.temperature,
        extra=model.extra,
        streams=model.streams,
        script=str(model.script.expanduser()) if model.script else "",
    )


def _price(model: ModelSettings) -> Price | None:
    if model.input_usd_per_million is None or model.output_usd_per_million is None:
        return None
    dollars = {
        "input_micros": model.input_usd_per_million,
        "output_micros": model.output_usd_per_million,
        "cached_micros": model.cached_usd_per_million,
        "written_micros": model.written_usd_per_million,
    }
    return Price(**{name: round(each * _MICROS) for name, each in dollars.items() if each is not None})
