"""``penwright scene show``, ``why``, ``log``, ``state``, ``events``: what a person and a program see."""

import json

import pytest

from gateway.cli.scene.timelines import round_lines
from gateway.desk.scene import rounds, views
from schemas.base import Effect, OpId, Progress
from schemas.envelope import TokenBudget, TooSmall
from schemas.lore import Lorebook, LoreEntry
from schemas.records import RunRow
from schemas.scene import OpenRound
from schemas.worlds import Character
from tests.gateway.cli.scene.conftest import Told
from tests.support.gateway import scenes
from tests.support.gateway.advised_states import ends_of_steps
from tests.support.gateway.services import Run, StageServices
from tests.support.scenes.stopping import HALF, stopped_reply


@pytest.fixture
def played(scene: str, told: Told) -> str:
    """A scene after one round."""
    told("say", scene, "Who lit the lamp?")
    return scene


@pytest.mark.parametrize(
    "arguments",
    [
        ("show",),
        ("show", "--round", "1"),
        ("show", "--envelope"),
        ("show", "--envelope", "--who", "director"),
        ("show", "--message", "1"),
        ("why",),
        ("log",),
        ("state",),
        ("events",),
    ],
    ids=" ".join,
)
def test_every_view_fits_eighty_columns(played: str, run: Run, arguments: tuple[str, ...]) -> None:
    verb, *options = arguments
    code, out, err = run("scene", verb, played, *options)

    assert (code, bool(out)) == (0, True), err
    assert max(map(len, out.splitlines())) <= 80


def test_chapters_are_shown_with_who_heard_them_and_for_one_reader_alone(
    played: str, told: Told, run: Run, people: StageServices
) -> None:
    assert "nothing is summed up yet" in run("scene", "show", played, "--chapters")[1]
    scenes = people.store.scenes
    shown = {each.number: each.text for each in scenes.messages(played)}
    scenes.summarised(played, "At the lamp\n\nThey met. Much was said.", "op/sum", ("ann-quist",), shown)

    code, out, _ = run("scene", "show", played, "--chapters")
    (chapter,) = told("show", played, "--chapters", "--who", "Ann")["chapters"]

    assert (code, out.splitlines()) == (
        0,
        ["Round 1: At the lamp", "   They met. Much was said.", "   heard by Ann Quist"],
    )
    assert (chapter["rounds"], chapter["text"]) == ([1, 1], "They met. Much was said.")
    assert told("show", played, "--chapters", "--who", "Bob")["chapters"] == []


def test_what_could_not_be_remembered_or_summed_up_is_told_with_its_reason(
    played: str, run: Run, people: StageServices
) -> None:
    why = {"code": "model-key-missing", "message": "Set NEAR_KEY."}
    fields = {"pipeline": "scene-memory", "subject": f"scene/{played}", "stage": "ended"}
    for session, outcome, detail in (("s1", "failed", why), ("s2", "completed", {})):
        row = RunRow(run=f"scene-memory/{played}#{session}", outcome=outcome, detail=detail, **fields)
        people.store.records.note(row, [])
        told = "the next round tries again: Set NEAR_KEY." in " ".join(
            run("scene", "show", played)[1].split()
        )
        assert told is (outcome == "failed")


def test_a_reply_that_was_stopped_keeps_its_words_and_says_so(
    run: Run, scene: str, people: StageServices
) -> None:
    stopped_reply(people.store, scene, "ann-quist", "Ann Quist")

    shown, alternatives = run("scene", "show", scene)[1], run("scene", "show", scene, "--message", "2")[1]

    assert f"#2 Ann Quist (stopped)\n   {HALF}" in shown
    assert ", stopped\n" in alternatives


def test_a_scene_shows_who_is_there_and_what_was_said_last(played: str, run: Run, told: Told) -> None:
    code, out, _ = run("scene", "show", played, "--messages", "2")
    shown = told("show", played)

    assert code == 0
    assert "The Quay" in out
    assert "cast:     Ann Quist, Bob Vane" in out
    assert "persona:  Mira" in out
    assert "Who lit the lamp?" not in out
    assert "#3 Bob Vane" in out
    assert "demo model" in out
    assert shown["messages"][0]["text"] == "Who lit the lamp?"
    assert (shown["rounds"], shown["running"]) == (1, None)


