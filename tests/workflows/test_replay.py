"""The current workflows replay histories recorded by earlier ones; ``record.py`` records them."""

import json
import re
from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer
from temporalio.workflow import NondeterminismError

import tests.support.workflows.librarian  # noqa: F401  # hires the agents of the histories
from tests.support.workflows import histories
from workers.temporal_plugin import STRICT_PLUGIN, WORKFLOWS

LARGEST = 200_000
"""Bytes; a session's history stays small for a book of any size."""
_OF_A_MACHINE = re.compile(r"/(?:tmp|home|root|work|usr|var|opt|Users)/|_API_KEY|password|postgres(?:ql)?://")


def replayer() -> Replayer:
    return Replayer(workflows=[], plugins=[STRICT_PLUGIN])


def test_every_workflow_has_a_recorded_history() -> None:
    kinds = {
        event.workflow_execution_started_event_attributes.workflow_type.name
        for file in histories.recorded()
        for event in histories.load(file).events[:1]
    }

    known = {kind.__name__ for kind in WORKFLOWS}
    assert kinds == known, (
        f"without a history, or no longer known: {sorted(kinds ^ known)}; write a scenario in "
        "tests/workflows/record.py and run `python -m tests.workflows.record SCENARIO`"
    )


@pytest.mark.parametrize("file", histories.recorded(), ids=lambda file: file.stem)
async def test_a_recorded_history_replays(file: Path) -> None:
    await replayer().replay_workflow(histories.load(file))


@pytest.mark.parametrize(
    ("first", "second"),
    [("close_session", "push_book"), ("prepare_run", "call_model"), ("push_book", "end_session")],
)
async def test_a_changed_order_of_steps_is_noticed(first: str, second: str) -> None:
    text = (histories.FOLDER / "built-in-session.json").read_text(encoding="utf-8")
    swapped = (
        text.replace(f'"{first}"', '"?"').replace(f'"{second}"', f'"{first}"').replace('"?"', f'"{second}"')
    )

    with pytest.raises(NondeterminismError):
        await replayer().replay_workflow(WorkflowHistory.from_json("swapped", swapped))


@pytest.mark.parametrize("file", histories.recorded(), ids=lambda file: file.stem)
def test_a_recorded_history_is_small_and_holds_no_machine_details(file: Path) -> None:
    text = file.read_text(encoding="utf-8")

    assert len(text) < LARGEST
    assert [
        found for each in histories.texts(json.loads(text)) for found in _OF_A_MACHINE.findall(each)
    ] == []
