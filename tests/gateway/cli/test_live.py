"""Progress where no terminal is: one line per step."""

import asyncio
from collections.abc import Awaitable

import pytest

from gateway.cli import live
from gateway.cli.live import Waiter
from gateway.cli.manuscript.reports import model_lines
from schemas.base import Progress


def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, quiet: bool) -> list[str]:
    monkeypatch.setattr(live, "_PERIOD_S", 0.001)

    async def wait() -> str:
        end = asyncio.get_running_loop().create_future()
        stages = iter(["Planning", "Planning", "Writing 'One'", "Writing 'One'"])

        async def progress() -> Progress | None:
            stage = next(stages, None)
            if stage is None and not end.done():
                end.set_result("done")
            return Progress(pipeline="p", subject="s", stage="x", detail=stage or "")

        awaited: Awaitable[str] = end
        if quiet:
            end.set_result("done")
        return await Waiter("it goes on", quiet, by_step=True)(awaited, progress)

    assert asyncio.run(wait()) == "done"
    return capsys.readouterr().err.splitlines()


def test_without_a_terminal_each_step_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(capsys, monkeypatch, quiet=False) == ["Planning", "Writing 'One'"]


def test_json_output_has_no_progress(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(capsys, monkeypatch, quiet=True) == []


def test_a_manuscripts_result_names_the_model_or_how_to_add_one() -> None:
    assert model_lines(["sonnet", "haiku"], is_demo=False) == ["Written by sonnet, haiku."]
    told = model_lines(["demo"], is_demo=True)
    assert len(told) == 5
    assert told[2] == '  manuscript = "sonnet"'
