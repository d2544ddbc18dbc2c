"""Conflicts between an edit of the agents and what people wrote, settled on a terminal."""

import json
from pathlib import Path

import pytest

from gateway.desk.works import novels
from schemas.agent_state import ActionEntry, StateKey
from schemas.base import OpId
from schemas.patching import Operation, OperationResult
from tests.support.gateway.advised_states import ends_of_steps
from tests.support.gateway.services import NOW, Run, StageServices

NOW_READS, WANTED = "The keeper counts the lamps at dusk.", "The keeper counts the boats at dusk."


@pytest.fixture
def in_conflict(services: StageServices, novel: Path) -> Path:
    """A novel with a revision of which two edits met what its author wrote."""
    edit = Operation(find="The keeper counts the lamps at dawn.", replace=WANTED)
    results = [
        OperationResult(index=number, outcome="conflict", message="changed", nearest=NOW_READS, wanted=WANTED)
        for number in (0, 1)
    ]
    kept = {
        "reply": json.dumps([edit.model_dump(mode="json")] * 2),
        "results": json.dumps([each.model_dump(mode="json") for each in results]),
    }
    blobs = {name: services.store.blobs.put(text.encode()).model_dump() for name, text in kept.items()}
    entry = ActionEntry(
        op_id=OpId("e1"),
        run="r",
        at=NOW,
        action="revise_manuscript",
        outcome="refused",
        summary="",
        detail=blobs,
    )
    key = StateKey(novel=novels.at(services, novel).novel_id)
    services.store.agent_logs.append([(key, entry)])
    return novel


def test_conflicts_are_listed_and_each_is_settled_once(run: Run, in_conflict: Path) -> None:
    place = str(in_conflict)

    _, listed, _ = run("manuscript", "settle", place)
    both = json.loads(run("manuscript", "settle", place, "--json")[1])["conflicts"]
    unclear, _, which = run("manuscript", "settle", place, "--keep", "mine")
    followed = ends_of_steps(run, which)
    code, out, _ = run("manuscript", "settle", place, "--conflict", "e1:2", "--keep", "mine", "--json")
    again, _, gone = run("manuscript", "settle", place, "--conflict", "e1:2", "--keep", "mine")
    followed += ends_of_steps(run, gone)
    only, said, _ = run("manuscript", "settle", place, "--keep", "mine")

    assert [NOW_READS in listed, WANTED in listed] == [True, True]
    assert [each["name"] for each in both] == ["e1:1", "e1:2"]
    assert (unclear, "error[which-conflict]" in which) == (2, True)
    assert (code, json.loads(out)) == (0, {"status": "settled", "name": "e1:2", "keep": "mine"})
    assert (again, "error[no-such-conflict]" in gone) == (1, True)
    assert followed == [0, 0]
    assert (only, said) == (0, "The text stays as it is.\n")
    assert "No edit of the agents" in run("manuscript", "settle", place)[1]


def test_the_agents_version_goes_into_the_text(run: Run, in_conflict: Path) -> None:
    code, _, err = run("manuscript", "settle", str(in_conflict), "--conflict", "e1:1", "--keep", "edit")

    assert (code, err) == (0, "")
    assert WANTED in run("manuscript", "show", str(in_conflict))[1]
