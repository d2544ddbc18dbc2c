"""What the tasks of a test that ran out of time were waiting for."""

import asyncio
from collections.abc import Generator, Iterator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add where each unfinished task waits to the report of a test that timed out."""
    report = yield
    if call.excinfo is not None and "Timeout" in str(call.excinfo.value):
        report.sections.append(("Unfinished tasks", "\n".join(_unfinished())))
    return report


def _unfinished() -> Iterator[str]:
    # asyncio lists the tasks of a running loop only, and the loop of a timed-out test no longer runs.
    # Any: a private set of asyncio.
    tasks: Any = asyncio.tasks
    for task in list(tasks._all_tasks):
        if not task.done():
            yield f"{task.get_name()}:"
            yield from _places(task.get_coro())


def _places(awaited: Any) -> Iterator[str]:
    while awaited is not None:
        frame = getattr(awaited, "cr_frame", None) or getattr(awaited, "gi_frame", None)
        yield f"  {frame.f_code.co_filename}:{frame.f_lineno}" if frame else f"  {awaited!r}"
        awaited = getattr(awaited, "cr_await", None) or getattr(awaited, "gi_yieldfrom", None)
