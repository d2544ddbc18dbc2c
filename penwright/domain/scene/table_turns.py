"""Whose turn it is among people at one table."""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.worlds import TurnOrder


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat as turns know it."""

    character: str
    is_in: bool
    """The character is in the scene now."""
    present: bool
    """The person is at the table now."""


def whose_turn(order: TurnOrder, chairs: Sequence[Chair], last: str, named: str) -> str:
    """Id of the character whose turn it is; empty: any seat may speak.

    The turn goes round by the order of the chairs and passes over who is not at the table. Where nobody is,
    it waits for the next in order.

    Args:
        chairs: in the order in which seats were given.
        last: id of the seat's character that spoke last; empty: none did.
        named: id of the one whom the director's newest plan names.
    """
    able = [each for each in chairs if each.is_in]
    if order == "free" or not able:
        return ""
    there = [each.character for each in able if each.present]
    if order == "director" and named in there:
        return named
    place = next((place for place, each in enumerate(chairs) if each.character == last), -1)
    around = [each.character for each in (*chairs[place + 1 :], *chairs[: place + 1]) if each in able]
    return next((each for each in around if each in there), around[0])
