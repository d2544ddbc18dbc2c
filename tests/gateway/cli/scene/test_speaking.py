"""``penwright scene say`` and its like: rounds that are started, followed, refused, queued."""

import json
from typing import Any

import pytest

from gateway.cli.scene.reports import ending_lines
from gateway.desk.scene import direction
from penwright.domain.scene.envelope.left_out import no_room
from schemas.director import Steering
from schemas.director_round import NumberedResult
from schemas.worlds import Character, Scene
from tests.gateway.cli.scene.conftest import Told
from tests.support.gateway.services import Run, StageServices

ANSWERS = ["Ann Quist answers in round 1.", "Bob Vane answers in round 1."]


def test_each_reply_is_printed_and_the_ending_names_the_next_step(
    scene: str, run: Run, people: StageServices
) -> None:
    code, out, _ = run("scene", "say", scene, "Who lit the lamp?")

    lines = out.splitlines()
    assert code == 0
    assert [line.strip() for line in lines if "answers" in line] == ANSWERS
    assert lines.index("#2 Ann Quist") < lines.index("#3 Bob Vane")
    assert "Round 1 completed." in lines
    assert "2 replies" in out
    assert f"`penwright scene continue {scene}`" in out
    assert "demo model, which makes sentences without sense" in " ".join(out.split())
    assert max(map(len, lines)) <= 80


def test_under_json_there_is_one_document_with_every_message(scene: str, told: Told) -> None:
    ended = told("say", scene, "Who lit the lamp?")

    assert (ended["status"], ended["round"], ended["demo"]) == ("completed", 1, True)
    assert [each["text"] for each in ended["messages"]] == ["Who lit the lamp?", *ANSWERS]
    assert [each["speaker"] for each in ended["messages"]] == ["user", "character", "character"]


def test_a_message_may_come_from_standard_input(scene: str, told: Told) -> None:
    ended = told("say", scene, "-", stdin=b"\xef\xbb\xbfWer da?\n")

    assert ended["messages"][0]["text"] == "Wer da?"


@pytest.mark.parametrize(
    ("text", "stdin", "code"),
    [
        ("", None, "empty-message"),
        (" \n", None, "empty-message"),
        ("a\0b", None, "message-not-text"),
        ("x" * 100_001, None, "message-too-long"),
        ("-", None, "no-input"),
        ("-", b"\xff\xfe", "message-not-text"),
        ("-", b"", "empty-message"),
    ],
    ids=["empty", "blank", "nul", "long", "terminal", "not-utf8", "nothing-piped"],
)
def test_what_is_no_message_is_refused_and_nothing_is_started(
    scene: str, run: Run, people: StageServices, text: str, stdin: bytes | None, code: str
) -> None:
    done, out, err = run("scene", "say", scene, text, stdin=stdin)

    assert (done, out) == (2, "")
    assert f"error[{code}]" in err
    assert people.rounds.given == []


def test_playing_on_says_nothing_for_the_user(scene: str, told: Told) -> None:
    told("say", scene, "Who lit the lamp?")
    ended = told("continue", scene)

    assert [each["name"] for each in ended["messages"]] == ["Ann Quist", "Bob Vane"]


@pytest.mark.parametrize("verb", [("continue",), ("say", "Hello?")], ids=lambda each: each[0])
def test_a_scene_without_a_cast_is_not_played(
    people: StageServices, run: Run, told: Told, verb: tuple[str, ...]
) -> None:
    told("create", "Empty", "--world", "skerrow")

    code, _, err = run("scene", verb[0], "empty", *verb[1:])

    assert code == 3
    assert "error[no-cast]" in err
    assert "`penwright scene cast empty --add NAME`" in err
    assert people.rounds.given == []


def test_a_narrator_needs_no_cast_and_says_nothing_of_one_who_could_act(
    people: StageServices, run: Run, told: Told
) -> None:
    told("create", "Empty", "--world", "skerrow")
    told("narrate", "empty", "the tide")

    assert run("scene", "continue", "empty")[0] == 3


