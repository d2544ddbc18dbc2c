"""The servers, one of each for a test process, and the order in which the files come."""

import gc

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from tests.support.engine.desk import shared_desk
from tests.support.engine.postgres import (
    database_template,
    database_url,
    mortal_cluster,
    second_cluster,
)
from tests.support.engine.servers import SharedServers, postgres_server, temporal_env, temporal_server
from tests.support.engine.shared import ENGINE_FILES, running_engine
from tests.support.engine.stand import stand, stand_database
from tests.support.engine.temporal import time_skipping_env
from tests.support.hanging import pytest_runtest_makereport
from tests.support.programs import missing_programs, skip_without_program
from tests.support.sweeps import EXAMPLES, LONG

# Here and nowhere else: a fixture that is imported in two folders is two fixtures, and two servers.
__all__ = [
    "database_template",
    "database_url",
    "mortal_cluster",
    "postgres_server",
    "pytest_runtest_makereport",
    "running_engine",
    "second_cluster",
    "shared_desk",
    "stand",
    "stand_database",
    "temporal_env",
    "temporal_server",
    "time_skipping_env",
]

# A shared machine is no stopwatch. `make test` tries the same examples each time, so that a change is red by
# its own fault only; `make sweep` looks for new ones.
settings.register_profile("rules", deadline=None, max_examples=EXAMPLES, derandomize=not LONG)
settings.load_profile("rules")

WHOLE_PRODUCT = ("tests/browser/", "tests/crash/", "tests/e2e/", "tests/workers/engine/test_running.py")
"""Tests with engines, browsers and kills: `make test` runs those marked `smoke`, `make long` the others."""
SERVERS = {"temporal_env", "time_skipping_env"}
"""Fixtures whose tests wait for Temporal, but start no engine."""


def pytest_configure(config: pytest.Config) -> None:
    """Start the servers once where several processes run the tests."""
    processes = getattr(config.option, "numprocesses", None)
    if processes and not hasattr(config, "workerinput"):
        config.pluginmanager.register(SharedServers(processes))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that wait for servers come first, so that at the end no process is left alone with a long one."""
    strangers = {item.location[0] for item in items if _starts_an_engine_unlisted(item)}
    if strangers:
        raise pytest.UsageError(f"files that use `running_engine` belong to ENGINE_FILES: {strangers}")
    ranks: dict[str, int] = {}
    for item in items:
        file = item.location[0]
        ranks[file] = min(_rank(item), ranks.get(file, 3))
    items.sort(key=lambda item: ranks[item.location[0]])
    skip_without_program(items)
    for item in items:
        if item.location[0].startswith(WHOLE_PRODUCT) and not item.get_closest_marker("smoke"):
            item.add_marker(pytest.mark.long)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the optional programs whose tests did not run."""
    for line in missing_programs(terminalreporter.getreports("skipped")):
        terminalreporter.write_line(line, yellow=True)


def pytest_collection_finish() -> None:
    """Leave the thousands of collected tests out of every garbage collection to come."""
    gc.collect()
    gc.freeze()


def _starts_an_engine_unlisted(item: pytest.Item) -> bool:
    uses = "running_engine" in getattr(item, "fixturenames", ())
    return uses and not item.location[0].startswith(ENGINE_FILES)


def _rank(item: pytest.Item) -> int:
    if item.get_closest_marker("crash") or item.location[0].startswith(ENGINE_FILES):
        return 0
    if item.get_closest_marker("server"):
        return 1
    fixtures: list[str] = getattr(item, "fixturenames", [])
    return 3 if SERVERS.isdisjoint(fixtures) else 2


class _EngineTestsTogether(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """A test process takes a file at a time; all tests that share the whole engine are one file."""

    def _split_scope(self, nodeid: str) -> str:
        return "engine" if nodeid.startswith(ENGINE_FILES) else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling:
    return _EngineTestsTogether(config, log)
