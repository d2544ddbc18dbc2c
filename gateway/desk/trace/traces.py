"""The trace of a work: its source, places in it, the map, verification, and the origins of texts."""

import gc
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pydantic import TypeAdapter, ValidationError

from gateway.desk.durable_file import durable_file
from gateway.desk.services import Services
from gateway.desk.works import works
from gateway.desk.works.kinds import Work
from gateway.desk.works.works import commit_id, kind_at, no_such_text
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.book.review.waiting_prose import read_waiting
from penwright.domain.intents.registry import REGISTRY, BrokenRegistry, read_registry
from penwright.domain.manuscript.layout import WHOLE, scene_of
from penwright.domain.text.placeholders import with_names
from penwright.domain.trace.intent_map.mapping import notes_in, render
from penwright.domain.trace.intent_map.tallies import map_state
from penwright.domain.trace.layout import MAP
from penwright.domain.trace.reports.blame import Blame, blame
from penwright.domain.trace.reports.disclosure import Disclosure, disclose
from penwright.domain.trace.source import TraceSource
from penwright.domain.trace.verifying.anchors import RemoteLog, StoredAnchors
from penwright.domain.trace.verifying.report import VerifyOptions, VerifyReport
from penwright.domain.trace.verifying.verifier import verify
from penwright.errors import EngineUnavailable, StoreUnavailable
from schemas.base import CommitSha
from schemas.pipeline import PipelineProfile
from schemas.trace import Anchor, Finding, LedgerFile, TracedCommit
from schemas.workspace import LogFetched, Workspace

_LINE = re.compile(r"(.+):([0-9]{1,9})")
_STATE = "trace-verify.json"
_SEEN = TypeAdapter(dict[str, str])

Progress = Callable[[str, int], None]
"""Takes what was read, such as ``commits read``, and how many."""


def _unseen(what: str, count: int) -> None:
    return None


@dataclass(slots=True)
class CountedSource:
    """A source that reports how much of it was read."""

    source: TraceSource
    progress: Progress
    _contents: int = field(default=0, init=False)

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
        self._count_content()
        return self.source.blob(sha)

    def at(self, commit: str, path: str) -> bytes | None:
        return self.source.at(commit, path)

    def commits(self, *, since: str | None = None, bookkeeping: bool = True) -> Iterator[TracedCommit]:
        found = self.source.commits(since=since, bookkeeping=bookkeeping)
        for number, commit in enumerate(found, start=1):
            self.progress("commits read", number)
            yield commit

    def reaches(self, commit: str) -> bool:
        return self.source.reaches(commit)

    def anchors(self, *, since: Mapping[str, str] | None = None) -> tuple[Anchor, ...]:
        return self.source.anchors(since=since)

    def _count_content(self) -> None:
        self._contents += 1
        self.progress("contents read", self._contents)


@contextmanager
def opened(
    services: Services, named: str, progress: Progress = _unseen
) -> Iterator[tuple[CountedSource, Workspace]]:
    """The trace of the work ``named``; ``progress`` is called while it is read."""
    workspace, kind = works.workspace_of(services, named)
    with uncollected(), services.workspaces(kind).trace(workspace) as source:
        yield CountedSource(source, progress), workspace


