"""``penwright world``: what every kind can do, shown on worlds."""

from pathlib import Path

import pytest
import typer

from gateway.cli.tables import display_width
from penwright.ports.scenes import Worlds
from schemas.worlds import Notes, World
from tests.gateway.cli.worlds.conftest import Answer, Says, Types, left
from tests.support.gateway.services import Run, StageServices

LONG = "港" * 20


@pytest.fixture(autouse=True)
def harbour(worlds: Worlds, run: Run) -> None:
    code, _, err = run(
        "world", "create", "Harbour", "--description", "A port.", "--plot", "The light is out."
    )
    assert (code, err) == (0, "")


def drafts(services: StageServices) -> list[Path]:
    return sorted(services.drafts.iterdir()) if services.drafts.exists() else []


def test_a_world_is_created_with_an_id_of_its_name_and_the_next_steps_run(run: Run, answer: Answer) -> None:
    code, out, _ = run("world", "create", "Low Tide")
    again = answer("world", "create", "Low Tide", "--set", "goals=Leave")

    assert code == 0
    assert out.splitlines()[0] == "Created the world low-tide."
    assert "next: `penwright world show low-tide`" in out
    assert (again["world"]["id"], again["world"]["notes"]["goals"]) == ("low-tide-2", "Leave")
    for step in again["next"]:
        words = step.replace('"First voyage"', "First").split()[1:]
        assert run(*words)[0] == 0, step


def test_a_form_that_was_printed_makes_the_same_world_again(run: Run, answer: Answer, tmp_path: Path) -> None:
    _, form, _ = run("world", "show", "harbour", "--form")
    (tmp_path / "form.yml").write_text(form)

    made = answer("world", "create", "Second", "--from", str(tmp_path / "form.yml"))
    other = answer("world", "create", "Third", "--from", "-", stdin=form.encode())

    assert made["world"]["notes"] == answer("world", "show", "Harbour")["world"]["notes"]
    assert (made["world"]["name"], other["world"]["name"]) == ("Second", "Third")


def test_worlds_are_found_by_id_or_name_and_an_ambiguous_name_lists_the_ids(answer: Answer) -> None:
    answer("world", "create", "harbour")

    assert answer("world", "show", "harbour-2")["world"]["name"] == "harbour"
    assert answer("world", "show", "harbour")["world"]["name"] == "Harbour"  # the id wins
    told = answer("world", "show", "HARBOUR", code=2)
    assert told["code"] == "ambiguous-name"
    assert "harbour, harbour-2" in told["error"]


def test_an_unknown_world_is_named_with_what_is_near(answer: Answer) -> None:
    told = answer("world", "show", "harber", code=1)

    assert told["code"] == "no-such-world"
    assert "did you mean 'harbour'?" in told["error"]
    assert told["next"] == "`penwright world list` shows all worlds"


def test_a_list_fits_into_80_columns_whatever_the_names(run: Run, answer: Answer) -> None:
    run("world", "create", LONG, "--description", "x" * 300)
    run("campaign", "create", "Fog", "--world", "harbour")
    _, out, _ = run("world", "list")
    listed = answer("world", "list")["worlds"]

    assert max(map(display_width, out.splitlines())) <= 80
    assert out.splitlines()[2].startswith("港" * 10)
    assert (listed[0]["id"], listed[0]["campaigns"]) == ("harbour", 1)
    assert LONG in [each["name"] for each in listed]


def test_an_empty_list_says_how_to_make_the_first(run: Run) -> None:
    assert run("persona", "list")[1].startswith("There is no persona yet; `penwright persona create")


def test_show_prints_what_says_something_and_what_is_below(run: Run, answer: Answer) -> None:
    run("campaign", "create", "Fog", "--world", "harbour")
    _, out, _ = run("world", "show", "harbour")

    assert out.splitlines()[0] == "harbour: Harbour, version 1"
    assert "plot\n  The light is out.\n" in out
    assert "campaigns\n  fog: Fog" in out
    assert "goals" not in out
    assert [each["id"] for each in answer("world", "show", "harbour")["campaigns"]] == ["fog"]


def test_escape_sequences_of_a_name_never_reach_the_terminal(run: Run, worlds: Worlds) -> None:

    worlds.create(World(id="", name="Red", notes=Notes(description="a\x1b[31mb", plot="a\x1b[31mb")))

    for words in (("world", "list"), ("world", "show", "red"), ("world", "show", "red", "--form")):
        assert "\x1b" not in run(*words)[1]
    assert run("world", "create", "a\x1b[31mb")[0] == 2


def test_set_changes_single_fields_and_shows_the_difference(run: Run, answer: Answer) -> None:
    code, out, _ = run("world", "edit", "harbour", "--set", "plot=The light burns.")
    told = answer("world", "edit", "harbour", "--set", "plot=The light burns.", "--set", "author-note=Dry.")
    same = answer("world", "edit", "harbour", "--set", "author_note=Dry.")

    assert code == 0
    assert "-  The light is out.\n+  The light burns." in out
    assert out.splitlines()[-1] == "Stored world harbour, now at version 2."
    assert (told["status"], told["version"], told["world"]["notes"]["author_note"]) == ("changed", 3, "Dry.")
    assert (same["status"], same["version"], same["difference"]) == ("unchanged", 3, [])


