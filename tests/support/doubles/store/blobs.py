"""Long texts in memory."""

from penwright.adapters.store.blobs import reference, verified
from schemas.base import BlobRef
from tests.support.doubles.store.ledger import MemoryLedger


class MemoryBlobs:
    """Implements ``Blobs``."""

    def __init__(self, ledger: MemoryLedger) -> None:
        self._ledger = ledger
        self._kept: dict[str, bytes] = {}

    def put(self, content: bytes) -> BlobRef:
        ref = reference(content)
        self._kept[ref.sha256] = content
        return ref

    def get(self, ref: BlobRef) -> bytes:
        return verified(ref, self._kept.get(ref.sha256, self._ledger.reply(ref.sha256)))
