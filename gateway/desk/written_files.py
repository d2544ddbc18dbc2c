"""Files that a command writes for a person: whole or not at all."""

import errno
import os
from pathlib import Path
from shlex import quote

from gateway.desk.durable_file import durable_file
from penwright.errors import PermanentError, Refused, UsageMistake


def check_place(place: Path, *, force: bool, suffix: str) -> None:
    """Raise what ``write_file`` would raise, before a long conversion.

    Args:
        suffix: of the files that are made, for the message.

    Raises:
        UsageMistake: ``not-a-file``, ``not-a-folder`` or ``no-such-folder``.
        Refused: ``would-overwrite``.
    """
    if place.is_dir():
        raise UsageMistake(
            "not-a-file",
            f"{str(place)!r} is a folder",
            hint=f"name a file in it, for instance `--output {place / 'book'}{suffix}`",
        )
    if not place.absolute().parent.is_dir():
        raise _no_folder(place.absolute().parent)
    if os.path.lexists(place) and not force:
        raise _exists(place)


def _no_folder(folder: Path) -> UsageMistake:
    there = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
    if not there.is_dir():
        return UsageMistake(
            "not-a-folder", f"{str(there)!r} is a file", hint="name a file in a folder that exists"
        )
    return UsageMistake(
        "no-such-folder",
        f"there is no folder {str(folder)!r}",
        hint=f"make it with `mkdir -p {quote(str(folder))}`, or name another file",
    )


def write_file(place: Path, content: bytes, *, force: bool) -> None:
    """Write the file whole or not at all, and over another one only with ``force``.

    Raises:
        Refused: ``would-overwrite``.
        UsageMistake: ``name-too-long``.
        PermanentError: ``not-written``.
    """
    try:
        with durable_file(place, over=force) as file:
            file.write(content)
    except FileExistsError:
        raise _exists(place) from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            said = f"the name {place.name[:40]!r}… is longer than a file's may be; nothing was written"
            raise UsageMistake("name-too-long", said, hint="choose a shorter name") from None
        raise PermanentError(
            "not-written",
            f"{str(place)!r} cannot be written: {error.strerror or error}",
            hint="see that the disk has room and the folder is yours to write to, or name another file",
        ) from None


def _exists(place: Path) -> Refused:
    return Refused(
        "would-overwrite",
        f"{str(place)!r} exists; nothing was written",
        hint="name another file with `--output`, or replace it with `--force`",
    )
