"""Entry of a git tree."""

from typing import NamedTuple

REGULAR, EXECUTABLE, LINK, FOLDER, SUBMODULE = "100644", "100755", "120000", "40000", "160000"
TEXT = frozenset({REGULAR, EXECUTABLE})
"""Modes of files whose content is their own."""


class Entry(NamedTuple):
    """A name in a tree."""

    mode: str
    sha: str

    @property
    def is_text_file(self) -> bool:
        """Whether this is a file whose content is its own."""
        return self.mode in TEXT
