"""``penwright manuscript list``, ``show``, ``diff``, ``versions``, ``undo`` and ``rollback``."""

import json
from pathlib import Path
from typing import Any

import pytest

from gateway.desk.manuscript import undoing
from tests.gateway.cli.manuscript.conftest import DRAFT
from tests.support.gateway.services import Run, StageServices, git_in


def revise(run: Run, novel: Path, text: str) -> None:
    source = novel.parent / "revised.md"
    source.write_text(text)
    code, _, err = run("manuscript", "import", str(source), "--into", str(novel), "--force")
    assert (code, err) == (0, "")


def text_of(run: Run, novel: Path, *more: str) -> str:
    code, out, _ = run("manuscript", "show", str(novel), *more)
    assert code == 0
    return out


def test_scenes_are_listed_with_words_sections_and_unsaved_edits(run: Run, novel: Path) -> None:
    (novel / "scenes/Pier.md").write_text("Fog.\n")
    git_in(novel, "add", "scenes/Pier.md")
    git_in(novel, "-c", "user.name=A", "-c", "user.email=a@e.org", "commit", "-qm", "scene")
    (novel / "manuscript.md").write_text(DRAFT + "More.\n")

    _, out, _ = run("manuscript", "list", str(novel), "--json")
    _, shown, _ = run("manuscript", "list", str(novel))

    whole, pier = json.loads(out)["scenes"]
    assert (whole["scene"], whole["sections"], whole["unsaved"]) == ("-", 2, True)
    assert (pier["scene"], pier["words"], pier["unsaved"]) == ("Pier", 1, False)
    assert "unsaved edits" in shown
    assert (whole["state"], whole["score"]) == ("idle", None)
    assert shown.splitlines()[0].split() == ["SCENE", "WORDS", "SECTIONS", "CHANGED", "STATE", "SCORE"]


def test_a_novel_without_text_says_how_to_get_one(run: Run, tmp_path: Path) -> None:
    run("manuscript", "new", str(tmp_path / "empty"))

    listed = run("manuscript", "list", str(tmp_path / "empty"))
    code, _, err = run("manuscript", "show", str(tmp_path / "empty"))

    assert "penwright manuscript import" in listed[1]
    assert (code, "error[no-such-scene]" in err) == (1, True)


def test_the_committed_text_is_shown_and_unsaved_edits_are_said(run: Run, novel: Path) -> None:
    (novel / "manuscript.md").write_text("Another.\n")

    code, out, err = run("manuscript", "show", str(novel))

    assert (code, out) == (0, DRAFT)
    assert "no commit has yet" in err


def test_an_outline_has_headings_and_words(run: Run, novel: Path) -> None:
    assert text_of(run, novel, "--outline").splitlines()[0] == "Ebb  7"


