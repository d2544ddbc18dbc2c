"""Which worktree paths may lag behind the branch, kept in the git dir.

The note is written before a ref moves and taken back when the worktree has followed. After a crash in
between, or when a person's unsaved edit kept a file from following, it says what the file was made from:
content equal to that base is old, not an edit; anything else is an edit of that base.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Step:
    """The move of one path by one commit: blob ids before and after, None for absent."""

    commit: str
    base: str | None
    new: str | None
    tip: str | None
    """What the branch held before the commit: other than ``base`` when the worktree was behind already."""
    absorbs: bool = False
    """The commit took in what lay in the worktree: ``base`` is that content, earlier steps are settled."""


@dataclass(slots=True)
class WorktreeJournal:
    """The note of one worktree, path by path, oldest step first."""

    file: Path
    steps: dict[str, tuple[Step, ...]]

    @classmethod
    def of(cls, folder: Path) -> "WorktreeJournal":
        """Read the note; a torn one cannot be, for it is renamed into place."""
        file = folder / "behind.json"
        try:
            rows = json.loads(file.read_bytes())
        except FileNotFoundError:
            return cls(file, {})
        return cls(file, {path: tuple(Step(*step) for step in steps) for path, steps in rows.items()})

    def add(self, steps: Mapping[str, Step]) -> None:
        """Note what a commit is about to do to these paths; to be saved before it does."""
        for path, step in steps.items():
            self.steps[path] = (*self.steps.get(path, ()), step)

    def drop(self, paths: Iterable[str]) -> None:
        """These paths have followed."""
        gone = set(paths) & self.steps.keys()
        if gone:
            self.steps = {path: steps for path, steps in self.steps.items() if path not in gone}
            self.save()

    def keep_if(self, happened: Callable[[str], bool]) -> None:
        """Forget steps of commits that never reached the branch."""
        kept = {}
        for path, steps in self.steps.items():
            left = [step for step in steps if happened(step.commit)]
            if left:
                kept[path] = _unsettled(left)
        if kept != self.steps:
            self.steps = kept
            self.save()

    def reverted_blobs(self, path: str, tip: str | None) -> list[str]:
        """Blobs our commits gave the branch that somebody's commit then replaced without having seen them."""
        steps = _unsettled(self.steps.get(path, ()))
        followed_by = [*(step.tip for step in steps[1:]), tip]
        return [
            step.new
            for step, after in zip(steps, followed_by, strict=False)
            if step.new and step.new != after
        ]

    def base(self, path: str, otherwise: str | None) -> str | None:
        """Blob the worktree's content was made from."""
        return self.steps[path][0].base if path in self.steps else otherwise

    def save(self) -> None:
        """Put the note on the disk."""
        if not self.steps:
            self.file.unlink(missing_ok=True)
            return
        self.file.parent.mkdir(exist_ok=True)
        rows = {
            path: [[step.commit, step.base, step.new, step.tip, step.absorbs] for step in steps]
            for path, steps in self.steps.items()
        }
        temporary = self.file.with_suffix(".tmp")
        with open(temporary, "wb") as file:
            file.write(json.dumps(rows).encode())
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, self.file)


def _unsettled(steps: Sequence[Step]) -> tuple[Step, ...]:
    """From the newest on that took in what lay in the worktree."""
    return tuple(steps[max((at for at, step in enumerate(steps) if step.absorbs), default=0) :])