@pytest.mark.parametrize("message", [(), ("1",)], ids=["round", "words-of-the-user"])
def test_what_no_model_said_is_not_made_again(
    scene: str, run: Run, told: Told, people: StageServices, message: tuple[str, ...]
) -> None:
    if message:
        told("say", scene, "Hello?")
    before = len(people.rounds.given)

    code, _, err = run("scene", "regenerate", scene, *message)

    assert (code, "error[no-message]" in err) == (3, True)
    assert f"`penwright scene say {scene} TEXT`" in err
    assert len(people.rounds.given) == before


def test_a_round_in_which_nobody_acted_says_so(scene: str, run: Run, people: StageServices) -> None:
    people.rounds.silent = True

    code, out, _ = run("scene", "say", scene, "Hello?")

    assert code == 0
    assert "nobody acted" in out


def test_a_round_that_failed_is_an_error_with_its_code_and_what_to_do(
    scene: str, run: Run, people: StageServices
) -> None:
    people.rounds.failing = "director-silent"

    code, _, err = run("scene", "say", scene, "Hello?")
    as_json, out, _ = run("scene", "say", scene, "Hello?", "--json")

    assert (code, as_json) == (1, 1)
    assert "error[director-silent]: the director gave no plan" in err
    assert json.loads(out)["status"] == "error"


def test_an_unknown_scene_is_named_and_the_list_is_pointed_to(people: StageServices, run: Run) -> None:
    code, _, err = run("scene", "say", "atlantis", "Hello?")

    assert code == 1
    assert "error[no-such-scene]: there is no scene 'atlantis'" in err
    assert "`penwright scene list`" in err


def test_a_round_that_is_not_waited_for_returns_at_once(scene: str, told: Told, run: Run) -> None:
    started = told("say", scene, "Hello?", "--detach")
    both = run("scene", "say", scene, "Hello?", "--detach", "--queue")

    assert started["status"] == "started"
    assert started["session"]
    assert both[0] == 2


def test_a_plan_that_will_wait_is_told_with_the_command_for_it(
    scene: str, run: Run, people: StageServices
) -> None:
    direction.hold(people, scene, on=True)

    _, at_once, _ = run("scene", "say", scene, "Hello?", "--detach")
    people.rounds.at_work.clear()
    _, _, waited = run("scene", "continue", scene)

    assert f"`penwright scene approve {scene}`" in at_once
    assert f"`penwright scene approve {scene}`, in another terminal" in waited


def test_without_a_persona_it_is_said_under_which_name_the_user_speaks(
    people: StageServices, run: Run, told: Told
) -> None:
    told("create", "The Roof", "--world", "skerrow", "--cast", "Ann Quist")

    _, _, note = run("scene", "say", "the-roof", "Hello?")
    told("hand-over", "the-roof", "Mira")
    _, _, after = run("scene", "say", "the-roof", "Hello?")

    assert f"You speak as {people.person()!r}" in note
    assert "`penwright scene hand-over the-roof PERSONA`" in note
    assert after == ""


def test_a_round_in_which_nobody_acts_says_what_the_director_was_told(
    scene: str, run: Run, told: Told, people: StageServices
) -> None:
    people.rounds.silent = True

    _, out, _ = run("scene", "say", scene, "Anyone?")
    document = told("say", scene, "Anyone at all?")

    assert "the director was told: 'Ann' may be any of ann, ann-2" in out
    assert document["notes"] == ["'Ann' may be any of ann, ann-2; use one of these ids."]


# Any: fields of several types.
def _second_round(scene: str, **told: Any) -> NumberedResult:
    return NumberedResult(scene=scene, round=2, take=1, is_meant=True, **told)


def test_those_left_over_are_called_by_name(scene: str) -> None:
    ended = _second_round(scene, outcome="completed", left_over=("ann-quist", "gone"))

    assert "left over: Ann Quist, gone" in ending_lines(ended, 1, (), {"ann-quist": "Ann Quist"})


