"""The text of one scene: reading it, changing it by a model's operations, and saving what people type.

A novel is a git workspace; a scene is one document in it (``-`` is the whole-novel manuscript). A *revision*
is the git blob id of a scene's committed text; the empty revision means that there is no file yet. Texts
travel by reference, as UTF-8 with LF; a file with CRLF keeps it.
"""

from typing import Literal

from schemas.base import BlobRef, CommitSha, Value
from schemas.intents import Approval, IntentPin
from schemas.patching import ConflictPlace, OperationResult
from schemas.workspace import Denial, Pushed, Workspace, WorkspaceRequest

WHOLE_NOVEL = "-"
"""Name of the scene that is the whole-novel manuscript."""


class SceneRequest(WorkspaceRequest):
    """Common fields of every request about one scene; ``subject`` is the novel's id."""

    scene: str


class ReadText(SceneRequest):
    """Read a scene at the tip, after a person's unsaved edits of its file were committed as theirs."""


class SceneSection(Value):
    """A heading of a scene, and what stands under it up to the next heading."""

    title: str
    """Without marks and numbers, as it is written."""
    level: int
    """1 is the highest."""
    start: int
    """Offset of the heading's first character in the text."""
    end: int
    """Offset after the last character under it."""
    words: int
    """Words under it, the heading not counted."""


class TextRead(Value):
    """A scene's text; without a file it is empty and has the empty revision."""

    outcome: Literal["read", "refused"] = "read"
    """``refused``: the file is no UTF-8 text (``scene-not-text``); ``message`` says what to do."""
    revision: str = ""
    text: BlobRef | None = None
    """None only if refused."""
    words: int = 0
    sections: tuple[SceneSection, ...] = ()
    human_edits: tuple[str, ...] = ()
    """Paths in which a person's unsaved edits were committed on the way."""
    commit: CommitSha | None = None
    """The tip that was read."""
    left_out: tuple[str, ...] = ()
    """Sentences on texts of the novel in the folder that could not be taken in, and on scenes emptied
    there.
    """
    code: str = ""
    message: str = ""


class ApplyOperations(SceneRequest):
    """Bring a model's operations, made on ``snapshot``, onto the scene at the tip, as one commit.

    They are located on the snapshot, and what people changed since is merged. An operation at a
    place that people changed is left out, as a conflict.
    """

    snapshot: BlobRef
    """The text that the model saw."""
    operations: BlobRef
    """A JSON array of ``schemas.patching.Operation``."""
    step: Literal["format", "write", "revise", "cite"] = "revise"
    """Step that the change is for; the tool is ``manuscript.<step>``."""
    max_hunks: int | None = None
    keep_citations: bool = True
    """Refuse operations that would change a citation token."""
    new_citations: tuple[str, ...] = ()
    """Citations, as they stand in a text, that operations may add nevertheless."""
    pin: IntentPin | None = None
    approval: Approval | None = None
    model: str = ""
    overrides: str = ""
    """Tag of the override set with which the model's agent worked."""
    who: str = ""
    """The outside agent's program; empty if the operations are no outside agent's."""
    message: str = ""
    """First line of the commit; empty: one is made from the step."""


class OperationsApplied(Value):
    """Result of operations."""

    outcome: Literal["applied", "unchanged", "conflict", "denied", "refused"]
    """``applied``: at least one operation changed the text. ``conflict``: people changed each place that the
    operations change. ``denied``: the gate refused; with ``denial.asks`` a person may allow it. ``refused``:
    the file is no text, or the operations are no list of operations. Only ``applied`` commits."""
    revision: str = ""
    """The scene's revision after it; when nothing changed, that of the tip."""
    text: BlobRef | None = None
    """The scene's text at ``revision``."""
    words: int = 0
    results: tuple[OperationResult, ...] = ()
    """One for each operation, in their order; of an operation at a place that people changed meanwhile the
    outcome is ``conflict``, and the others are applied."""
    denial: Denial | None = None
    commit: CommitSha | None = None
    code: str = ""
    message: str = ""


class SaveText(SceneRequest):
    """Save what a person typed, made from ``base``."""

    base: str = ""
    """Revision that the editor showed when typing began; empty: there was no file."""
    text: BlobRef
    who: str = "local"
    """The principal who typed."""


class TextSaved(Value):
    """Result of a save. Every typed character is in ``text`` or in ``mine``."""

    outcome: Literal["saved", "merged", "unchanged", "conflict", "refused"]
    """``merged``: the text had moved on, and both sides' changes are in it. ``conflict``: both changed one
    place, or the base is unknown (``unknown-base``); nothing was saved, ``mine`` and ``theirs`` hold the two
    texts. ``refused``: what was sent, or what stands there, is no UTF-8 text, or the name is taken."""
    revision: str = ""
    """The scene's revision now; the next save's base."""
    text: BlobRef | None = None
    """The scene's text at ``revision``."""
    words: int = 0
    mine: BlobRef | None = None
    """The text that was sent, unless ``text`` is the same."""
    theirs: BlobRef | None = None
    """Of a conflict: the text at the tip."""
    places: tuple[ConflictPlace, ...] = ()
    """Of a conflict: the passages that both changed."""
    emptied: int = 0
    """Words that stood in the scene, if it holds none any more."""
    commit: CommitSha | None = None
    code: str = ""
    message: str = ""


class RestoreText(SceneRequest):
    """Bring back an earlier text of the scene, as a new commit on top."""

    kind: Literal["undo", "rollback"]
    """``undo``: the text before the scene's last change; repeated, one change further back each time."""
    to: str = ""
    """Of a rollback: a commit, tag or revision of the scene."""
    expected: str | None = None
    """Revision that the person saw; if the scene has another by now, nothing changes. None: any."""
    who: str = "local"


class TextRestored(Value):
    """Result of an undo or a rollback."""

    outcome: Literal["restored", "unchanged", "conflict", "refused"]
    """``conflict``: the text had moved on. ``refused``: there is nothing to go back to; see ``code``."""
    revision: str = ""
    text: BlobRef | None = None
    words: int = 0
    replaced: str = ""
    """Revision of the text that was replaced; a rollback to it takes this one back."""
    restored_from: CommitSha | None = None
    """The commit whose text came back."""
    commit: CommitSha | None = None
    code: str = ""
    message: str = ""


class SelectSceneIntent(Value):
    """Look up at the tip the intent under which a scene may be written; nothing is changed."""

    subject: str
    workspace: Workspace
    scene: str
    intent: str = ""
    """Empty: the first in progress that owns the scene's file."""


class SyncNovel(WorkspaceRequest):
    """Commit people's unsaved edits as theirs, and take in what the remote has."""


class PushNovel(WorkspaceRequest):
    """Bring the remote up to date, without force."""

    scene: str = ""
    """The answer says if the text of this one was merged with another machine's; empty: of none."""


class SceneMerged(Value):
    """A scene after a push had to merge it with the text that another machine had pushed."""

    revision: str
    words: int
    commit: CommitSha


class NovelPushed(Pushed):
    """The remote after a push."""

    merged: SceneMerged | None = None


TextSaved.model_rebuild()
