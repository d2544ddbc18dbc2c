"""``penwright manuscript settings`` and ``events``: several devices on one document."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gateway.cli.manuscript import settings as verbs
from tests.support.gateway.services import Run

SETTINGS = ("manuscript", "settings")


def answer(run: Run, *arguments: str, code: int = 0) -> Any:  # JSON
    ended, out, err = run(*arguments, "--json")
    assert (ended, err) == (code, "")
    return json.loads(out)


def events(run: Run, novel: Path, cursor: int = 0) -> list[Any]:  # JSON
    code, out, _ = run("manuscript", "events", str(novel), "--after", str(cursor), "--json")
    assert code == 0
    return [json.loads(line) for line in out.splitlines()]


def test_settings_are_shown_with_their_version_and_changed_one_by_one(run: Run, novel: Path) -> None:
    first = answer(run, *SETTINGS, str(novel))
    stored = answer(run, *SETTINGS, str(novel), "--max-passes", "7", "-i", "Write about tides.")
    again = answer(run, *SETTINGS, str(novel), "--max-passes", "7")
    _, shown, _ = run(*SETTINGS, str(novel))

    assert (first["version"], first["settings"]["max_passes"]) == (0, 3)
    assert (stored["version"], stored["changed"]) == (1, ["instructions", "max_passes"])
    assert (again["version"], again["changed"]) == (1, [])
    assert "version 1" in shown
    assert "Write about tides." in shown


def test_a_conflict_shows_both_values_and_the_next_step_and_stores_nothing(run: Run, novel: Path) -> None:
    run(*SETTINGS, str(novel), "--max-passes", "4")
    run(*SETTINGS, str(novel), "--max-passes", "5", "--based-on", "1")
    told = answer(
        run, *SETTINGS, str(novel), "--max-passes", "6", "--max-hunks", "2", "--based-on", "1", code=3
    )
    code, out, err = run(*SETTINGS, str(novel), "--max-passes", "6", "--based-on", "1")
    after = answer(run, *SETTINGS, str(novel))

    assert (told["status"], told["code"], told["version"]) == ("conflict", "settings-conflict", 2)
    clash = told["conflicts"]["max_passes"]
    assert (clash["mine"], clash["theirs"]["value"], clash["theirs"]["by"]) == (6, 5, "ada")
    assert list(told["conflicts"]) == ["max_passes"]
    assert "--max-passes 6 --max-hunks 2 --based-on 2" in told["next"]
    assert code == 3
    assert out.splitlines()[:2] == ["max_passes: yours", "  6"]
    assert out.splitlines()[3] == "  5"
    assert "error[settings-conflict]" in err
    assert "--based-on 2" in err
    assert (after["version"], after["settings"]["max_hunks"]) == (2, 5)


def test_the_next_step_of_a_conflict_puts_the_own_value_over_the_other(run: Run, novel: Path) -> None:
    run(*SETTINGS, str(novel), "--max-passes", "4")
    told = answer(run, *SETTINGS, str(novel), "--max-passes", "6", "--based-on", "0", code=3)
    command = told["next"].split("`")[1].split()
    stored = answer(run, *command[1:])

    assert (stored["version"], stored["settings"]["max_passes"]) == (2, 6)


def test_another_setting_of_an_older_version_is_stored_beside_theirs(run: Run, novel: Path) -> None:
    run(*SETTINGS, str(novel), "--max-passes", "4")
    stored = answer(run, *SETTINGS, str(novel), "--min-score", "0.5", "--based-on", "0")

    assert stored["version"] == 2
    assert (stored["settings"]["max_passes"], stored["settings"]["min_score"]) == (4, 0.5)


@pytest.mark.parametrize(
    ("options", "expected", "code"),
    [
        (("-i", "  "), 2, "empty-instructions"),
        (("-i", "a\0b"), 2, "bad-instructions"),
        (("--max-passes", "4", "--based-on", "9"), 1, "unknown-version"),
        (("--max-passes", "101"), 2, "usage"),
    ],
)
def test_a_bad_setting_is_refused_by_name(
    run: Run, novel: Path, options: tuple[str, ...], expected: int, code: str
) -> None:
    told = answer(run, *SETTINGS, str(novel), *options, code=expected)

    assert told["code"] == code
    assert answer(run, *SETTINGS, str(novel))["version"] == 0


def test_events_are_printed_once_each_from_the_cursor_on(run: Run, novel: Path) -> None:
    run(*SETTINGS, str(novel), "--max-passes", "4")
    first = events(run, novel)
    run(*SETTINGS, str(novel), "--max-passes", "5")
    run(*SETTINGS, str(novel), "--min-score", "0.5")
    rest = events(run, novel, first[-1]["cursor"])
    _, shown, note = run("manuscript", "events", str(novel), "--after", str(first[-1]["cursor"]))

    assert [each["version"] for each in (*first, *rest)] == [1, 2, 3]
    assert [each["changes"]["max_passes"] for each in rest] == [5, None]
    assert events(run, novel, rest[-1]["cursor"]) == []
    assert shown.splitlines()[0].endswith("version 2: max_passes = 5")
    assert f"--after {rest[-1]['cursor']}" in note


def test_following_prints_what_comes_until_it_is_interrupted(
    run: Run, novel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(*SETTINGS, str(novel), "--max-passes", "4")
    naps: list[float] = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(verbs, "time", SimpleNamespace(sleep=nap))  # git's own waits go on
    code, out, _ = run("manuscript", "events", str(novel), "--follow", "--json")

    assert (code, len(naps)) == (0, 2)
    assert [json.loads(line)["version"] for line in out.splitlines()] == [1]
