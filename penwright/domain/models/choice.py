"""Which of the configured models answers: by role, or by its own name."""

from penwright.errors import ModelFinal
from schemas.model_catalog import ModelCatalog, ModelEntry

NAMED = "model:"
"""A role that begins so is no role: the rest is the name of a model, whatever any role maps to."""


def entry_for(catalog: ModelCatalog, role: str) -> ModelEntry:
    """The model that plays ``role``, or is named by it; raises ``ModelFinal("unknown-model")``."""
    if role.startswith(NAMED):
        return entry_named(catalog, role.removeprefix(NAMED))
    return entry_named(catalog, catalog.roles.get(role, catalog.default))


def entry_named(catalog: ModelCatalog, name: str) -> ModelEntry:
    """The model called ``name``; raises ``ModelFinal("unknown-model")``."""
    for entry in catalog.models:
        if entry.name == name:
            return entry
    known = ", ".join(sorted(entry.name for entry in catalog.models)) or "none"
    raise ModelFinal(
        "unknown-model",
        f"There is no model {name!r} in the settings. Configured: {known}. Name one of these.",
    )


def spelled(entry: ModelEntry) -> str:
    """What makes a model the same in two experiments: its name here, and what stands behind it."""
    return " ".join(part for part in (entry.name, entry.provider, entry.model, entry.api_base) if part)
