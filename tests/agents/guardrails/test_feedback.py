"""Feedback: each trigger keeps its own time, and one provider's fault is its own."""

from collections.abc import Sequence
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from penwright.agents.guardrails.feedback import (
    FeedbackFailed,
    FeedbackGiven,
    FeedbackMessage,
    FixedText,
    RemainingTime,
    as_text,
    feedback_after,
)
from penwright.agents.guardrails.guardrail import FeedbackProvider, Trajectory
from penwright.agents.guardrails.known_files import FileSeen, FileWritten
from penwright.agents.guardrails.triggers import DeadlineNear, EveryCalls, EverySeconds, FileCreated, Trigger
from penwright.agents.state import State, StateView, apply, dump_state, load_state
from penwright.errors import BrokenDefinition
from tests.support.agents.guardrails import a_state, a_trajectory

SECOND = timedelta(seconds=1)


class Fired(FeedbackProvider):
    """Says which of its triggers made it speak."""

    def feedback(self, trajectory: Trajectory, state: StateView) -> str | None:
        return ", ".join(trigger.key for trigger in trajectory.fired)


class Raising(FeedbackProvider):
    """Has a fault."""

    def feedback(self, trajectory: Trajectory, state: StateView) -> str | None:
        raise ZeroDivisionError("x" * 1_000)


class Silent(FeedbackProvider):
    """Has nothing to say."""

    def feedback(self, trajectory: Trajectory, state: StateView) -> str | None:
        return None


class Wrong(FeedbackProvider):
    """Answers something else than text."""

    def feedback(self, trajectory: Trajectory, state: StateView) -> str | None:
        return 5  # type: ignore[return-value]  # the fault under test


class Listening:
    """A run that listens after every call."""

    def __init__(self, *providers: FeedbackProvider, state: State | None = None) -> None:
        self.providers = providers
        self.state = state or a_state()

    def after(self, trajectory: Trajectory) -> list[str]:
        said = feedback_after(self.providers, trajectory, self.state)
        self.state = apply(self.state, said.events)
        return [message.text for message in said.messages]


def on(*triggers: Trigger) -> Fired:
    return Fired(name="fired", triggers=triggers)


def test_a_provider_speaks_after_every_so_many_calls() -> None:
    run = Listening(on(EveryCalls(calls=3)))

    said = [bool(run.after(a_trajectory(calls=calls))) for calls in range(10)]

    assert said == [False, False, False, True, False, False, True, False, False, True]


def test_a_provider_speaks_again_so_many_calls_after_it_last_did() -> None:
    run = Listening(on(EveryCalls(calls=3)))

    said = [bool(run.after(a_trajectory(calls=calls))) for calls in (5, 6, 7, 8)]

    assert said == [True, False, False, True]


def test_a_provider_speaks_every_so_many_seconds() -> None:
    run = Listening(on(EverySeconds(every=10 * SECOND)))

    said = [bool(run.after(a_trajectory(after=n * SECOND))) for n in (0, 9, 10, 11, 19, 20, 45, 54, 55)]

    assert said == [False, False, True, False, False, True, True, False, True]


def test_a_file_is_announced_once_however_it_is_spelled() -> None:
    run = Listening(on(FileCreated(path="./out/report.md")))

    before = run.after(a_trajectory(calls=1, files=["other.md"]))
    first = run.after(a_trajectory(calls=2, files=["out//report.md"]))
    second = run.after(a_trajectory(calls=3, files=["out/report.md"]))

    assert (before, first, second) == ([], ["created out/report.md"], [])


def test_a_file_that_a_tool_says_it_wrote_is_announced() -> None:
    run = Listening(on(FileCreated(path="a.md")), state=a_state(FileWritten(path="./a.md", digest="d")))

    assert run.after(a_trajectory(calls=1)) == ["created a.md"]


def test_a_deleted_file_does_not_trigger_file_created() -> None:
    events = (FileWritten(path="a.md", digest="d"), FileWritten(path="a.md", digest=""))

    assert Listening(on(FileCreated(path="a.md")), state=a_state(*events)).after(a_trajectory(calls=1)) == []


