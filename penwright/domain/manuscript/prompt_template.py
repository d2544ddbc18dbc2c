"""Prompt templates with the placeholders ``{name}``: parsed once, filled in a single pass."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from penwright.domain.manuscript.placeholders import PLACEHOLDERS

_PLACEHOLDER = re.compile(r"\{([a-z][a-z_]*)\}")


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """Text and placeholders, in turn; braces around anything but a name are text."""

    texts: tuple[str, ...]
    """One more than ``names``; the first stands before the first name."""
    names: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "PromptTemplate":
        """The template in ``text``.

        Raises:
            ValueError: for a name that is no placeholder. Templates are parsed at import.
        """
        pieces = _PLACEHOLDER.split(text)
        if unknown := sorted(set(pieces[1::2]) - set(PLACEHOLDERS)):
            raise ValueError(f"unknown placeholders: {', '.join(unknown)}; known: {', '.join(PLACEHOLDERS)}")
        return cls(tuple(pieces[::2]), tuple(pieces[1::2]))

    def fill(self, values: Mapping[str, str], shown: Callable[[str], str] = str) -> str:
        """The prompt. Values are never searched for placeholders.

        Args:
            shown: what becomes of a value before it is put in, such as escaping.
        """
        filled = [self.texts[0]]
        for name, text in zip(self.names, self.texts[1:], strict=True):
            filled += (shown(values[name]), text)
        return "".join(filled)
