"""Work done by two processes, whatever becomes of the second."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest

from penwright.adapters.two_processes import in_two_processes
from penwright.domain.trace.layout import segment_path
from penwright.domain.trace.verifying.report import VerifyOptions
from penwright.domain.trace.verifying.verifier import verify
from tests.support.traces import LongTrace, Tampered

ENOUGH = 60_000
"""Pieces after which the other process must have come up."""
AT_ONCE = 1_000
"""Pieces that come as fast as they are taken; the others leave the machine time to start a process."""


class Piece(NamedTuple):
    """One number, and where a process that is not at home leaves word that it had it."""

    number: int
    home: int
    word: str


def squared(piece: Piece) -> tuple[int, int]:
    """The square, and which process made it."""
    return piece.number**2, os.getpid()


def fatal(piece: Piece) -> tuple[int, int]:
    """Another process ends at once."""
    if os.getpid() != piece.home:
        Path(piece.word).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return squared(piece)


def refused(piece: Piece) -> tuple[int, int]:
    """Another process cannot do it, and after that nobody can."""
    if os.getpid() != piece.home:
        Path(piece.word).touch()
    if Path(piece.word).exists():
        raise ValueError(f"not {piece.number}")
    return squared(piece)


def pieces(word: Path, more: int = 200) -> Iterator[Piece]:
    """As many as it takes until the other process was given one, and some more."""
    for number in range(ENOUGH):
        if number > AT_ONCE:
            time.sleep(0.001)
        yield Piece(number, os.getpid(), str(word))
        more -= word.exists()
        if not more:
            break


def test_everything_comes_once_and_in_order_and_both_have_a_part(tmp_path: Path) -> None:
    word = tmp_path / "word"
    processes = set()
    for number, (square, process) in enumerate(in_two_processes(squared, pieces(word))):
        assert square == number**2
        processes.add(process)
        if len(processes) > 1:
            word.touch()
    assert os.getpid() in processes
    assert len(processes) == 2
    assert number < ENOUGH


def test_a_little_work_stays_here(tmp_path: Path) -> None:
    few = list(islice(pieces(tmp_path / "word"), 60))
    assert {process for _, process in in_two_processes(squared, few)} == {os.getpid()}
    assert list(in_two_processes(squared, ())) == []


def test_a_second_process_that_dies_leaves_nothing_undone(tmp_path: Path) -> None:
    word = tmp_path / "word"
    made = list(in_two_processes(fatal, pieces(word)))
    assert word.exists()
    assert made == [(number**2, os.getpid()) for number in range(len(made))]


def test_what_goes_wrong_there_is_raised_here_and_told_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match="not "):
        list(in_two_processes(refused, pieces(tmp_path / "word")))
    assert capfd.readouterr().err == ""


def test_a_reader_may_stop_and_no_process_is_left_behind(tmp_path: Path) -> None:
    made = in_two_processes(squared, pieces(tmp_path / "word"))
    with closing(made):
        other = next(process for _, process in made if process != os.getpid())
    with pytest.raises(ProcessLookupError):
        os.kill(other, 0)


def test_a_ledger_is_judged_by_two_as_it_is_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.traces.SEGMENT_BYTES", 1)
    with LongTrace(tmp_path / "book") as trace:
        trace.write(100)
    with trace.source() as source:
        third, last = segment_path(3), segment_path(99)
        forged = (source.at(source.tip, last) or b"").replace(b"EVOLUTION", b"REFACTOR")
        for given in (source, Tampered(source, {third: None, last: forged})):
            alone = verify(given, VerifyOptions())
            assert verify(given, VerifyOptions(), spread=in_two_processes) == alone
        assert {"SEGMENT_UNREADABLE", "CHAIN_PARENT_MISSING", "CHAIN_HASH_MISMATCH"} <= {
            each.code for each in alone.findings
        }
