"""``penwright character``: create, show, remove."""

import pytest

from tests.gateway.cli.worlds.conftest import Answer, MakeScene, Says, Types
from tests.support.gateway.services import Run


@pytest.fixture(autouse=True)
def mara(answer: Answer) -> None:
    answer("character", "create", "Mara", "--secrets", "She put it out.", "--tag", "keeper", "--tag", "7")


def test_common_fields_have_options_and_all_others_are_set(answer: Answer) -> None:
    made = answer(
        *("character", "create", "Jon", "--description", "A smith: broad.", "--personality", "calm"),
        *("--first-message", "Aye?", "--goals", "Sleep", "--appearance", "Tall"),
        *("--set", "talkative=20", "--set", "alternate-greetings=[No., Yes.]", "--set", "nickname=J"),
    )["character"]

    assert (made["description"], made["first_message"], made["talkative"]) == ("A smith: broad.", "Aye?", 20)
    assert (made["alternate_greetings"], made["nickname"]) == (["No.", "Yes."], "J")


def test_a_second_character_of_a_name_is_told_of_the_first(run: Run, answer: Answer) -> None:
    made = answer("character", "create", "MARA")
    _, told, _ = run("character", "create", "Mara")

    assert (made["character"]["id"], made["namesakes"]) == ("mara-2", ["mara"])
    assert "Created the character mara-3.\n  others of that name: mara, mara-2\n" in told
    assert answer("character", "create", "Jon")["namesakes"] == []


def test_tags_stay_text_and_are_shown_in_the_list(run: Run, answer: Answer) -> None:
    assert answer("character", "show", "mara")["character"]["tags"] == ["keeper", "7"]
    assert "mara  Mara  keeper, 7" in run("character", "list")[1]


def test_show_wraps_long_text_and_leaves_out_what_says_nothing(run: Run, answer: Answer) -> None:
    answer("character", "edit", "mara", "--set", f"description={'word ' * 60}")

    _, out, _ = run("character", "show", "mara")

    assert max(map(len, out.splitlines())) <= 80
    assert "secrets\n  She put it out.\n" in out
    assert "talkative" not in out


def test_a_character_in_scenes_is_refused_by_name_until_the_scenes_are_named(
    run: Run, answer: Answer, scene: MakeScene
) -> None:
    for title in ("Pier", "Cellar"):
        scene(title, roster=("mara",))

    told = answer("character", "remove", "mara", "--yes", code=3)
    half = answer("character", "remove", "mara", "--scene", "pier", "--yes", code=3)

    assert told["code"] == "in-scenes"
    assert "2 scenes: pier, cellar" in told["error"]
    assert "1 scene: cellar" in half["error"]
    assert answer("character", "show", "mara")["scenes"] == ["pier", "cellar"]
    step = told["next"].split("`")[1]
    assert step == "penwright character remove mara --scene pier --scene cellar --yes"
    assert run(*step.split()[1:])[0] == 0
    assert answer("character", "list")["characters"] == []


def test_a_character_that_enters_a_scene_while_the_question_is_asked_stays(
    run: Run, types: Types, says: Says, scene: MakeScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    import typer

    types()

    def confirm(question: str, **_: object) -> bool:
        scene("Pier", roster=("mara",))
        return True

    monkeypatch.setattr(typer, "confirm", confirm)
    code, _, err = run("character", "remove", "mara")

    assert code == 3
    assert "error[in-scenes]" in err


def test_removing_names_overrides_and_attached_books(answer: Answer) -> None:
    answer("world", "create", "Harbour")
    answer("character", "override", "mara", "--world", "harbour", "--set", "goals=Leave")
    answer("lore", "create", "Past")
    answer("lore", "attach", "past", "--character", "mara")

    told = answer("character", "remove", "mara", "--dry-run")
    world = answer("world", "remove", "harbour", "--dry-run")

    assert told["with"]["overrides"] == ["mara@harbour"]
    assert told["with"]["attachments"] == ["past@mara"]
    assert world["with"]["overrides"] == ["mara@harbour"]


def test_a_model_that_is_not_configured_is_refused_with_the_nearest_name(answer: Answer) -> None:
    wrong = answer("character", "edit", "mara", "--set", "model=dmo", code=2)
    right = answer("character", "edit", "mara", "--set", "model=demo")

    assert (wrong["code"], "did you mean 'demo'" in wrong["error"]) == ("unknown-model", True)
    assert right["character"]["model"] == "demo"
