"""``penwright character override``."""

import pytest
import typer

from tests.gateway.cli.worlds.conftest import Answer, Says, Types
from tests.support.gateway.services import Run

HERE = ("character", "override", "mara", "--world", "harbour")
THERE = ("character", "override", "mara", "--campaign", "fog")


@pytest.fixture(autouse=True)
def mara(answer: Answer) -> None:
    answer("world", "create", "Harbour")
    answer("campaign", "create", "Fog", "--world", "harbour")
    answer("character", "create", "Mara", "--goals", "Keep the light.", "--description", "A keeper.")


def test_the_merged_character_is_shown_with_the_level_of_each_field(run: Run, answer: Answer) -> None:
    answer(*HERE, "--set", "goals=Leave.", "--set", "nickname=Light")
    answer(*THERE, "--set", "goals=Stay.")

    told = answer(*THERE)
    _, out, _ = run(*THERE)

    levels = told["levels"]
    assert (levels["goals"], levels["nickname"], levels["description"]) == ("campaign", "world", "base")
    assert (told["character"]["goals"], told["character"]["nickname"]) == ("Stay.", "Light")
    assert told["fields"] == {"goals": "Stay."}
    lines = [line.split(maxsplit=1) for line in out.splitlines()]
    assert ["goals", "campaign fog"] in lines
    assert ["nickname", "world harbour"] in lines
    assert ["description", "the character"] in lines
    assert answer("character", "show", "mara")["character"]["goals"] == "Keep the light."


def test_a_change_of_the_character_reaches_fields_that_no_level_overrides(answer: Answer) -> None:
    answer(*HERE, "--set", "goals=Leave.")
    answer("character", "edit", "mara", "--set", "description=A smith.", "--set", "goals=Rest.")

    told = answer(*HERE)["character"]

    assert (told["description"], told["goals"]) == ("A smith.", "Leave.")


def test_the_form_of_an_override_is_the_merged_character(
    run: Run, answer: Answer, types: Types, says: Says
) -> None:
    types({"Keep the light.": "Put it out."})
    says(True)

    code, out, err = run(*HERE, "--edit")

    assert (code, out) == (0, "Stored character mara in the world harbour, now at version 1.\n")
    assert "+  Put it out." in err
    assert answer(*HERE)["fields"] == {"goals": "Put it out."}


def test_without_a_terminal_the_hint_works_for_an_override(answer: Answer) -> None:
    told = answer(*HERE, "--edit", code=2)

    assert told["code"] == "no-terminal"
    assert "penwright character override mara --world harbour --set field=value" in told["next"]


def test_setting_a_field_back_or_dropping_it_takes_it_out(answer: Answer) -> None:
    answer(*HERE, "--set", "goals=Leave.", "--set", "nickname=Light", "--set", "personality=dry")
    answer(*HERE, "--set", "goals=Keep the light.")
    dropped = answer(*HERE, "--drop", "nickname")
    same = answer(*HERE, "--drop", "first-message")

    assert (dropped["status"], dropped["fields"], same["status"]) == ("dropped", ["nickname"], "unchanged")
    assert answer(*HERE)["fields"] == {"personality": "dry"}
    assert answer(*HERE, "--drop", "mood", code=2)["code"] == "unknown-field"


def test_without_a_terminal_removing_an_override_names_options_that_it_has(answer: Answer) -> None:
    answer(*HERE, "--set", "goals=Leave.")

    refused = answer(*HERE, "--remove", code=3)

    assert "--dry-run" not in refused["next"]
    assert answer(*HERE)["fields"] == {"goals": "Leave."}


def test_an_override_is_removed_after_a_question(run: Run, answer: Answer, says: Says, types: Types) -> None:
    assert answer(*HERE, "--remove", code=1)["code"] == "no-override"
    answer(*HERE, "--set", "goals=Leave.")
    types()
    asked = says(False, True)

    assert run(*HERE, "--remove")[0] == 3
    assert run(*HERE, "--remove")[1] == "The world harbour no longer says its own goals of mara.\n"
    assert asked[0] == "Remove what the world harbour says about mara (goals)?"
    assert answer(*HERE)["fields"] == {}


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), "no-place"),
        (("--world", "harbour", "--campaign", "fog"), "two-places"),
        (("--world", "harbour", "--drop", "goals", "--remove"), "options-apart"),
        (("--world", "harbour", "--set", "mood=sad"), "unknown-field"),
        (("--world", "harbour", "--set", "name="), "bad-name"),
    ],
)
def test_a_wrong_override_is_refused_by_name(answer: Answer, options: tuple[str, ...], code: str) -> None:
    assert answer("character", "override", "mara", *options, code=2)["code"] == code


def test_two_people_override_different_fields_at_once(
    run: Run, answer: Answer, types: Types, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(*HERE, "--set", "nickname=Light")
    types({"Keep the light.": "Put it out."})

    def confirm(question: str, **_: object) -> bool:
        answer("character", "edit", "mara", "--set", "description=A smith.")
        answer(*HERE, "--set", "nickname=Lamp")
        return True

    monkeypatch.setattr(typer, "confirm", confirm)

    assert run(*HERE, "--edit")[0] == 0
    assert answer(*HERE)["fields"] == {"nickname": "Lamp", "goals": "Put it out."}
    assert answer(*HERE)["character"]["description"] == "A smith."


def test_two_people_make_the_first_override_at_once(
    run: Run, answer: Answer, types: Types, monkeypatch: pytest.MonkeyPatch
) -> None:
    types({"Keep the light.": "Put it out."})

    def confirm(question: str, **_: object) -> bool:
        answer(*HERE, "--set", "nickname=Lamp")
        return True

    monkeypatch.setattr(typer, "confirm", confirm)

    assert run(*HERE, "--edit")[0] == 0
    assert answer(*HERE)["fields"] == {"nickname": "Lamp", "goals": "Put it out."}
