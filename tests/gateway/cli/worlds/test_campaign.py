"""``penwright campaign`` and its arcs."""

import pytest

from tests.gateway.cli.worlds.conftest import Answer
from tests.support.gateway.services import Run


@pytest.fixture(autouse=True)
def fog(answer: Answer) -> None:
    answer("world", "create", "Harbour")
    answer("campaign", "create", "Fog", "--world", "harbour", "--plot", "The light is out.")


def test_a_campaign_belongs_to_a_world_that_is_named_by_id_or_name(answer: Answer) -> None:
    made = answer("campaign", "create", "Ebb", "--world", "HARBOUR")

    assert (made["campaign"]["id"], made["campaign"]["world"]) == ("ebb", "harbour")
    assert answer("campaign", "create", "Ebb", "--world", "sea", code=1)["code"] == "no-such-world"
    assert answer("campaign", "create", "Ebb", code=2)["code"] == "usage"


def test_the_campaigns_of_one_world_are_listed(run: Run, answer: Answer) -> None:
    answer("world", "create", "Sea")
    answer("campaign", "create", "Ebb", "--world", "sea")

    listed = answer("campaign", "list", "--world", "sea")["campaigns"]
    _, out, _ = run("campaign", "list")

    assert [each["id"] for each in listed] == ["ebb"]
    assert [line.split()[:3] for line in out.splitlines()[1:]] == [
        ["fog", "Fog", "harbour"],
        ["ebb", "Ebb", "sea"],
    ]


def test_arcs_are_added_one_after_the_other(answer: Answer) -> None:
    first = answer("campaign", "arc", "add", "First night", "--campaign", "fog")
    second = answer("campaign", "arc", "add", "Last night", "--campaign", "fog", "--goals", "Leave")

    assert [each["arc"]["position"] for each in (first, second)] == [0, 1]
    assert [each["id"] for each in answer("campaign", "show", "fog")["arcs"]] == ["first-night", "last-night"]
    assert answer("campaign", "arc", "show", "Last night")["arc"]["notes"]["goals"] == "Leave"


def test_an_arc_is_edited_and_removed_like_the_rest(run: Run, answer: Answer) -> None:
    answer("campaign", "arc", "add", "First night", "--campaign", "fog")

    edited = answer("campaign", "arc", "edit", "first-night", "--set", "name=The first night")
    gone = answer("campaign", "arc", "remove", "first-night", "--yes")

    assert (edited["arc"]["name"], edited["version"]) == ("The first night", 2)
    assert gone["id"] == "first-night"
    assert answer("campaign", "arc", "list", "--campaign", "fog")["arcs"] == []
    assert "campaign arc add NAME" in run("campaign", "arc", "list")[1]


def test_the_next_steps_of_a_campaign_run(answer: Answer, run: Run) -> None:
    made = answer("campaign", "create", "Ebb", "--world", "harbour")

    for step in made["next"]:
        words = step.replace('"First night"', "First").split()[1:]
        assert run(*words)[0] == 0, step


def test_removing_a_campaign_leaves_its_world(answer: Answer) -> None:
    told = answer("campaign", "remove", "fog", "--yes")

    assert told["with"]["arcs"] == []
    assert [each["id"] for each in answer("world", "list")["worlds"]] == ["harbour"]
