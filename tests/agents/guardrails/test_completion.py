"""Completion: unfinished work is never a success."""

from datetime import timedelta
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.agents.guardrails.completion import (
    AllOf,
    AnyOf,
    Done,
    FilesExist,
    SentBack,
    Unfinished,
    Verdict,
    asked,
    completion_of,
    looked,
    world_checkers,
)
from penwright.agents.guardrails.guardrail import Completion, CompletionChecker, Trajectory, WorldChecker
from penwright.agents.guardrails.known_files import FileSeen, FileWritten
from penwright.agents.state import State, StateView
from penwright.agents.tools.resources import Resources
from penwright.errors import BrokenDefinition, PassingError
from tests.support.agents.guardrails import a_state, a_trajectory

EMPTY_SHA = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


class Says(CompletionChecker):
    """A checker with a fixed answer."""

    answer: Completion

    def check(self, trajectory: Trajectory, output: object, state: StateView) -> Completion:
        return self.answer


class Raising(CompletionChecker):
    """Has a fault."""

    def check(self, trajectory: Trajectory, output: object, state: StateView) -> Completion:
        raise ZeroDivisionError("no")


class Wrong(CompletionChecker):
    """Answers something else."""

    def check(self, trajectory: Trajectory, output: object, state: StateView) -> Completion:
        return True  # type: ignore[return-value]  # the fault under test


YES = Says(name="yes", answer=Completion(complete=True))
NO = Says(name="no", answer=Completion(complete=False, reason="Not yet."))
MUTE = Says(name="mute", answer=Completion(complete=False))
FAULTY = Raising(name="faulty")
WRONG = Wrong(name="wrong")


def found(checker: CompletionChecker, state: State | None = None) -> Completion:
    return asked(checker, a_trajectory(), "the answer", state or a_state())


def verdict(
    checker: CompletionChecker | None, *, rounds: int = 0, trajectory: Trajectory | None = None
) -> Verdict:
    return completion_of(checker, trajectory or a_trajectory(), "", a_state(), rounds=rounds, most=3)


# May the agent stop?


def test_an_agent_without_a_checker_may_stop() -> None:
    assert verdict(None, rounds=99) == Done()


def test_an_agent_may_stop_when_its_checker_passes() -> None:
    assert verdict(YES, rounds=3) == Done()


def test_an_agent_that_is_not_done_is_sent_back_with_the_reason() -> None:
    assert verdict(NO, rounds=2) == SentBack("Not yet.")


@pytest.mark.parametrize("checker", [NO, MUTE, FAULTY, WRONG])
def test_when_all_rounds_are_spent_the_work_is_unfinished_with_the_reason(checker: CompletionChecker) -> None:
    ended = verdict(checker, rounds=3)

    assert isinstance(ended, Unfinished)
    assert ended.rounds == 3
    assert ended.reason


def test_past_the_deadline_there_is_no_further_round() -> None:
    late = a_trajectory(after=timedelta(seconds=60), deadline=timedelta(seconds=60))
    early = a_trajectory(after=timedelta(seconds=59), deadline=timedelta(seconds=60))

    assert verdict(NO, trajectory=late) == Unfinished("Not yet.", 0)
    assert verdict(NO, trajectory=early) == SentBack("Not yet.")
    assert verdict(YES, trajectory=late) == Done()


def test_a_checker_that_is_not_content_without_a_reason_is_given_one() -> None:
    assert found(MUTE) == Completion(
        complete=False, reason="The task is not done yet: 'mute' is not content."
    )


@pytest.mark.parametrize(
    ("checker", "said"), [(FAULTY, "ZeroDivisionError('no')"), (WRONG, "it answered True")]
)
def test_a_checker_that_fails_is_not_content_and_says_why(checker: CompletionChecker, said: str) -> None:
    answer = found(checker)

    assert not answer.complete
    assert said in answer.reason
    assert repr(checker.name) in answer.reason


# Files.


def test_files_must_be_there_and_hold_something() -> None:
    checker = FilesExist(paths=("a.md", "./b//c.md"))
    state = a_state(FileWritten(path="a.md", digest="d1"), FileSeen(path="b/c.md", digest="d2"))

    assert found(checker, state) == Completion(complete=True)
    assert found(checker).reason == "Files are wanted: a.md is missing, b/c.md is missing."


