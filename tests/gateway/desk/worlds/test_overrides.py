"""Overrides: any edit of the merged character gives exactly that character at that level."""

from contextlib import contextmanager
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gateway.desk.worlds import overrides
from gateway.desk.worlds.kinds import CHARACTER
from gateway.desk.worlds.storing import change
from schemas.worlds import Campaign, Character, World
from tests.support.doubles.scenes import MemoryWorlds, Shelf

_FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "goals": st.sampled_from(["", "Leave", "Stay"]),
        "nickname": st.sampled_from(["", "Light"]),
        "talkative": st.integers(49, 51),
        "tags": st.lists(st.sampled_from(["a", "b"]), max_size=2).map(tuple),
    },
)
_EDITS = st.lists(st.tuples(st.sampled_from(["base", "world", "campaign"]), _FIELDS), max_size=8)


class _Services:
    def __init__(self) -> None:
        self.worlds = MemoryWorlds(Shelf())

    @contextmanager
    def open_store(self) -> Any:
        yield self


@given(_EDITS)
def test_whatever_was_edited_before_the_character_is_what_was_typed_last(
    edits: list[tuple[str, dict[str, Any]]],
) -> None:
    services: Any = _Services()
    worlds = services.worlds
    worlds.create(World(id="", name="W"))
    worlds.create(Campaign(id="", world="w", name="C"))
    worlds.create(Character(id="", name="Mara"))
    for level, fields in edits:
        if level == "base":
            worlds.change(worlds.read(Character, "mara").model_copy(update=fields))
            continue
        subject = overrides.subject(services, _layers(services, level))
        typed = subject.thing.model_copy(update=fields)
        change(subject, typed)
        now = _layers(services, level)
        assert CHARACTER.values(now.merged.character) == CHARACTER.values(typed)
        assert set(now.own.fields if now.own else {}) >= {
            name for name, value in fields.items() if getattr(now.below, name) != value
        }


def _layers(services: Any, level: str) -> overrides.Layers:
    world, campaign = ("w", None) if level == "world" else (None, "c")
    return overrides.layers(services, "mara", world=world, campaign=campaign)