@pytest.mark.parametrize(
    ("paused", "said", "step"),
    [
        (False, "Round 1 runs.", "penwright scene watch the-quay"),
        (True, "Round 1 is paused.", "penwright scene resume the-quay"),
        (None, "Round 1 is open, but no worker answers", "penwright scene stop the-quay"),
    ],
)
def test_a_scene_says_how_its_round_stands_and_what_may_follow(
    scene: str,
    run: Run,
    people: StageServices,
    monkeypatch: pytest.MonkeyPatch,
    paused: bool | None,
    said: str,
    step: str,
) -> None:
    async def progress(*_: object) -> Progress | None:
        return (
            None
            if paused is None
            else Progress(pipeline="director-round", subject=scene, stage="act", paused=paused)
        )

    effect = Effect(op_id=OpId("quay#s1:open"), issued_at=people.now())
    people.store.scenes.open_round(OpenRound(effect=effect, scene=scene, session="s1", text="Who?"))
    monkeypatch.setattr(rounds, "round_progress", progress)

    code, out, _ = run("scene", "show", scene)

    assert (code, said in out, step in out) == (0, True, True)
    assert "penwright scene say" not in out


def test_two_of_one_name_are_told_apart_by_id(people: StageServices, run: Run) -> None:
    people.store.worlds.create(Character(id="", name="Cleo"))
    run("scene", "create", "The Roof", "--world", "skerrow", "--cast", "cleo,cleo-2,Ann Quist")

    _, out, _ = run("scene", "show", "the-roof")

    assert "cast:     Cleo (cleo), Cleo (cleo-2), Ann Quist" in out


def test_a_name_means_the_one_who_is_present(people: StageServices, scene: str, run: Run) -> None:
    people.store.worlds.create(Character(id="", name="Bob Vane"))
    people.store.worlds.create(Character(id="", name="Cleo"))

    forced = run("scene", "force", scene, "Bob Vane")
    unclear = run("scene", "force", scene, "Cleo")

    assert forced[0] == 0, forced[2]
    assert (unclear[0], "error[ambiguous-name]" in unclear[2]) == (2, True)


def test_a_round_shows_its_plan_guidance_replies_and_lost_values(played: str, run: Run) -> None:
    _, out, _ = run("scene", "show", played, "--round", "1")

    assert "Round 1 (message): completed" in out
    assert "pass 1: Ann Quist → Bob Vane" in out
    assert "guidance for Ann Quist: Be brief." in out
    assert "open guidance: Keep it quiet." in out
    assert "Ann Quist spoken #2: Ann Quist answers in round 1." in out
    assert "- → glad (reported, overruled)" in out


def test_a_reply_that_repeats_another_says_so_below_it(played: str, people: StageServices) -> None:
    _, found, said = views.timeline(people, played, 1)
    turns = tuple(
        each.model_copy(update={"reason": "This repeats an earlier passage"}) for each in found.turns
    )

    lines = round_lines(found.model_copy(update={"turns": turns}), {}, {each.id: each for each in said})

    assert lines.count("   note: This repeats an earlier passage") == len(turns) == 2


def test_a_plan_that_was_approved_says_by_whom_and_with_which_changes(
    played: str, people: StageServices
) -> None:
    _, found, _ = views.timeline(people, played, 1)
    planned = found.passes[0]
    ann, bob = planned.applied.turns
    changed = {"applied": planned.applied.model_copy(update={"turns": (bob,)}), "planned": (ann, bob)}
    passes = (planned.model_copy(update={**changed, "approved_by": "mo"}),)
    names = {"ann-quist": "Ann Quist", "bob-vane": "Bob Vane"}

    lines = round_lines(found.model_copy(update={"passes": passes}), names, {})

    assert "   approved by mo: Ann Quist was struck." in lines