def test_without_a_terminal_edit_names_the_ways_of_scripts(answer: Answer) -> None:
    told = answer("world", "edit", "harbour", code=2)

    assert told["code"] == "no-terminal"
    assert "world edit harbour --from FILE" in told["next"]
    assert "--set field=value" in told["next"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"name: [\n", "form-broken"),
        (b"nam: Harbour\n", "unknown-field"),
        (b"name: \xff\n", "form-not-text"),
        (b"- a\n", "form-broken"),
    ],
)
def test_a_wrong_form_is_refused_and_nothing_is_stored(
    answer: Answer, tmp_path: Path, content: bytes, code: str
) -> None:
    (tmp_path / "form.yml").write_bytes(content)

    assert answer("world", "edit", "harbour", "--from", str(tmp_path / "form.yml"), code=2)["code"] == code
    assert answer("world", "create", "New", "--from", str(tmp_path / "form.yml"), code=2)["code"] == code
    assert len(answer("world", "list")["worlds"]) == 1


@pytest.mark.parametrize(("name", "code"), [("gone.yml", "no-such-file"), ("", "not-a-file")])
def test_a_form_that_is_not_there_is_named(answer: Answer, tmp_path: Path, name: str, code: str) -> None:
    assert answer("world", "edit", "harbour", "--from", str(tmp_path / name), code=2)["code"] == code


def test_what_is_typed_is_shown_as_a_difference_and_stored_after_a_yes(
    run: Run, services: StageServices, types: Types, says: Says, answer: Answer
) -> None:
    types(
        {
            "The light is out.": "The light is out.\n  And: nobody knows why.",
            "author_note: |-": "author_note: dry",
        }
    )
    asked = says(True)

    code, out, err = run("world", "edit", "harbour")

    assert (code, out) == (0, "Stored world harbour, now at version 2.\n")
    assert "+  And: nobody knows why." in err
    assert asked == ["Store this as world harbour?"]
    assert drafts(services) == []
    notes = answer("world", "show", "harbour")["world"]["notes"]
    assert (notes["plot"], notes["author_note"]) == ("The light is out.\nAnd: nobody knows why.", "dry")


def test_a_form_that_is_left_alone_stores_nothing_and_leaves_no_file(
    run: Run, services: StageServices, types: Types, says: Says
) -> None:
    types({}, {"# The name": "# A name"})
    says()

    first, second = run("world", "edit", "harbour"), run("world", "edit", "harbour")

    assert first[1] == second[1] == "Nothing changed; world harbour is at version 1.\n"
    assert drafts(services) == []


def test_a_mistake_can_be_corrected_in_the_same_text(
    run: Run, services: StageServices, types: Types, says: Says, answer: Answer
) -> None:
    types({"plot: |-": "plott: |-", "out.": "out again."}, {"plott": "plot"})
    asked = says(True, True)

    code, _, err = run("world", "edit", "harbour")

    assert code == 0
    assert "error[unknown-field]: line" in err
    assert asked == ["Open it again?", "Store this as world harbour?"]
    assert answer("world", "show", "harbour")["world"]["notes"]["plot"] == "The light is out again."
    assert drafts(services) == []


@pytest.mark.parametrize(
    ("answers", "code", "error"),
    [((False,), 2, "unknown-field"), ((), 130, "interrupted")],
    ids=["no", "ctrl-c"],
)
def test_a_mistake_that_is_not_corrected_loses_nothing(
    run: Run,
    services: StageServices,
    types: Types,
    says: Says,
    answers: tuple[bool, ...],
    code: int,
    error: str,
) -> None:
    types({"plot: |-": "plott: |-", "out.": "out, says the typist."})
    says(*answers)

    ended, _, err = run("world", "edit", "harbour")

    (draft,) = drafts(services)
    assert ended == code
    assert f"error[{error}]" in err
    assert str(draft) in err
    assert "says the typist." in draft.read_text()


def test_text_that_is_declined_or_fails_to_be_stored_is_kept_and_can_be_stored_later(
    run: Run, services: StageServices, types: Types, says: Says, answer: Answer
) -> None:
    types({"out.": "out, says the typist."}, {})
    says(False)

    code, _, err = run("world", "edit", "harbour")
    (draft,) = drafts(services)
    again = run("world", "edit", "harbour")[2]

    assert (code, "declined" in err) == (3, True)
    assert f"penwright world edit harbour --from {draft}" in err
    assert f"typed earlier and never stored: {draft}" in again
    answer("world", "edit", "harbour", "--from", str(draft))
    assert "typist" in answer("world", "show", "harbour")["world"]["notes"]["plot"]


