"""The index of own sources in memory: a passage is found by the words that it shares with the question."""

import re
from collections.abc import Collection, Mapping, Sequence

from penwright.domain.library.passages import RULES
from schemas.library import IndexedText, LibraryPassage
from schemas.memory import Vectors

_WORD = re.compile(r"\w{4,}")


class MemoryPassages:
    """Implements ``PassageIndex``; vectors are not looked at."""

    def __init__(self) -> None:
        self.texts: dict[str, tuple[IndexedText, tuple[LibraryPassage, ...]]] = {}
        self.puts = 0

    def known(self, blobs: Collection[str]) -> Mapping[str, IndexedText]:
        kept = {blob: text for blob, (text, _) in self.texts.items() if blob in blobs}
        return {blob: text for blob, text in kept.items() if text.rules == RULES}

    def put(
        self, blob: str, indexed: IndexedText, passages: Sequence[LibraryPassage], vectors: Vectors
    ) -> None:
        self.texts[blob] = indexed, tuple(passages)
        self.puts += 1

    def search(
        self, blobs: Collection[str], words: str, vector: Vectors, limit: int
    ) -> tuple[tuple[str, LibraryPassage], ...]:
        asked = frozenset(_WORD.findall(words.lower()))
        found = [
            (len(asked & frozenset(_WORD.findall(each.text.lower()))), blob, each)
            for blob in sorted(blobs)
            for each in self.passages(blob)
            if not each.is_reference_list
        ]
        best = sorted((each for each in found if each[0]), key=lambda each: -each[0])[:limit]
        return tuple((blob, each) for _, blob, each in best)

    def passages(self, blob: str) -> tuple[LibraryPassage, ...]:
        return self.texts[blob][1] if blob in self.texts else ()
