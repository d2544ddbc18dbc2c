"""Change the settings file, whose other lines and comments stay as they are."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from gateway.desk.durable_file import durable_file
from penwright.errors import Refused


def change_settings(file: Path, change: Callable[[TOMLDocument], None]) -> None:
    """Write the file with what ``change`` does to it; one that is missing is made.

    Raises:
        Refused: ``settings-not-written``; or what ``change`` raises.
    """
    try:
        stands = file.exists()
        document = tomlkit.parse(file.read_text(encoding="utf-8") if stands else "")
        change(document)
        file.parent.mkdir(parents=True, exist_ok=True)
        mode = file.stat().st_mode & 0o777 if stands else None
        with durable_file(file, over=stands, mode=mode) as written:
            written.write(tomlkit.dumps(document).encode())
    except (OSError, TOMLKitError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise Refused(
            "settings-not-written",
            f"the settings file {str(file)!r} cannot be changed here: {said}",
            hint="change it where it is kept",
        ) from None


# Any: a document or a table of a library that types neither.
def table_in(parent: Any, name: str) -> Table:
    """The table called ``name``; a new one if there is none."""
    found: Table = parent.setdefault(name, tomlkit.table())
    return found
