"""Scenes as the activities read them, and texts by reference."""

from collections.abc import Sequence
from dataclasses import dataclass

from activities.publishing import part_of
from penwright.domain.manuscript.config import why_broken
from penwright.domain.manuscript.layout import (
    ENGINE_WRITTEN,
    KNOWN,
    NOVEL,
    SCENES_FOLDER,
    scene_of,
    scene_path,
    twin_of,
)
from penwright.domain.manuscript.left_out import emptied_told, left_out
from penwright.domain.manuscript.texts import SceneText, as_lf, scene_in
from penwright.domain.text.merging.saving import gone_words
from penwright.ports.blobs import Blobs
from penwright.ports.workspaces import Workspaces
from schemas.base import BlobRef, CommitSha
from schemas.workspace import Workspace, WorkspaceRequest


@dataclass(frozen=True, slots=True)
class SceneAt:
    """A scene at one commit."""

    scene: SceneText
    commit: CommitSha
    twin: str | None = None
    """Another scene whose name differs only in case; only of a scene without a file."""


@dataclass(frozen=True, slots=True)
class SavedEdits:
    """Paths in which people's edits were committed, and what they should know of the folder."""

    paths: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Sentences on what stays there, and on emptied scenes."""


@dataclass(frozen=True, slots=True)
class SceneReader:
    """Reads the scenes of one host's novels."""

    workspaces: Workspaces
    blobs: Blobs

    def at(self, workspace: Workspace, scene: str, commit: str | None = None) -> SceneAt:
        """Return a scene at ``commit``, or at the tip; raises as ``scene_path`` and ``snapshot`` do."""
        path, names = scene_path(scene), (f"{SCENES_FOLDER}/*",)
        snapshot = self.workspaces.snapshot(workspace, (path,), names=names, at=commit)
        found = scene_in(snapshot, scene)
        others = tuple(other for name in snapshot.names if (other := scene_of(name)) is not None)
        return SceneAt(found, snapshot.tip, None if found.revision else twin_of(scene, others))

    def text(self, ref: BlobRef) -> str | None:
        """Return a stored text with LF; None if it is no UTF-8 text."""
        try:
            text = self.blobs.get(ref).decode()
        except UnicodeDecodeError:
            return None
        return None if "\0" in text else as_lf(text)

    def revision(self, workspace: Workspace, revision: str) -> str | None:
        """Return the text of a revision with LF; None if the novel has no such text."""
        if not revision:
            return ""
        text = self.workspaces.text(workspace, revision)
        return None if text is None else as_lf(text)

    def keep(self, text: str) -> BlobRef:
        """Store a text."""
        return self.blobs.put(text.encode())

    def save_human_edits(self, request: WorkspaceRequest, occasion: str = "") -> SavedEdits:
        """Commit what people left unsaved in the folder as theirs, before our commit.

        A request that is repeated after people had time to edit names the ``occasion``.
        """
        effect = part_of(request.effect, occasion) if occasion else request.effect
        previewed = self.workspaces.preview(request.workspace, effect, (NOVEL,), known=KNOWN, remote=False)
        broken = why_broken(previewed.snapshot)
        paths = self.workspaces.save_human_edits(
            request.workspace,
            effect,
            known=KNOWN,
            engine=ENGINE_WRITTEN,
            left=() if broken is None else (NOVEL,),
        )
        untaken = left_out(previewed, broken.message if broken else "")
        return SavedEdits(paths, (*untaken, *emptied_told(request.subject, self._emptied(request, paths))))

    def _emptied(self, request: WorkspaceRequest, paths: Sequence[str]) -> dict[str, int]:
        """The scenes that these edits emptied, with the number of words that went from all of them."""
        newest = {
            path: self.workspaces.versions(request.workspace, path, limit=2)
            for path in paths
            if scene_of(path) is not None
        }
        texts = {
            path: [
                self.workspaces.text(request.workspace, each.blob) or "" if each.blob else "" for each in two
            ]
            for path, two in newest.items()
        }
        whole = "\n".join(two[0] for two in texts.values() if two)
        lost = {path: gone_words(two[1], two[0], whole) for path, two in texts.items() if len(two) > 1}
        return {path: words for path, words in lost.items() if words}