def test_an_envelope_shows_sizes_and_what_was_left_out_with_the_reason(played: str, run: Run) -> None:
    _, sizes, _ = run("scene", "show", played, "--envelope")
    _, whole, _ = run("scene", "show", played, "--envelope", "--who", "director")
    nobody = run("scene", "show", played, "--envelope", "--who", "Cleo")

    assert "155 of 8,192 tokens" in sizes
    assert "left out: lore lamp/2: no room: 900 of 80 tokens" in sizes
    assert "has not burned" not in sizes
    assert "The lamp has not burned for years." in whole
    assert (nobody[0], "error[no-envelope]" in nobody[2]) == (1, True)


def test_a_prompt_for_which_there_was_no_room_says_so(
    scene: str, run: Run, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = TokenBudget(context=8192, answer=700, fixed=8615, counter="about")
    no_room = TooSmall(message="a prompt of 8192 tokens is too small" + 9 * ": 700 are kept", budget=budget)
    monkeypatch.setattr(scenes, "an_envelope", lambda *_: no_room)
    told("say", scene, "Who lit the lamp?")

    _, sizes, _ = run("scene", "show", scene, "--envelope")
    _, reasons, _ = run("scene", "why", scene)

    assert "a prompt of 8192 tokens is too small" in sizes
    assert "a prompt of 8192 tokens is too small" in reasons
    assert max(map(len, sizes.splitlines())) <= 80


def test_why_has_a_verdict_on_every_entry_or_on_those_asked_for(played: str, run: Run, told: Told) -> None:
    _, brief, _ = run("scene", "why", played)
    _, out, _ = run("scene", "why", played, "--all")
    _, asked, _ = run("scene", "why", played, "storm")
    storm = told("why", played, "storm")

    said = "fired     The lamp (in Of the lamp): the key 'lamp' occurs. Place: after the history."
    assert said in " ".join(out.split()).replace("fired The", "fired     The")
    assert "no-key    The storm (in Of the lamp): no key of it occurs" in out
    assert "no-key    The storm" in asked
    assert ("The lamp" in brief, "The storm" in brief) == (True, False)
    assert "1 entry did not fire: 1 no-key" in brief
    assert f"next: `penwright scene why {played} --all`" in brief
    assert len(told("why", played)["calls"][0]["verdicts"]) == 2
    assert [each["uid"] for each in storm["calls"][0]["verdicts"]] == ["2"]


def test_an_entry_without_a_title_is_called_by_its_keys_or_first_words(
    played: str, told: Told, people: StageServices
) -> None:
    entries = (
        LoreEntry(uid="u-1", keys=("lamp", "light"), content="It is out."),
        LoreEntry(uid="u-2", content="The storm comes from the west, always, and at night."),
    )
    people.store.worlds.create(Lorebook(id="", name="Lamp", entries=entries))

    names = [each["name"] for each in told("why", played)["calls"][0]["verdicts"]]

    assert names == [
        "The lamp (in Of the lamp)",
        "The storm (in Of the lamp)",
        "“lamp, light” (in Of the lamp)",
        "“The storm comes from the west,” (in Of the lamp)",
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("show", "--round", "9"), "no-such-round"),
        (("show", "--envelope", "--round", "9"), "no-such-round"),
        (("show", "--message", "99"), "no-such-message"),
        (("show", "--message", "atlantis/1"), "no-such-message"),
        (("show", "--who", "Ann"), "option-alone"),
        (("why", "--who", "Zog"), "no-such-character"),
        (("state", "--who", "Zog"), "no-such-character"),
    ],
    ids=lambda each: each if isinstance(each, str) else " ".join(each),
)
def test_what_is_not_there_is_named(played: str, run: Run, arguments: tuple[str, ...], code: str) -> None:
    verb, *options = arguments
    done, out, err = run("scene", verb, played, *options)

    assert (done in (1, 2), out) == (True, "")
    assert f"error[{code}]" in err


