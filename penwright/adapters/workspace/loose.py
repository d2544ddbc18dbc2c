"""Loose objects on the disk: one file for each, in git's own format, whole or not there at all."""

import os
import secrets
import zlib


def header_of(kind: str, content: bytes) -> bytes:
    """What stands in front of a content, in the file and in what is hashed."""
    return b"%s %d\0" % (kind.encode(), len(content))


def store(header: bytes, content: bytes, folder: str, path: str) -> None:
    """Put an object on the disk, unless it is there."""
    if os.path.exists(path):
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    spare = f"{folder}/tmp_obj_{secrets.token_hex(8)}"
    with open(spare, "xb") as file:
        file.write(zlib.compress(header + content, 1))
        os.fchmod(file.fileno(), 0o444)
        file.flush()
        os.fsync(file.fileno())
    os.rename(spare, path)
