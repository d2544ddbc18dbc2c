"""The prompts of the passages that models wrote, by their digests."""

from collections.abc import Iterable, Mapping

from gateway.desk.services import CommandStore, Services
from gateway.desk.works import inspecting
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.trace.reports.blame import Blame
from penwright.domain.trailers import RUN, SESSION
from penwright.errors import EngineUnavailable, StoreUnavailable
from schemas.trace import TracedCommit


def prompt_digests(services: Services, blames: Iterable[Blame]) -> Mapping[str, str]:
    """By the commit that brought a model's passage in: the SHA-256 of the prompt that its writer had last.

    The evidence bundle of the run names the prompt by it. Missing are commits whose run the store does not
    know, such as those of outside agents; without a store all are.
    """
    commits = {each.sha: each for found in blames for block in found.blocks if (each := block.by_model)}
    try:
        with services.open_store() as store:
            digests = {run: _digest(store, run) for run in set(map(_run, commits.values())) - {""}}
    except (EngineUnavailable, StoreUnavailable):
        return {}
    told = {sha: digests.get(_run(commit), "") for sha, commit in commits.items()}
    return {sha: digest for sha, digest in told.items() if digest}


def _run(commit: TracedCommit) -> str:
    """The agent's run that made a commit; empty if it names none."""
    book, session = (commit.trailers.get(name, "") for name in (BOOK_PROFILE.subject_trailer, SESSION))
    return commit.trailers.get(RUN, "") or (f"book/{book}/{session}" if book and session else "")


def _digest(store: CommandStore, run: str) -> str:
    """Of the last call whose reply could be used."""
    used = (each for each in reversed(inspecting.calls_of(store, run)) if each.prompt and not each.mistake)
    return next((each.prompt.sha256 for each in used if each.prompt), "")
