"""Choose a configured model, by role or by its own name."""

from penwright.errors import ModelFinal
from schemas.model_catalog import ModelCatalog, ModelEntry

NAMED = "model:"
"""Prefix of a role that names a model directly: the rest is the model's name."""


def entry_for(catalog: ModelCatalog, role: str) -> ModelEntry:
    """Return the model of ``role``, or the one that it names; raises ``ModelFinal("unknown-model")``."""
    if role.startswith(NAMED):
        return entry_named(catalog, role.removeprefix(NAMED))
    return entry_named(catalog, catalog.roles.get(role, catalog.default))


def entry_named(catalog: ModelCatalog, name: str) -> ModelEntry:
    """Return the model called ``name``; raises ``ModelFinal("unknown-model")``."""
    for entry in catalog.models:
        if entry.name == name:
            return entry
    known = ", ".join(sorted(entry.name for entry in catalog.models)) or "none"
    raise ModelFinal(
        "unknown-model",
        f"There is no model {name!r} in the settings. Configured: {known}.",
        hint="name one of these, or add it to penwright.toml; `penwright models list` shows them all",
    )


def spelled(entry: ModelEntry) -> str:
    """Return the identity of a model across experiments: its alias, provider, provider's name and address."""
    return " ".join(part for part in (entry.name, entry.provider, entry.model, entry.api_base) if part)
