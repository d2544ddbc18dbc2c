"""Payloads of workflow histories: pydantic values of at most 100 KB; above 64 KB the blob store holds them.

The converter checks the size, because every input and result passes through it in both directions: it knows
the exact size, and on replay the same value passes or fails again.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

from temporalio.api.common.v1 import Payload
from temporalio.contrib.pydantic import PydanticPayloadConverter
from temporalio.converter import (
    CompositePayloadConverter,
    ExternalStorage,
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)
from temporalio.exceptions import ApplicationError

from penwright.ports.blobs import Blobs
from schemas.base import BlobRef

LARGEST_PAYLOAD = 100_000
"""Bytes."""
LARGEST_INLINE = 64_000
"""Bytes above which a payload goes to the blob store."""


_ENCODINGS = tuple(PydanticPayloadConverter().converters.values())


_Read = tuple[Sequence[Any], Sequence[Payload]]  # Any: values of any type
_READ: ContextVar[tuple[_Read, ...]] = ContextVar("read", default=())
"""Values this task read last; two, because an attempt's heartbeat details are read after its arguments."""


# Any: values of any type.
def payloads_of(values: Sequence[Any]) -> Sequence[Payload] | None:
    """Return the payloads that this task has just read ``values`` from; None if it read others since.

    Made again they may differ: a newer release writes fields that the sender did not know.
    """
    for read, payloads in reversed(_READ.get()):
        if len(read) == len(values) and all(one is other for one, other in zip(read, values, strict=True)):
            return payloads
    return None


class BoundedPayloadConverter(CompositePayloadConverter):
    """Pydantic values, refused above ``LARGEST_PAYLOAD``."""

    def __init__(self) -> None:
        # The SDK makes a converter for every run, activity and payload. Shared encodings keep their type
        # adapters, which each would otherwise build again.
        super().__init__(*_ENCODINGS)

    # Any: the SDK's own signature.
    def to_payloads(self, values: Sequence[Any]) -> list[Payload]:
        payloads = super().to_payloads(values)
        for payload, value in zip(payloads, values, strict=True):
            if len(payload.data) > LARGEST_PAYLOAD:
                raise too_large(type(value).__name__, len(payload.data))
        return payloads

    # Any: the SDK's own signature.
    def from_payloads(
        self, payloads: Sequence[Payload], type_hints: list[type[Any]] | None = None
    ) -> list[Any]:
        values = super().from_payloads(payloads, type_hints)
        _READ.set((*_READ.get()[-1:], (values, payloads)))
        return values


def too_large(name: str, size: int) -> ApplicationError:
    """Return the permanent error for a value that must be passed by blob reference."""
    return ApplicationError(
        f"{name!r} has {size} bytes, more than the {LARGEST_PAYLOAD} that a history takes; "
        "put the text into the blob store and send its reference",
        {"value": name, "size": str(size)},
        type="payload-too-large",
        non_retryable=True,
    )


class BlobDriver(StorageDriver):
    """Stores large payloads in the blob store, by content hash."""

    def __init__(self, blobs: Callable[[], Blobs]) -> None:
        """``blobs`` opens the store at the first large payload; most processes never have one."""
        self._open = blobs
        self._blobs: Blobs | None = None

    def name(self) -> str:
        return "penwright-blobs"

    def type(self) -> str:
        return "penwright.blobs"

    async def store(
        self, context: StorageDriverStoreContext, payloads: Sequence[Payload]
    ) -> list[StorageDriverClaim]:
        return [await asyncio.to_thread(self._put, payload) for payload in payloads]

    async def retrieve(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        return [await asyncio.to_thread(self._get, claim) for claim in claims]

    def _put(self, payload: Payload) -> StorageDriverClaim:
        ref = self._store().put(payload.SerializeToString(deterministic=True))
        return StorageDriverClaim({"sha256": ref.sha256, "size": str(ref.size)})

    def _get(self, claim: StorageDriverClaim) -> Payload:
        data = claim.claim_data
        return Payload.FromString(self._store().get(BlobRef(sha256=data["sha256"], size=int(data["size"]))))

    def _store(self) -> Blobs:
        if self._blobs is None:
            self._blobs = self._open()
        return self._blobs


def outside_storage(blobs: Callable[[], Blobs]) -> ExternalStorage:
    """Return the storage of payloads above ``LARGEST_INLINE`` bytes."""
    return ExternalStorage(drivers=[BlobDriver(blobs)], payload_size_threshold=LARGEST_INLINE)
