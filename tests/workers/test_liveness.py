"""Liveness reports from a worker to its supervisor."""

import os

import pytest

from workers.health.liveness import LivenessReader, LivenessReport, LivenessWriter


def pipe() -> tuple[LivenessReader, int]:
    """The supervisor's end, and the descriptor that a worker is given."""
    reading, writing = os.pipe()
    return LivenessReader(reading), writing


def test_reports_and_readiness_arrive_in_order() -> None:
    reader, descriptor = pipe()
    writer = LivenessWriter(descriptor)
    report = LivenessReport(reason="", under_way=2)

    writer.ready()
    writer.report(report)

    assert list(reader.lines()) == [None, report]
    assert list(reader.lines()) == []


def test_a_partial_line_is_kept_until_the_rest_arrives() -> None:
    reader, descriptor = pipe()
    line = LivenessReport().model_dump_json().encode() + b"\n"

    os.write(descriptor, line[:7])
    before = list(reader.lines())
    os.write(descriptor, line[7:])

    assert (before, list(reader.lines())) == ([], [LivenessReport()])


def test_malformed_lines_are_ignored() -> None:
    reader, descriptor = pipe()

    os.write(descriptor, b"{broken\nready\n")

    assert list(reader.lines()) == [None]


def test_a_supervisor_that_does_not_read_does_not_block_its_worker() -> None:
    reader, descriptor = pipe()
    writer = LivenessWriter(descriptor)

    for _ in range(2_000):  # far more than a pipe holds
        writer.report(LivenessReport())

    heard = list(reader.lines())
    assert 0 < len(heard) < 2_000
    assert set(heard) == {LivenessReport()}


def test_a_supervisor_that_has_exited_does_not_block_its_worker() -> None:
    reader, descriptor = pipe()
    reader.close()

    LivenessWriter(descriptor).report(LivenessReport())


def test_a_process_without_supervisor_reports_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    writer = LivenessWriter(None)

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda _, line: written.append(line))
        writer.ready()
        writer.report(LivenessReport())

    assert written == []
