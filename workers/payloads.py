"""What may travel in a workflow history: pydantic values of at most 100 KB, kept outside it above 64 KB.

The size is judged where a value becomes bytes: the one place that every input and result passes in both
directions, where the exact size is known and the same value gets the same verdict on replay.
"""

import asyncio
from collections.abc import Callable, Sequence
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

from penwright.ports import Blobs
from schemas.base import BlobRef

LARGEST_PAYLOAD = 100_000
"""Bytes."""
LARGEST_INLINE = 64_000
"""Bytes above which a payload is kept in the blob store."""


_ENCODINGS = tuple(PydanticPayloadConverter().converters.values())


class BoundedPayloadConverter(CompositePayloadConverter):
    """Pydantic values, refused above ``LARGEST_PAYLOAD``."""

    def __init__(self) -> None:
        # The SDK makes a converter for every run, activity and payload, and each would build its own adapter
        # of every type it meets.
        super().__init__(*_ENCODINGS)

    # Any: the SDK's own signature.
    def to_payloads(self, values: Sequence[Any]) -> list[Payload]:
        payloads = super().to_payloads(values)
        for payload, value in zip(payloads, values, strict=True):
            if len(payload.data) > LARGEST_PAYLOAD:
                raise too_large(type(value).__name__, len(payload.data))
        return payloads


def too_large(name: str, size: int) -> ApplicationError:
    """The error of a value that should have travelled by reference; trying again cannot help."""
    return ApplicationError(
        f"{name!r} is {size} bytes and a history takes {LARGEST_PAYLOAD}; "
        "put the text into the blob store and send its reference",
        {"value": name, "size": str(size)},
        type="payload-too-large",
        non_retryable=True,
    )


class BlobDriver(StorageDriver):
    """Keeps large payloads in the blob store, by content."""

    def __init__(self, blobs: Callable[[], Blobs]) -> None:
        """``blobs`` is asked once, at the first large payload: most processes never see one."""
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
    """The blob store as the net under every history."""
    return ExternalStorage(drivers=[BlobDriver(blobs)], payload_size_threshold=LARGEST_INLINE)
