"""What people see of a start."""

from pathlib import Path

from tests.workers.engine.test_stuck_detector import HandClock
from workers.engine.log_lines import in_words
from workers.engine.starting import StartReport, complete, under_way
from workers.home.folder import ChildRecord, Record


def record(state: str = "starting", step: str = "", **children: ChildRecord) -> Record:
    return Record(state=state, pid=1, started=0, version="1", step=step, children=children)


READY = ChildRecord(state="ready")


def test_each_step_is_told_once_with_its_seconds_and_a_long_one_again() -> None:
    said: list[str] = []
    clock = HandClock()
    report = StartReport(said.append, clock=clock)
    web = ChildRecord(state="starting", step="loading its code")

    for seconds, found in (
        (0, record(step="making the database", temporal=ChildRecord(state="waiting"))),
        (2.5, record(temporal=READY, web=web)),
        (1, record(temporal=READY, web=web)),
        (9, record(temporal=READY, web=web)),
        (1, record("ready", temporal=READY, web=READY)),
    ):
        clock.now += seconds
        report.look(found)

    assert said == [
        "making the database",
        "temporal is ready after 2.5 s",
        "after 12 s: web: loading its code",
        "web is ready after 13.5 s",
    ]


def test_a_start_is_complete_once_every_process_is_ready_or_does_not_become_so() -> None:
    late = ChildRecord(state="starting")

    found = [
        complete(each)
        for each in (
            record(temporal=READY),
            record("ready", temporal=READY, web=late),
            record("ready", temporal=READY, web=READY),
            record("ready", temporal=READY, web=ChildRecord(state="given up")),
            record("ready", temporal=READY, web=late.model_copy(update={"stood_at": "loading its code"})),
        )
    ]

    assert found == [False, False, True, True, True]


def test_the_end_of_a_log_is_quoted_without_its_json(tmp_path: Path) -> None:
    lines = '{"event": "broke\\nTraceback", "level": "error", "process": "web", "queue": "q"}\nplain\n\n'

    assert in_words(lines) == "broke queue=q; plain"


def test_what_holds_up_a_start_is_named_with_a_full_disk() -> None:
    found = record(postgres=ChildRecord(state="waiting")).model_copy(update={"lacks": "disk-low"})

    assert under_way(record(step="making the database", web=READY)) == "making the database"
    assert under_way(found) == "postgres: waiting; the engine lacks: disk-low"
