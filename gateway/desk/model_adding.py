"""Write a model into the settings file, and give it roles."""

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit import TOMLDocument

from gateway.desk.settings_file import change_settings, table_in
from penwright.errors import Refused, UsageMistake
from workers.settings import Loaded, file_to_make, load

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Written:
    """The lines that were written, and the settings that now hold."""

    loaded: Loaded
    lines: str
    before: str
    """The lines in whose place they stand; empty: none stood there."""


def check_name(loaded: Loaded, name: str, *, replace: bool) -> None:
    """Refuse a name that no table can have, or that a model has.

    Raises:
        UsageMistake: ``bad-model-name``.
        Refused: ``model-exists``.
    """
    if not _NAME.fullmatch(name):
        raise UsageMistake(
            "bad-model-name", f"{name!r} is no name for a model; use up to 64 letters, digits, `-` and `_`"
        )
    if name == "demo" or (name in loaded.settings.models and not replace):
        raise Refused(
            "model-exists",
            f"there is a model {name!r} already",
            hint="choose another name" + ("" if name == "demo" else ", or write over it with `--replace`"),
        )


# Any: values of TOML.
def write_model(loaded: Loaded, name: str, values: Mapping[str, Any]) -> Written:
    """Write ``[models.NAME]``; what stood there goes.

    Raises:
        Refused: ``no-settings-file``, ``settings-not-written``.
        UsageMistake: the settings would be wrong with it; nothing was written.
    """
    table = tomlkit.table()
    for key, value in values.items():
        table[key] = value
    before: list[str] = []

    def change(document: TOMLDocument) -> None:
        models = document.setdefault("models", tomlkit.table(is_super_table=True))
        if name in models:
            before.append(_lines(name, models[name]))
        models[name] = table

    now = _changed(loaded, change)
    return Written(now, _lines(name, table), "".join(before))


def give_roles(loaded: Loaded, name: str, roles: Sequence[str]) -> Loaded:
    """Let the model answer for the roles.

    Raises:
        As ``write_model``.
    """

    def change(document: TOMLDocument) -> None:
        for role in roles:
            table_in(document, "roles")[role] = name

    return _changed(loaded, change) if roles else loaded


def _changed(loaded: Loaded, change: Callable[[TOMLDocument], None]) -> Loaded:
    """The settings after a change that is written only if they can be read with it."""
    if loaded.environ.get("PENWRIGHT_CONFIG") == "":
        raise Refused(
            "no-settings-file",
            "PENWRIGHT_CONFIG is empty, so no settings file is read",
            hint="unset it, or let it name a file",
        )
    file = (loaded.file or file_to_make(loaded.environ)).resolve()
    stands = {**loaded.environ, "PENWRIGHT_CONFIG": str(file)}

    def checked(document: TOMLDocument) -> None:
        change(document)
        _check(tomlkit.dumps(document), stands, file)

    change_settings(file, checked)
    return load(stands)


def _check(text: str, environ: Mapping[str, str], file: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder) / file.name
        trial.write_text(text, encoding="utf-8")
        try:
            load({**environ, "PENWRIGHT_CONFIG": str(trial)})
        except UsageMistake as mistake:
            told = mistake.message.replace(str(trial), str(file))
            raise UsageMistake(mistake.code, f"{told}; nothing was written") from None


# Any: a table of a library that types none.
def _lines(name: str, table: Any) -> str:
    return tomlkit.dumps({"models": {name: table}}).strip()
