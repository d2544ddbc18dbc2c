"""``penwright manuscript settings``: shown, and changed one by one."""

import json
from pathlib import Path
from typing import Any

from tests.support.each import for_each
from tests.support.gateway.services import Run

SETTINGS = ("manuscript", "settings")


def answer(run: Run, *arguments: str, code: int = 0) -> Any:  # JSON
    ended, out, err = run(*arguments, "--json")
    assert (ended, err) == (code, "")
    return json.loads(out)


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


@for_each(
    "options, expected, code",
    [
        (("-i", "  "), 2, "empty-instructions"),
        (("-i", "a\0b"), 2, "bad-instructions"),
        (("--max-passes", "101"), 2, "usage"),
    ],
)
def test_a_bad_setting_is_refused_by_name(
    run: Run, novel: Path, options: tuple[str, ...], expected: int, code: str
) -> None:
    told = answer(run, *SETTINGS, str(novel), *options, code=expected)

    assert told["code"] == code
    assert answer(run, *SETTINGS, str(novel))["version"] == 0
