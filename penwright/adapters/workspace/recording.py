"""The ledger beside a commit: its lines go into the commit, its heads into a log outside the branch.

The log is a chain of empty commits under ``refs/penwright/trace/<clone>``, one entry for each commit that
writes to the ledger and one for each rollback. An agent that may write files, or even commits, has no
business there; a ledger that was shortened, or whose end was forged, disagrees with it.
"""

import contextlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from penwright.adapters.workspace.committed import CommittedTree
from penwright.adapters.workspace.git.entries import REGULAR, Entry
from penwright.adapters.workspace.git.repository import Repository
from penwright.adapters.workspace.trees import Change, entry_at
from penwright.domain.trace.recorder.commit_context import CommitContext, RecordCase, TextChange
from penwright.domain.trailers import OP
from schemas.base import Effect
from schemas.trace import Recorded, TraceRecord

LOG = "refs/penwright/trace"
KIND, COMMIT, HEAD, LEDGER_BLOB = "Trace-Kind", "Trace-Commit", "Trace-Head", "Trace-Ledger"
_LEDGER = ".orchestration/agent_trace.jsonl"


@dataclass(frozen=True, slots=True)
class Trail:
    """Changes that the ledger adds to a commit."""

    recorded: Recorded = field(default_factory=Recorded)
    changes: Mapping[str, Change] = field(default_factory=dict)
    ref: str = ""
    """Ref of this clone's log."""
    log: str | None = None
    """Newest entry of the log then; if another comes meanwhile, the refs do not move."""

    @property
    def trailers(self) -> Sequence[tuple[str, str]]:
        return self.recorded.trailers


def trail(
    repository: Repository,
    tip: str,
    context: CommitContext,
    changes: Mapping[str, TextChange],
    *,
    tree: str = "",
    former: Sequence[TraceRecord] = (),
) -> Trail:
    """Record ``changes``, which are to be committed on ``tip``; writes blobs, moves nothing.

    Args:
        tree: in place of the tip's, if the tip is to become that one first.
        former: as in ``RecordCase``.
    """
    if repository.recorder is None:
        return Trail()
    tree = tree or repository.tree(tip)
    _own_name(repository)
    ref = log_of(repository)
    log = repository.objects.resolve(ref)
    recorded = repository.recorder.record(
        RecordCase(
            context=context,
            tip=CommittedTree(repository.objects, tree),
            parent=tip,
            branch=repository.workspace.branch,
            changes=changes,
            at=max(repository.clock.now(), context.effect.issued_at),
            former=former,
        )
    )
    written: dict[str, Change] = {}
    for path, content in recorded.files.items():
        entry = Entry(REGULAR, repository.objects.write_blob(content))
        written[path] = (entry_at(repository.objects, tree, path), entry)
    return Trail(recorded, written, ref, log)


def text_changes(repository: Repository, changes: Mapping[str, Change]) -> dict[str, TextChange]:
    """Entries before and after, with what is in them."""
    return {path: _text_change(repository, *change) for path, change in changes.items()}


def _text_change(repository: Repository, before: Entry | None, after: Entry | None) -> TextChange:
    old, new = (
        repository.objects.blob(entry.sha) if entry and entry.is_text_file else None
        for entry in (before, after)
    )
    return TextChange(old, new, before.sha if before else None, after.sha if after else None)


def note(repository: Repository, effect: Effect, commit: str, made: Trail) -> Sequence[str]:
    """The move of the log that goes with the branch's; nothing if nothing was recorded."""
    if not made.recorded.heads:
        return ()
    entry = _entry(repository, effect, "record", commit, made.recorded.heads, made.log)
    return (_moved(made.ref, entry, made.log),)


def revoke(
    repository: Repository,
    effect: Effect,
    goal: str,
    again: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Sequence[str]:
    """The move of the log that says: the branch goes back to ``goal`` on purpose.

    ``again``: commits then made on top of it that write to the ledger, oldest first, with their heads.
    """
    if repository.recorder is None:
        return ()
    ref = log_of(repository)
    log = repository.objects.resolve(ref)
    if log is None and not again:
        return ()
    heads = repository.recorder.heads(_tree(repository, goal))
    entry = _entry(repository, effect, "revocation", goal, heads, log)
    for commit, made in again.items():
        entry = _entry(repository, effect, "record", commit, made, entry)
    return (_moved(ref, entry, log),)


def _moved(ref: str, entry: str, last: str | None) -> str:
    return f"update {ref} {entry} {last}" if last else f"create {ref} {entry}"


def _entry(
    repository: Repository, effect: Effect, kind: str, commit: str, heads: Sequence[str], last: str | None
) -> str:
    """A new entry of the log, after ``last``; moves nothing."""
    tree = _tree(repository, commit)
    trailers = [
        (KIND, kind),
        (COMMIT, commit),
        (HEAD, ",".join(heads)),
        (LEDGER_BLOB, tree.blob(_LEDGER)),
        (OP, effect.op_id),
    ]
    return repository.commit(
        repository.objects.write_tree({}),
        [last] if last else [],
        effect,
        "Note what the ledger holds" if kind == "record" else "Note that the ledger was taken back",
        [(name, value) for name, value in trailers if value],
    )


def _tree(repository: Repository, commit: str) -> CommittedTree:
    return CommittedTree(repository.objects, repository.tree(commit))


def log_of(repository: Repository) -> str:
    """The ref under which this clone keeps its log."""
    return f"{LOG}/{clone_of(repository.layout.common_dir)}"


def _own_name(repository: Repository) -> None:
    """Take another name if another folder writes under this one's, and so begin a log of its own.

    A copied folder has the name of the first; the remote then has entries under it that are not ours.
    """
    name = clone_of(repository.layout.common_dir)
    remote = f"refs/penwright/remotes/{repository.workspace.remote}"
    theirs = repository.objects.resolve(f"{remote}/trace/{name}")
    ours = repository.objects.resolve(f"{LOG}/{name}")
    if theirs is None or theirs == ours:
        return
    if ours is None or not repository.is_ancestor(theirs, ours):
        _named(repository.layout.common_dir)


def clone_of(common_dir: Path) -> str:
    """This clone's own name; two clones of a book each keep a log of their own."""
    return known_clone(common_dir) or _named(common_dir)


def known_clone(common_dir: Path) -> str:
    """The name that this clone has already; empty if it has none."""
    with contextlib.suppress(FileNotFoundError):
        return _name_file(common_dir).read_text(encoding="ascii").strip()
    return ""


def _named(common_dir: Path) -> str:
    file = _name_file(common_dir)
    file.parent.mkdir(exist_ok=True)
    name = secrets.token_hex(6)
    file.write_text(name, encoding="ascii")
    return name


def _name_file(common_dir: Path) -> Path:
    return common_dir / "penwright" / "clone"
