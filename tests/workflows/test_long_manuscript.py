"""A long manuscript through both pipelines: they end, and its text is in no history; 5 MB by `make long`."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import WorkflowHandle
from temporalio.testing import WorkflowEnvironment

from penwright.domain.citations.sentences import sentences_of
from penwright.domain.citations.targets import windows_of
from penwright.domain.text.inline_citations import find_citations, without_citations
from schemas.manuscript import ManuscriptLimits
from tests.support.citations.desk import HARBOURS, TIDES, naming, picking, scan_desk, script, searching
from tests.support.manuscripts.studio import append, edit, planned, scored, studio

MOST_HISTORY, MOST_EVENT = 2_000_000, 100_000
"""Bytes."""
LONGEST_STEP_S = 30.0
"""Of one activity on a machine that does other things as well; the heartbeat of each lets it take longer."""
STATIONS = pytest.mark.parametrize(
    "stations",
    [range(18, 23), pytest.param(range(1, 41), marks=pytest.mark.long)],
    ids=["half-a-megabyte", "five-megabytes"],
)


def section(number: int) -> str:
    """About 125 KB, in which every sentence occurs once."""
    lines = (
        f"At station {number} the gauge of day {day} read {day * 7 % 311} marks before the water turned."
        + ("\n\n" if day % 6 == 0 else "")
        for day in range(1, 1_650)
    )
    return f"# Station {number}\n\n" + " ".join(lines).replace("\n\n ", "\n\n")


def text_of(stations: Iterable[int]) -> str:
    return "\n\n".join(map(section, stations)) + "\n"


RISES = "At station 20 the gauge of day 9 read 63 marks before the water turned."
TURNED = "At station 20 the gauge of day 9 read 63 marks before the ebb."


async def events_of(handle: WorkflowHandle[Any, Any]) -> list[HistoryEvent]:
    return list((await handle.fetch_history()).events)


def steps(events: Iterable[HistoryEvent]) -> dict[str, float]:
    """Seconds of the slowest activity of each name, from the start of its last attempt."""
    names: dict[int, str] = {}
    began: dict[int, float] = {}
    slowest: dict[str, float] = {}
    for event in events:
        at = event.event_time.ToNanoseconds() / 1e9
        if event.HasField("activity_task_scheduled_event_attributes"):
            names[event.event_id] = event.activity_task_scheduled_event_attributes.activity_type.name
        elif event.HasField("activity_task_started_event_attributes"):
            began[event.event_id] = at
        elif event.HasField("activity_task_completed_event_attributes"):
            told = event.activity_task_completed_event_attributes
            name = names[told.scheduled_event_id]
            slowest[name] = max(slowest.get(name, 0.0), at - began[told.started_event_id])
    return slowest


def check_history(events: list[HistoryEvent]) -> None:
    assert sum(event.ByteSize() for event in events) < MOST_HISTORY
    assert max(event.ByteSize() for event in events) < MOST_EVENT
    slow = {name: spent for name, spent in steps(events).items() if spent > LONGEST_STEP_S}
    assert slow == {}


@pytest.mark.long
@STATIONS
async def test_a_long_text_is_written_on_judged_and_revised(
    stations: range, temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    text = text_of(stations)
    assert len(text) > 122_000 * len(stations)
    async with studio(temporal_env.client, tmp_path, text) as here, asyncio.timeout(280):
        here.cast.scripts["planner"] = iter([planned(*(f"Station {each}" for each in stations), "Last")])
        here.cast.scripts["writer"] = iter([append("# Last\n\nNobody read the gauge again.")])
        here.cast.scripts["critic"] = iter([scored(0.5, "Say what turned."), scored(0.9)])
        here.cast.scripts["reviser"] = iter([edit(RISES, TURNED)])
        handle = await here.start(here.given(limits=ManuscriptLimits(decisions=60)))
        ended = await handle.result()
        events = await events_of(handle)

    assert (ended.outcome, ended.stop) == ("finished", "finished")
    expected = text.replace(RISES, TURNED).rstrip() + "\n\n# Last\n\nNobody read the gauge again."
    assert here.text.rstrip() == expected
    check_history(events)


@pytest.mark.long
@STATIONS
async def test_a_long_text_is_scanned_for_two_sentences(
    stations: range, temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    text = text_of(stations)
    sentences = sentences_of(text)
    windows = windows_of(sentences)
    assert len(windows) > 3.75 * len(stations)
    first, second = windows[2].numbers[5:7]
    answers = script(
        name_0=naming(),
        name_1=naming(1),
        name_2=naming(first, second),
        search_1=searching("tides northern coast"),
        pick_1=picking(1),
        search_2=searching("harbours silt"),
        pick_2=picking(1),
    )
    # Each work says its sentence, or the rule would leave it to a person.
    records = tuple(
        work.model_copy(update={"abstract": sentences[number - 1].text})
        for work, number in ((TIDES, first), (HARBOURS, second))
    )
    async with scan_desk(temporal_env.client, tmp_path, text=text, records=records, answers=answers) as desk:
        async with asyncio.timeout(280):
            handle = await desk.start(auto_accept=True, max_targets=2)
            ended = await handle.result()
        events = await events_of(handle)

        cited = desk.novel.committed

    assert (ended.outcome, ended.counts.applied) == ("done", 2)
    assert len(find_citations(cited).citations) == 2
    assert without_citations(cited).rstrip() == text.rstrip()
    check_history(events)
