"""What a worker says through a pipe, and what its supervisor makes of it."""

import os

from workers.liveness import Hearing, Notice, Pulse


def pipe() -> tuple[Hearing, int]:
    """The supervisor's end, and the descriptor that a worker is given."""
    reading, writing = os.pipe()
    return Hearing(reading), writing


def test_beats_and_the_readiness_arrive_in_order() -> None:
    hearing, descriptor = pipe()
    notice = Notice(descriptor)
    beat = Pulse(reason="", under_way=2)

    notice.ready()
    notice.tell(beat)

    assert list(hearing.lines()) == [None, beat]
    assert list(hearing.lines()) == []


def test_half_a_line_is_kept_until_the_rest_comes() -> None:
    hearing, descriptor = pipe()
    line = Pulse().model_dump_json().encode() + b"\n"

    os.write(descriptor, line[:7])
    before = list(hearing.lines())
    os.write(descriptor, line[7:])

    assert (before, list(hearing.lines())) == ([], [Pulse()])


def test_what_is_no_beat_is_ignored() -> None:
    hearing, descriptor = pipe()

    os.write(descriptor, b"{broken\nready\n")

    assert list(hearing.lines()) == [None]


def test_a_supervisor_that_does_not_read_holds_up_nobody() -> None:
    hearing, descriptor = pipe()
    notice = Notice(descriptor)

    for _ in range(2_000):  # far more than a pipe holds
        notice.tell(Pulse())

    heard = list(hearing.lines())
    assert 0 < len(heard) < 2_000
    assert set(heard) == {Pulse()}


def test_a_supervisor_that_is_gone_holds_up_nobody() -> None:
    hearing, descriptor = pipe()
    hearing.close()

    Notice(descriptor).tell(Pulse())


def test_a_process_started_by_hand_tells_nobody() -> None:
    notice = Notice(None)

    notice.ready()
    notice.tell(Pulse())