def test_when_the_engine_stops_meanwhile_the_text_is_kept(
    run: Run, services: StageServices, types: Types, monkeypatch: pytest.MonkeyPatch
) -> None:

    types({"out.": "out, says the typist."})

    def confirm(question: str, **_: object) -> bool:
        services.runs = False
        return True

    monkeypatch.setattr(typer, "confirm", confirm)
    code, _, err = run("world", "edit", "harbour")

    (draft,) = drafts(services)
    assert code == 1
    assert "error[engine-not-running]" in err
    assert str(draft) in err


def test_another_change_of_the_same_field_is_not_overwritten_and_both_are_shown(
    run: Run,
    services: StageServices,
    types: Types,
    says: Says,
    answer: Answer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:

    types({"out.": "out, says the typist.", "A port.": "A small port."})

    def confirm(question: str, **_: object) -> bool:
        answer("world", "edit", "harbour", "--set", "plot=Another hand.", "--set", "goals=Leave.")
        return True

    monkeypatch.setattr(typer, "confirm", confirm)
    code, out, err = run("world", "edit", "harbour")

    first, second = sorted(drafts(services), key=lambda path: path.stat().st_mtime_ns)
    assert code == 3
    assert out.splitlines()[:4] == [
        "plot: yours",
        "  The light is out, says the typist.",
        "plot: theirs (version 2)",
        "  Another hand.",
    ]
    assert "error[stale]: plot of world harbour changed after version 1" in err
    assert str(first) in err
    step = err.split("`")[1]
    assert step == f"penwright world edit harbour --from {second}"
    stored = answer(*step.split()[1:])["world"]["notes"]
    assert (stored["plot"], stored["goals"]) == ("The light is out, says the typist.", "Leave.")
    assert stored["description"] == "A small port."


def test_another_change_of_another_field_stays_beside_the_typed_one(
    run: Run, types: Types, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:

    types({"out.": "out, says the typist."})

    def confirm(question: str, **_: object) -> bool:
        answer("world", "edit", "harbour", "--set", "goals=Leave.")
        return True

    monkeypatch.setattr(typer, "confirm", confirm)
    code, _, _ = run("world", "edit", "harbour")

    notes = answer("world", "show", "harbour")["world"]["notes"]
    assert code == 0
    assert (notes["plot"], notes["goals"]) == ("The light is out, says the typist.", "Leave.")


def test_a_form_of_an_older_version_is_refused_until_the_version_is_named(
    run: Run, answer: Answer, tmp_path: Path
) -> None:
    _, form, _ = run("world", "show", "harbour", "--form")
    (tmp_path / "form.yml").write_text(form.replace("out.", "mine."))
    answer("world", "edit", "harbour", "--set", "plot=theirs")

    told = answer("world", "edit", "harbour", "--from", str(tmp_path / "form.yml"), code=3)
    step = told["next"].split("`")[1]
    stored = answer(*step.split()[1:])

    assert (told["code"], told["version"]) == ("stale", 2)
    assert told["conflicts"] == {"plot": {"mine": "The light is mine.", "theirs": "theirs"}}
    assert "--based-on 2" in step
    assert (stored["version"], stored["world"]["notes"]["plot"]) == (3, "The light is mine.")


@pytest.mark.parametrize(
    ("editor", "code"),
    [("/no/such/editor", "no-editor"), ("false", "editor-failed"), ("vi 'x", "no-editor")],
)
def test_an_editor_that_does_not_work_is_named_and_leaves_no_file(
    run: Run, services: StageServices, types: Types, editor: str, code: str
) -> None:
    types()
    services.environment = {**services.environment, "EDITOR": editor}

    ended, _, err = run("world", "edit", "harbour")

    assert (ended, f"error[{code}]" in err) == (1, True)
    assert drafts(services) == []


def test_visual_is_used_without_an_editor(
    run: Run, services: StageServices, types: Types, says: Says
) -> None:
    types({"out.": "out!"})
    other = {"VISUAL": services.environment["EDITOR"], "EDITOR": ""}
    services.environment = {**services.environment, **other}
    says(True)

    assert run("world", "edit", "harbour")[0] == 0


def test_remove_says_what_goes_asks_and_removes_all_of_it(
    run: Run, answer: Answer, worlds: Worlds, types: Types, says: Says
) -> None:
    run("campaign", "create", "Fog", "--world", "harbour")
    run("campaign", "arc", "add", "First night", "--campaign", "fog")
    told = answer("world", "remove", "harbour", "--dry-run")
    asked = says(False, True)
    declined = run("world", "remove", "harbour")
    done = run("world", "remove", "harbour")

    assert (told["status"], told["with"]["campaigns"], told["with"]["arcs"]) == (
        "would-remove",
        ["fog"],
        ["first-night"],
    )
    assert (declined[0], done[0]) == (3, 0)
    assert "  1 campaign: fog\n  1 arc: first-night" in declined[2]
    assert asked == ["Remove the world harbour?"] * 2
    assert left(worlds) == []


def test_remove_needs_a_yes_without_a_terminal(answer: Answer) -> None:
    assert answer("world", "remove", "harbour", code=3)["code"] == "needs-yes"
    assert answer("world", "remove", "harbour", "--yes")["status"] == "removed"
    assert answer("world", "remove", "harbour", "--yes", code=1)["code"] == "no-such-world"