def test_what_had_no_room_in_its_prompts_is_a_warning_of_the_round(scene: str) -> None:
    ended = _second_round(scene, outcome="completed", warnings=no_room(("lore", "notes")))

    told = " ".join(ending_lines(ended, 1))
    assert "warning: prompts of this round had no room for all of the lore, notes: raise" in told


def test_a_round_that_was_stopped_says_once_by_whom(scene: str) -> None:
    ended = _second_round(scene, outcome="stopped", stopped_by="root", message="ended by root: wrong model")

    assert ending_lines(ended, 0)[0] == "Round 2 stopped by root: wrong model."


def test_a_regenerated_reply_keeps_the_old_one(scene: str, told: Told, people: StageServices) -> None:
    told("say", scene, "Who lit the lamp?")
    ended = told("regenerate", scene, "2")

    assert people.rounds.given[-1].message == f"{scene}/2"
    assert [len(each["alternatives"]) for each in ended["messages"]] == [2]
    shown = told("show", scene, "--message", "#2")
    assert [each["text"] for each in shown["alternatives"]] == [
        "Ann Quist answers in round 1.",
        "Ann Quist answers in round 2.",
    ]
    assert shown["chosen"] == 1


def test_what_was_asked_of_the_next_round_goes_with_it_once(
    scene: str, told: Told, people: StageServices
) -> None:
    told("veto", scene, "Ann")
    told("force", scene, "bob-vane")
    kept = people.store.worlds.read(Scene, scene)
    first, second = told("say", scene, "Hello?"), told("continue", scene)

    assert kept is not None
    assert kept.steering == Steering(force=("bob-vane",), veto=("ann-quist",))
    assert [each["name"] for each in first["messages"]] == ["Mira", "Bob Vane"]
    assert people.rounds.given[0].steering == kept.steering
    assert people.rounds.given[1].steering == Steering()
    assert [each["name"] for each in second["messages"]] == ["Ann Quist", "Bob Vane"]


def test_the_later_wish_about_one_character_counts(scene: str, told: Told, people: StageServices) -> None:
    told("veto", scene, "Ann")
    told("force", scene, "Ann")

    kept = people.store.worlds.read(Scene, scene)
    assert kept is not None
    assert kept.steering == Steering(force=("ann-quist",))


def test_a_cast_of_two_hundred_is_played_and_told_in_order(
    people: StageServices, run: Run, told: Told
) -> None:
    ids = [people.store.worlds.create(Character(id="", name=f"Extra {place}")).id for place in range(200)]
    told("create", "Crowd", "--world", "skerrow", "--cast", ",".join(ids), "--persona", "Mira")

    ended = told("say", "crowd", "Who is there?")
    unknown = run("scene", "veto", "crowd", "Extra")

    assert [each["speaker_id"] for each in ended["messages"]] == ["mira", *ids]
    assert (unknown[0], "error[no-such-character]" in unknown[2]) == (1, True)
    assert "and 192 more" in unknown[2]


@pytest.mark.parametrize("name", ["Ann", "Anna", "Ann-Marie", "Annabel"])
def test_a_name_that_begins_another_means_its_own_bearer(
    people: StageServices, run: Run, told: Told, name: str
) -> None:
    names = ("Anna", "Ann-Marie", "Annabel")
    ids = {each: people.store.worlds.create(Character(id="", name=each)).id for each in names}
    ids["Ann"] = "ann-quist"
    told("create", "Annas", "--world", "skerrow", "--cast", ",".join(ids.values()), "--persona", "Mira")

    told("veto", "annas", name)
    ended = told("say", "annas", "Hello?")
    part = run("scene", "veto", "annas", "Anna-")

    spoke = [each["speaker_id"] for each in ended["messages"][1:]]
    assert spoke == [id for id in ids.values() if id != ids[name]]
    assert (part[0], "error[no-such-character]" in part[2]) == (1, True)
