"""Allowed differences between an imported file and its unchanged export; there are no others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

When = Literal["always", "without-original", "other-version", "other-dialect", "other-form"]
"""``without-original``: the caller gives the imported bytes to ``write_card``, or it does not."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A declared difference."""

    when: When
    field: str
    """As the other program calls it; ``data.*``: each one that no field of ours is read from."""
    why: str


DECLARED: Final[Sequence[Difference]] = (
    Difference("always", "name", "a card or a book in a card without a name gets the one it was given here"),
    Difference("without-original", "spec", "a card is written as version 3 unless another is asked for"),
    Difference("without-original", "character_version", "nothing here says it: it is in the file alone"),
    Difference("without-original", "assets", "they are in the file alone"),
    Difference("without-original", "data.*", "so is every field that is not among the extensions"),
    Difference("other-version", "spec", "the number, and fields that the version demands, empty"),
    Difference("other-version", "data", "from version 1: all fields move into it; unknown ones do not"),
    Difference("other-dialect", "extensions", "what only the other program knows moves there"),
    Difference("other-dialect", "extensions.penwright", "and what the new dialect has no field for"),
    Difference("other-form", "assets", "the picture of a card becomes the icon of an archive"),
    Difference("other-form", "files", "a picture or JSON has no room for the files of an archive"),
)
