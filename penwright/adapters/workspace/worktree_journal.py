"""Journal of worktree paths that may be older than the branch (``behind.json`` in the git dir).

Written before a ref moves, cleared once the files are updated. It names the blob that each file was based on:
after a crash, or while an unsaved edit keeps a file from being updated, content equal to that blob is stale
and other content is an edit of it.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Step:
    """Change of one path by one commit: blob ids before and after, None for an absent file."""

    commit: str
    base: str | None
    new: str | None
    tip: str | None
    """Blob on the branch before the commit; not ``base`` when the worktree was stale already."""
    absorbs: bool = False
    """The commit saved the worktree's content, which is ``base``; earlier steps no longer matter."""


@dataclass(slots=True)
class WorktreeJournal:
    """The journal of one worktree: steps by path, oldest first."""

    file: Path
    steps: dict[str, tuple[Step, ...]]

    @classmethod
    def of(cls, folder: Path) -> "WorktreeJournal":
        """Read the journal; it is never torn, because it is renamed into place."""
        file = folder / "behind.json"
        try:
            rows = json.loads(file.read_bytes())
        except FileNotFoundError:
            return cls(file, {})
        return cls(file, {path: tuple(Step(*step) for step in steps) for path, steps in rows.items()})

    def add(self, steps: Mapping[str, Step]) -> None:
        """Add what a commit is about to do to these paths. Save it before the ref moves."""
        for path, step in steps.items():
            self.steps[path] = (*self.steps.get(path, ()), step)

    def drop(self, paths: Iterable[str]) -> None:
        """Forget paths whose files are up to date."""
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
        """Blobs the engine committed at ``path`` that a later commit overwrote without having seen them."""
        steps = _unsettled(self.steps.get(path, ()))
        followed_by = [*(step.tip for step in steps[1:]), tip]
        return [
            step.new
            for step, after in zip(steps, followed_by, strict=False)
            if step.new and step.new != after
        ]

    def base(self, path: str, otherwise: str | None) -> str | None:
        """Blob that the worktree's file was based on."""
        return self.steps[path][0].base if path in self.steps else otherwise

    def save(self) -> None:
        """Write the journal durably; an empty one is removed."""
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
    """The steps since the newest that saved the worktree's content."""
    return tuple(steps[max((at for at, step in enumerate(steps) if step.absorbs), default=0) :])
