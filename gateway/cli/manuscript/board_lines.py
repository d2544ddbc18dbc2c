"""The board of manuscripts as people read it: two or three lines for each document, within 80 columns."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, TypedDict

from gateway.cli.live import money
from gateway.cli.output import columns
from gateway.cli.times import minute
from gateway.desk.manuscript.board import DocumentBoard, DocumentLine


class Standing(TypedDict):
    """State of a document, beside its text."""

    state: str | None
    score: float | None


_HEAD = ("novel", "scene", "state", "words", "score", "cost")


def lines(board: Sequence[DocumentLine]) -> list[str]:
    """A table of the documents; under each its last run and its folder."""
    head, *rows = columns([_HEAD, *map(_cells, board)])
    return [head, *(text for row, line in zip(rows, board, strict=True) for text in (row, *_under(line)))]


def _cells(line: DocumentLine) -> tuple[str, ...]:
    cost = money(line.cost_micros, line.unknown_prices) if line.cost_micros or line.unknown_prices else "-"
    score = "-" if line.score is None else f"{line.score:.2f}"
    words = "-" if line.words is None else f"{line.words:,}"
    return line.novel, line.scene, line.state, words, score, cost


def _under(line: DocumentLine) -> Iterator[str]:
    if line.ended_at:
        yield f"    last run: {line.outcome} {minute(line.ended_at)}"
    yield f"    {line.path}"


def cells(line: DocumentLine | None, board: DocumentBoard) -> tuple[str, str]:
    """State and score of a document, which agents may never have worked on; "?" if that is not known."""
    told = state_and_score(line, board)
    state, score = told["state"], told["score"]
    return state or "?", "-" if score is None else f"{score:.2f}"


def state_and_score(line: DocumentLine | None, board: DocumentBoard) -> Standing:
    """The same as JSON; a state that is not known is null."""
    if line is None:
        return {"state": None if board.trouble else "idle", "score": None}
    return {"state": line.state, "score": line.score}


def data(line: DocumentLine) -> dict[str, Any]:  # Any: JSON
    """A line as JSON."""
    return {**asdict(line), "ended_at": line.ended_at.isoformat() if line.ended_at else None}
