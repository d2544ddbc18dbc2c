"""``penwright scene create``, ``list``, ``remove`` and the settings of a scene."""

import json

import pytest

from gateway.desk.scene import direction
from schemas.base import Effect, OpId
from schemas.scene import KeepPass, OpenRound
from schemas.worlds import Arc, Campaign, Character, Override, Scene
from tests.gateway.cli.scene.conftest import Told
from tests.support.gateway.advised_states import ends_of_steps
from tests.support.gateway.services import Run, StageServices


def test_a_scene_in_a_world_without_a_campaign_gets_one_with_an_arc(
    people: StageServices, run: Run, told: Told
) -> None:
    code, out, _ = run("scene", "create", "The Quay", "--world", "Skerrow", "--cast", "Ann Quist")
    again = told("create", "The Roof", "--world", "skerrow")

    worlds = people.store.worlds
    assert code == 0
    assert "made for it: campaign 'skerrow', arc 'skerrow'" in out
    assert "`penwright scene say the-quay TEXT`" in out
    assert again["made"] == []
    assert (len(worlds.list(Campaign)), len(worlds.list(Arc)), len(worlds.list(Scene))) == (1, 1, 2)
    assert [each.position for each in worlds.list(Scene)] == [0, 1]


def test_settings_and_notes_are_set_by_their_names(scene: str, told: Told) -> None:
    made = told(
        *("create", "The Roof", "--arc", "skerrow", "--set", "max_director_passes=1"),
        *("--set", "shares.lore=20", "--set", "scenario=The lamp is out."),
    )
    changed = told("state", "the-roof", "--set", "summarise_after=3")

    assert made["settings"]["max_director_passes"] == 1
    assert made["settings"]["shares"]["lore"] == 20
    assert made["notes"]["scenario"] == "The lamp is out."
    assert changed["settings"]["summarise_after"] == 3
    assert changed["settings"]["max_director_passes"] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "exits"),
    [
        (("The Quay",), "no-place", 2),
        (("The Quay", "--world", "skerrow", "--arc", "x"), "no-place", 2),
        ((" ", "--world", "skerrow"), "empty-title", 2),
        (("The Quay", "--world", "Atlantis"), "no-such-world", 1),
        (("The Quay", "--arc", "autumn"), "no-such-arc", 1),
        (("The Quay", "--world", "skerrow", "--cast", "Zog"), "no-such-character", 1),
        (("The Quay", "--world", "skerrow", "--persona", "Zog"), "no-such-persona", 1),
        (("The Quay", "--world", "skerrow", "--set", "speed=9"), "unknown-setting", 2),
        (("The Quay", "--world", "skerrow", "--set", "shares=9"), "unknown-setting", 2),
        (("The Quay", "--world", "skerrow", "--set", "max_director_passes=9999"), "bad-setting", 2),
        (("The Quay", "--world", "skerrow", "--set", "memories"), "no-value", 2),
    ],
)
def test_what_cannot_be_made_is_refused_by_name_and_nothing_is_made(
    people: StageServices, run: Run, arguments: tuple[str, ...], code: str, exits: int
) -> None:
    done, out, err = run("scene", "create", *arguments)

    assert (done, out) == (exits, "")
    assert f"error[{code}]" in err
    assert "next: " in err
    worlds = people.store.worlds
    assert (worlds.list(Campaign), worlds.list(Arc), worlds.list(Scene)) == ((), (), ())


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("The Quay",), "no-place"),
        ((" ", "--world", "skerrow"), "empty-title"),
        (("The Quay", "--world", "skerrow", "--set", "speed=9"), "unknown-setting"),
        (("The Quay", "--world", "skerrow", "--set", "max_director_passes=9999"), "bad-setting"),
    ],
)
def test_bad_input_is_named_before_a_missing_engine(
    people: StageServices, run: Run, arguments: tuple[str, ...], code: str
) -> None:
    people.runs = False

    done, _, err = run("scene", "create", *arguments)

    assert (done, err.split(":")[0]) == (2, f"error[{code}]")


