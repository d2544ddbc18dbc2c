"""Decide whether an agent may stop: run its completion checker and count the rounds."""

from typing import NamedTuple

from pydantic import BaseModel

from penwright.agents.guardrails.guardrail import Completion, CompletionChecker, Trajectory
from penwright.agents.guardrails.known_files import ABSENT, KnownFile, files_made, is_filled
from penwright.agents.guardrails.triggers import WorkspacePath
from penwright.agents.state import StateView

_MOST_NAMED = 3
Output = BaseModel | str | None


class Done(NamedTuple):
    """The task is done."""


class SentBack(NamedTuple):
    """The task is not done, and the agent goes on working."""

    reason: str


class Unfinished(NamedTuple):
    """The task is not done and no round is left: the run ends as unfinished, never as completed."""

    reason: str
    rounds: int
    """How often the agent was sent back before."""


Verdict = Done | SentBack | Unfinished


def completion_of(
    checker: CompletionChecker | None,
    trajectory: Trajectory,
    output: Output,
    state: StateView,
    *,
    rounds: int,
    most: int,
) -> Verdict:
    """Ask the checker, if there is one, after ``rounds`` of at most ``most`` times it sent the agent back.

    After its deadline a run has no further round.
    """
    found = asked(checker, trajectory, output, state) if checker else Completion(complete=True)
    if found.complete:
        return Done()
    if rounds >= most or (trajectory.left is not None and not trajectory.left):
        return Unfinished(found.reason, rounds)
    return SentBack(found.reason)


def asked(checker: CompletionChecker, trajectory: Trajectory, output: Output, state: StateView) -> Completion:
    """The result of a checker. One that raises counts as incomplete; an incomplete result has a reason."""
    try:
        found = checker.check(trajectory, output, state)
        if not isinstance(found, Completion):
            raise TypeError(f"it answered {found!r}")
    except Exception as error:  # whatever a checker raises
        reason = f"Whether the task is done could not be checked: {checker.name!r} failed with {error!r}."
        return Completion(complete=False, reason=reason)
    if found.complete or found.reason.strip():
        return found
    return Completion(complete=False, reason=f"The task is not done yet: {checker.name!r} is not content.")


class FilesExist(CompletionChecker):
    """Complete when the run has written or read all these files, and none is empty."""

    name: str = "files-exist"
    paths: tuple[WorkspacePath, ...]

    def check(self, trajectory: Trajectory, output: Output, state: StateView) -> Completion:
        seen = {file.path: file.digest for file in state.all(KnownFile)}
        known = {**files_made(trajectory, state), **seen}
        missing = [path for path in self.paths if not is_filled(known.get(path, ABSENT))]
        if not missing:
            return Completion(complete=True)
        listed = [
            f"{path} {'is empty' if known.get(path) else 'is missing'}" for path in missing[:_MOST_NAMED]
        ]
        more = f", and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
        return Completion(complete=False, reason=f"Files are wanted: {', '.join(listed)}{more}.")


class AllOf(CompletionChecker):
    """Complete when all checkers are; also when there are none."""

    name: str = "all-of"
    checkers: tuple[CompletionChecker, ...]

    def check(self, trajectory: Trajectory, output: Output, state: StateView) -> Completion:
        for checker in self.checkers:
            found = asked(checker, trajectory, output, state)
            if not found.complete:
                return found
        return Completion(complete=True)


class AnyOf(CompletionChecker):
    """Complete when one checker is; also when there are none."""

    name: str = "any-of"
    checkers: tuple[CompletionChecker, ...]

    def check(self, trajectory: Trajectory, output: Output, state: StateView) -> Completion:
        reasons = []
        for checker in self.checkers:
            found = asked(checker, trajectory, output, state)
            if found.complete:
                return found
            reasons.append(found.reason)
        return Completion(complete=not reasons, reason=" Or: ".join(reasons))
