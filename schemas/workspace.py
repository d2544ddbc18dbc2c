"""Changes of text and what became of them."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from schemas.base import CommitSha, Effect, Value
from schemas.intents import Approval, ApprovalNeed, IntentPin
from schemas.trace import MutationClass


class Workspace(Value):
    """A git repository that holds one book or manuscript."""

    path: str
    """Absolute path of the repository's own top folder."""
    branch: str = "main"
    remote: str = "origin"
    """Name of the remote; a repository without it is local-only, which is normal."""


class WorkspaceRequest(Value):
    """Common fields of every request to change a workspace."""

    effect: Effect
    subject: str
    """Subject of the workspace, by the id under which runs are listed, such as a book's."""
    workspace: Workspace
    session: str


class Contributor(StrEnum):
    """Author of a change."""

    HUMAN = "human"
    ENGINE = "engine"
    MODEL = "model"


class Create(Value):
    """Add a file; a conflict if the path exists with other content."""

    kind: Literal["create"] = "create"
    path: str
    content: str
    null_id_of: str | None = None
    """See ``Modify.null_id_of``."""


class Place(Value):
    """Add a file that need be no text; a conflict if the path exists with other content."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    kind: Literal["place"] = "place"
    path: str
    content: bytes = b""
    blob: str = ""
    """Git blob id of a content that the repository has, in place of ``content``."""


class Modify(Value):
    """Replace a file's content."""

    kind: Literal["modify"] = "modify"
    path: str
    content: str
    base: str
    """Git blob id of the content this change was made from."""
    null_id_of: str | None = None
    """Another path of the plan: git's null id (forty zeros) in ``content`` represents the blob id that the
    plan's own operation gives that path, made from its base and before any reconcile."""


class Append(Value):
    """Add ``tail`` at the end of a file, so that a long book need not travel to grow."""

    kind: Literal["append"] = "append"
    path: str
    tail: str
    base: str


class Delete(Value):
    """Remove a file."""

    kind: Literal["delete"] = "delete"
    path: str
    base: str


class Rename(Value):
    """Move a file without changing it."""

    kind: Literal["rename"] = "rename"
    path: str
    to: str
    base: str


Operation = Annotated[Create | Place | Modify | Append | Delete | Rename, Field(discriminator="kind")]


class ReadBaseline(Value):
    """What the agent that now changes a file has read of it."""

    path: str
    blob: str
    """Git blob id of the content it was shown from; empty if it was reported that there is no such file."""
    blocks: tuple[str, ...] = ()
    """Hashes of the blocks that were shown, as of ``prose1``."""
    whole: bool = False
    """All of it was shown; ``blocks`` may be left out then."""


class MutationPlan(Value):
    """One commit to be: the only way in which text changes."""

    workspace: Workspace
    message: str
    contributor: Contributor
    marks_alone: bool = False
    """A person changes marks of the engine, such as citations: their commit, but no word of it is theirs."""
    operations: tuple[Operation, ...]
    trailers: tuple[tuple[str, str], ...] = ()
    """Extra commit trailers; ``Penwright-Op`` is added by publish."""
    tag: str | None = None
    """Base name of a snapshot tag for the *parent* of the commit; made unique by suffix ``-2``, ``-3``, …"""
    tool: str = ""
    """Tool that made the plan, such as ``book.close``; the gate denies a tool it does not know."""
    pin: IntentPin | None = None
    """The intent selected for this change; engine tools need none."""
    asked: str = ""
    """A digest of the request that this plan carries out; another request under the same op id is refused.
    Empty: the plan itself is the request."""
    approval: Approval | None = None
    """A person's yes to exactly this plan, where the gate would deny it."""
    to_be_read: str = ""
    """Reason why a person must approve this plan whatever its intent owns; empty: none must."""
    seen: tuple[ReadBaseline, ...] = ()
    """Parts that an agent was shown; it may replace nothing else."""
    mutation: MutationClass | None = None
    """The declared kind of change; an agent must declare one."""


class Denial(Value):
    """Reason why the gate said no, and what to do instead."""

    error_type: str
    error_code: str
    message: str
    recoverable: bool
    action_hint: str
    details: dict[str, str] = {}
    asks: ApprovalNeed | None = None
    """Need that a person may approve; None if no person can."""


class Conflict(Value):
    """Two people changed the same block."""

    path: str
    base: str
    ours: str
    theirs: str


class Published(Value):
    """Result of a plan."""

    outcome: Literal["published", "unchanged", "denied", "conflict"]
    commit: CommitSha | None = None
    """The commit that carries the plan; absent when denied or in conflict."""
    tag: str | None = None
    repeated: bool = False
    """True when an earlier attempt had already done it."""
    trailers: dict[str, str] = {}
    """Trailers of the commit, the last of each name; how a repeated attempt finds its stored result."""
    reconciled: bool = False
    """True when the branch had moved and disjoint changes were merged."""
    conflicts: tuple[Conflict, ...] = ()
    denial: Denial | None = None
    unsaved: tuple[str, ...] = ()
    """Paths left alone in the worktree because a person has unsaved edits there."""


class Pushed(Value):
    """Whether the remote has what we have."""

    outcome: Literal["pushed", "pending", "local"]
    """``local``: there is no remote. ``pending``: the next session settles it."""
    tip: CommitSha | None = None
    reason: str = ""
    code: str = ""
    conflicts: tuple[str, ...] = ()
    """Paths in which a passage that the remote had changed meanwhile met another version; both are kept."""


class Claimed(Value):
    """Whether the remote has the commit that says who holds the workspace."""

    outcome: Literal["held", "local", "pending", "lost", "merged"]
    """``local``: there is no remote. ``pending``: the remote refuses the commit, which stays here. ``lost``:
    the remote had moved, and the commit was taken back. ``merged``: it could not be taken back, because a
    person had gone on from it, and was merged with what the remote has."""
    reason: str = ""
    code: str = ""