def test_the_opening_of_a_card_opens_the_scene_with_the_others_as_alternatives(
    people: StageServices, run: Run, told: Told
) -> None:
    opening = Character(
        id="",
        name="Dora",
        first_message="{{user}}, you are late.",
        alternate_greetings=("{{char}} nods.", " "),
    )
    people.store.worlds.create(opening)
    cast = ("--world", "skerrow", "--cast", "Ann Quist,Dora", "--persona", "Mira")

    _, out, _ = run("scene", "create", "The Quay", *cast)
    silent = told("create", "The Roof", *cast, "--no-greeting")
    shown = told("show", "the-quay")

    assert "Dora opens it" in out
    assert (silent["opened_by"], told("show", "the-roof")["messages"]) == ("", [])
    assert [(each["name"], each["text"]) for each in shown["messages"]] == [("Dora", "Mira, you are late.")]
    assert [each["text"] for each in told("show", "the-quay", "--message", "1")["alternatives"]] == [
        "Mira, you are late.",
        "Dora nods.",
    ]
    assert told("say", "the-quay", "I am.")["messages"][0]["name"] == "Mira"


def test_a_scene_of_several_begins_with_an_opening_for_groups_and_offers_the_others(
    people: StageServices, told: Told
) -> None:
    openings = {"first_message": "You.", "group_greetings": ("All of you!", "{{group}}?")}
    people.store.worlds.create(Character(id="", name="Dora", **openings))

    for scene, cast, said in (
        ("quay", "Ann Quist,Dora", ["All of you!", "Ann Quist, Dora?", "You."]),
        ("roof", "Dora", ["You."]),
    ):
        told("create", scene.title(), "--world", "skerrow", "--cast", cast)
        shown = told("show", scene, "--message", "1")["alternatives"]
        assert [each["text"] for each in shown] == said


def test_an_opening_is_the_one_that_the_campaign_has_of_the_character(
    people: StageServices, told: Told
) -> None:
    worlds = people.store.worlds
    worlds.create(Character(id="", name="Dora", first_message="Hm?"))
    worlds.override(
        Override(character="dora", level="world", at="skerrow", fields={"first_message": "Aye?"}, version=0)
    )

    told("create", "The Quay", "--world", "skerrow", "--cast", "Dora")

    assert told("show", "the-quay")["messages"][0]["text"] == "Aye?"


def test_two_of_one_name_are_told_apart_by_their_ids(people: StageServices, run: Run) -> None:
    people.store.worlds.create(Character(id="", name="Cleo"))

    code, _, err = run("scene", "create", "The Quay", "--world", "skerrow", "--cast", "cleo")
    named = run("scene", "create", "The Quay", "--world", "skerrow", "--cast", "CLEO")

    assert code == 0, err
    assert named[0] == 2
    assert "cleo, cleo-2" in named[2]


def test_the_list_says_what_runs_and_fits_eighty_columns(scene: str, run: Run, told: Told) -> None:
    told("create", "A roof with a title that is much too long for any column of a list", "--arc", "skerrow")

    code, out, _ = run("scene", "list")
    listed = json.loads(run("scene", "list", "--world", "Skerrow", "--json")[1])

    assert code == 0
    assert out.splitlines()[:2] == ["the-quay", "   The Quay, in Skerrow of Skerrow: 0 rounds"]
    assert [each["state"] for each in listed["scenes"]] == ["idle", "idle"]
    assert listed["scenes"][0]["cast"] == ["ann-quist", "bob-vane"]
    assert max(map(len, out.splitlines())) <= 80


def test_without_an_engine_the_list_fails_by_name(scene: str, run: Run, people: StageServices) -> None:
    people.runs = False

    code, _, err = run("scene", "list")

    assert code == 1
    assert "error[engine-not-running]" in err


def test_removing_asks_first_and_takes_everything_along(scene: str, run: Run, people: StageServices) -> None:
    unsure = run("scene", "remove", scene)
    sure = run("scene", "remove", scene, "--yes")

    assert (unsure[0], "error[needs-yes]" in unsure[2]) == (3, True)
    assert "--dry-run" not in unsure[2]
    assert f"`penwright scene export {scene} --to json`" in unsure[2]
    assert (sure[0], people.store.worlds.list(Scene)) == (0, ())


