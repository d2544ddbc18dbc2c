"""``penwright scene form``."""

import pytest

from penwright.ports.scenes import Worlds
from schemas.worlds import Scene
from tests.gateway.cli.worlds.conftest import Answer, Says, Types
from tests.support.gateway.services import Run


@pytest.fixture(autouse=True)
def pier(answer: Answer, worlds: Worlds) -> None:
    answer("world", "create", "Harbour")
    answer("campaign", "create", "Fog", "--world", "harbour")
    answer("campaign", "arc", "add", "One", "--campaign", "fog")
    answer("character", "create", "Mara")
    worlds.create(Scene(id="", arc="one", title="The pier", roster=("mara",)))


def test_notes_and_settings_of_a_scene_are_one_form(
    run: Run, answer: Answer, types: Types, says: Says, worlds: Worlds
) -> None:
    types(
        {
            'location: ""': "location: Pier 4",
            "lore: 15": "lore: 20",
            "agent: false": "agent: true",
        }
    )
    says(True)

    code, out, _ = run("scene", "form", "The pier")

    stored = worlds.read(Scene, "the-pier")
    assert (code, out) == (0, "Stored scene the-pier, now at version 2.\n")
    assert stored is not None
    assert (stored.notes.location, stored.settings.shares.lore, stored.roster) == ("Pier 4", 20, ("mara",))
    assert stored.settings.world_agent


def test_the_printed_form_can_be_stored_and_mistakes_in_settings_are_named(run: Run, answer: Answer) -> None:
    _, form, _ = run("scene", "form", "the-pier", "--print")
    same = answer("scene", "form", "the-pier", "--from", "-", stdin=form.encode())
    wrong = answer("scene", "form", "the-pier", "--set", "settings.max_director_passes=5000", code=2)
    unknown = answer("scene", "form", "the-pier", "--set", "settings.director_passes=9", code=2)

    assert same["status"] == "unchanged"
    assert "'settings.max_director_passes' must be at most 1000, not 5000" in wrong["error"]
    assert "did you mean 'max_director_passes'?" in unknown["error"]
    assert "penwright scene form the-pier --from FILE" in answer("scene", "form", "the-pier", code=2)["next"]


def test_a_persona_is_named_by_name_or_id(answer: Answer) -> None:
    answer("persona", "create", "The Stranger")
    told = answer("scene", "form", "the-pier", "--set", "persona=The Stranger")
    wrong = answer("scene", "form", "the-pier", "--set", "persona=Mara", code=1)

    assert told["scene"]["persona"] == "the-stranger"
    assert wrong["code"] == "no-such-persona"
