"""A file that stands at its place whole, and on the disk, or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def durable_file(place: Path, *, over: bool, mode: int | None = None) -> Iterator[BinaryIO]:
    """Yield a file to write into; it gets its name, and the permissions of a new file, when the block ends.

    After an error nothing of it is left, and what stood at ``place`` still stands there.

    Args:
        over: replace what is there.
        mode: its permissions; None: those of a new file.

    Raises:
        FileExistsError: something is there by then.
        OSError: the folder is missing, or the disk is full.
    """
    whole = place.absolute()
    descriptor, name = tempfile.mkstemp(dir=whole.parent, prefix=f".{whole.name[:80]}.")
    scratch = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fchmod(descriptor, 0o666 & ~_mask() if mode is None else mode)
            os.fsync(descriptor)
        if over:
            scratch.replace(whole)
        else:
            _link(scratch, whole)
    finally:
        scratch.unlink(missing_ok=True)


def _mask() -> int:
    """The permissions that a new file does not get; they can only be read by setting them."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _link(scratch: Path, place: Path) -> None:
    """Give the file its name unless that is taken; ``FileExistsError``."""
    try:
        os.link(scratch, place)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if os.path.lexists(place):
            raise FileExistsError(str(place)) from None
        scratch.replace(place)
