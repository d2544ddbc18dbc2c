"""A history as git's rewriting commands leave it: messages without trailers, several commits as one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Literal

from penwright.domain.trace.source import TraceSource
from penwright.domain.trailers import CO_AUTHOR
from schemas.base import CommitSha
from schemas.pipeline import PipelineProfile
from schemas.trace import Anchor, LedgerFile, PathChange, TracedCommit

Message = Literal["kept", "last", "stripped"]
"""What is left of the trailers: all, those of the last of several commits, or none."""


@dataclass(frozen=True)
class Rewritten:
    """A source whose commits were put together and lost their trailers."""

    source: TraceSource
    squashed: Sequence[int] = ()
    """How many commits became one, in order; the rest stay as they are, and so do merges.

    So does one of several that another clone went on from: its other child would have a parent that is gone.

    All other authors are named by each, as git's hosts do: git itself forgets them.
    """
    message: Message = "stripped"
    kept: int = 1
    """How many commits at the beginning stay as they are."""
    cloned: bool = False
    """Whether it is another clone, which has no text but that of the commits that are left."""

    @property
    def profile(self) -> PipelineProfile:
        return self.source.profile

    @property
    def tip(self) -> CommitSha:
        return self.source.tip

    def ledger(self) -> tuple[LedgerFile, ...]:
        return self.source.ledger()

    def files(self) -> Mapping[str, str]:
        return self.source.files()

    def blob(self, sha: str) -> bytes | None:
        lost = self.cloned and sha not in self.files().values()
        if lost and not any(sha in path for each in self.commits() for path in each.paths):
            return None
        return self.source.blob(sha)

    def at(self, commit: str, path: str) -> bytes | None:
        return self.source.at(commit, path)

    def commits(self, *, since: str | None = None, bookkeeping: bool = True) -> Iterator[TracedCommit]:
        found = self.source.commits(since=since, bookkeeping=bookkeeping)
        yield from islice(found, self.kept)
        others = list(found)
        for count in self.squashed:
            group = others[:count]
            linear = all(old.sha in new.parents[:1] for old, new in pairwise(group))
            within = {each.sha for each in group[:-1]}
            forked = any(within.intersection(each.parents) for each in others[count:])
            if group and linear and not forked and all(len(each.parents) < 2 for each in group):
                group = [self._one(group)]
            yield from group
            del others[:count]
        yield from others

    def _one(self, commits: Sequence[TracedCommit]) -> TracedCommit:
        trailers = {
            "kept": {name: value for each in commits for name, value in each.trailers.items()}
            | {"Trace-Id": ",".join(filter(None, (each.trailers.get("Trace-Id") for each in commits)))},
            "last": dict(commits[-1].trailers),
            "stripped": dict[str, str](),
        }[self.message]
        if not trailers.get("Trace-Id"):
            trailers = {name: value for name, value in trailers.items() if name != "Trace-Id"}
        if others := {each.author for each in commits} - {commits[-1].author}:
            named = (each.partition(" <")[0] for each in sorted(others))
            trailers |= {CO_AUTHOR: ",".join(f"{name} <at@example.org>" for name in named)}
        paths: dict[str, PathChange] = {}
        for each in (path for commit in commits for path in commit.paths):
            paths[each.path] = each._replace(before=paths.get(each.path, each).before)
        changed = tuple(each for each in paths.values() if each.before != each.after)
        return commits[-1]._replace(parents=commits[0].parents, trailers=trailers, paths=changed)

    def reaches(self, commit: str) -> bool:
        return self.source.reaches(commit)

    def anchors(self, *, since: Mapping[str, str] | None = None) -> tuple[Anchor, ...]:
        return self.source.anchors(since=since)


@dataclass(frozen=True)
class Declared(Rewritten):
    """A source whose first commits say who wrote what they brought in."""

    authorship: str = ""

    def commits(self, *, since: str | None = None, bookkeeping: bool = True) -> Iterator[TracedCommit]:
        said = {"Penwright-Authorship": self.authorship} if self.authorship else {}
        for at, commit in enumerate(self.source.commits(since=since, bookkeeping=bookkeeping)):
            yield commit._replace(trailers=said) if 0 < at < self.kept else commit