@contextmanager
def uncollected() -> Iterator[None]:
    """Switch off garbage collection: millions of tuples hold no cycles, and each pass over them is long."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def place_of(given: str, source: TraceSource, workspace: Workspace) -> tuple[str, int | None]:
    """Path and line of ``PATH[:LINE]``; a file whose own name ends like a line is a file."""
    whole = _inside(given, workspace)
    found = _LINE.fullmatch(given)
    if whole in source.files() or found is None:
        return whole, None
    return _inside(found[1], workspace), int(found[2])


def main_texts(source: TraceSource) -> tuple[str, ...]:
    """Paths of the texts that a work is: the book; of a novel every scene, its manuscript first."""
    if source.profile.prefix == BOOK_PROFILE.prefix:
        return (FULL_BOOK,)
    scenes = (path for path in source.files() if scene_of(path) is not None)
    return tuple(sorted(scenes, key=lambda path: (path != WHOLE, path))) or (WHOLE,)


def known_text(source: TraceSource, path: str) -> str:
    """``path``, if it is a text at the tip; ``NotFound`` ``no-such-text`` otherwise."""
    if path not in source.files():
        raise no_such_text(path)
    return path


def waiting_words(source: TraceSource) -> int:
    """Words of a book that wait for review; 0 of a novel."""
    ours = source.profile.prefix == BOOK_PROFILE.prefix and REVIEW in source.files()
    waiting = source.at(source.tip, REVIEW) if ours else None
    return read_waiting((waiting or b"").decode("utf-8", "replace")).words


def is_unsaved(source: TraceSource, workspace: Workspace, path: str) -> bool:
    """Whether the file differs from what was committed."""
    file = Path(workspace.path, path)
    return file.is_file() and file.read_bytes() != source.blob(source.files().get(path, ""))


def verified(
    services: Services,
    source: CountedSource,
    workspace: Workspace,
    *,
    since: str = "",
    intent: str = "",
    path: str = "",
    strict: bool = False,
) -> VerifyReport:
    """Verify the ledger, and that the log outside the branch is not shorter than at the last sound run."""
    after = commit_id(services, workspace, since) if since else None
    options = VerifyOptions(since=after, intent=intent, path=path, strict=strict)
    anchors = stored_anchors(services, workspace)
    remote = fetched(services, workspace)
    seen = services.history().private_folder(workspace) / _STATE
    report = verify(source, options, _last_seen(seen), source.progress, stored=anchors, remote=remote)
    if report.newest is not None:
        _keep_seen(seen, report.newest)
    return report.model_copy(update={"findings": tuple(_told(each, workspace) for each in report.findings)})


def _told(found: Finding, workspace: Workspace) -> Finding:
    """As the verifier says it, with the names of book and commit in the commands."""
    named = {"BOOK": workspace.path, "COMMIT": found.commit or ""}
    hint = with_names(found.hint, named) if found.hint else ""
    return found if hint == found.hint else found.model_copy(update={"hint": hint})


def map_of(source: TraceSource) -> tuple[str, bytes | None]:
    """The map of intents made from the ledger, and the committed one, whose notes it keeps."""
    committed = source.at(source.tip, MAP)
    text = (committed or b"").decode("utf-8", "replace")
    try:
        intents = read_registry(source.at(source.tip, REGISTRY)).intents
    except BrokenRegistry:
        intents = ()
    state = map_state(source.blob(segment.blob) or b"" for segment in source.ledger())
    names = {intent.id: intent.name for intent in intents}
    return render(state.tallies(), names=names, notes=notes_in(text)), committed


def _inside(given: str, workspace: Workspace) -> str:
    """As git names it, where it is given as this machine does."""
    path = Path(given)
    if path.is_absolute() and path.is_relative_to(workspace.path):
        return path.relative_to(workspace.path).as_posix()
    return str(PurePosixPath(given))


def stored_anchors(services: Services, workspace: Workspace) -> StoredAnchors:
    """The log as the database keeps it; empty, where it speaks of another copy of the book."""

    def kept() -> Sequence[Anchor] | None:
        folder = Path(workspace.path)
        work = works.at(services, folder, laid_out=False)
        try:
            with services.open_store() as store:
                row = store.records.book(work.subject)
                here = row is not None and Path(row.path).resolve() == folder.resolve()
                return store.trace.anchors(work.subject) if here else ()
        except (EngineUnavailable, StoreUnavailable):
            return None

    return kept


def _last_seen(file: Path) -> dict[str, str]:
    """The newest entry of each clone's log at the last sound run; none if there was none."""
    try:
        return _SEEN.validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return {}


def _keep_seen(file: Path, newest: dict[str, str]) -> None:
    """Keep them for the next run; if they cannot be written, that compares the logs as they are then."""
    with suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        with durable_file(file, over=True) as written:
            written.write(_SEEN.dump_json(newest))


@dataclass(frozen=True, slots=True)
class Origins:
    """The origin of a work's texts."""

    disclosure: Disclosure
    blames: tuple[Blame, ...]
    """Of each main text."""


def origins(services: Services, work: Work) -> Origins:
    """The origin of each paragraph of the work's main texts, as the ledger has it."""
    with opened(services, work.workspace.path) as (source, _):
        paths = tuple(path for path in main_texts(source) if path in source.files())
        return Origins(
            disclose(source, *paths, waiting=waiting_words(source)),
            tuple(blame(source, path) for path in paths),
        )


def fetched(services: Services, workspace: Workspace) -> RemoteLog:
    """Describe the remote; its log is fetched first if no log is known here."""
    answer = services.workspaces(kind_at(workspace)).fetch_log(workspace)
    history = services.history()
    return RemoteLog(
        clone=history.clone(workspace),
        why_none=why_none(answer, workspace),
        branch=lambda: history.remote(workspace),
    )


def why_none(answer: LogFetched, workspace: Workspace) -> str:
    """Explain why there is no log, as the end of a sentence; empty if there is one."""
    if answer.known:
        return ""
    if answer.remote == "none":
        return f"there is no remote {workspace.remote!r} to fetch it from"
    if answer.remote == "unreachable":
        return f"it could not be fetched from the remote {workspace.remote!r} ({answer.reason})"
    return f"the remote {workspace.remote!r} keeps none"


def why_not_asked(answer: LogFetched, workspace: Workspace) -> str:
    """Explain why not every log could be asked, as the end of a sentence; empty if every one was."""
    if answer.remote == "unreachable":
        return f"the remote {workspace.remote!r} could not be asked ({answer.reason})"
    return why_none(answer, workspace)
