"""The settings file: where it is looked for, and what is wrong in it."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import BaseModel

from penwright.domain.text.nearest import meant
from penwright.errors import UsageMistake
from workers.profiles import ProfileSettings
from workers.settings.sections import ModelSettings
from workers.settings.values import Settings

FILE_NAME = "penwright.toml"
RETIRED: Mapping[str, str] = {
    "engine.start_timeout_s": "a start is waited for as long as it moves; engine.start_stall_s is its limit"
}
"""Settings of earlier versions, which are read and have no effect -> what holds instead."""


def places_of_file(environ: Mapping[str, str], folder: Path | None = None) -> tuple[Path, ...]:
    """List the places of the settings file, in order; the first that exists is used."""
    named = environ.get("PENWRIGHT_CONFIG")
    if named is not None:
        return (Path(named).expanduser().absolute(),) if named else ()
    here = (folder or Path.cwd()) / FILE_NAME
    return here.absolute(), platformdirs.user_config_path("penwright") / FILE_NAME


def file_to_make(environ: Mapping[str, str]) -> Path:
    """Choose where every process finds a new settings file: as named, else among the user's own."""
    named = environ.get("PENWRIGHT_CONFIG")
    return places_of_file(environ)[-1] if named else platformdirs.user_config_path("penwright") / FILE_NAME


def find_file(environ: Mapping[str, str], folder: Path) -> Path | None:
    named = environ.get("PENWRIGHT_CONFIG")
    if named == "":
        return None
    if named is not None:
        file = Path(named).expanduser().absolute()
        if not file.is_file():
            raise UsageMistake(
                "settings-file-missing",
                f"PENWRIGHT_CONFIG names {str(file)!r}, which does not exist",
                hint="create the file, or unset PENWRIGHT_CONFIG",
            )
        return file
    return next((file for file in places_of_file(environ, folder) if file.is_file()), None)


def read_file(file: Path) -> dict[str, Any]:
    try:
        tree = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageMistake(
            "settings-file-unreadable",
            f"{str(file)!r} cannot be read as TOML: {error}",
            file=str(file),
            hint="correct that file; PENWRIGHT_CONFIG may name another one meanwhile",
        ) from error
    if unknown := [each for each in _unknown(tree, Settings, "") if each[0] not in RETIRED]:
        path = unknown[0][0]
        told = "; ".join(f"{path!r} {advice}" for path, advice in unknown)
        hint = f"correct the key in {str(file)!r}, or take it out"
        raise UsageMistake("settings-unknown-key", f"in {str(file)!r}, {told}", key=path, hint=hint)
    return tree


def _unknown(tree: Mapping[str, Any], section: type[BaseModel], prefix: str) -> Iterator[tuple[str, str]]:
    """Yield dotted path and advice of each key that is no setting."""
    for key, value in tree.items():
        field = section.model_fields.get(key)
        if field is None:
            yield f"{prefix}{key}", _advice(key, section)
        elif isinstance(value, Mapping):
            kind = field.annotation
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from _unknown(value, kind, f"{prefix}{key}.")
            elif section is Settings and key in _NAMED_TABLES:
                for alias, table in value.items():
                    if isinstance(table, Mapping):
                        yield from _unknown(table, _NAMED_TABLES[key], f"{key}.{alias}.")


_NAMED_TABLES: Mapping[str, type[BaseModel]] = {"models": ModelSettings, "profiles": ProfileSettings}
"""Settings that are tables of tables, by names that the operator chooses."""


def _advice(key: str, section: type[BaseModel]) -> str:
    if hint := meant(key, section.model_fields):
        return f"is not a setting{hint}"
    return f"is not a setting (known here: {', '.join(section.model_fields)})"
