"""The key with which orders are signed: ``PENWRIGHT_ORDERS_KEY``, or a file of the data directory.

Its text is ``SINCE:KEY``: microseconds since the epoch, nothing while signing is off, and 32 bytes in base64.
"""

import os
import secrets
import time
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from dataclasses import replace
from pathlib import Path

from penwright.errors import PermanentError
from workers.orders.signatures import Key
from workers.settings import Settings

FILE_NAME = "orders.key"
_BYTES = 32


def read_key(settings: Settings) -> Key | None:
    """The key of ``settings``; None if there is none, and none is needed.

    Raises:
        PermanentError: ``orders-key-missing``, ``-exposed`` or ``-damaged``.
    """
    if settings.orders_key is not None:
        key = _parsed(settings.orders_key.get_secret_value(), "PENWRIGHT_ORDERS_KEY")
        return key if settings.engine.shared else replace(key, since=None)
    file = settings.home / FILE_NAME
    if file.exists():
        return _read(file)
    if not settings.engine.shared:
        return None
    raise PermanentError(
        "orders-key-missing",
        f"engine.shared is set, and there is no key: neither PENWRIGHT_ORDERS_KEY nor {str(file)!r}",
        hint="`penwright up` makes the file; for an engine without it, `penwright operator key` prints one",
    )


def prepare_key(settings: Settings) -> None:
    """Make the file if ``settings`` want one, and note since when; or note that none is wanted now.

    Raises:
        PermanentError: as ``read_key``; ``orders-key-not-written``.
    """
    file, shared = settings.home / FILE_NAME, settings.engine.shared
    if settings.orders_key is not None or not (shared or file.exists()):
        return
    key = _read(file) if file.exists() else Key(secrets.token_bytes(_BYTES))
    if shared != (key.since is not None):
        _write(file, text_of(replace(key, since=_now() if shared else None)) + "\n")


def new_key() -> Key:
    """A key that counts from now."""
    return Key(secrets.token_bytes(_BYTES), _now())


def text_of(key: Key) -> str:
    """``SINCE:KEY``."""
    return f"{key.since or ''}:{b64encode(key.secret).decode()}"


def _now() -> int:
    return int(time.time() * 1e6)


def _read(file: Path) -> Key:
    try:
        text, facts = file.read_text(encoding="ascii"), file.stat()
    except (OSError, UnicodeDecodeError) as error:
        raise _damaged(str(file), str(error)) from error
    if facts.st_mode & 0o077:
        raise PermanentError(
            "orders-key-exposed",
            f"other users can read {str(file)!r}, so it proves nothing",
            hint=f"if no other user can have read it, `chmod 600 {file}`; else end what runs and delete it",
        )
    return _parsed(text.strip(), str(file))


def _parsed(text: str, place: str) -> Key:
    since, _, key = text.partition(":")
    try:
        secret = b64decode(key, validate=True)
        began = int(since) if since else None
    except (NotBase64, ValueError) as error:
        raise _damaged(place, "it is not what `penwright` writes") from error
    if len(secret) != _BYTES:
        raise _damaged(place, f"it has {len(secret)} bytes, not {_BYTES}")
    return Key(secret, began)


def _write(file: Path, text: str) -> None:
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="ascii") as written:
            written.write(text)
            written.flush()
            os.fsync(written.fileno())
        os.replace(beside, file)
    except OSError as error:
        raise PermanentError(
            "orders-key-not-written", f"the key {str(file)!r} cannot be written: {error.strerror}"
        ) from error


def _damaged(place: str, why: str) -> PermanentError:
    return PermanentError(
        "orders-key-damaged",
        f"the key of orders in {place} cannot be used: {why}",
        hint="bring it back from a copy; runs that were started with it wait for it",
    )
