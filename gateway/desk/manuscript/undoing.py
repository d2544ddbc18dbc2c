"""The plan of undoing the last change of a scene: what goes, and what comes back."""

from dataclasses import dataclass

from gateway.desk.manuscript import scenes
from gateway.desk.services import Services
from gateway.desk.works.novels import Novel
from penwright.domain.manuscript.layout import KNOWN, scene_path
from penwright.domain.manuscript.naming import words_of
from penwright.domain.manuscript.restoring import undone
from penwright.domain.text.comparing.line_diff import line_diff
from penwright.errors import Refused
from schemas.base import Effect, OpId
from schemas.workspace import FileVersion

_SHORT = 10


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """An undo that was not done yet."""

    gone: str
    """The change that goes: the abbreviated commit and its title, or an unsaved edit."""
    back: str
    """The version that comes back, in the same form; empty: there was no text before."""
    diff: str
    """From the text as it is to the one that comes back."""
    revision: str
    """Of the scene with unsaved edits: of another one the undo is refused."""


def planned(services: Services, novel: Novel, scene: str) -> UndoPlan:
    """Plan an undo as of now; an unsaved edit in the folder is the last change.

    Raises:
        NotFound: ``no-such-scene``.
        Refused: ``nothing-to-undo``.
    """
    path, workspaces = scene_path(scene), services.workspaces("novel")
    known = scenes.versions(services, novel, scene)
    effect = Effect(op_id=OpId("plan"), issued_at=services.now())
    seen = workspaces.preview(novel.workspace, effect, (path,), known=KNOWN, remote=False).snapshot
    now = seen.files.get(path)
    revision = now.blob if now else ""
    unsaved = revision != known[0].blob
    back = known[0] if unsaved else _before(known, novel.novel_id, scene)
    gone = known[known.index(back) - 1] if back else known[-1]
    text = workspaces.text(novel.workspace, back.blob) if back and back.blob else None
    return UndoPlan(
        gone="an edit in the folder that is not saved" if unsaved else _told(gone),
        back=_told(back) if back else "",
        diff=line_diff(path, _content(now.text if now else None), _content(text)),
        revision=revision,
    )


def _content(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _before(known: tuple[FileVersion, ...], novel: str, scene: str) -> FileVersion | None:
    try:
        return undone(known)
    except Refused as refused:
        hint = f"`penwright manuscript versions {words_of(novel, scene)}` lists the changes"
        raise Refused(refused.code, refused.message, hint=hint) from None


def _told(version: FileVersion) -> str:
    return f"{version.commit[:_SHORT]} {version.title}".strip()