def test_of_several_scenes_one_must_be_named(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "x.md"
    source.write_text("Fog.\n")
    place = tmp_path / "tides"
    for scene in ("a", "b"):
        run("manuscript", "import", str(source), "--into", str(place), "--scene", scene)

    code, _, err = run("manuscript", "show", str(place))

    assert (code, "error[which-scene]" in err) == (2, True)
    assert text_of(run, place, "b") == "Fog.\n"


def test_a_scene_is_shown_as_it_was(run: Run, novel: Path) -> None:
    revise(run, novel, "New.\n")
    _, out, _ = run("manuscript", "versions", str(novel), "--json")
    newest, oldest = json.loads(out)["versions"]

    assert text_of(run, novel) == "New.\n"
    assert text_of(run, novel, "--at", oldest["commit"][:12]) == DRAFT
    assert text_of(run, novel, "--at", oldest["blob"][:12]) == DRAFT
    assert newest["trailers"]["Penwright-Contributor"] == "human"


def test_a_version_that_is_none_is_named(run: Run, novel: Path) -> None:
    code, _, err = run("manuscript", "show", str(novel), "--at", "feedbeef")

    assert (code, "error[no-such-commit]" in err) == (1, True)
    assert "`penwright manuscript versions " in err


def test_the_last_change_is_shown_as_a_diff(run: Run, novel: Path) -> None:
    revise(run, novel, DRAFT.replace("at dusk", "at dawn"))

    _, out, _ = run("manuscript", "diff", str(novel))

    assert "-The keeper counts the lamps at dusk." in out
    assert "+The keeper counts the lamps at dawn." in out


def test_undo_takes_a_change_back_and_says_how_to_bring_it_again(run: Run, novel: Path) -> None:
    revise(run, novel, "New.\n")

    code, out, _ = run("manuscript", "undo", str(novel), "--yes")

    assert (code, text_of(run, novel)) == (0, DRAFT)
    back = out.split("`")[1].split()
    assert run(*back[1:], "--yes")[0] == 0
    assert text_of(run, novel) == "New.\n"


def test_an_undo_lists_what_goes_and_what_comes_back_and_asks(run: Run, novel: Path) -> None:
    revise(run, novel, "New.\n")
    (novel / "manuscript.md").write_text("Newer.\n")

    looked = json.loads(run("manuscript", "undo", str(novel), "--dry-run", "--json")[1])
    asked = run("manuscript", "undo", str(novel))
    done = run("manuscript", "undo", str(novel), "--yes")
    then = json.loads(run("manuscript", "undo", str(novel), "--dry-run", "--json")[1])

    assert ("not saved" in looked["gone"], "-Newer." in looked["diff"]) == (True, True)
    assert looked["back"].split()[0] in asked[2]
    assert (asked[0], "error[needs-yes]" in asked[2], "--dry-run`" in asked[2]) == (3, True, True)
    assert (done[0], text_of(run, novel)) == (0, "New.\n")
    assert (then["gone"], "-New." in then["diff"]) == (looked["back"], True)


def test_an_undo_of_what_was_not_listed_is_refused(
    run: Run, novel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    revise(run, novel, "New.\n")
    planned = undoing.planned

    # Any: what the desk is asked with.
    def changed_since(*asked: Any) -> undoing.UndoPlan:
        plan = planned(*asked)
        revise(run, novel, "Newest.\n")
        return plan

    monkeypatch.setattr(undoing, "planned", changed_since)
    code, _, err = run("manuscript", "undo", str(novel), "--yes")

    assert (code, "changed meanwhile" in err, text_of(run, novel)) == (3, True, "Newest.\n")


def test_an_undo_without_a_change_is_refused_with_a_next_step(run: Run, novel: Path) -> None:
    run("manuscript", "undo", str(novel), "--yes")

    code, _, err = run("manuscript", "undo", str(novel))

    assert (code, "error[nothing-to-undo]" in err, "manuscript versions" in err) == (3, True, True)


def test_a_rollback_shows_what_it_changes_and_asks(run: Run, novel: Path) -> None:
    first = git_in(novel, "rev-parse", "main")
    revise(run, novel, "New.\n")

    looked = run("manuscript", "rollback", str(novel), "--to", first, "--dry-run", "--json")
    asked = run("manuscript", "rollback", str(novel), "--to", first)
    done = run("manuscript", "rollback", str(novel), "--to", first[:10], "--yes", "--json")

    assert "-New." in json.loads(looked[1])["diff"]
    assert (asked[0], "error[needs-yes]" in asked[2]) == (3, True)
    assert json.loads(done[1])["status"] == "restored"
    assert text_of(run, novel) == DRAFT


def test_taking_back_needs_the_engine_and_says_so(run: Run, services: StageServices, novel: Path) -> None:
    services.runs = False

    code, _, err = run("manuscript", "undo", str(novel), "--yes")

    assert (code, "penwright up" in err) == (1, True)


@pytest.mark.parametrize(
    "verb", ["show", "diff", "versions", "undo", "rollback", "export", "new", "import", "list"]
)
def test_every_verb_shows_an_example(run: Run, verb: str) -> None:
    code, out, _ = run("manuscript", verb, "--help")

    assert (code, f"penwright manuscript {verb}" in out) == (0, True)


def test_a_scene_that_is_not_there_is_named_and_no_scan_is_estimated(run: Run, novel: Path) -> None:
    code, _, err = run("cite", "scan", str(novel), "--scene", "Peir", "--estimate")

    assert (code, "error[no-such-scene]" in err, "'Peir'" in err) == (1, True, True)


def test_an_estimate_says_that_it_is_for_a_new_scene(run: Run, novel: Path) -> None:
    _, _, known = run("manuscript", "write", str(novel), "-i", "Write.", "--estimate")
    code, _, err = run("manuscript", "write", str(novel), "Peir", "-i", "Write.", "--estimate")
    _, told, _ = run("manuscript", "write", str(novel), "Peir", "-i", "Write.", "--estimate", "--json")

    assert (code, known) == (0, "")
    assert "'Peir' is a new scene of 'Low Tide'" in err
    assert (json.loads(told)["new_scene"], json.loads(told)["scene"]) == (True, "Peir")


def test_an_estimate_counts_the_text_that_stands(run: Run, novel: Path, tmp_path: Path) -> None:
    """Every role reads all of it in each of its calls."""
    _, short, _ = run("manuscript", "write", str(novel), "-i", "Write.", "--estimate", "--json")
    (tmp_path / "x.md").write_text("# One\n\n" + "The tide rose again. " * 5_000)
    run("manuscript", "import", str(tmp_path / "x.md"), "--into", str(novel), "--force")
    _, long, _ = run("manuscript", "write", str(novel), "-i", "Write.", "--estimate", "--json")

    read = [
        sum(each["input_tokens"] for each in json.loads(said)["roles"] if each["role"] == "critic")
        for said in (short, long)
    ]

    assert read[1] - read[0] > 4 * 20_000


def test_an_undo_that_brings_a_deleted_scene_back_names_no_command_without_a_version(
    run: Run, novel: Path
) -> None:
    (novel / "manuscript.md").unlink()

    code, out, _ = run("manuscript", "undo", str(novel), "-", "--yes")

    assert (code, (novel / "manuscript.md").exists()) == (0, True)
    assert "--to `" not in out
    assert "the scene had no file before" in out


def test_the_text_and_its_words_are_variables_with_what_they_were_before(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    (tmp_path / "x.md").write_text("Ebb.\n")
    run("manuscript", "import", str(tmp_path / "x.md"), "--into", str(novel), "--force")

    text, words = (
        json.loads(run("manuscript", "inspect", str(novel), "--variable", name, "--json")[1])
        for name in ("current_manuscript", "manuscript_word_count")
    )

    assert [each["value"] for each in text["past"]] == ["Ebb.\n", DRAFT]
    assert words["value"] == 1
    assert len(words["past"]) == 2


def test_the_citations_that_the_agents_know_are_those_of_the_text_as_it_is(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    known = [_known(run, novel)]
    (tmp_path / "x.md").write_text("So. [[@book{hill1907, title = {Rivers}}]]\n")
    run("manuscript", "import", str(tmp_path / "x.md"), "--into", str(novel), "--force")
    known.append(_known(run, novel))
    _, one, _ = run("manuscript", "inspect", str(novel), "--variable", "existing_citations", "--json")

    assert [len(each) for each in known] == [1, 1]
    assert known[0][0].startswith("@article{orr2020tide")
    assert known[1] == ["@book{hill1907, title = {Rivers}}"]
    assert [each["value"] for each in json.loads(one)["past"]] == [known[1], known[0]]


def _known(run: Run, novel: Path) -> list[str]:
    _, out, _ = run("manuscript", "inspect", str(novel), "--json")
    return list(json.loads(out)["variables"]["existing_citations"])