@pytest.mark.parametrize("digest", [EMPTY_SHA, f"sha256:{EMPTY_SHA}", EMPTY_BLOB])
def test_an_empty_file_is_not_enough(digest: str) -> None:
    answer = found(FilesExist(paths=("a.md",)), a_state(FileWritten(path="a.md", digest=digest)))

    assert answer == Completion(complete=False, reason="Files are wanted: a.md is empty.")


def test_a_file_that_was_removed_again_is_missing() -> None:
    events = (FileWritten(path="a.md", digest="d1"), FileWritten(path="a.md", digest=""))

    assert found(FilesExist(paths=("a.md",)), a_state(*events)).reason == "Files are wanted: a.md is missing."


def test_files_that_the_harness_saw_made_count() -> None:
    answer = asked(FilesExist(paths=("a.md",)), a_trajectory(files=["./a.md"]), None, a_state())

    assert answer.complete


def test_at_most_three_files_are_named() -> None:
    answer = found(FilesExist(paths=tuple(f"{letter}.md" for letter in "abcde")))

    assert answer.reason == "Files are wanted: a.md is missing, b.md is missing, c.md is missing, and 2 more."


def test_no_files_are_soon_there() -> None:
    assert found(FilesExist(paths=())).complete


def test_a_path_outside_is_refused_when_it_is_declared() -> None:
    with pytest.raises(BrokenDefinition):
        FilesExist(paths=("../a.md",))


# Together.


@pytest.mark.parametrize("empty", [AllOf(checkers=()), AnyOf(checkers=())])
def test_an_empty_composite_checker_passes(empty: CompletionChecker) -> None:
    assert found(empty) == Completion(complete=True)


def test_a_combination_gives_every_reason() -> None:
    other = Says(name="other", answer=Completion(complete=False, reason="Nor this."))

    assert found(AllOf(checkers=(YES, NO))).reason == "Not yet."
    assert found(AllOf(checkers=(YES, NO, other))).reason == "- Not yet.\n- Nor this."
    assert found(AnyOf(checkers=(NO, other))).reason == "Not yet. Or: Nor this."


def test_one_that_fails_spoils_all_of_but_not_any_of() -> None:
    assert not found(AllOf(checkers=(YES, FAULTY))).complete
    assert found(AnyOf(checkers=(FAULTY, YES))).complete


def test_all_of_names_a_faulty_checker_beside_the_others() -> None:
    reason = found(AllOf(checkers=(NO, FAULTY))).reason

    assert "- Not yet.\n" in reason
    assert "'faulty' failed" in reason


class Doorman(WorldChecker):
    name: str = "doorman"

    async def look(self, output: object, state: StateView, world: object) -> Completion:
        raise (PassingError("asleep", "wait") if output == "asleep" else OSError("gone"))


async def test_a_fault_of_a_checker_that_looks_is_incomplete_and_a_passing_error_is_raised() -> None:
    resources = cast("Resources", None)
    answer = await looked(Doorman(), "awake", a_state(), resources)

    assert not answer.complete
    assert "'doorman' failed with OSError" in answer.reason
    with pytest.raises(PassingError):
        await looked(Doorman(), "asleep", a_state(), resources)


def test_checkers_that_look_are_found_in_any_combination() -> None:
    nested = AllOf(checkers=(YES, AnyOf(checkers=(NO, Doorman()))))

    assert world_checkers(nested) == (Doorman(),)
    assert world_checkers(YES) == world_checkers(None) == ()
    assert not found(Doorman()).complete


leaves = st.sampled_from([YES, NO, MUTE, FAULTY, WRONG])
trees = st.recursive(
    leaves,
    lambda inner: st.builds(
        lambda kind, inside: kind(checkers=tuple(inside)),
        st.sampled_from([AllOf, AnyOf]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=8,
)


def is_content(checker: CompletionChecker) -> bool:
    match checker:
        case AllOf(checkers=inner):
            return all(is_content(one) for one in inner)
        case AnyOf(checkers=inner):
            return not inner or any(is_content(one) for one in inner)
        case _:
            return checker is YES


@given(trees)
def test_checkers_combine_like_booleans_and_failures_have_a_reason(checker: CompletionChecker) -> None:
    answer = found(checker)

    assert answer.complete == is_content(checker)
    assert answer.complete or answer.reason.strip()
