"""`book list` reads the store and the engine: one query, whatever the size of the books."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gateway.cli.book.view import list_lines
from gateway.desk.book import board
from tests.support.gateway.sealing import sealed_with
from tests.support.gateway.services import Run, StageServices, git_in

NOTHING = "No book is held up; `penwright status` names those with words to review.\n"


def listed(run: Run, *options: str) -> list[dict[str, Any]]:  # Any: JSON
    code, out, _ = run("book", "list", "--json", *options)
    assert code == 0
    books: list[dict[str, Any]] = json.loads(out)["books"]
    return books


def test_a_list_names_state_words_next_run_cost_and_push(run: Run, book: Path) -> None:
    run("book", "schedule", str(book), "--every", "6h")
    run("book", "session", str(book))

    (line,) = listed(run)
    _, out, _ = run("book", "list")

    assert (line["state"], line["words"], line["waiting"], line["target"]) == ("idle", 0, 1500, 90000)
    assert (line["push"], line["next_run"]) == ("local", "2026-02-22T15:30:00Z")
    assert (line["last"]["outcome"], line["last"]["model"]) == ("closed", "rehearsed")
    assert "0 (+1,500) of 90,000" in out
    assert "2026-02-22 15:30 UTC" in out
    assert line["attention"] == []


def test_where_the_table_is_too_wide_each_book_has_lines_of_its_own(
    run: Run, book: Path, services: StageServices
) -> None:
    run("book", "session", str(book))
    (line,) = asyncio.run(board.board(services)).lines

    narrow, wide = list_lines([line], 60), list_lines([line], 400)

    assert narrow[0] == line.book_id
    assert "  words         0 (+1,500) of 90,000" in narrow
    assert not [each for each in narrow if each.endswith(" -")]
    assert wide[0].startswith("book ")


def test_a_list_follows_a_session_that_is_open_paused_and_killed(run: Run, book: Path) -> None:
    run("book", "open", str(book))
    states = [listed(run)[0]["state"]]
    run("book", "pause", str(book))
    states += [listed(run)[0]["state"]]
    run("book", "kill", str(book), "--reason", "wrong outline")
    (line,) = listed(run)

    assert [*states, line["state"]] == ["open", "paused", "killed"]
    assert (line["last"]["stopped_by"], line["detail"]) == ("ada", "wrong outline")


def test_a_status_calls_a_paused_session_paused(run: Run, book: Path) -> None:
    run("book", "open", str(book))
    run("book", "pause", str(book))

    _, out, _ = run("book", "status", str(book))

    assert out.splitlines()[0].endswith(": paused")


def test_attention_lists_only_books_that_need_a_person(
    run: Run, book: Path, tmp_path: Path, services: StageServices
) -> None:
    run("book", "init", str(tmp_path / "quiet"), "--title", "Quiet")
    git_in(book, "remote", "add", "origin", str(tmp_path / "gone.git"))
    run("book", "session", str(book))
    services.clock.later(hours=6)
    run("book", "session", str(book))

    (line,) = listed(run, "--attention")
    _, out, _ = run("book", "list", "--attention")

    assert line["title"] == "Low Tide"
    assert line["push_since"] == "2026-02-22T14:30:00Z"
    assert "not on the remote since 2026-02-22 14:30 UTC" in out
    assert f"next: `penwright book doctor {line['book_id']}`" in out
    assert "Quiet" not in out


def test_a_push_that_arrives_settles_it(
    run: Run, book: Path, tmp_path: Path, services: StageServices
) -> None:
    git_in(book, "remote", "add", "origin", str(tmp_path / "late.git"))
    run("book", "session", str(book))
    git_in(tmp_path, "init", "-q", "--bare", "late.git")
    services.clock.later(hours=6)

    run("book", "session", str(book))

    (line,) = listed(run)
    assert line["push"] == "pushed"
    assert [each for each in line["attention"] if "remote" in each["reason"]] == []


def test_when_nothing_waits_it_says_so(run: Run, book: Path) -> None:
    assert run("book", "list", "--attention")[1] == NOTHING


def test_a_book_that_a_session_sealed_waits_until_a_person_has_reviewed_it(
    run: Run, book: Path, services: StageServices
) -> None:
    run("book", "session", str(book))
    early = run("book", "complete", str(book), "--reviewed")
    run("book", "complete", str(book), "--early")
    left_alone = "left alone, not part of the book: a.pdf"
    sealed_with(services, listed(run)[0]["book_id"], "The last 9 words were sealed.", left_alone)
    _, waiting, _ = run("book", "list", "--attention")
    command = waiting.rpartition("next: `penwright ")[2].strip("`\n").split()

    code, told, _ = run(*command, "--json")

    assert (early[0], early[2].split(":")[0]) == (3, "error[not-sealed]")
    assert (command[-1], "The last 9 words were sealed." in waiting) == ("--reviewed", True)
    assert (code, json.loads(told)["settled"]) == (0, ["The last 9 words were sealed."])
    assert run("book", "list", "--attention")[1] == NOTHING
    assert listed(run)[0]["last"]["warnings"] == [left_alone]
    assert "waited for you" in run(*command)[1]
    assert run(*command, "--early")[0] == 2


def test_the_warning_of_a_seal_goes_with_the_session_that_a_rollback_takes_out(
    run: Run, book: Path, services: StageServices
) -> None:
    run("book", "session", str(book))
    run("book", "complete", str(book), "--early")
    sealed_with(services, listed(run)[0]["book_id"], "The last 9 words were sealed.")

    run("book", "rollback", str(book), "--yes")

    assert run("book", "list", "--attention")[1] == NOTHING


def test_a_sealed_book_is_listed_as_sealed_and_reopened_as_idle(run: Run, book: Path) -> None:
    run("book", "session", str(book))
    run("book", "complete", str(book), "--early")
    (sealed,) = listed(run)
    run("book", "rollback", str(book), "--yes")
    (reopened,) = listed(run)

    assert (sealed["state"], sealed["words"], sealed["waiting"]) == ("sealed", 1500, 0)
    assert reopened["state"] == "idle"


def test_a_book_that_is_begun_again_is_listed_with_its_new_length(run: Run, book: Path) -> None:
    run("book", "session", str(book))
    run("book", "complete", str(book), "--early")
    run("book", "session", str(book))
    run("book", "reset", str(book), "--yes", "tide")
    (emptied,) = listed(run)
    run("book", "init", str(book), "--title", "Again")
    (again,) = listed(run)

    assert (emptied["state"], emptied["target"]) == ("idle", 0)
    assert [each["command"] for each in emptied["attention"]] == [f"penwright book init '{book}'"]
    assert (again["state"], again["words"], again["target"]) == ("idle", 0, 90_000)
    assert (again["last"]["code"], again["attention"]) == ("sealed", [])


def test_a_deleted_config_needs_a_person(run: Run, book: Path) -> None:
    (book / "Global Material/Config.yml").unlink()

    (line,) = listed(run, "--attention")

    assert line["attention"][0]["command"] == f"penwright book restore {line['book_id']}"


def test_a_book_is_read_once_and_then_never_again(
    run: Run, book: Path, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert listed(run)[0]["target"] == 90000

    def reading(*asked: object, **more: object) -> object:
        raise AssertionError("the list read a repository")

    for name in ("snapshot", "tags", "unpushed", "tree"):
        monkeypatch.setattr(type(services.git), name, reading)

    assert listed(run)[0]["target"] == 90000


def test_words_of_an_edited_book_are_those_of_its_last_session(
    run: Run, book: Path, write_config: Callable[..., None], services: StageServices
) -> None:
    listed(run)
    write_config(target_length=50000)
    services.clock.later(hours=1)

    run("book", "session", str(book))

    assert listed(run)[0]["target"] == 50000
