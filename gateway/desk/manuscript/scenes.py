"""The scenes of a novel: which there are, their texts now and before, and new ones from documents."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shlex import quote

from gateway.desk import source_texts
from gateway.desk.manuscript.latex_losses import encoding_of, losses
from gateway.desk.services import Services
from gateway.desk.source_texts import USUAL, Reading
from gateway.desk.works import changes
from gateway.desk.works.novels import Novel
from penwright.domain.book.importing.plain_lines import as_plain_text
from penwright.domain.manuscript.layout import (
    SCENES_FOLDER,
    WHOLE,
    checked_scene,
    scene_of,
    scene_path,
    twin_of,
)
from penwright.domain.manuscript.naming import words_of
from penwright.domain.manuscript.restoring import named
from penwright.domain.manuscript.sections import sections_of
from penwright.domain.manuscript.texts import SceneText, as_lf, no_text, rewritten, scene_in
from penwright.domain.text.comparing.line_diff import line_diff
from penwright.domain.text.names import in_one_line
from penwright.domain.text.nearest import meant
from penwright.domain.text.returned import NOTHING, Returned
from penwright.domain.text.words import count_words
from penwright.domain.trailers import AUTHORSHIP, co_authors
from penwright.errors import NotFound, PermanentError, Refused, UsageMistake
from schemas.documents import SourceDocument
from schemas.manuscript_text import WHOLE_NOVEL, SceneSection
from schemas.workspace import Contributor, FileVersion, MutationPlan, TextFile

_PLAIN = (".txt", ".text")
_LATEX = (".tex", ".latex")
_VERSIONS = 1_000
_LONGEST_ABSTRACT = 20_000
"""Characters that Novel.yml takes."""
_MARKED = re.compile(r"[\\*_$`\[\]#<>|~^@]")


@dataclass(frozen=True, slots=True)
class SceneRow:
    """One scene in a list."""

    scene: str
    path: str
    words: int
    sections: int
    revision: str
    changed_at: datetime | None
    unsaved: bool
    """The folder has edits of it that no commit has yet."""
    readable: bool = True
    folder: str = ""
    """Reason why what lies in the folder in its place cannot be taken in; empty if it can."""


@dataclass(frozen=True, slots=True)
class ShownScene:
    """A scene's text at one commit."""

    scene: str
    path: str
    text: str
    """With LF."""
    revision: str
    commit: str
    words: int
    sections: tuple[SceneSection, ...]
    unsaved: bool


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text in a file."""

    text: str
    """Markdown with LF."""
    format: str
    """``text``, ``latex``, ``docx``, ``epub`` or ``html``."""
    title: str = ""
    author: str = ""
    left_out: tuple[str, ...] = ()
    abstract: str = ""
    """Markdown; not part of ``text``."""
    people: tuple[str, ...] = ()
    """Names of those whose tracked changes are in the text."""
    returned: Returned = NOTHING
    """Changes and comments to be reviewed."""
    references: str = ""
    """BibTeX of what it cites by the fields of a reference manager."""

    @property
    def whole(self) -> str:
        """The text, the abstract a section before it."""
        return f"# Abstract\n\n{self.abstract}\n\n{self.text}" if self.abstract else self.text

    @property
    def has_plain_abstract(self) -> bool:
        """Whether Novel.yml can hold the abstract: there it is neither marked up nor cites anything."""
        return len(self.abstract) <= _LONGEST_ABSTRACT and not _MARKED.search(self.abstract)


def listing(services: Services, novel: Novel) -> tuple[SceneRow, ...]:
    """Every scene at the tip, the whole-novel manuscript first, the others by name."""
    workspaces = services.workspaces("novel")
    snapshot = workspaces.snapshot(novel.workspace, (WHOLE, f"{SCENES_FOLDER}/*"))
    paths = sorted({*snapshot.files, *snapshot.unreadable}, key=lambda path: (path != WHOLE, path))
    rows = []
    for path in paths:
        scene = scene_of(path)
        if scene is None:
            continue
        found = scene_in(snapshot, scene)
        rows.append(
            SceneRow(
                scene=scene,
                path=path,
                words=count_words(found.text),
                sections=len(sections_of(found.text)),
                revision=found.revision,
                changed_at=workspaces.changed_at(novel.workspace, path),
                unsaved=_is_unsaved(novel, path, snapshot.files.get(path)),
                readable=not found.unreadable,
                folder=_untaken(novel, path),
            )
        )
    return tuple(rows)


def show(services: Services, novel: Novel, scene: str, *, at: str = "") -> ShownScene:
    """A scene at the tip, or at ``at``: a commit, tag, or revision.

    Raises:
        NotFound: ``no-such-scene`` or ``no-such-version``.
        PermanentError: ``scene-not-text``.
        UsageMistake: ``bad-scene-name``.
    """
    path = scene_path(scene)
    commit = _commit_of(services, novel, scene, at) if at else None
    snapshot = services.workspaces("novel").snapshot(novel.workspace, (path,), at=commit)
    found = _readable(scene_in(snapshot, scene))
    if not found.revision:
        raise _no_scene(services, novel, scene)
    return ShownScene(
        scene=scene,
        path=path,
        text=found.text,
        revision=found.revision,
        commit=snapshot.tip,
        words=count_words(found.text),
        sections=sections_of(found.text),
        unsaved=not at and _is_unsaved(novel, path, snapshot.files.get(path)),
    )


def versions(services: Services, novel: Novel, scene: str) -> tuple[FileVersion, ...]:
    """The commits that changed a scene, newest first; raises ``NotFound`` (``no-such-scene``)."""
    found = services.workspaces("novel").versions(novel.workspace, scene_path(scene), limit=_VERSIONS)
    if not found:
        raise _no_scene(services, novel, scene)
    return found


def diff(services: Services, novel: Novel, scene: str, *, since: str = "", until: str = "") -> str:
    """Compare two versions of a scene, as ``diff -u`` does; empty if nothing changed.

    Args:
        since: commit, tag or revision; empty: the version before ``until``.
        until: the same; empty: the tip.
    """
    path, contents = _two_contents(services, novel, scene, since, until)
    return "" if contents[0] == contents[1] else line_diff(path, contents[0], contents[1])


def compared_texts(
    services: Services, novel: Novel, scene: str, *, since: str = "", until: str = ""
) -> tuple[str, str, str]:
    """The path of a scene, and its texts of two versions, which are named as for ``diff``."""
    path, contents = _two_contents(services, novel, scene, since, until)
    before, after = ((each or b"").decode("utf-8", "replace") for each in contents)
    return path, before, after


def _two_contents(
    services: Services, novel: Novel, scene: str, since: str, until: str
) -> tuple[str, list[bytes | None]]:
    path, workspaces = scene_path(scene), services.workspaces("novel")
    known = versions(services, novel, scene)
    after = _commit_of(services, novel, scene, until) if until else known[0].commit
    before = _commit_of(services, novel, scene, since) if since else _before(known, after)
    return path, [
        _content(workspaces.snapshot(novel.workspace, (path,), at=at).files, path) if at else None
        for at in (before, after)
    ]


def read_file(services: Services, file: Path, reading: Reading = USUAL) -> ReadText:
    """Read a text, Markdown, LaTeX, or a document of another program.

    Raises:
        NotFound: ``no-such-file``.
        UsageMistake: it is no file, in no known encoding, holds no text, or is of a kind that cannot be read.
        PermanentError: the converter is missing, or one of its bounds is reached.
    """
    place = file.expanduser()
    source_texts.check_file(place)
    content = place.read_bytes()
    form = "latex" if place.suffix.lower() in _LATEX else source_texts.format_of(place, content)
    if form is None:
        found = source_texts.text_of(place, content, reading.encoding)
        text = as_lf(found.text.removeprefix("\ufeff"))
        text = as_plain_text(text) if place.suffix.lower() in _PLAIN else text
        return ReadText(text, "text", left_out=found.notes)
    notes: tuple[str, ...] = ()
    if form == "latex":
        plain = source_texts.text_of(place, content, reading.encoding or encoding_of(content))
        content, notes = plain.text.encode(), plain.notes
    document = SourceDocument(format=form, content=content, scholarly=True, changes=reading.changes)
    read = source_texts.converted(services, place, document)
    source_texts.refuse_nul(place, read.markdown + read.abstract)
    if not (read.markdown.strip() or read.abstract):
        raise UsageMistake("source-not-text", f"{str(file)!r} holds no text; name another file")
    left_out = [*notes, *read.left_out]
    if form == "latex":
        left_out += losses(content.decode())
    return ReadText(
        read.markdown,
        form,
        in_one_line(read.title),
        read.author,
        tuple(left_out),
        read.abstract,
        read.people,
        Returned(read.edits, read.comments),
        read.references,
    )


def add(
    services: Services,
    novel: Novel,
    scene: str,
    text: str,
    *,
    force: bool = False,
    authorship: str = "",
    people: Sequence[str] = (),
) -> FileVersion:
    """Put ``text`` into the novel as a scene, in one commit.

    Args:
        force: replace the text of a scene that exists.
        authorship: who wrote it, if that is declared.
        people: names of others whose changes are in it.

    Raises:
        Refused: ``scene-exists``, ``scene-name-taken`` or ``scene-contended``.
    """
    workspaces, path = services.workspaces("novel"), scene_path(checked_scene(scene))
    snapshot = workspaces.snapshot(novel.workspace, (path,), names=(f"{SCENES_FOLDER}/*",))
    found = _readable(scene_in(snapshot, scene))
    others = tuple(other for name in snapshot.names if (other := scene_of(name)) is not None)
    _check_new(novel, scene, found, twin_of(scene, others), force=force)
    operations = rewritten(found, as_lf(text))
    if not operations:
        return versions(services, novel, scene)[0]
    plan = MutationPlan(
        workspace=novel.workspace,
        message=f"Import {path}",
        contributor=Contributor.HUMAN,
        operations=operations,
        tool="manuscript.import",
        trailers=(*(((AUTHORSHIP, authorship),) if authorship else ()), *co_authors(people)),
    )
    effect = changes.new_effect(services, f"import/{novel.novel_id}")
    published = changes.publish(services, "novel", plan, effect)
    if published.outcome == "conflict":
        raise Refused("scene-contended", f"{path!r} was changed meanwhile; nothing was changed, try again")
    return versions(services, novel, scene)[0]


def _check_new(novel: Novel, scene: str, found: SceneText, twin: str | None, *, force: bool) -> None:
    if twin is not None and not found.revision:
        raise Refused(
            "scene-name-taken", f"there is a scene {twin!r}, and the names differ only in case; use that one"
        )
    if found.text.strip() and not force:
        raise Refused(
            "scene-exists",
            f"{novel.title!r} has a scene {scene!r} already; nothing was changed",
            hint="name another one with `--scene NAME`, or replace its text with `--force`; "
            f"`penwright manuscript undo {words_of(novel.novel_id, scene)}` takes that back",
        )


def _commit_of(services: Services, novel: Novel, scene: str, at: str) -> str:
    """The commit that ``at`` means."""
    workspaces = services.workspaces("novel")
    try:
        return named(workspaces.versions(novel.workspace, scene_path(scene), limit=_VERSIONS), at).commit
    except NotFound:
        pass
    try:
        return workspaces.snapshot(novel.workspace, (), at=at).tip
    except NotFound as missing:
        hint = f"`penwright manuscript versions {words_of(novel.novel_id, scene)}` lists those that there are"
        raise NotFound(missing.code, f"{at!r} is no commit and no version of it", hint=hint) from None


def _before(known: tuple[FileVersion, ...], commit: str) -> str | None:
    """The version before ``commit``; None if that is the first."""
    place = next((at for at, each in enumerate(known) if each.commit == commit), 0)
    return known[place + 1].commit if place + 1 < len(known) else None


def _content(files: Mapping[str, TextFile], path: str) -> bytes | None:
    return files[path].text.encode() if path in files else None


def _readable(found: SceneText) -> SceneText:
    if found.unreadable:
        code, message = no_text(found)
        raise PermanentError(code, message, hint="`iconv -t utf-8` converts a file")
    return found


def _is_unsaved(novel: Novel, path: str, committed: TextFile | None) -> bool:
    try:
        content = Path(novel.workspace.path, path).read_bytes()
    except OSError:
        return False
    return committed is None or as_lf(content.decode("utf-8", "replace")) != as_lf(committed.text)


def _untaken(novel: Novel, path: str) -> str:
    """Say why the folder's file cannot become the scene's text; empty if it can, or there is none."""
    place = Path(novel.workspace.path, path)
    if place.is_symlink():
        return "a link in the folder"
    if place.is_dir():
        return "a folder in its place"
    try:
        content = place.read_bytes() if place.is_file() else b""
    except OSError:
        return "the folder's file cannot be opened"
    try:
        return "the folder's file holds a NUL byte" if "\0" in content.decode() else ""
    except UnicodeDecodeError:
        return "the folder's file is not UTF-8"


def _no_scene(services: Services, novel: Novel, scene: str) -> NotFound:
    paths = services.workspaces("novel").snapshot(novel.workspace, (), names=(f"{SCENES_FOLDER}/*",)).names
    known = [name for path in paths if (name := scene_of(path)) is not None]
    return NotFound(
        "no-such-scene",
        f"{novel.title!r} has no scene {scene!r} yet{meant(scene, known)}",
        hint=f"`penwright manuscript list {quote(novel.workspace.path)}` shows those that it has; "
        "`write` has one written, `import` takes one in",
    )


def is_new(services: Services, novel: Novel, scene: str) -> bool:
    """Whether no commit has such a scene yet: a run would begin one."""
    path = scene_path(scene)
    return path not in services.workspaces("novel").snapshot(novel.workspace, (), names=(path,)).names


def check(services: Services, novel: Novel, scene: str) -> None:
    """Raise ``NotFound`` (``no-such-scene``) unless there is such a scene."""
    if is_new(services, novel, scene):
        raise _no_scene(services, novel, scene)


def chosen(services: Services, novel: Novel, scene: str = "") -> str:
    """The scene that a command means: the named one, the manuscript, or the only one there is.

    Raises:
        UsageMistake: ``which-scene`` if there are several and none is named; ``bad-scene-name``.
    """
    if scene:
        scene_path(scene)
        return scene
    names = [row.scene for row in listing(services, novel)]
    if WHOLE_NOVEL in names or not names:
        return WHOLE_NOVEL
    if len(names) > 1:
        raise UsageMistake(
            "which-scene",
            f"{novel.title!r} has {len(names)} scenes, and none was named",
            hint=f"name one after the novel, for instance {names[0]!r}",
        )
    return names[0]
