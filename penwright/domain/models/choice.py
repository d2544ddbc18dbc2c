"""Choose a configured model, by role or by its own name."""

from penwright.errors import ModelFinal
from schemas.model_catalog import ModelCatalog, ModelEntry

NAMED = "model:"
"""Prefix of a role that names a model directly: the rest is the model's name."""
MANUSCRIPT = "manuscript"
"""The group of all agents of manuscripts and their citations."""


def entry_for(catalog: ModelCatalog, role: str) -> ModelEntry:
    """Return the model of ``role``, else of its group, else the default; or the model that it names.

    The group is what stands before the first hyphen: ``manuscript`` of ``manuscript-critic``.

    Raises:
        ModelFinal: ``unknown-model``.
    """
    if role.startswith(NAMED):
        return entry_named(catalog, role.removeprefix(NAMED))
    of_group = catalog.roles.get(role.partition("-")[0], catalog.default)
    return entry_named(catalog, catalog.roles.get(role, of_group))


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
