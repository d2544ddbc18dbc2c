"""The first author and intent of a block, looked up in the ledger."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from schemas.trace import Author

_NAMED = re.compile(rb'"block_hash":"(prose1:[0-9a-f]{32})"')
UNKNOWN = Author(entity_type="UNKNOWN")


@dataclass(frozen=True, slots=True)
class Origin:
    """Who wrote a block, and under which intent."""

    author: Author
    intent: str | None


UNKNOWN_ORIGIN = Origin(UNKNOWN, None)
"""The block was there before the ledger, or came in without it."""


@dataclass(slots=True)
class Origins:
    """Looks blocks up, newest record first; segments are read only as far as they are needed."""

    segments: Iterator[bytes]
    """Contents of the segments, the newest first."""
    _read: list["_Named"] = field(default_factory=list)
    _found: dict[str, Origin] = field(default_factory=dict)

    def of(self, block_hash: str) -> Origin:
        """The origin of a block; ``UNKNOWN_ORIGIN`` if no segment knows it."""
        if block_hash not in self._found:
            self._found[block_hash] = self._sought(block_hash)
        return self._found[block_hash]

    def _sought(self, block_hash: str) -> Origin:
        hashed = block_hash.encode()
        for piece in self._pieces():
            for line in reversed(piece.get(hashed, ())):
                origin = _origin_in(_parsed(line), block_hash)
                if origin is not None:
                    return origin
        return UNKNOWN_ORIGIN

    def _pieces(self) -> Iterator["_Named"]:
        """What is named in the segments, the newest first."""
        yield from self._read
        for content in self.segments:
            self._read.append(_named(content))
            yield self._read[-1]


_Named = Mapping[bytes, list[bytes]]
"""Lines by the block hashes in them, in their order."""


def _named(content: bytes) -> _Named:
    lines: dict[bytes, list[bytes]] = {}
    for line in content.split(b"\n"):
        for found in dict.fromkeys(_NAMED.findall(line)):
            lines.setdefault(found, []).append(line)
    return lines


# Any: a line of the ledger may hold anything; only the right shape is used.
def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return {}


def _origin_in(record: Any, block_hash: str) -> Origin | None:
    """The origin of a block that the record introduced; None if it only removed the block."""
    try:
        found, conversation = next(
            (found, conversation)
            for file in record.get("files", ())
            for conversation in file.get("conversations", ())
            for found in conversation.get("ranges", ())
            if found.get("block_hash") == block_hash
        )
        author = Author.model_validate(found.get("contributor") or conversation.get("contributor"))
        intent = found if found.get("change") == "moved" else record.get("intent") or {}
        return Origin(author, intent.get("intent" if intent is found else "id"))
    except (StopIteration, AttributeError, TypeError, ValidationError):
        return None
