"""Citations that a person typed into a document of another program, after its conversion to Markdown.

A converter takes ``[@key]`` in a DOCX or HTML file for text, and escapes its signs so that it stays text.
"""

import re
from typing import Final

_INLINE: Final = re.compile(r"\\\[\\\[@[A-Za-z]+\s*\\?\{(?:(?!\n\n).){0,2000}?\\?\}\\\]\\\]", re.DOTALL)
_PANDOC: Final = re.compile(
    r"\\\[(?:[^\[\]\n]{0,200}?(?<=[\s;\[-]))?\\?@[\w:.#$%&+?<>~/-]+[^\[\]\n]{0,2000}?\\\]"
)
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")


def with_typed_citations(markdown: str) -> str:
    """The Markdown, in which ``[@key]`` and ``[[@type{key, …}]]`` are citations again."""
    for pattern in (_INLINE, _PANDOC):
        markdown = pattern.sub(lambda found: _ESCAPED.sub(r"\1", found[0]), markdown)
    return markdown
