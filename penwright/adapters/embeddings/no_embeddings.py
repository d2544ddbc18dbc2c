"""Makes no vectors: memories are found by their words."""

from collections.abc import Sequence

from schemas.memory import Charge, Vectors


class NoEmbeddings:
    """Implements ``Embeddings`` where none are wanted."""

    @property
    def model(self) -> str:
        """Empty: there is none."""
        return ""

    def embed(self, texts: Sequence[str], charge: Charge | None = None) -> Vectors:
        """Vectors without numbers, as many as texts."""
        return Vectors(model="", dimensions=0, vectors=((),) * len(texts))
