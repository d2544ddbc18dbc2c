"""Reads the settings, and remembers where each value comes from; only this package reads the environment."""

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic import ValidationError

from penwright.errors import UsageMistake
from workers.settings.files import RETIRED, find_file, read_file
from workers.settings.values import Settings
from workers.settings.variables import leaves, merge, read_environment, variable_of

MODEL_KEY_VARIABLE = re.compile(
    r".*_API_KEY|HF_TOKEN|HUGGINGFACE_TOKEN|AZURE_AD_TOKEN|GOOGLE_APPLICATION_CREDENTIALS"
)
"""Variables that model vendors read; only the model worker gets them."""


SET_KEYS_VARIABLE = "PENWRIGHT_SET_KEYS"
"""Tells the other processes which keys the model worker has: their names, divided by commas."""


@dataclass(frozen=True, slots=True)
class SettingSource:
    """The layer that set a value, and the file or variable."""

    layer: Literal["default", "file", "environment"]
    where: str = ""
    """Path of the file, or name of the variable; empty for a default."""


@dataclass(frozen=True)
class Loaded:
    """Settings, the source of each value, and the environment for child processes."""

    settings: Settings
    file: Path | None
    origins: Mapping[str, SettingSource]
    """By dotted path; a missing path has its default."""
    environ: Mapping[str, str]
    file_state: tuple[int, ...] = ()
    """State of the file when it was read; it differs after each change."""

    def origin(self, path: str) -> SettingSource:
        """Return the source of the value at a dotted ``path``."""
        return self.origins.get(path, SettingSource("default"))

    def command(self, words: str) -> str:
        """A ``penwright`` command that means this home in the shell of the caller, too."""
        home = f"PENWRIGHT_HOME={shlex.quote(str(self.settings.home))} "
        return f"{home if self.origin('home').layer == 'environment' else ''}penwright {words}"

    @property
    def warnings(self) -> tuple[str, ...]:
        """One sentence about each retired setting that is still set."""
        return tuple(
            f"{path} from {self.origins[path].where} has no effect any more: {instead}"
            for path, instead in RETIRED.items()
            if path in self.origins
        )

    @cached_property
    def model_key_variables(self) -> frozenset[str]:
        """Names of set variables that hold keys of model providers."""
        named = {model.key_env for model in self.settings.models.values() if model.key_env}
        vendors = {name for name in self.environ if MODEL_KEY_VARIABLE.fullmatch(name)}
        vendors -= {name for name in vendors if name.startswith(("PENWRIGHT_", "TEMPORAL_"))}
        vendors -= set(self.settings.scholarly.key_variables.values())
        return frozenset((named | vendors) & self.environ.keys())

    @cached_property
    def set_keys(self) -> frozenset[str]:
        """Names of the keys that the model worker of this engine has, whether or not they are set here."""
        told = self.environ.get(SET_KEYS_VARIABLE, "")
        own = {name for name in self.model_key_variables if self.environ[name]}
        return frozenset({*own, *filter(None, told.split(","))})

    def has_key(self, name: str) -> bool:
        """Whether the key called ``name`` is set, here or for the model worker."""
        return name in self.set_keys or bool(self.environ.get(name))

    def child_environment(self, *, with_model_keys: bool = False) -> dict[str, str]:
        """Return the environment of a child process: the same settings, and model keys only if asked for."""
        hidden = frozenset[str]() if with_model_keys else self.model_key_variables
        kept = {name: value for name, value in self.environ.items() if name not in hidden}
        return kept | {
            "PENWRIGHT_HOME": str(self.settings.home),
            "PENWRIGHT_CONFIG": str(self.file or ""),
            SET_KEYS_VARIABLE: ",".join(sorted(self.set_keys)),
        }


def drop_git_variables() -> None:
    """Take git's variables out of this process: with some of them GitPython opens another repository."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]


def load(environ: Mapping[str, str] | None = None, *, folder: Path | None = None) -> Loaded:
    """Read the settings; ``environ`` and ``folder`` default to this process's own.

    Raises:
        UsageMistake: the file is missing or unreadable, or a key or value is invalid.
    """
    environ = dict(os.environ if environ is None else environ)
    file = find_file(environ, folder or Path.cwd())
    state = _state(file)
    from_file = read_file(file) if file else {}
    from_environment, variables = read_environment(environ)
    origins = {path: SettingSource("file", str(file)) for path, _ in leaves(from_file)}
    origins |= {
        path: SettingSource("environment", variables.get(path, variable_of(path)))
        for path, _ in leaves(from_environment)
    }
    settings = _validate(_in_use(merge(from_file, from_environment)), origins)
    return Loaded(settings, file, MappingProxyType(origins), MappingProxyType(environ), state)


def reload(last: Loaded | None, environ: Mapping[str, str] | None = None) -> Loaded:
    """``last``, unless the environment or the settings file has changed since; raises as ``load``."""
    now = os.environ if environ is None else environ
    if last is not None and last.environ == now:
        file = find_file(last.environ, Path.cwd())
        if file == last.file and _state(file) == last.file_state:
            return last
    return load(environ)


def _state(file: Path | None) -> tuple[int, ...]:
    try:
        found = file.stat() if file else None
    except OSError:
        return ()
    return (found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size) if found else ()


def _in_use(tree: dict[str, Any]) -> dict[str, Any]:
    """``tree`` without retired settings."""
    for path in RETIRED:
        section, _, key = path.partition(".")
        if isinstance(found := tree.get(section), dict):
            tree[section] = {name: value for name, value in found.items() if name != key}
    return tree


def _validate(tree: dict[str, Any], origins: Mapping[str, SettingSource]) -> Settings:
    try:
        return Settings(**tree)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)
        told = [_told(each, origins) for each in found]
        kind, path = found[0]["type"], told[0][0]
        code = kind if kind.startswith("profile-") else "settings-invalid"
        correct = "correct it" if len(told) == 1 else "correct them"
        raise UsageMistake(code, f"{'; '.join(said for _, said in told)}; {correct}", key=path) from error


# Any: an error as pydantic describes it.
def _told(error: Any, origins: Mapping[str, SettingSource]) -> tuple[str, str]:
    """The path of a wrong setting, and what is wrong with it; never its value, which may be a secret."""
    path = ".".join(str(part) for part in error["loc"]) or error.get("ctx", {}).get("path", "") or "settings"
    where = origins.get(path, SettingSource("default")).where or "the settings"
    return path, f"{path!r} from {where}: {error['msg']}"
