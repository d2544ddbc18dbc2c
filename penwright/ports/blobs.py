"""Port of long texts."""

from typing import Protocol

from schemas.base import BlobRef


class Blobs(Protocol):
    """Long texts by content hash."""

    def put(self, content: bytes) -> BlobRef:
        """Store ``content``. Idempotent."""
        ...

    def get(self, ref: BlobRef) -> bytes:
        """Return the content, verified against its hash; raises ``NotFound`` if it is missing or damaged."""
        ...
