"""Scenes and whole novels as documents, their citations rendered or in a .bib file beside them."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import Literal

from gateway.desk.services import Services
from gateway.desk.works.novels import Novel
from gateway.desk.written_files import check_place, write_file
from penwright.domain.citations.entries import read_entries
from penwright.domain.citations.exchange.exporting import ExportedCitations, as_pandoc_reads, exported
from penwright.domain.manuscript.config import frontmatter
from penwright.domain.manuscript.footnotes import with_own_labels
from penwright.domain.manuscript.layout import BIBLIOGRAPHY, SCENES_FOLDER, WHOLE, scene_of, scene_path
from penwright.domain.manuscript.naming import options_of, words_of
from penwright.domain.manuscript.places import places_of
from penwright.domain.manuscript.sections import sections_of
from penwright.domain.manuscript.texts import as_lf, scene_in
from penwright.domain.text.nearest import meant
from penwright.domain.text.people_notes import with_notes
from penwright.domain.text.word_marks import INK, comment_mark
from penwright.domain.text.words import count_words, without_comments
from penwright.errors import NotFound, PermanentError, Refused
from schemas.documents import BookDocument
from schemas.manuscript_text import WHOLE_NOVEL
from schemas.workspace import Snapshot

ExportFormat = Literal["markdown", "latex", "html", "epub", "docx", "pdf"]

SUFFIXES: dict[ExportFormat, str] = {
    "markdown": ".md",
    "latex": ".tex",
    "html": ".html",
    "epub": ".epub",
    "docx": ".docx",
    "pdf": ".pdf",
}
MORE_SUFFIXES: dict[str, ExportFormat] = {".markdown": "markdown", ".latex": "latex", ".htm": "html"}
_BESIDE: tuple[ExportFormat, ...] = ("markdown", "latex")
"""Formats whose bibliography is a file beside them."""
_DEEPEST_CONTENTS = 2


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """Format, place and options of an export."""

    format: ExportFormat
    place: Path
    scene: str | None = None
    """None: the whole novel, the manuscript first and then its scenes by name."""
    force: bool = False
    """Replace files that exist."""
    contents: bool = False
    """With a list of contents."""
    comments: bool = True
    """INK notes as comments of a DOCX."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A document that was written."""

    path: str
    format: ExportFormat
    title: str
    scenes: tuple[str, ...]
    words: int
    size: int
    """Bytes."""
    commit: str
    citations: int
    """Works in its bibliography."""
    bibliography: str = ""
    """Path of the .bib file beside it; empty if there is none."""
    warnings: tuple[str, ...] = ()
    comments: int = 0
    """INK notes that are comments of a DOCX."""


Converter = Callable[[str], bytes]
"""Makes a document of Markdown with citations as ``[@key]``."""
Copier = Callable[[Sequence[str], str, ExportedCitations, Converter], bytes]
"""Makes another document of scenes, with their evidence: of their names, their text as the novel has it, the
same text as it is converted, and the converter."""


def default_place(novel: Novel, scene: str | None, format: ExportFormat) -> Path:
    """Return a file in the current folder, named after the scene or the novel's title."""
    wanted = novel.title if scene in (None, "-") else str(scene)
    name = "-".join(re.findall(r"\w+", wanted.lower()))[:80] or str(novel.novel_id)
    return Path(f"{name}{SUFFIXES[format]}")


def export(services: Services, novel: Novel, wish: ExportOptions, copier: Copier | None = None) -> Exported:
    """Write the document, and its bibliography where the format has it beside; on any error nothing.

    Args:
        copier: makes it, if it is a reader's copy.

    Raises:
        NotFound: ``no-such-scene``.
        Refused: ``would-overwrite`` or ``nothing-to-export``.
        PermanentError: the converter is missing or failed, or a file cannot be written.
    """
    beside = wish.place.with_name(f"{_bibliography_name(wish.place)}.bib")
    check_place(wish.place, force=wish.force, suffix=SUFFIXES[wish.format])
    snapshot = _snapshot(services, novel)
    scenes = _scenes(novel, snapshot, wish.scene)
    has_notes = wish.format == "docx" and wish.comments
    notes = _Notes(_written_at(services, novel, snapshot)) if has_notes else None
    text = _joined(snapshot, scenes, notes)
    if not text.strip():
        id, scene = novel.novel_id, wish.scene or WHOLE_NOVEL
        raise Refused(
            "nothing-to-export",
            f"{novel.title!r} has no text yet; nothing was written",
            hint=f"have one written with `penwright manuscript write {words_of(id, scene)} -i TEXT`, or "
            f"take one in with `penwright manuscript import FILE --into {options_of(id, scene)}`",
        )
    cited = exported(text, read_entries(_text_of(snapshot, BIBLIOGRAPHY)).entries)

    def converted(markdown: str) -> bytes:
        return _content(services, novel, wish, replace(cited, text=markdown), snapshot)

    content = copier(scenes, text, cited, converted) if copier else converted(cited.text)
    has_beside = bool(cited.bibliography) and wish.format in _BESIDE
    if has_beside and not _holds(beside, cited.bibliography):
        check_place(beside, force=wish.force, suffix=".bib")
        write_file(beside, cited.bibliography.encode(), force=wish.force)
    write_file(wish.place, content, force=wish.force)
    return Exported(
        path=str(wish.place),
        format=wish.format,
        title=novel.title,
        scenes=scenes,
        words=count_words(_joined(snapshot, scenes) if notes else text),
        size=len(content),
        commit=snapshot.tip,
        citations=len(read_entries(cited.bibliography).entries),
        bibliography=str(beside) if has_beside else "",
        warnings=(*_unused(wish), *_warnings(novel, snapshot, scenes, cited)),
        comments=notes.number if notes else 0,
    )


