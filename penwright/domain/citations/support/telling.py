"""Support of a claim in words for people and models."""

from schemas.citations import Support
from schemas.library import LocatedQuote


def support_told(support: Support, share: float) -> str:
    """Name what a work does for a sentence, with the share of its words."""
    if support == "no text":
        return "no text: the registries have no abstract, and it is no source of your own; read the work"
    where = "in the sentence quoted" if support != "not found" else "in one sentence of what was read"
    return f"{support}: {share:.0%} of the sentence's words, names and numbers stand {where}"


def place_told(quote: LocatedQuote) -> str:
    """Tell where a quote stands: file, page and section, or the registry whose abstract it is of."""
    page = f"page {quote.page}" if quote.page is not None else ""
    return ", ".join(filter(None, (quote.source, page, quote.section)))
