"""Summary of a scene by stretches, each of messages that the same people heard."""

from schemas.base import Value


class Stretch(Value):
    """Some messages, told in short: a chapter of the scene."""

    text: str
    witnesses: tuple[str, ...]
    """Ids of those who heard every one of them; no other character is shown it."""
    readings: dict[int, str]
    """Number of each message -> mark of the text that was told; it counts only while all read so."""
    rounds: tuple[int, int]
    """The first and the last of them."""

    @property
    def first(self) -> int:
        """Number of its first message."""
        return min(self.readings)


class Outside(Value):
    """A message that no stretch tells."""

    number: int
    round: int
    heard_by: frozenset[str]


class SummedUp(Value):
    """Stretches that count now, by their first messages, and the messages outside of them, oldest first."""

    stretches: tuple[Stretch, ...] = ()
    outside: tuple[Outside, ...] = ()
