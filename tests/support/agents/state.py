"""Slices of a made-up agent, and the plain model that its state must agree with."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import ClassVar, Literal

from pydantic import BaseModel

from penwright.agents.state import Append, Clear, Event, Extend, Op, Reducer, Replace, SliceItem, StateView


class Renamed(Event):
    """Everybody's name changes: the notes are written again, and the diary says so."""

    event_name: ClassVar[str] = "renamed"
    to: str


class Shaken(Event):
    """Does to the notes whatever it says."""

    event_name: ClassVar[str] = "shaken"
    how: Literal["append", "extend", "replace", "clear"]
    texts: tuple[str, ...] = ()


class Note(SliceItem):
    """Follows the commit of a call."""

    event_name: ClassVar[str] = "notes"
    text: str
    at: datetime | None = None
    tags: dict[str, int] = {}

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {Renamed: _renamed, Shaken: _shaken}


class Diary(SliceItem):
    """Kept even if the call fails."""

    event_name: ClassVar[str] = "diary"
    slice_policy: ClassVar[Literal["log"]] = "log"
    slice_keep: ClassVar[int] = 5
    line: str

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {Renamed: _told}


class Counted(SliceItem):
    """How many notes there were before each note; by name it comes after them."""

    event_name: ClassVar[str] = "tally"
    notes: int

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {Note: _counted}


def reducing(
    event: type[Event], reducer: Callable[[StateView, BaseModel], object], *, name: str = "fragile"
) -> type[SliceItem]:
    """A slice with one reducer, which may do what it should not."""

    class Fragile(SliceItem):
        event_name: ClassVar[str] = name
        text: str = ""
        anything: object = None

        @classmethod
        def reducers(cls) -> Mapping[type[Event], Reducer]:
            return {event: reducer}  # type: ignore[dict-item]  # what it returns is the test's business

    return Fragile


def _renamed(_state: StateView, event: Renamed) -> Op[Note]:
    return Replace((Note(text=event.to),))


def _shaken(_state: StateView, event: Shaken) -> Op[Note]:
    notes = tuple(Note(text=text) for text in event.texts)
    match event.how:
        case "append":
            return Append(Note(text=" ".join(event.texts)))
        case "extend":
            return Extend(notes)
        case "replace":
            return Replace(notes)
        case "clear":
            return Clear()


def _told(_state: StateView, event: Renamed) -> Op[Diary]:
    return Append(Diary(line=f"renamed to {event.to}"))


def _counted(state: StateView, _event: Note) -> Op[Counted]:
    return Append(Counted(notes=len(state.all(Note))))
