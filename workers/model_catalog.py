"""The models of the settings, as the model port wants them."""

from penwright.adapters.models.gguf import window_of_file
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
    file = model.file
    return ModelEntry(
        name=name,
        provider=model.provider,
        model=f"openai/{file.stem}" if file else model.model,
        file=str(file or ""),
        key_env=model.key_env,
        api_base=model.api_base,
        local=model.local or file is not None,
        price=_price(model),
        image_micros=None if model.usd_per_image is None else round(model.usd_per_image * _MICROS),
        structured=model.structured,
        timeout_s=model.timeout_s,
        max_output_tokens=model.max_output_tokens,
        context_tokens=window_of(model),
        reasoning=model.reasoning,
        temperature=model.temperature,
        extra=model.extra,
        streams=model.streams,
        script=str(model.script.expanduser()) if model.script else "",
    )


def window_of(model: ModelSettings) -> int | None:
    """The window by the settings, of a model in a file no larger than its own; None: not known."""
    own = window_of_file(model.file) if model.file else None
    return min(filter(None, (model.context_tokens, own)), default=None)


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
