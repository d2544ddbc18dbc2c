"""Locate the quotes of a clerk's reply in the passage that it read."""

from collections.abc import Sequence
from dataclasses import dataclass

from penwright.domain.text.locating.normal_form import NormalForm, normal_form
from schemas.continuity import QUOTE_LENGTH, PassageText
from schemas.patching import Span

_AROUND = " .…\"'“”‘’«»„‚「」『』"
"""Signs that models put around a quote, or leave out of it."""


@dataclass(frozen=True, slots=True)
class QuotedBlock:
    """The block that holds a quote, and its words there."""

    block: str
    quote: str


@dataclass(frozen=True, slots=True)
class PassageSearch:
    """A passage, prepared to look quotes up in."""

    blocks: Sequence[str]
    texts: Sequence[str]
    forms: Sequence[NormalForm]

    @classmethod
    def of(cls, passage: PassageText) -> "PassageSearch":
        """Prepare a passage."""
        return cls(passage.blocks, passage.texts, [normal_form(each) for each in passage.texts])

    def find(self, quote: str) -> QuotedBlock | None:
        """The first block that holds ``quote``, whatever its kind of dashes and quotation marks; or None."""
        for needle in dict.fromkeys((quote.strip(), quote.strip(_AROUND))):
            sought = normal_form(needle).text
            for block, text, form in zip(self.blocks, self.texts, self.forms, strict=True):
                at = form.text.find(sought) if sought else -1
                if at >= 0:
                    span = form.original(Span(start=at, end=at + len(sought)))
                    return QuotedBlock(block, text[span.start : span.end][:QUOTE_LENGTH])
        return None
