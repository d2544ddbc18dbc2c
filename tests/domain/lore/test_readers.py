"""Whom the list of a lore entry means."""

import pytest

from penwright.domain.lore.readers import doubt, lists, names_of
from schemas.worlds import Character

FIRST, SECOND = Character(id="ann", name="Ann"), Character(id="ann-2", name="ANN")
PEOPLE = {each.id: each for each in (FIRST, SECOND)}


def read(_: type[Character], id: str) -> Character | None:
    return PEOPLE.get(id)


@pytest.mark.parametrize(
    ("listed", "meant"), [("Ann", ["ann"]), ("ann", ["ann"]), ("ann-2", ["ann-2"]), ("An", []), ("Anna", [])]
)
def test_of_two_with_one_name_the_name_means_the_one_whose_id_it_is(listed: str, meant: list[str]) -> None:
    found = [each.id for each in PEOPLE.values() if lists((listed,), each.id, names_of(each, read))]

    assert found == meant


def test_what_is_unclear_about_a_name_is_a_sentence() -> None:
    assert doubt("ann", (FIRST,)) == ""
    assert doubt("Zoë", ()).startswith("There is no character 'Zoë' yet;")
    assert "any of 2 characters (ann, ann-2)" in doubt("Ann", (FIRST, SECOND))
