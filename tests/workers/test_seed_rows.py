"""Health and watchdog: the rows about processes of the document that the agent layer implements.

What they mean in depth is tested beside the modules; here each is shown under its name.
"""

import signal
from http import HTTPStatus
from pathlib import Path

import psutil

from tests.support.engine_home import until
from tests.workers.engine.test_children import Watched
from tests.workers.engine.test_stuck_detector import HandClock
from tests.workers.test_health import asked, get
from workers.engine import condition
from workers.engine.home import Record
from workers.health_endpoint import health_endpoint
from workers.process_health import NotReadyReason, ProcessHealth
from workers.running_activities import OVERDUE_S, RunningActivities


async def test_health_answers_over_http_whether_a_worker_lives_and_whether_it_may_be_given_work() -> None:
    clock = HandClock()
    health = ProcessHealth("worker", RunningActivities(clock), clock=clock)

    async def database() -> NotReadyReason | None:
        return NotReadyReason("database-unreachable", "it is away")

    async with health_endpoint(health, "127.0.0.1", None) as url:
        lives, _ = await asked(url, get("/healthz"))
        starting, why_starting = await asked(url, get("/readyz"))
        health.work(())
        ready, _ = await asked(url, get("/readyz"))
        clock.now += 2
        health.work((database,))
        away, why_away = await asked(url, get("/readyz"))
        health.drain()
        draining, why_draining = await asked(url, get("/readyz"))

    assert (lives, starting, ready, away, draining) == (200, 503, 200, 503, 503)
    assert '"starting"' in why_starting
    assert '"database-unreachable"' in why_away
    assert '"draining"' in why_draining


def test_health_of_a_worker_ends_when_stuck_activities_hold_every_slot() -> None:
    clock = HandClock()
    under_way = RunningActivities(clock)
    health = ProcessHealth("worker", under_way, clock=clock)
    under_way.offer("books", 1)
    under_way.begin("carry_out", "books", 300)

    before = health.alive()
    clock.now += 300 + OVERDUE_S + 1

    assert before.status == HTTPStatus.OK
    assert health.alive().status == HTTPStatus.SERVICE_UNAVAILABLE
    assert health.alive().body["reason"] == "activities-stuck"


def test_watchdog_ends_a_worker_whose_heartbeats_stop_and_starts_another(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    try:
        watched.until("ready")
        frozen = psutil.Process(watched.child.pid)
        frozen.send_signal(signal.SIGSTOP)
        until(lambda: frozen.status() == psutil.STATUS_STOPPED)

        watched.fall_silent()
        children = {"worker": watched.child.record()}
        told = condition.ready(Record(state="ready", pid=1, started=0, version="1", children=children))
        watched.until("ready")

        assert told.body["reason"] == "worker-stuck"
        assert not frozen.is_running()
        assert watched.child.pid != frozen.pid
        assert watched.child.stuck == 1
    finally:
        watched.child.kill()