class _Notes:
    """INK notes as comments of a DOCX, and how many there are."""

    def __init__(self, written_at: int) -> None:
        self._date = datetime.fromtimestamp(written_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.number = 0

    def __call__(self, note: str) -> str:
        self.number += 1
        return comment_mark(INK, self._date, note)


def _written_at(services: Services, novel: Novel, snapshot: Snapshot) -> int:
    return int(services.history().log(novel.workspace, 1, tip=snapshot.tip)[0].at.timestamp())


def _holds(file: Path, text: str) -> bool:
    """Whether an earlier export has written the same."""
    try:
        return file.read_bytes() == text.encode()
    except OSError:
        return False


def _unused(wish: ExportOptions) -> tuple[str, ...]:
    if wish.format == "markdown" and wish.contents:
        return ("a Markdown file has no list of contents; `--contents` did nothing",)
    return ()


def _snapshot(services: Services, novel: Novel) -> Snapshot:
    style = (novel.config.citation_style,) if novel.config.citation_style else ()
    patterns = (WHOLE, f"{SCENES_FOLDER}/*", BIBLIOGRAPHY, *style)
    return services.workspaces("novel").snapshot(novel.workspace, patterns)


def _scenes(novel: Novel, snapshot: Snapshot, scene: str | None) -> tuple[str, ...]:
    paths = sorted({*snapshot.files, *snapshot.unreadable}, key=lambda path: (path != WHOLE, path))
    there = tuple(each for path in paths if (each := scene_of(path)) is not None)
    if scene is None:
        return there
    if scene_path(scene) not in paths:
        raise NotFound(
            "no-such-scene",
            f"{novel.title!r} has no scene {scene!r} yet{meant(scene, there)}",
            hint=f"`penwright manuscript list {quote(novel.workspace.path)}` shows those that it has",
        )
    return (scene,)


def _joined(snapshot: Snapshot, scenes: Sequence[str], notes: _Notes | None = None) -> str:
    texts = []
    for scene in scenes:
        found = scene_in(snapshot, scene)
        if found.unreadable:
            raise PermanentError(
                "scene-not-text",
                f"{found.path!r} {found.unreadable}; nothing was written",
                hint="save it as UTF-8, then export again",
            )
        text = with_notes(found.text, notes) if notes else found.text
        texts.append(without_comments(text).strip("\n"))
    return "\n\n".join(text for text in with_own_labels(texts) if text.strip()) + "\n"


def _content(
    services: Services, novel: Novel, wish: ExportOptions, cited: ExportedCitations, snapshot: Snapshot
) -> bytes:
    if wish.format == "markdown":
        name = f"{_bibliography_name(wish.place)}.bib" if cited.bibliography else ""
        return f"{frontmatter(novel.config, name)}\n{cited.text}".encode()
    levels = [section.level for section in sections_of(cited.text)] or [1]
    document = BookDocument(
        markdown=as_pandoc_reads(cited.text),
        title=novel.config.title,
        author=novel.config.author,
        language=novel.config.language,
        contents=wish.contents,
        contents_depth=_DEEPEST_CONTENTS,
        top_level=min(levels),
        identifier=f"urn:penwright:{novel.novel_id}",
        written_at=_written_at(services, novel, snapshot),
        scholarly=True,
        bibliography=cited.bibliography,
        bibliography_name=_bibliography_name(wish.place),
        style=_text_of(snapshot, novel.config.citation_style) if novel.config.citation_style else "",
        abstract=novel.config.abstract,
    )
    return services.documents().write(document, wish.format).content


def _bibliography_name(place: Path) -> str:
    """The name of the .bib file beside ``place``, in signs that LaTeX takes."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", place.stem).strip("-") or "references"


def _text_of(snapshot: Snapshot, path: str) -> str:
    return as_lf(snapshot.files[path].text) if path in snapshot.files else ""


def _warnings(
    novel: Novel, snapshot: Snapshot, scenes: Sequence[str], cited: ExportedCitations
) -> Iterator[str]:
    style = novel.config.citation_style
    if style and style not in snapshot.files:
        yield f"{style!r}, the citation style of Novel.yml, is not committed; Chicago was used"
    for scene in scenes:
        path = scene_path(scene)
        if _differs(Path(novel.workspace.path, path), snapshot.files[path].text):
            yield f"{path!r} was changed since the last commit; the document has the committed text"
    places = places_of({scene: scene_in(snapshot, scene).text for scene in scenes})
    for finding in sorted(cited.findings, key=lambda each: each.line):
        if not 0 < finding.line <= len(places):
            yield f"citations: {finding.message}"
            continue
        scene, line = places[finding.line - 1]
        yield f"citations: scene {scene!r}, line {line}: {finding.message}"


def _differs(file: Path, committed: str) -> bool:
    try:
        return as_lf(file.read_bytes().decode("utf-8", "replace")) != as_lf(committed)
    except OSError:
        return False
