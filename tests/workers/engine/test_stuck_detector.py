"""When a worker was silent for too long, and when only its supervisor was suspended."""

from hypothesis import given
from hypothesis import strategies as st

from workers.engine.stuck_detector import LONGEST_LOOK_S, StuckDetector


class HandClock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def silent(clock: HandClock, stuck_detector: StuckDetector, *gaps: float, starting: bool = False) -> bool:
    """Look after each gap; the last answer."""
    found = False
    for gap in gaps:
        clock.now += gap
        found = stuck_detector.too_long(starting=starting)
    return found


def test_a_child_silent_for_the_limit_is_stuck() -> None:
    clock = HandClock()
    stuck_detector = StuckDetector(30, 60, clock=clock)

    assert not silent(clock, stuck_detector, *[2] * 14)
    assert silent(clock, stuck_detector, 2)


def test_a_child_that_starts_has_longer() -> None:
    clock = HandClock()
    stuck_detector = StuckDetector(30, 60, clock=clock)

    assert not silent(clock, stuck_detector, *[2] * 29, starting=True)
    assert silent(clock, stuck_detector, 2, starting=True)


def test_progress_restarts_the_stuck_timer() -> None:
    clock = HandClock()
    stuck_detector = StuckDetector(30, 60, clock=clock)

    silent(clock, stuck_detector, *[2] * 14)
    stuck_detector.progressed()

    assert not silent(clock, stuck_detector, *[2] * 14)


def test_a_machine_that_slept_for_a_night_blames_no_child() -> None:
    clock = HandClock()
    stuck_detector = StuckDetector(30, 60, clock=clock)

    assert not silent(clock, stuck_detector, 28_800, 2)


def test_a_limit_of_zero_disables_stuck_detection() -> None:
    clock = HandClock()
    stuck_detector = StuckDetector(0, 30, clock=clock)

    assert not silent(clock, stuck_detector, *[2] * 1_000)
    stuck_detector.progressed()
    assert silent(clock, stuck_detector, *[2] * 15, starting=True), "a start has a limit of its own"


@given(st.lists(st.floats(min_value=0, max_value=1e6), max_size=30))
def test_no_more_than_the_time_of_the_looks_is_ever_counted(gaps: list[float]) -> None:
    clock = HandClock()
    stuck_detector = StuckDetector(1, 1, clock=clock)

    silent(clock, stuck_detector, *gaps)

    assert stuck_detector.lasts_s <= len(gaps) * LONGEST_LOOK_S
