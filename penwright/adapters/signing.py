"""The key with which an installation signs: Ed25519, in a file of its data directory, made on first use."""

import os
from contextlib import suppress
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from penwright.errors import PermanentError

FILE_NAME = "signing-key.pem"


class SigningKey:
    """One installation's key."""

    def __init__(self, key: Ed25519PrivateKey, file: Path) -> None:
        self._key = key
        self.file = file

    @property
    def public(self) -> bytes:
        """The public half: 32 bytes."""
        return self._key.public_key().public_bytes_raw()

    def sign(self, content: bytes) -> bytes:
        """The signature of ``content``: 64 bytes, the same each time."""
        return self._key.sign(content)


def signing_key(home: Path) -> SigningKey:
    """The key of the installation at ``home``; made if there is none.

    Raises:
        PermanentError: ``signing-key-damaged``, ``-exposed`` or ``-not-written``.
    """
    file = home / FILE_NAME
    if not file.exists():
        _make(file)
    try:
        content, facts = file.read_bytes(), file.stat()
        key = load_pem_private_key(content, None)
    except (OSError, ValueError, TypeError) as error:
        raise _damaged(file) from error
    if facts.st_mode & 0o077:
        raise PermanentError(
            "signing-key-exposed",
            f"other users can read {str(file)!r}, and could sign in your name",
            hint=f"if no other user can have read it, `chmod 600 {file}`; else move it away for a new one",
        )
    if not isinstance(key, Ed25519PrivateKey):
        raise _damaged(file)
    return SigningKey(key, file)


def _make(file: Path) -> None:
    """Write a new key whole or not at all; of two processes that do, both have the key of the first."""
    content = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    scratch = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as written:
            written.write(content)
            written.flush()
            os.fsync(written.fileno())
        with suppress(FileExistsError):
            os.link(scratch, file)
    except OSError as error:
        raise PermanentError(
            "signing-key-not-written",
            f"the key {str(file)!r} cannot be written: {error.strerror}",
            hint="see that the data directory is yours to write to and has room",
        ) from error
    finally:
        with suppress(OSError):
            scratch.unlink()


def _damaged(file: Path) -> PermanentError:
    return PermanentError(
        "signing-key-damaged",
        f"{str(file)!r} is not the key that was written there",
        hint="bring it back from a copy; or move it away: a new one is made, with another fingerprint",
    )
