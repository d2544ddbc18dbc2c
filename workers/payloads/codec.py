"""Encrypt workflow histories with AES-GCM under a key from the settings."""

from collections.abc import Sequence

from temporalio.api.common.v1 import Payload
from temporalio.converter import PayloadCodec

from penwright.adapters.sealing import Keys
from workers.payloads.keys import keys
from workers.payloads.no_key import ENCODING, key_of
from workers.settings import Settings


class Cipher(PayloadCodec):
    """Encrypts under the first key; decrypts under the key that a payload names.

    Unencrypted payloads pass through, so that a key can be introduced while runs are open.
    """

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        if not self._keys.encrypts:
            return list(payloads)
        return [self._encrypt(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self._decrypt(payload) for payload in payloads]

    def _encrypt(self, payload: Payload) -> Payload:
        sealed = self._keys.encrypt(payload.SerializeToString())
        metadata = {"encoding": ENCODING, "encryption-key-id": self._keys.first.encode()}
        return Payload(metadata=metadata, data=sealed)

    def _decrypt(self, payload: Payload) -> Payload:
        if payload.metadata.get("encoding") != ENCODING:
            return payload
        return Payload.FromString(self._keys.decrypt(key_of(payload), payload.data, thing="a history"))


def cipher(settings: Settings) -> Cipher | None:
    """Return the codec of the settings; None without a key; raises as ``keys`` does."""
    found = keys(settings)
    return Cipher(found) if found else None
