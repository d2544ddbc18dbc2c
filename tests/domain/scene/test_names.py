"""Whom a name in a plan means."""

import pytest

from penwright.domain.scene.mentions import mentioned
from penwright.domain.scene.resolving import resolve
from schemas.director import CastMember, Note
from schemas.worlds import Persona
from tests.support.each import for_each

CAST = (
    CastMember(id="a1", name="Ann", nickname="Captain"),
    CastMember(id="a2", name="Anna"),
    CastMember(id="b1", name="Bo"),
    CastMember(id="b2", name="bo"),
    CastMember(id="l1", name="李明"),
    CastMember(id="j1", name="Jürgen  Straße"),
    CastMember(id="Bo", name="Robert"),
)
MIRA = Persona(id="mira-2", name="Mira")


@for_each(
    "who, id",
    [
        ("a1", "a1"),
        ("Ann", "a1"),
        (" aNN ", "a1"),
        ("CAPTAIN", "a1"),
        ("anna", "a2"),
        ("李明", "l1"),
        ("JÜRGEN STRASSE", "j1"),
        ("Ju\u0308rgen Straße", "j1"),
        ("Bo", "Bo"),
    ],
)
def test_an_id_or_a_whole_name_means_someone(who: str, id: str) -> None:
    assert resolve(who, CAST, MIRA) == id


@for_each(
    "who, code",
    [
        ("An", "unknown-name"),
        ("Annabel", "unknown-name"),
        ("", "unknown-name"),
        ("bo", "ambiguous-name"),
        ("A1", "unknown-name"),
        ("Mira", "persona-named"),
        ("mira-2", "persona-named"),
        ("x" * 9_000, "unknown-name"),
    ],
)
def test_anything_else_is_refused_with_a_note(who: str, code: str) -> None:
    found = resolve(who, CAST, MIRA)

    assert isinstance(found, Note)
    assert found.code == code
    assert len(found.text) < 300


def test_a_note_on_an_ambiguous_name_says_which_ids_there_are() -> None:
    found = resolve("BO", CAST, MIRA)

    assert isinstance(found, Note)
    assert "b1, b2" in found.text


def test_a_name_means_the_one_who_is_present_and_of_two_present_neither() -> None:
    here = [each.model_copy(update={"present": each.id == "b2"}) for each in CAST]
    both = [each.model_copy(update={"present": each.id in ("b1", "b2")}) for each in CAST]

    assert resolve("bo", here, MIRA) == "b2"
    found = resolve("bo", both, MIRA)
    assert isinstance(found, Note)
    assert found.code == "ambiguous-name"
    assert resolve("Bo (b2)", both, MIRA) == "b2"


def test_a_character_who_has_the_personas_id_is_not_played() -> None:
    found = resolve("a1", CAST, Persona(id="a1", name="Someone"))

    assert isinstance(found, Note)


def test_mentions_are_whole_names_in_the_order_of_the_text() -> None:
    assert mentioned("Wait, anna! Where is ANN? And 李明 there", CAST) == ("a2", "a1", "l1")
    assert mentioned("Annas Katze", CAST) == ()


@pytest.mark.parametrize("who", ["a1", "ann", "Captain"])
def test_a_character_that_a_person_took_over_is_not_played(who: str) -> None:
    taken = (CAST[0].model_copy(update={"taken": True}), *CAST[1:])

    found = resolve(who, taken, MIRA)

    assert isinstance(found, Note)
    assert (found.code, resolve("anna", taken, MIRA)) == ("taken-over", "a2")
