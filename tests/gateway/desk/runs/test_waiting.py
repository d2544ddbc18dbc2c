"""What waits for a person names why, and a command that means the scene."""

import pytest

from gateway.desk.principals import local_user
from gateway.desk.runs.waiting import waiting
from schemas.base import Effect, Progress
from schemas.director_round import DirectorRoundInput
from schemas.records import BookRow, RunRow
from schemas.scene import OpenRound
from tests.support.gateway.http import a_scene, a_world
from tests.support.gateway.services import NOW, StageServices


@pytest.fixture
def services() -> StageServices:
    made = StageServices()
    made.store.records.register(BookRow(book_id="n1", path="/n/1", title="N 1", kind="novel"))
    return made


async def told(services: StageServices) -> list[tuple[str, str, str]]:
    found = await waiting(services, local_user("ann"))
    return [(each.name, each.about, each.command) for each in found.items]


def at_work(pipeline: str, stage: str, *, paused: bool = False) -> Progress:
    detail = "Paused: the cap is reached" if paused else "1 of 2"
    return Progress(pipeline=pipeline, subject="n1", stage=stage, detail=detail, paused=paused)


async def test_a_paused_run_says_why_and_how_its_scene_goes_on(services: StageServices) -> None:
    services.writing["n1/Part One"] = at_work("manuscript", "write", paused=True)

    assert await told(services) == [
        (
            "n1/Part One",
            "its run is paused: the cap is reached",
            "penwright manuscript resume n1 'Part One'",
        )
    ]


async def test_a_paused_round_says_once_that_it_is_paused(services: StageServices) -> None:
    scene = a_scene(services, a_world(services))
    effect = Effect(op_id="op-1", issued_at=NOW)
    services.store.scenes.open_round(OpenRound(effect=effect, scene=scene, session="s1", text="Who?"))
    services.rounds.at_work[scene] = DirectorRoundInput(scene=scene, session="s1")
    services.rounds.paused = "Paused: the cap is reached"

    assert [about for _, about, _ in await told(services)] == ["round 1 is paused: the cap is reached"]


async def test_a_scan_waits_when_it_is_paused_and_when_people_decide(services: StageServices) -> None:
    scans = services.scans.at_work
    scans["n1/Part One"] = at_work("citation-scan", "citing")
    assert await told(services) == []

    scans["n1/Part One"] = at_work("citation-scan", "citing", paused=True)
    scans["n1/-"] = at_work("citation-scan", "deciding")

    assert sorted(await told(services)) == [
        ("n1/-", "its citation scan waits for your decisions", "penwright cite review n1"),
        (
            "n1/Part One",
            "its citation scan is paused: the cap is reached",
            "penwright cite resume n1 --scene 'Part One'",
        ),
    ]


@pytest.mark.parametrize(
    ("outcome", "counts", "waits"),
    [
        ("stopped", {"found": 0}, True),
        ("killed", {"found": 0}, True),
        ("stopped", {"found": 3, "verified": 1}, True),
        ("done", {"found": 1, "rejected": 1}, False),
    ],
)
async def test_proposals_wait_until_a_later_scan_leaves_none(
    services: StageServices, outcome: str, counts: dict[str, int], waits: bool
) -> None:
    services.scans.at_work["n1/-"] = at_work("citation-scan", "citing")
    scan = RunRow(run="r#1", pipeline="citation-scan", subject="n1/-", stage="ended", outcome="waiting")
    first = {"counts": {"found": 2, "verified": 2}}
    services.store.records.note(scan.model_copy(update={"started_at": NOW, "detail": first}), [])
    later = {"run": "r#2", "outcome": outcome, "detail": {"counts": counts}}
    services.store.records.note(scan.model_copy(update=later), [])

    about = "proposed citations wait for your decision"
    assert await told(services) == ([("n1/-", about, "penwright cite review n1")] if waits else [])


async def test_a_document_that_cites_a_retracted_work_waits_until_an_audit_finds_none(
    services: StageServices,
) -> None:
    audit = RunRow(run="a#1", pipeline="citation-audit", subject="n1/-", stage="ended", outcome="done")
    fallen = {"retracted": ["10.5555/tides.7"]}
    services.store.records.note(audit.model_copy(update={"started_at": NOW, "detail": fallen}), [])

    assert await told(services) == [("n1/-", "cites 1 retracted work", "penwright cite audit n1")]

    services.store.records.note(audit.model_copy(update={"run": "a#2", "detail": {"retracted": []}}), [])

    assert await told(services) == []


@pytest.mark.parametrize(
    ("pipeline", "outcome", "command"),
    [
        ("manuscript", "failed", "penwright manuscript history n1 'Part One'"),
        ("citation-scan", "waiting", "penwright cite review n1 --scene 'Part One'"),
        ("citation-scan", "failed", "penwright cite scan n1 --scene 'Part One'"),
        # It was told to who asked, and waits for no one.
        ("citation-scan", "refused", ""),
    ],
)
async def test_what_a_run_left_is_shown_by_a_command_for_its_scene(
    services: StageServices, pipeline: str, outcome: str, command: str
) -> None:
    services.writing["n1/Part One"] = at_work("manuscript", "write")
    row = RunRow(run="r#1", pipeline=pipeline, subject="n1/Part One", stage="ended", outcome=outcome)
    services.store.records.note(row.model_copy(update={"started_at": NOW, "ended_at": NOW}), [])
    if pipeline == "manuscript":
        del services.writing["n1/Part One"]
        services.scans.at_work["n1/Part One"] = at_work("citation-scan", "citing")

    assert [each[2] for each in await told(services)] == ([command] if command else [])