def test_events_come_in_order_each_once_and_go_on_after_a_cursor(played: str, run: Run, told: Told) -> None:
    first = [json.loads(line) for line in run("scene", "events", played, "--json")[1].splitlines()]
    told("continue", played)
    cursor = str(first[-1]["cursor"])
    rest = [
        json.loads(line)
        for line in run("scene", "events", played, "--after", cursor, "--json")[1].splitlines()
    ]

    cursors = [each["cursor"] for each in (*first, *rest)]
    assert cursors == sorted(set(cursors))
    kinds = [each["kind"] for each in first]
    assert kinds.count("director.started") == kinds.count("director.completed") == 1
    assert kinds.count("character.started") == kinds.count("character.completed") == 2
    assert kinds[-1] == "round.completed" or "round.completed" in kinds
    assert {each["data"].get("round") for each in rest if each["kind"] == "round.completed"} == {2}


def test_a_cursor_after_the_newest_event_is_refused_by_name(played: str, run: Run) -> None:
    done, out, err = run("scene", "events", played, "--after", str(2**70), "--follow")

    assert (done, out) == (2, "")
    assert "error[cursor-ahead]" in err


def test_states_of_people_facts_and_trackers_are_set_and_shown(played: str, run: Run, told: Told) -> None:
    changed = told("state", played, "--who", "Ann", "--set", "mood=wary", "--set", "location=roof")
    told("state", played, "--who", "tracker", "--set", "weather=fog")
    told("state", played, "--who", "world", "--set", "the lamp=out")
    told("state", played, "--who", "Mira", "--set", "clothing=a wet coat")
    _, out, _ = run("scene", "state", played)
    _, only, _ = run("scene", "state", played, "--who", "Ann")

    assert [(each["field"], each["old"], each["new"]) for each in changed["changes"]] == [
        ("mood", "", "wary"),
        ("location", "", "roof"),
    ]
    assert {each["source"] for each in changed["changes"]} == {"person"}
    assert "Ann Quist: mood wary; location roof" in out
    assert "tracker weather: fog" in out
    assert "world the lamp: out" in out
    assert "Mira: clothing a wet coat" in out
    assert only.splitlines() == ["Ann Quist: mood wary; location roof"]


def test_an_overruled_value_can_be_brought_back(played: str, run: Run, told: Told) -> None:
    told("state", played, "--who", "Ann", "--set", "mood=sad")
    back = told("state", played, "--who", "Ann", "--reinstate", "mood")
    nothing = run("scene", "state", played, "--who", "Bob", "--reinstate", "mood")

    assert [(each["old"], each["new"], each["source"]) for each in back["changes"]] == [
        ("sad", "glad", "person")
    ]
    assert (nothing[0], "error[not-overruled]" in nothing[2]) == (1, True)
    assert ends_of_steps(run, nothing[2]) == [0]


def test_a_field_that_a_character_has_not_is_refused(played: str, run: Run) -> None:
    code, _, err = run("scene", "state", played, "--who", "Ann", "--set", "speed=9")

    assert code == 2
    assert "error[unknown-field]" in err
    assert "mood, location, activity, clothing, intentions" in err


def test_the_log_lists_each_round_with_who_spoke(played: str, told: Told) -> None:
    told("continue", played)
    listed = told("log", played)["rounds"]

    assert [(each["number"], each["kind"], each["status"]) for each in listed] == [
        (1, "message", "completed"),
        (2, "continue", "completed"),
    ]
    assert [turn["character"] for turn in listed[1]["turns"]] == ["ann-quist", "bob-vane"]


def test_lists_call_people_and_places_by_their_names(played: str, run: Run, told: Told) -> None:
    branch = told("branch", played, "--after", "1", "--title", "Again")["scene"]

    _, log, _ = run("scene", "log", played)
    _, listed, _ = run("scene", "list")
    assert "Ann Quist" in log
    assert "ann-quist" not in log
    assert "in Skerrow of Skerrow, a branch of The Quay" in " ".join(listed.split())
    names = {each["scene"]: each["names"] for each in told("list")["scenes"]}
    assert names[branch]["cast"] == ["Ann Quist", "Bob Vane"]


def test_a_scene_that_runs_shows_in_the_list(played: str, people: StageServices, told: Told) -> None:
    people.rounds.at_work[played] = people.rounds.given[-1]

    listed = told("list")["scenes"]

    assert [(each["state"], each["detail"]) for each in listed] == [("act", "Ann acts")]
