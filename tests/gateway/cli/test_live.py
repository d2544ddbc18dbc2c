"""Progress where no terminal is: one line per step."""

import asyncio
import re
from collections.abc import Awaitable
from pathlib import Path

import pytest

from gateway.cli import live
from gateway.cli.cite.scanning import waiter_of
from gateway.cli.live import Waiter
from gateway.cli.manuscript.reports import ending_lines, model_lines
from gateway.desk.works.documents import Document
from gateway.desk.works.novels import Novel
from schemas.base import BookId, Progress
from schemas.manuscript import ManuscriptResult
from schemas.novel import NovelConfig
from schemas.workspace import Workspace


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


def trouble_told(
    told: dict[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    monkeypatch.setattr(live, "_SLOW_PERIOD_S", 0.001)

    async def wait() -> None:
        end = asyncio.get_running_loop().create_future()
        opening = Progress(pipeline="p", subject="s", stage="open", detail="Opening tide")

        async def progress() -> Progress | None:
            asyncio.get_running_loop().call_later(0.01, end.set_result, None)
            return opening.model_copy(update=told)

        await Waiter("it goes on", quiet=False)(end, progress)

    asyncio.run(wait())
    return capsys.readouterr().err.splitlines()


def test_without_a_terminal_a_wait_for_disk_space_is_told_by_every_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"code": "disk-low", "detail": "Waits for free space"}

    assert trouble_told(told, capsys, monkeypatch) == ["disk-low: Waits for free space"]


def test_without_a_terminal_a_step_that_is_tried_again_is_told_by_every_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"code": "model-unavailable", "detail": "Asking the director; attempt 2 failed (answered 500)"}

    assert trouble_told(told, capsys, monkeypatch) == [f"model-unavailable: {told['detail']}"]


@pytest.mark.parametrize("by_step", [False, True])
def test_without_a_terminal_what_lasts_is_told_once_a_minute(
    by_step: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for period, value in (("_PERIOD_S", 0.001), ("_SLOW_PERIOD_S", 0.001), ("_MINUTE_S", 0.05)):
        monkeypatch.setattr(live, period, value)
    writing = Progress(pipeline="p", subject="s", stage="x", detail="Writing")

    async def wait() -> None:
        end, asked = asyncio.get_running_loop().create_future(), list[None]()

        async def progress() -> Progress | None:
            asked.append(None)
            return writing.arriving(1_000 + len(asked))

        asyncio.get_running_loop().call_later(0.3, end.set_result, None)
        await Waiter("it goes on", quiet=False, by_step=by_step)(end, progress)

    asyncio.run(wait())
    lines = capsys.readouterr().err.splitlines()

    assert lines[0] == "Writing" or not by_step, "a step is one line, however many tokens come"
    minutes = lines[1:] if by_step else lines
    assert 1 <= len(minutes) <= 6
    assert all(re.fullmatch(r"Writing; 1,\d{3} tokens so far · 0:00", each) for each in minutes)


def test_json_output_has_no_progress(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(capsys, monkeypatch, quiet=True) == []


def test_a_run_that_has_ended_shows_no_step(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_PERIOD_S", 0.001)

    async def wait() -> str:
        end = asyncio.get_running_loop().create_future()
        asked: list[None] = []

        async def progress() -> Progress | None:
            asked.append(None)
            if len(asked) == 3:
                end.set_result("done")
            return None

        awaited: Awaitable[str] = end
        return await Waiter("it goes on", False, by_step=True)(awaited, progress)

    assert asyncio.run(wait()) == "done"
    assert capsys.readouterr().err == ""


def test_a_citation_scan_tells_its_steps_without_a_terminal(tmp_path: Path) -> None:
    novel = Novel(BookId("ebb"), Workspace(path=str(tmp_path)), NovelConfig(id="ebb", title="Ebb"))

    assert waiter_of(Document(novel, "-"), quiet=False).by_step


@pytest.mark.parametrize(
    ("message", "head"),
    [
        ("killed by ann: too dear", "Killed by ann: too dear"),
        ("stopped by ann: stopped by hand", "Stopped by ann: stopped by hand"),
        ("stopped by ann", "Stopped by ann"),
    ],
)
def test_who_ended_a_manuscripts_run_is_said_once(message: str, head: str, tmp_path: Path) -> None:
    novel = Novel(BookId("ebb"), Workspace(path=str(tmp_path)), NovelConfig(id="ebb", title="Ebb"))
    ended = ManuscriptResult(
        outcome="stopped",
        stop="killed",
        novel=BookId("ebb"),
        scene="-",
        session="s1",
        message=message,
        stopped_by="ann",
    )

    assert ending_lines(Document(novel, "-"), ended)[0] == head


def test_a_manuscripts_result_names_the_model_or_how_to_add_one() -> None:
    assert model_lines(["sonnet", "haiku"], is_demo=False) == ["Written by sonnet, haiku."]
    told = model_lines(["demo"], is_demo=True)
    assert '  manuscript = "sonnet"' in told
