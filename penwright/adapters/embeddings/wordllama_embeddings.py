"""The built-in embedding model; its weights and its tokenizer lie in the package, nothing is downloaded."""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from schemas.memory import BUILT_IN_MODEL, Charge, Vectors

DIMENSIONS = 256
_LONGEST = 4_000
"""Characters of a text that count: a batch takes memory for as many tokens as its longest text has."""


class WordLlamaEmbeddings:
    """Implements ``Embeddings`` without a network. Loaded with the first text, in about a second."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loaded: Any = None  # the library's types say nothing of what it returns

    @property
    def model(self) -> str:
        """Name under which its vectors are stored."""
        return BUILT_IN_MODEL

    def embed(self, texts: Sequence[str], charge: Charge | None = None) -> Vectors:
        """Unit vectors; a text without a word has zeros."""
        found = self._model().embed([_clean(text) for text in texts]) if texts else ()
        vectors = tuple(_unit(tuple(map(float, numbers))) for numbers in found)
        return Vectors(model=self.model, dimensions=DIMENSIONS, vectors=vectors)

    def _model(self) -> Any:
        with self._lock:
            if self._loaded is None:
                # Imported here: it brings numpy and a tokenizer, which most processes never need.
                import wordllama

                self._loaded = wordllama.WordLlama.load(
                    cache_dir=Path(wordllama.__file__).parent, disable_download=True, dim=DIMENSIONS
                )
        return self._loaded


def _clean(text: str) -> str:
    """The part that counts; half a character, which no tokenizer takes, becomes a question mark."""
    return text[:_LONGEST].encode("utf-8", "replace").decode("utf-8")


def _unit(numbers: tuple[float, ...]) -> tuple[float, ...]:
    length = sum(number * number for number in numbers) ** 0.5
    # Of no word at all the average has no length, or is no number.
    return tuple(number / length for number in numbers) if length > 0 else (0.0,) * len(numbers)
