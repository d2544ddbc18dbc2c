"""Settings from the environment, and trees of settings."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from pydantic_settings import EnvSettingsSource

from penwright.errors import UsageMistake
from workers.settings.values import Settings

ALIASES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "PENWRIGHT_TEMPORAL_CLI": ("engine", "temporal_cli"),
        "TEMPORAL_ADDRESS": ("engine", "address"),
        "TEMPORAL_NAMESPACE": ("engine", "namespace"),
        "TEMPORAL_PROFILE": ("engine", "profile"),
        "TEMPORAL_CONFIG_FILE": ("engine", "profile_file"),
    }
)
"""Variables that do not follow the ``PENWRIGHT_SECTION__KEY`` form -> the setting each one sets."""


def leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield dotted path and value of every leaf of ``tree``."""
    for key, value in tree.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from leaves(value, f"{path}.")
        else:
            yield path, value


def variable_of(path: str) -> str:
    return "PENWRIGHT_" + path.upper().replace(".", "__")


class _Environment(EnvSettingsSource):
    """Reads a given environment instead of the process's."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._given = environ
        super().__init__(Settings)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return {name.lower(): value for name, value in self._given.items()}


def read_environment(environ: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the tree that the environment sets, and by path the variables of ``ALIASES`` that were used."""
    tree: dict[str, Any] = {}
    variables: dict[str, str] = {}
    for name, (section, key) in ALIASES.items():
        if environ.get(name):
            tree.setdefault(section, {})[key] = environ[name]
            variables[f"{section}.{key}"] = name
    try:
        own = _Environment({name: value for name, value in environ.items() if value != ""})()
    except ValueError as error:
        raise UsageMistake(
            "settings-variable-unreadable", f"{error}; lists and tables in variables are written as JSON"
        ) from error
    for path, _ in leaves(own):
        variables.pop(path, None)
    return merge(tree, own), variables


def merge(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = (
            merge(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
        )
    return merged
