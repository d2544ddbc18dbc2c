"""The people who wrote each block, by the commits that brought it in."""

from collections.abc import Iterable, Mapping, Sequence

from penwright.domain.trace.living import LiveBlock, Made
from penwright.domain.trace.reading import ids_of
from penwright.domain.trace.reports.attribution import Attributed
from penwright.domain.trace.reports.by_hand import author_in
from penwright.domain.trace.reports.introductions import commits_of
from penwright.domain.trace.source import TraceSource
from penwright.domain.trailers import AUTHORSHIP, PERSON
from schemas.trace import TracedCommit


def making_commits(
    source: TraceSource, history: Sequence[TracedCommit], found: Iterable[Attributed]
) -> dict[Made, TracedCommit]:
    """The commits of everything that was made, as far as they are known."""
    written = (each.written for each in found if each.written)
    made = {each for one in written for each in (one.made, one.moved, *one.earlier) if each}
    named: dict[str, TracedCommit] = {commit.sha: commit for commit in history}
    named |= commits_of(source, {each.record for each in made} - {""})
    return {each: named[each.record or each.commit] for each in made if (each.record or each.commit) in named}


def people_of(written: LiveBlock | None, commits: Mapping[Made, TracedCommit]) -> tuple[str, ...]:
    """The names of everyone who wrote at a block that people wrote, the first writer first.

    Empty if others had a part in it, or may have had one: nothing says which words are then whose.
    """
    if written is None or written.ambiguous or written.author.entity_type != "HUMAN":
        return ()
    made = (each for each in (*written.earlier, written.made) if each in commits)
    return tuple(dict.fromkeys(filter(None, (_person(each, commits[each]) for each in made))))


def _person(made: Made, commit: TracedCommit) -> str:
    """The person who wrote what a commit brought in: as logged in, or else by git's author; or empty."""
    # Who squashed the commits of several people did not write what they did.
    if made.record and list(ids_of(commit)) != [made.record]:
        return ""
    # Who declares the author of a text need not be that author.
    if AUTHORSHIP in commit.trailers or author_in(commit).entity_type != "HUMAN":
        return ""
    return commit.trailers.get(PERSON) or commit.author.partition(" <")[0]