def test_characters_come_and_go_between_rounds(scene: str, told: Told, run: Run) -> None:
    shown = told("cast", scene)["cast"]
    told("say", scene, "Hello?")
    changed = told("cast", scene, "--add", "Cleo", "--remove", "Bob")["cast"]
    ended = told("continue", scene)
    unknown = run("scene", "cast", scene, "--add", "Zog")

    assert [(each["name"], each["present"]) for each in shown] == [
        ("Ann Quist", True),
        ("Bob Vane", True),
        ("Cleo", False),
    ]
    assert [each["name"] for each in changed if each["present"]] == ["Ann Quist", "Cleo"]
    assert [each["name"] for each in ended["messages"]] == ["Ann Quist", "Cleo"]
    assert (unknown[0], "error[no-such-character]" in unknown[2]) == (1, True)


def test_a_character_that_the_director_may_bring_in_is_shown_as_such(scene: str, run: Run) -> None:
    code, out, _ = run("scene", "cast", scene, "--available", "Cleo")

    assert code == 0
    assert "stays out; the director may bring it in" in next(
        line for line in out.splitlines() if "Cleo" in line
    )


def test_who_is_forced_between_rounds_comes_in(scene: str, told: Told) -> None:
    told("force", scene, "Cleo")

    assert [each["name"] for each in told("cast", scene)["cast"] if each["present"]] == [
        *("Ann Quist", "Bob Vane", "Cleo")
    ]


def test_a_character_that_is_taken_over_is_spoken_for_by_a_person_until_it_is_given_back(
    scene: str, told: Told, run: Run, people: StageServices
) -> None:
    _, too_early, _ = run("scene", "say", scene, "I lit it.", "--as", "Ann", "--json")
    taken = told("take-over", scene, "Ann Quist")
    _, again, _ = run("scene", "take-over", scene, "Ann Quist")
    said = told("say", scene, "I lit it.", "--as", "Ann")
    given_back = told("give-back", scene, "Ann")
    _, twice, _ = run("scene", "give-back", scene, "Ann", "--json")

    assert [each["id"] for each in taken["cast"] if each["taken"]] == ["ann-quist"]
    assert f'`penwright scene say {scene} TEXT --as "Ann Quist"`' in again
    assert (said["status"], said["messages"][0]["text"]) == ("completed", "I lit it.")
    voice = people.rounds.given[-1].voice
    assert voice is not None
    assert (voice.id, voice.taken) == ("ann-quist", True)
    assert [each for each in given_back["cast"] if each["taken"]] == []
    assert [json.loads(each)["code"] for each in (too_early, twice)] == ["not-taken"] * 2


def test_a_plan_that_waits_is_shown_with_the_way_to_play_it(
    scene: str, run: Run, people: StageServices
) -> None:
    run("scene", "say", scene, "Hello?")
    scenes, played = people.store.scenes, people.store.scenes.round(scene, 1)
    assert played is not None
    direction.hold(people, scene, on=True)
    effects = [Effect(op_id=OpId(f"scene/{scene}#s9:{n}"), issued_at=people.clock.now()) for n in (0, 1)]
    scenes.open_round(OpenRound(effect=effects[0], scene=scene, session="s9", text="Hm?"))
    planned = KeepPass(
        effect=effects[1], scene=scene, round=2, record=played.passes[0], state=scenes.state(scene)
    )
    scenes.keep_pass(planned)

    people.rounds.at_work[scene] = people.rounds.given[-1]
    _, out, _ = run("scene", "show", scene)
    _, listed, _ = run("scene", "list")

    assert "The plan of pass 1 waits for your approval: Ann Quist → Bob Vane." in out
    assert f"next: `penwright scene approve {scene}`" in out
    assert f"next: `penwright scene approve {scene}`" in listed
    assert ends_of_steps(run, listed) == [0]


def test_an_unknown_name_is_answered_with_those_who_are_present(scene: str, run: Run) -> None:
    _, _, err = run("scene", "force", scene, "Zog")

    assert "present are: Ann Quist, Bob Vane; `penwright character list` has 1 more" in err


def test_a_note_names_the_command_that_follows(scene: str, run: Run) -> None:
    _, out, _ = run("scene", "note", scene, "Let the ferry come in.")

    assert out.splitlines() == [
        "The director is told in the next round.",
        f"next: `penwright scene continue {scene}`",
    ]
