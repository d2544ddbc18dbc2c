"""Decide whether an agent may stop: run its completion checker and count the rounds."""

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import BaseModel

from penwright.agents.guardrails.guardrail import Completion, CompletionChecker, Trajectory, WorldChecker
from penwright.agents.guardrails.known_files import ABSENT, KnownFile, files_made, is_filled
from penwright.agents.guardrails.triggers import WorkspacePath
from penwright.agents.state import StateView
from penwright.agents.tools.resources import Resources
from penwright.errors import PassingError

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
    """Number of times the agent was sent back before."""


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
    """Complete when all checkers are; also when there are none. Says what each of the others misses."""

    name: str = "all-of"
    checkers: tuple[CompletionChecker, ...]

    @property
    def parts(self) -> tuple[CompletionChecker, ...]:
        return tuple(part for checker in self.checkers for part in checker.parts)

    def check(self, trajectory: Trajectory, output: Output, state: StateView) -> Completion:
        found = [asked(checker, trajectory, output, state) for checker in self.checkers]
        reasons = [each.reason for each in found if not each.complete]
        return Completion(complete=not reasons, reason=_listed(reasons))


def _listed(reasons: Sequence[str]) -> str:
    return reasons[0] if len(reasons) == 1 else "\n".join(f"- {reason}" for reason in reasons)


def world_checkers(checker: CompletionChecker | None) -> tuple[WorldChecker, ...]:
    """The parts of a checker that look at the world."""
    parts = checker.parts if checker else ()
    return tuple(part for part in parts if isinstance(part, WorldChecker))


async def looked(checker: WorldChecker, output: Output, state: StateView, world: Resources) -> Completion:
    """Run a checker; a fault of its own counts as incomplete, a ``PassingError`` is raised."""
    try:
        found = await checker.look(output, state, world)
        if not isinstance(found, Completion):
            raise TypeError(f"it answered {found!r}")
    except PassingError:
        raise
    except Exception as error:  # whatever a checker raises
        reason = f"Whether the task is done could not be checked: {checker.name!r} failed with {error!r}."
        return Completion(complete=False, reason=reason)
    return found


class AnyOf(CompletionChecker):
    """Complete when one checker is; also when there are none."""

    name: str = "any-of"
    checkers: tuple[CompletionChecker, ...]

    @property
    def parts(self) -> tuple[CompletionChecker, ...]:
        return tuple(part for checker in self.checkers for part in checker.parts)

    def check(self, trajectory: Trajectory, output: Output, state: StateView) -> Completion:
        reasons = []
        for checker in self.checkers:
            found = asked(checker, trajectory, output, state)
            if found.complete:
                return found
            reasons.append(found.reason)
        return Completion(complete=not reasons, reason=" Or: ".join(reasons))
