"""``penwright manuscript settings``: shown, and changed one by one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from pydantic import BaseModel

from gateway.cli.cite.scanning import scan
from gateway.cli.manuscript.running import write
from gateway.cli.manuscript.settings import settings
from gateway.http.routes.manuscripts.citations import ScanOrder
from gateway.http.routes.manuscripts.runs import WriteOrder, WritingSettingsOrder
from schemas.agent_state import StateChanges, StateConflict, StateWritten, WriteState
from schemas.base import OpId
from tests.support.each import for_each
from tests.support.gateway.advised_states import ends_of_steps
from tests.support.gateway.services import Run, StageServices

SETTINGS = ("manuscript", "settings")
SETTINGS_WITH_BOUNDS = ("max_passes", "min_score", "max_hunks", "max_targets")


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
        (("--max-passes", "0"), 2, "usage"),
        (("-i", "a" * 400_001), 2, "long-instructions"),
    ],
)
def test_a_bad_setting_is_refused_by_name(
    run: Run, novel: Path, options: tuple[str, ...], expected: int, code: str
) -> None:
    told = answer(run, *SETTINGS, str(novel), *options, code=expected)

    assert told["code"] == code
    assert answer(run, *SETTINGS, str(novel))["version"] == 0


@for_each(
    "verb, order, option, field",
    [
        *((settings, WritingSettingsOrder, each, each) for each in SETTINGS_WITH_BOUNDS),
        *((write, WriteOrder, each, each) for each in (*SETTINGS_WITH_BOUNDS[:3], "minutes")),
        (write, WriteOrder, "decisions", "actions"),
        *((scan, ScanOrder, each, each) for each in ("max_targets", "minutes")),
    ],
)
def test_a_setting_has_the_same_bounds_on_the_command_line_as_in_the_api(
    verb: Callable[..., None], order: type[BaseModel], option: str, field: str
) -> None:
    given = get_type_hints(verb, include_extras=True)[option].__metadata__[0]
    told = order.model_json_schema()["properties"][field]
    said = told.get("anyOf", [told])[0]

    assert (given.min, given.max) == (said["minimum"], said["maximum"])


def test_a_setting_that_changed_at_the_same_moment_is_shown_and_put_over_as_advised(
    run: Run, services: StageServices, novel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = services.store.agent_states
    store = kept.write

    def after_another(wanted: WriteState) -> StateWritten | StateConflict:
        monkeypatch.undo()
        store(wanted.model_copy(update={"changes": StateChanges(max_passes=5), "op_id": OpId("another")}))
        return store(wanted)

    monkeypatch.setattr(kept, "write", after_another)
    mine = (*SETTINGS, str(novel), "--max-passes", "7")
    code, _, refused = run(*mine)
    followed = ends_of_steps(run, refused)
    again = answer(run, *mine)

    assert (code, "error[settings-conflict]" in refused, followed) == (3, True, [0])
    assert again["settings"]["max_passes"] == 7