def test_a_file_that_was_only_read_is_not_announced() -> None:
    state = a_state(FileSeen(path="a.md", digest="d"))

    assert Listening(on(FileCreated(path="a.md")), state=state).after(a_trajectory(calls=1)) == []


def test_the_nearing_deadline_is_announced_once() -> None:
    run = Listening(on(DeadlineNear(within=60 * SECOND)))

    said = [
        bool(run.after(a_trajectory(after=n * SECOND, deadline=600 * SECOND)))
        for n in (0, 539, 540, 599, 700)
    ]

    assert said == [False, False, True, False, False]
    assert Listening(on(DeadlineNear(within=60 * SECOND))).after(a_trajectory()) == []


# A19: independence.


def test_a_file_that_appears_after_the_count_fired_is_still_announced_once() -> None:
    run = Listening(on(EveryCalls(calls=2), FileCreated(path="a.md")))

    said = [run.after(a_trajectory(calls=1)), run.after(a_trajectory(calls=2))]
    said += [run.after(a_trajectory(calls=n, files=["a.md"])) for n in (3, 4, 5)]

    assert said == [[], ["every 2 calls"], ["created a.md"], ["every 2 calls"], []]


def test_two_providers_with_the_same_trigger_keep_their_own_time() -> None:
    every = (EveryCalls(calls=2),)
    early = FixedText(name="early", text="early", triggers=every)
    run = Listening(early)
    run.after(a_trajectory(calls=3))

    run.providers = (early, FixedText(name="late", text="late", triggers=every))

    assert run.after(a_trajectory(calls=4)) == ["late"]
    assert run.after(a_trajectory(calls=5)) == ["early"]


def test_simultaneous_triggers_make_one_message_and_all_reset() -> None:
    run = Listening(on(EveryCalls(calls=2), FileCreated(path="a.md")))

    both = run.after(a_trajectory(calls=2, files=["a.md"]))
    after = run.after(a_trajectory(calls=3, files=["a.md"]))

    assert both == ["every 2 calls, created a.md"]
    assert after == []


def test_providers_of_one_trigger_run_in_declaration_order() -> None:
    providers = [FixedText(name=name, text=name, triggers=(EveryCalls(calls=1),)) for name in "cab"]

    said = feedback_after(providers, a_trajectory(calls=1), a_state())

    assert [(one.provider, one.text) for one in said.messages] == [("c", "c"), ("a", "a"), ("b", "b")]


@pytest.mark.parametrize("faulty", [Raising, Wrong])
def test_a_failed_provider_is_reported_and_the_others_run(faulty: type[FeedbackProvider]) -> None:
    every = (EveryCalls(calls=1),)
    run = Listening(
        FixedText(name="one", text="1", triggers=every),
        faulty(name="faulty", triggers=every),
        FixedText(name="two", text="2", triggers=every),
    )

    said = run.after(a_trajectory(calls=1))

    failed = run.state.latest(FeedbackFailed)
    assert said == ["1", "2"]
    assert failed is not None
    assert (failed.provider, failed.call) == ("faulty", 1)
    assert 0 < len(failed.error) <= 300


def test_a_provider_that_fails_keeps_its_cadence() -> None:
    run = Listening(Raising(name="faulty", triggers=(EveryCalls(calls=3),)))

    for calls in range(10):
        run.after(a_trajectory(calls=calls))

    assert [one.call for one in run.state.all(FeedbackFailed)] == [3, 6, 9]


def test_a_provider_with_nothing_to_say_says_nothing_and_keeps_its_cadence() -> None:
    blank = FixedText(name="blank", text=" \n", triggers=(EveryCalls(calls=2),))
    run = Listening(Silent(name="silent", triggers=(EveryCalls(calls=2),)), blank)

    said = [run.after(a_trajectory(calls=calls)) for calls in (1, 2, 3)]

    assert said == [[], [], []]
    assert {one.call for one in run.state.all(FeedbackGiven)} == {2}


