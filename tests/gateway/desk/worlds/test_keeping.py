"""Changes beside changes of others."""

from typing import Any

import pytest

from gateway.desk.worlds.kinds import PERSONA
from gateway.desk.worlds.storing import Changed, Conflict, Subject, change
from penwright.errors import Refused
from schemas.worlds import Persona

MINE = Persona(id="me", name="I", description="Mine.")


def subject(others: list[dict[str, str]]) -> Subject[Any]:
    """A persona at version 1 that others change right before each attempt to store it."""
    stored = [MINE.model_copy(update={"description": "Old."})]

    def write(new: Persona, version: int) -> tuple[Persona, int]:
        if others:
            now = stored[-1]
            stored.append(now.model_copy(update={**others.pop(0), "version": now.version + 1}))
        if version != stored[-1].version:
            raise Refused("stale", "changed")
        stored.append(new.model_copy(update={"version": version + 1}))
        return stored[-1], version + 1

    return Subject(PERSONA, "persona me", "", stored[0], 1, write, lambda: (stored[-1], stored[-1].version))


def test_a_change_of_another_field_is_kept_beside_mine() -> None:
    done = change(subject([{"name": "We"}, {"name": "Us"}]), MINE)

    assert isinstance(done, Changed)
    assert (done.thing.name, done.thing.description, done.version) == ("Us", "Mine.", 4)


def test_the_same_change_by_another_is_no_conflict() -> None:
    done = change(subject([{"description": "Mine."}]), MINE)

    assert isinstance(done, Changed)
    assert done.thing.description == "Mine."


def test_another_value_of_the_same_field_is_a_conflict_with_both() -> None:
    met = change(subject([{"name": "We"}, {"description": "Theirs."}]), MINE)

    assert isinstance(met, Conflict)
    assert [(each.field, each.mine, each.theirs) for each in met.clashes] == [
        ("description", "Mine.", "Theirs.")
    ]
    assert (met.version, met.merged.name, met.merged.description) == (3, "We", "Mine.")


def test_a_thing_that_changes_all_the_time_is_given_up_by_name() -> None:
    with pytest.raises(Refused, match="changes all the time"):
        change(subject([{"name": f"{number}"} for number in range(9)]), MINE)
