"""AES-GCM under the first of several keys, with the id of the key beside what was encrypted."""

import base64
import binascii
import os
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from penwright.errors import UsageMistake

KEY_BYTES = 32
_NONCE_BYTES = 12
_KEY_ID_BYTES = 16
SEALED = b"\0penwright-sealed\1"
"""Begins every sealed content. No JSON begins so, and a text that does is known by its hash."""


class Keys:
    """The keys of an installation: the first encrypts, all of them decrypt."""

    def __init__(self, keys: Sequence[bytes], *, only_decrypt: bool = False) -> None:
        """``only_decrypt``: what is written from now on is not encrypted."""
        self.encrypts = not only_decrypt
        self.first = key_id(keys[0])
        self._ciphers = {key_id(key): AESGCM(key) for key in keys}

    def knows(self, named: str) -> bool:
        """Whether a key of this id is set."""
        return named in self._ciphers

    def encrypt(self, content: bytes, about: bytes = b"") -> bytes:
        """Nonce and encrypted content; ``about`` must be the same when it is decrypted."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._ciphers[self.first].encrypt(nonce, content, self.first.encode() + about)

    def decrypt(self, named: str, sealed: bytes, about: bytes = b"", *, thing: str) -> bytes:
        """The content that was encrypted under the key ``named``.

        Args:
            thing: what it is to people, with its article, such as ``a history``.

        Raises:
            UsageMistake: ``encryption-key-unknown`` or ``payload-damaged``.
        """
        cipher = self._ciphers.get(named)
        if cipher is None:
            raise key_unknown(named, thing)
        try:
            return cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], named.encode() + about)
        except InvalidTag:
            raise UsageMistake(
                "payload-damaged",
                f"{thing} under the key {named!r} was changed after it was encrypted; "
                "restore it from a backup",
            ) from None


def seal(keys: Keys | None, content: bytes, name: str) -> bytes:
    """``content`` as it is stored under ``name``: encrypted if there is a key to do it with."""
    if keys is None or not keys.encrypts:
        return content
    return SEALED + keys.first.encode() + keys.encrypt(content, name.encode())


def unseal(keys: Keys | None, stored: bytes, name: str) -> bytes:
    """The content that was stored under ``name``; what was stored without a key is returned as it is.

    Raises:
        UsageMistake: ``encryption-key-unknown`` or ``payload-damaged``.
    """
    if not stored.startswith(SEALED):
        return stored
    begin = len(SEALED) + _KEY_ID_BYTES
    named = stored[len(SEALED) : begin].decode("ascii", "replace")
    if keys is None:
        raise key_unknown(named, "a stored text")
    return keys.decrypt(named, stored[begin:], name.encode(), thing="a stored text")


def key_unknown(named: str, thing: str) -> UsageMistake:
    """The error for a key that is not set."""
    return UsageMistake(
        "encryption-key-unknown",
        f"{thing} was encrypted under the key {named!r}, which is not set; "
        "add it to PENWRIGHT_ENCRYPTION_OLD_KEYS",
    )


def key_id(key: bytes) -> str:
    """Return an id of ``key`` that does not reveal it: 16 hex digits."""
    return sha256(b"penwright key id" + key).hexdigest()[:_KEY_ID_BYTES]


def read_keys(texts: Iterable[str]) -> Iterator[bytes]:
    """The keys that ``texts`` write in base64; raises ``UsageMistake`` for one that is not 32 bytes."""
    for text in texts:
        try:
            key = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            key = b""
        if len(key) != KEY_BYTES:
            raise UsageMistake(
                "encryption-key-invalid",
                "an encryption key must be 32 random bytes in base64; "
                "make one with: head -c 32 /dev/urandom | base64",
            )
        yield key
