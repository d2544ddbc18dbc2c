"""The text of a scene at the tip, and the operations that give it another one."""

from dataclasses import dataclass

from penwright.domain.manuscript.layout import scene_path
from penwright.domain.text.merging.reconcile import uses_crlf
from schemas.workspace import Create, Modify, Operation, Snapshot


@dataclass(frozen=True, slots=True)
class SceneText:
    """A scene as it was committed; without a file it is empty."""

    path: str
    text: str = ""
    """With LF."""
    revision: str = ""
    """Git blob id; empty without a file."""
    crlf: bool = False
    """The file's line ends are CRLF; it keeps them."""
    unreadable: str = ""
    """Reason why the file is no text, if it is none."""


def scene_in(snapshot: Snapshot, scene: str) -> SceneText:
    """Return a scene of ``snapshot``, whose patterns include its path; raises as ``scene_path`` does."""
    path = scene_path(scene)
    if path in snapshot.unreadable:
        holds_nul = path in snapshot.holding_nul
        return SceneText(path, unreadable="holds a NUL byte" if holds_nul else "is not UTF-8 text")
    file = snapshot.files.get(path)
    if file is None:
        return SceneText(path)
    return SceneText(path, as_lf(file.text), file.blob, uses_crlf(file.text))


def as_lf(text: str) -> str:
    """Return ``text`` with LF in place of CRLF."""
    return text.replace("\r\n", "\n")


def rewritten(scene: SceneText, text: str) -> tuple[Operation, ...]:
    """Return the operations that give ``scene`` the text ``text`` (LF); none if it has it."""
    if text == scene.text:
        return ()
    content = text.replace("\n", "\r\n") if scene.crlf else text
    if not scene.revision:
        return (Create(path=scene.path, content=content),)
    return (Modify(path=scene.path, content=content, base=scene.revision),)


def no_text(scene: SceneText) -> tuple[str, str]:
    """Return code and message of why an unreadable scene cannot be used."""
    return "scene-not-text", f"{scene.path!r} {scene.unreadable}; save it as UTF-8 text, then try again"
