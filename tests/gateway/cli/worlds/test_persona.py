"""``penwright persona``."""

import pytest

from tests.gateway.cli.worlds.conftest import Answer, MakeScene
from tests.support.gateway.services import Run


@pytest.fixture(autouse=True)
def stranger(answer: Answer) -> None:
    answer("persona", "create", "The Stranger", "--description", "Came with the last boat.")


def test_a_persona_is_shown_edited_and_listed(run: Run, answer: Answer) -> None:
    answer("persona", "edit", "The stranger", "--set", "description=Came by night.")

    assert "description\n  Came by night." in run("persona", "show", "the-stranger")[1]
    assert [each["id"] for each in answer("persona", "list")["personas"]] == ["the-stranger"]


def test_removing_a_persona_names_the_scenes_that_are_played_as_it(
    run: Run, answer: Answer, scene: MakeScene
) -> None:
    scene("Pier", persona="the-stranger")

    assert answer("persona", "show", "the-stranger")["scenes"] == ["pier"]
    told = answer("persona", "remove", "the-stranger", "--dry-run")
    _, out, _ = run("persona", "remove", "the-stranger", "--yes")

    assert told["with"]["present_in"] == ["pier"]
    assert "  its part in 1 scene: pier (which stays)" in out
