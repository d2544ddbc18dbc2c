"""A problem of a definition."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a definition."""

    code: str
    path: str
    """Of the section; empty for the definition as a whole."""
    token: str
    text: str

    def __str__(self) -> str:
        where = f"section {self.path!r}: " if self.path else ""
        return f"{where}{self.token!r} {self.text}"