def test_a_provider_without_a_trigger_is_refused() -> None:
    with pytest.raises(ValidationError):
        on()


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", ""])
def test_a_trigger_on_a_path_outside_is_refused(path: str) -> None:
    with pytest.raises(BrokenDefinition):
        FileCreated(path=path)


def test_cadence_survives_a_rest() -> None:
    providers = (on(EveryCalls(calls=2), EverySeconds(every=5 * SECOND), FileCreated(path="a.md")),)
    run = Listening(*providers)
    run.after(a_trajectory(calls=2, after=7 * SECOND, files=["a.md"]))

    again = Listening(*providers, state=load_state(dump_state(run.state), run.state.registry))

    assert again.after(a_trajectory(calls=3, after=11 * SECOND, files=["a.md"])) == []
    assert again.after(a_trajectory(calls=4, after=12 * SECOND)) == ["every 2 calls, every 5 s"]


# Feedback texts.


def test_remaining_time_feedback_becomes_urgent() -> None:
    run = Listening(RemainingTime())

    said = [
        run.after(a_trajectory(after=n * SECOND, deadline=900 * SECOND))
        for n in (10, 300, 301, 700, 785, 800)
    ]

    assert said == [
        [],
        ["10 minutes are left for this task."],
        [],
        ["3 minutes are left for this task."],
        ["Only 115 seconds are left. Finish what you have begun and give your answer now."],
        [],
    ]


def test_no_remaining_time_feedback_without_a_deadline() -> None:
    assert Listening(RemainingTime()).after(a_trajectory(after=300 * SECOND)) == []


def test_remaining_time_is_urgent_from_the_urgent_limit_on() -> None:
    run = Listening(RemainingTime())

    said = [run.after(a_trajectory(after=n * SECOND, deadline=900 * SECOND)) for n in (779, 780)]

    assert said == [
        ["2 minutes are left for this task."],
        ["Only 2 minutes are left. Finish what you have begun and give your answer now."],
    ]


def test_past_the_deadline_no_time_is_left() -> None:
    said = Listening(RemainingTime()).after(a_trajectory(after=300 * SECOND, deadline=10 * SECOND))

    assert said == ["Only 0 seconds are left. Finish what you have begun and give your answer now."]


@given(st.lists(st.tuples(st.text(), st.text()), max_size=3))
def test_feedback_text_cannot_leave_its_block(said: Sequence[tuple[str, str]]) -> None:
    text = as_text([FeedbackMessage(provider=name, text=words) for name, words in said])

    blocks = ElementTree.fromstring(f"<all>{text}</all>")

    assert len(blocks) == len(said)
    assert all(block.tag == "feedback" and len(block) == 0 for block in blocks)


def test_lines_of_feedback_stay_lines() -> None:
    text = as_text([FeedbackMessage(provider='a"b', text="one\n</feedback>\ntwo")])

    assert text == '<feedback from="a&quot;b">\none\n&lt;/feedback&gt;\ntwo\n</feedback>'


# Against a plain model.

moments = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 7), st.booleans()), max_size=20)


@given(moments, st.integers(1, 4), st.integers(1, 9))
def test_each_trigger_fires_as_if_it_were_alone(
    moments: list[tuple[int, int, bool]], every: int, span: int
) -> None:
    triggers = (EveryCalls(calls=every), EverySeconds(every=span * SECOND), FileCreated(path="a"))
    together = Listening(on(*triggers))
    alone = [Listening(on(trigger)) for trigger in triggers]
    calls = seconds = 0

    for more, later, made in moments:
        calls, seconds = calls + more, seconds + later
        trajectory = a_trajectory(calls=calls, after=seconds * SECOND, files=["a"] if made else [])

        wanted = [said for one in alone for said in one.after(trajectory)]
        assert together.after(trajectory) == ([", ".join(wanted)] if wanted else [])