IgnoredBecause = Literal["too-large", "not-text", "capitals", "link", "new-not-utf8", "folder"]
"""Reason to leave a file out of the human commit; ``capitals``: the layout claims it in lower case."""


SILENT: Final = "remote-silent"
"""Code of a remote that gave no answer in time: it is asked again only by the next session."""


LOST_SESSION: Final = "remote-lost-session"
"""Code of a remote that no longer has a session that was published."""


def is_silent(reason: str) -> bool:
    """Whether that is why a remote was ``unreachable``."""
    return reason.startswith(f"{SILENT}:")


class Synced(Value):
    """The branch after human edits were committed and the remote was taken in."""

    tip: CommitSha
    human_edits: tuple[str, ...] = ()
    """Paths people changed since the last engine commit: each once, plain UTF-8, sorted, no engine file."""
    edited_today: tuple[str, ...] = ()
    """Paths people changed on the day (UTC) of the request, in the same form."""
    remote: Literal["current", "unreachable", "none"]
    reason: str = ""
    conflicts: tuple[Conflict, ...] = ()
    """Block conflicts between people, settled by keeping both; reported, not raised."""
    ignored: tuple[str, ...] = ()
    """Paths left out of the human commit, such as files that are not UTF-8 or untracked ones."""
    kept: tuple[str, ...] = ()
    """Paths that people deleted or emptied and the branch keeps, see ``PipelineProfile.permanent``."""
    not_utf8: tuple[str, ...] = ()
    """Those of them that belong to the workspace and are text in another encoding than UTF-8."""
    ignored_because: dict[str, IgnoredBecause] = {}
    """Reason for those of them of which more is known than that the layout does not claim them."""
    emptied: dict[str, int] = {}
    """Texts among ``human_edits`` from which all words went, and how many of them stand in no other of
    these."""


class LogFetched(Value):
    """State of the ledger's log outside the branch, after the remote was asked for it."""

    known: bool
    """Whether the log of any clone is known here."""
    remote: Literal["current", "unreachable", "none", "not-asked"]
    reason: str = ""
    """Reason why the remote did not answer."""


class TextFile(Value):
    """One file at a commit."""

    path: str
    blob: str
    text: str


class FileVersion(Value):
    """One commit that changed a file."""

    commit: CommitSha
    at: datetime
    """When it was committed, in UTC."""
    blob: str
    """Git blob id of the file's content there; empty if the commit removed it."""
    author: str
    """Name and address, as git shows them."""
    title: str
    """First line of the commit's message."""
    trailers: dict[str, str] = {}
    """Trailers of the commit, the last of each name."""


class Snapshot(Value):
    """Some files of a workspace at one commit."""

    tip: CommitSha
    files: dict[str, TextFile]
    names: dict[str, str] = {}
    """Path -> blob id of the files asked for by name only."""
    unreadable: tuple[str, ...] = ()
    """Asked-for paths that are not UTF-8 or hold NUL bytes."""
    holding_nul: tuple[str, ...] = ()
    """Those of them that hold NUL bytes."""


class Previewed(Value):
    """Workspace after a sync that was only tried; nothing was committed and no branch was moved for it."""

    snapshot: Snapshot
    """With people's unsaved edits and the remote's commits; ``tip`` is the present one."""
    human_edits: tuple[str, ...] = ()
    """Paths people changed since the last engine commit, unsaved edits among them, as in ``Synced``; empty if
    the remote was not asked for."""
    moved: bool = False
    """Whether the remote has commits that the branch lacks."""
    remote: Literal["current", "unreachable", "none"]
    reason: str = ""
    ignored: tuple[str, ...] = ()
    """This and the next two as in ``Synced``."""
    not_utf8: tuple[str, ...] = ()
    ignored_because: dict[str, IgnoredBecause] = {}
    denial: Denial | None = None
    """Denial of a plan of the asked tool, whatever it changes: the ledger is damaged."""


class RestorePlan(Value):
    """Plan of a rollback, of its undo, or of following a remote that lost a session.

    A commit is its abbreviated id and its title, newest first.
    """

    target: str
    """The tag to go back to, the archive that is brought back, or the remote's branch."""
    at: str
    """The commit at which the book then is, without what stays of people's."""
    undo: bool = False
    accept_remote: bool = False
    """Whether it takes out what the remote lost."""
    commits: tuple[str, ...] = ()
    """Those that would be set aside, also of the remote."""
    back: tuple[str, ...] = ()
    """Those that an undo brings back."""
    back_unsaved: tuple[str, ...] = ()
    """Files to which an undo brings unsaved edits back."""
    unsaved: tuple[str, ...] = ()
    """Files with edits that were not saved; an undo sets them aside, a rollback leaves them."""
    kept: tuple[str, ...] = ()
    """Commits that stay: people's, and all that the remote has not lost."""
    gone_with: tuple[str, ...] = ()
    """As in ``Restored``."""
    digest: str = ""
    """Of all that it depends on: the book has not changed while this is the same."""


class Restored(Value):
    """A rollback, reset or undo: what was set aside and where it is kept."""

    tip: CommitSha
    archive: str
    """Ref that holds everything discarded, ``refs/penwright/archive/…``."""
    target: str
    """Tag or ref that was gone back to."""
    discarded_commits: int
    saved_unsaved: tuple[str, ...] = ()
    """Paths whose uncommitted content was archived."""
    kept_commits: int = 0
    """Commits that stay, on top of what was gone back to."""
    gone_with: tuple[str, ...] = ()
    """Files in which people changed what is taken back; those passages went with it."""
