"""``penwright scene edit``, ``choose``, ``branch``, ``undo``: nothing is lost, all can come back."""

import pytest

from schemas.base import Effect, OpId
from schemas.scene import OpenRound
from schemas.worlds import Scene
from tests.gateway.cli.scene.conftest import Told
from tests.support.gateway.services import Run, StageServices


@pytest.fixture
def played(scene: str, told: Told) -> str:
    """A scene after two rounds."""
    told("say", scene, "Who lit the lamp?")
    told("continue", scene)
    return scene


def texts(told: Told, scene: str) -> list[str]:
    return [each["text"] for each in told("show", scene)["messages"]]


def test_an_edit_is_a_new_alternative_by_a_person_and_the_old_can_be_chosen_again(
    played: str, told: Told
) -> None:
    edited = told("edit", played, "2", "--text", "  Nobody did.  ")
    after_edit = texts(told, played)[1]
    chosen = told("choose", played, "2", "1")

    assert edited["text"] == after_edit == "Nobody did."
    assert [each["author"]["kind"] for each in edited["alternatives"]] == ["model", "person"]
    assert edited["alternatives"][1]["author"]["name"] == "ada"
    assert chosen["text"] == "Ann Quist answers in round 1."
    assert len(chosen["alternatives"]) == 2


def test_an_alternative_that_is_not_there_is_answered_with_where_they_are_numbered(
    played: str, run: Run
) -> None:
    _, _, err = run("scene", "choose", played, "2", "5")

    assert f"next: `penwright scene show {played} --message 2` numbers them" in err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("edit", "99", "--text", "x"), "no-such-message"),
        (("edit", "2", "--text", " "), "empty-message"),
        (("edit", "2"), "no-editor"),
        (("choose", "2", "5"), "no-such-alternative"),
        (("branch", "--after", "9", "--title", "x"), "no-such-round"),
        (("branch", "--after", "1", "--title", " "), "empty-title"),
    ],
    ids=lambda each: each if isinstance(each, str) else " ".join(each),
)
def test_what_cannot_be_changed_is_refused_by_name(
    played: str, run: Run, told: Told, arguments: tuple[str, ...], code: str
) -> None:
    before = told("show", played)
    verb, *rest = arguments
    done, out, err = run("scene", verb, played, *rest)

    assert (done in (1, 2, 3), out) == (True, "")
    assert f"error[{code}]" in err
    assert told("show", played) == before


def test_a_branch_has_everything_up_to_a_round_and_goes_its_own_way(
    played: str, told: Told, people: StageServices
) -> None:
    made = told("branch", played, "--after", "1", "--title", "The lamp stays dark")
    told("edit", made["scene"], "2", "--text", "Only here.")
    told("say", made["scene"], "And now?")

    assert made["scene"] == "the-lamp-stays-dark"
    assert texts(told, made["scene"])[:4] == [
        "Who lit the lamp?",
        "Only here.",
        "Bob Vane answers in round 1.",
        "And now?",
    ]
    assert texts(told, played)[1] == "Ann Quist answers in round 1."
    assert len(texts(told, played)) == 5
    assert [each.id for each in people.store.worlds.list(Scene)] == [played, made["scene"]]


def test_what_was_taken_back_or_only_made_again_is_no_round_that_was_played(
    played: str, told: Told, run: Run
) -> None:
    told("regenerate", played, "2")
    told("say", played, "And now?")
    told("undo", played)

    assert told("show", played)["rounds"] == 2
    assert [each["rounds"] for each in told("list")["scenes"]] == [2]
    assert "   2 rounds" in run("scene", "show", played)[1]


def test_undo_takes_the_newest_round_back_until_there_is_none(played: str, run: Run, told: Told) -> None:
    told("state", played, "--who", "Ann", "--set", "mood=wary")
    told("say", played, "And now?")
    undone = told("undo", played)
    told("undo", played)
    told("undo", played)
    nothing = run("scene", "undo", played)

    assert undone["round"] == 3
    assert texts(told, played) == []
    assert (nothing[0], "error[nothing-to-undo]" in nothing[2]) == (3, True)
    assert told("show", played, "--round", "2")["round"]["status"] == "undone"


def test_redo_brings_back_what_was_taken_back_and_any_take_of_the_last_round(
    played: str, run: Run, told: Told
) -> None:
    told("undo", played)
    assert told("redo", played)["round"] == 2
    told("regenerate", played)
    assert texts(told, played)[3] == "Ann Quist answers in round 3."

    again = run("scene", "log", played)[1]
    assert [line.split("  ")[0] for line in again.splitlines()[1:]] == ["1", "2, take 1", "2"]
    assert told("redo", played, "--round", "2")["take"] == 1
    assert texts(told, played)[3] == "Ann Quist answers in round 2."
    assert told("show", played, "--round", "2", "--take", "2")["round"]["status"] == "undone"
    code, _, err = run("scene", "redo", played)
    assert (code, "error[nothing-to-redo]" in err) == (3, True)


def test_what_is_asked_of_the_director_is_shown_and_played_at_once_if_accepted(
    scene: str, run: Run, told: Told
) -> None:
    nothing, _, err = run("scene", "direct", scene)
    done = told("direct", scene, "Make it night.", "--accept")
    idle, _, refusal = run("scene", "direct", scene, "--reject")

    assert (nothing, "error[what-to-do]" in err) == (2, True)
    assert (done["status"], done["plan"]["held"]) == ("approved", True)
    assert (idle, "no-round-runs" in refusal or "no-plan-held" in refusal) == (3, True)


def test_a_model_plays_one_of_the_cast_until_that_is_taken_back(played: str, run: Run, told: Told) -> None:
    given = told("cast", played, "--model", "Ann=demo")
    _, shown, _ = run("scene", "cast", played)
    code, _, err = run("scene", "cast", played, "--model", "Bob=dmo")
    back = told("cast", played, "--model", "Ann=")

    assert (given["models"], back["models"]) == ({"ann-quist": "demo"}, {})
    assert "present, played by demo" in shown
    assert (code, "error[unknown-model]" in err, "did you mean 'demo'" in err) == (2, True, True)


def test_the_cast_is_changed_at_the_end_of_a_round_that_runs(
    played: str, run: Run, told: Told, people: StageServices
) -> None:
    effect = Effect(op_id=OpId("scene/the-quay#s9:0"), issued_at=people.clock.now())
    people.store.scenes.open_round(OpenRound(effect=effect, scene=played, session="s9", text="Hm?"))

    waits = told("cast", played, "--add", "Cleo", "--remove", "Bob", "--available", "Cleo")
    _, shown, _ = run("scene", "cast", played)

    assert (waits["coming"], waits["going"]) == (["cleo"], ["bob-vane"])
    assert shown.count("when the round ends") == 2


def test_nothing_is_changed_while_a_round_runs(played: str, run: Run, people: StageServices) -> None:
    effect = Effect(op_id=OpId("scene/the-quay#s9:0"), issued_at=people.clock.now())
    people.store.scenes.open_round(OpenRound(effect=effect, scene=played, session="s9", text="Hm?"))

    code, _, err = run("scene", "undo", played)
    removed = run("scene", "remove", played, "--yes")

    assert (code, "error[round-runs]" in err) == (3, True)
    assert (removed[0], "error[in-use]" in removed[2]) == (3, True)
