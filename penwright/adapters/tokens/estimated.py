"""The estimate that needs no model's tokenizer."""

from collections.abc import Mapping, Sequence

from penwright.domain.models.token_estimate import cautious_counts


class EstimatedTokens:
    """Implements ``TokenCounter`` without a tokenizer, alike for every role."""

    def name(self, role: str) -> str:
        """Name the way of counting, for people."""
        return "about (estimated by letters)"

    def count(self, role: str, texts: Sequence[str]) -> tuple[int, ...]:
        """Estimate each text; see ``cautious_tokens``."""
        return cautious_counts(texts)

    def sizes(self, role: str) -> Mapping[str, int]:
        """Nothing is known of any model."""
        return {}
