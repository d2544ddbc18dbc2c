"""Encrypt workflow histories with AES-GCM under a key from the settings."""

import base64
import binascii
import hashlib
import os
from collections.abc import Iterable, Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from temporalio.api.common.v1 import Payload
from temporalio.converter import PayloadCodec

from penwright.errors import UsageMistake
from workers.settings import Settings

ENCODING = b"binary/encrypted"
KEY_BYTES = 32
NONCE_BYTES = 12


class Cipher(PayloadCodec):
    """Encrypts under the first key; decrypts under the key that a payload names.

    Unencrypted payloads pass through, so that a key can be introduced while runs are open.
    """

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._key_id = key_id(keys[0])
        self._ciphers = {key_id(key): AESGCM(key) for key in keys}

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self._encrypt(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self._decrypt(payload) for payload in payloads]

    def _encrypt(self, payload: Payload) -> Payload:
        nonce = os.urandom(NONCE_BYTES)
        sealed = self._ciphers[self._key_id].encrypt(
            nonce, payload.SerializeToString(), self._key_id.encode()
        )
        return Payload(
            metadata={"encoding": ENCODING, "encryption-key-id": self._key_id.encode()}, data=nonce + sealed
        )

    def _decrypt(self, payload: Payload) -> Payload:
        if payload.metadata.get("encoding") != ENCODING:
            return payload
        named = payload.metadata.get("encryption-key-id", b"").decode()
        cipher = self._ciphers.get(named)
        if cipher is None:
            raise UsageMistake(
                "encryption-key-unknown",
                f"a history was encrypted under the key {named!r}, which is not set; "
                "add it to PENWRIGHT_ENCRYPTION_OLD_KEYS",
            )
        try:
            opened = cipher.decrypt(payload.data[:NONCE_BYTES], payload.data[NONCE_BYTES:], named.encode())
        except InvalidTag:
            raise UsageMistake(
                "payload-damaged",
                f"a payload under the key {named!r} was changed after it was encrypted; "
                "restore the history from a backup",
            ) from None
        return Payload.FromString(opened)


def key_id(key: bytes) -> str:
    """Return an id of ``key`` that does not reveal it: 16 hex digits."""
    return hashlib.sha256(b"penwright key id" + key).hexdigest()[:16]


def cipher(settings: Settings) -> Cipher | None:
    """Return the codec of the settings; None without a key.

    Raises:
        UsageMistake: a key is not 32 bytes in base64.
    """
    if settings.encryption_key is None:
        return None
    old = [key.get_secret_value() for key in settings.encryption_old_keys]
    return Cipher(list(_keys([settings.encryption_key.get_secret_value(), *old])))


def _keys(texts: Iterable[str]) -> Iterable[bytes]:
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
