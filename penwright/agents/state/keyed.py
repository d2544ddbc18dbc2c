"""Slices that keep the newest item of each key."""

from collections.abc import Sequence
from operator import attrgetter
from typing import TypeVar

from penwright.agents.state.declared import Append, Extend, Op, Reducer, Replace, SliceItem, StateView

Keyed = TypeVar("Keyed", bound=SliceItem)


def one_per(*fields: str) -> Reducer:
    """A reducer that replaces the item with equal values in ``fields``, or appends."""

    def one_of_each_key(state: StateView, event: SliceItem) -> Op[SliceItem]:
        return put(state.all(type(event)), event, *fields)

    return one_of_each_key


def put(items: Sequence[Keyed], item: Keyed, *fields: str) -> Op[Keyed]:
    """Make ``item`` the newest, and the only one with its key; an equal one changes nothing."""
    key = attrgetter(*fields)
    wanted = key(item)
    same = [one for one in items if key(one) == wanted]
    if not same:
        return Append(item)
    if same == [item]:
        return Extend(())
    return Replace((*(one for one in items if key(one) != wanted), item))
