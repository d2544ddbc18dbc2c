"""Histories of an installation without an encryption key."""

from collections.abc import Sequence

from temporalio.api.common.v1 import Payload
from temporalio.converter import PayloadCodec

ENCODING = b"binary/encrypted"
"""Of a payload that is encrypted."""


class NoKey(PayloadCodec):
    """Encrypts nothing, and names the key of what is encrypted."""

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return list(payloads)

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        for payload in payloads:
            if payload.metadata.get("encoding") == ENCODING:
                # Imported here: workflows import this module, and the sandbox cannot import cryptography.
                from penwright.adapters.sealing import key_unknown

                raise key_unknown(key_of(payload), "a history")
        return list(payloads)


def key_of(payload: Payload) -> str:
    """The id of the key that a payload was encrypted under."""
    return payload.metadata.get("encryption-key-id", b"").decode()
