"""Events of a scene, for a client that catches up: each once, in order."""

from collections.abc import Iterable, Iterator

from gateway.desk.scene.numbers import numbering
from gateway.desk.services import CommandStore
from penwright.domain.scene.numbering import Numbering
from schemas.records import Event

_PAGE = 500
_OWN = ("director.", "character.", "round.", "state.", "world.", "world-agent.", "summariser.", "message.")


def subject_of(scene: str) -> str:
    """Subject of a scene's events."""
    return f"scene/{scene}"


def is_of_the_scene(event: Event) -> bool:
    """Whether it tells what happened in the scene, and not what a role's own run did."""
    return event.kind.startswith(_OWN)


def events_after(store: CommandStore, scene: str, cursor: int) -> Iterator[Event]:
    """Every event of the scene after ``cursor``, in the order of their commits.

    The cursor of the last one is where the next reading goes on; 0 is the beginning.
    """
    while page := store.records.events_after(cursor, subject=subject_of(scene), limit=_PAGE):
        yield from numbered(store, page)
        cursor = page[-1].cursor


def numbered(store: CommandStore, events: Iterable[Event]) -> tuple[Event, ...]:
    """Events with the numbers of rounds in the place of ids; those about anything else as they are."""
    known: dict[str, Numbering] = {}

    def numbered_event(event: Event) -> Event:
        scene = event.subject.removeprefix("scene/")
        if scene == event.subject or not event.data.get("round"):
            return event
        if scene not in known:
            known[scene] = numbering(store, scene)
        name = known[scene].name(event.data["round"])
        return event.model_copy(update={"data": event.data | {"round": name.number, "take": name.take}})

    return tuple(numbered_event(each) for each in events)
