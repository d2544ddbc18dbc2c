"""The board of documents asks the store as often for many novels as for one."""

from dataclasses import replace
from typing import Any

import pytest

from gateway.cli.manuscript.look import document_lines
from gateway.desk.manuscript import board
from schemas.records import BookRow, RunRow
from tests.support.gateway.services import NOW, StageServices

PIPELINE = "manuscript"


class Counted:
    """A part of the store that counts what it is asked."""

    def __init__(self, part: object, asked: list[str]) -> None:
        self._part, self._asked = part, asked

    def __getattr__(self, name: str) -> Any:  # Any: whatever the store has
        self._asked.append(name)
        return getattr(self._part, name)


@pytest.fixture
def services() -> StageServices:
    return StageServices()


@pytest.mark.parametrize("many", [1, 30])
async def test_many_novels_cost_no_more_questions_than_one(services: StageServices, many: int) -> None:
    records = services.store.records
    for number in range(many):
        row = BookRow(book_id=f"n{number}", path=f"/n/{number}", title=f"N {number}", kind="novel")
        records.register(row)
        run = RunRow(run=f"m/n{number}#1", pipeline=PIPELINE, subject=f"n{number}/-", stage="ended", words=7)
        records.note(run.model_copy(update={"cost_micros": 5, "ended_at": NOW, "outcome": "finished"}), [])
    asked: list[str] = []
    counted: dict[str, Any] = {  # Any: stands for the ports
        name: Counted(getattr(services.store, name), asked) for name in ("records", "agent_states")
    }
    services.store = replace(services.store, **counted)

    found = await board.board(services)
    one = await board.board(services, "n0")

    of_one_board = ["documents", "tallies", "tallies"]
    assert asked == ["books", *of_one_board, "book", *of_one_board]
    assert len(found.lines) == many
    assert {(each.words, each.cost_micros, each.outcome) for each in found.lines} == {(7, 5, "finished")}
    assert [each.novel for each in one.lines] == ["n0"]


async def test_a_document_costs_its_scans_too_and_has_no_words_before_a_run(services: StageServices) -> None:
    records = services.store.records
    for novel in ("n1", "n2", "n3"):
        records.register(BookRow(book_id=novel, path=f"/n/{novel}", title=novel, kind="novel"))
    run = RunRow(run="r1", pipeline=PIPELINE, subject="n1/-", stage="ended", words=7, cost_micros=5)
    scan = RunRow(run="s1", pipeline="citation-scan", subject="n1/-", stage="ended", cost_micros=3)
    scan = scan.model_copy(update={"detail": {"unknown_prices": 1}})
    refused = run.model_copy(update={"run": "r3", "subject": "n3/-", "words": 0, "cost_micros": 0})
    for row in (run, scan, scan.model_copy(update={"run": "s2", "subject": "n2/-"}), refused):
        records.note(row.model_copy(update={"ended_at": NOW, "outcome": "done"}), [])

    found = await board.board(services)

    told = [(each.words, each.cost_micros, each.unknown_prices, each.outcome) for each in found.lines]
    assert told == [(7, 8, 1, "done"), (None, 3, 1, ""), (None, 0, 0, "done")]
    (shown,) = (each for each in document_lines(found.lines) if each.startswith("n2"))
    assert shown.split()[:5] == ["n2", "-", "idle", "-", "-"]
