"""Verbs that begin a novel or a scene: new and import."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from gateway.cli.arguments import Authorship, ChangesOption, EncodingOption, TrackedChanges
from gateway.cli.context import services_of
from gateway.cli.live import busy
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.returned import refuse_review, say
from gateway.desk.citations import references
from gateway.desk.manuscript import new_novels, returned, scenes
from gateway.desk.manuscript.scenes import ReadText
from gateway.desk.services import Services
from gateway.desk.source_texts import Reading
from gateway.desk.works import kinds, novels
from gateway.desk.works.documents import Document
from gateway.desk.works.named import folder, is_path
from penwright.domain.citations.exchange.carried import renamed
from penwright.domain.manuscript.layout import NOVEL
from penwright.domain.manuscript.naming import words_of
from penwright.domain.text.words import count_words, is_estimated, is_unspaced, told_length
from penwright.errors import EngineUnavailable, NotFound, UsageMistake
from schemas.base import LengthUnit
from schemas.documents import Changes
from schemas.manuscript_text import WHOLE_NOVEL

TitleOption = Annotated[str, typer.Option("--title", help="Default: the folder's name.")]
AuthorOption = Annotated[str, typer.Option("--author", help="As on the title page; several with commas.")]
LanguageOption = Annotated[str, typer.Option("--language", help="A tag such as en-GB. Default: en.")]


def new(
    ctx: typer.Context,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A new or empty folder, or a repository.")],
    title: TitleOption = "",
    author: AuthorOption = "",
    language: LanguageOption = "",
    style: Annotated[
        str,
        typer.Option("--style", help="A .csl file in the folder. Default: Chicago, author and date."),
    ] = "",
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep files that exist, and add only the missing ones.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Lay out a new novel or paper.

    \b
      penwright manuscript new ~/novels/tides --title "Low Tide" --author "M. Orr"
      penwright manuscript new ~/papers/ebb --language en-GB --keep    # in a repository that exists

    It makes one commit and overwrites nothing. Novel.yml holds what you say here; edit it later.
    """
    fields = {"title": title, "author": author, "language": language, "citation_style": style}
    made = new_novels.create(services_of(ctx), Path(path), fields, keep=keep)
    lines = [f"A new novel in {made.path}: {made.novel_id}", *(f"  {name}" for name in made.files)]
    steps = (
        f"Next: `penwright manuscript write {quote(path)} --instructions TEXT` has one written, "
        f"`penwright manuscript import FILE --into {quote(path)}` takes one in."
    )
    Printer(json).result({"status": "created", **asdict(made)}, [*lines, steps])


def import_(
    ctx: typer.Context,
    source: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Text or Markdown (UTF-8), LaTeX, DOCX, EPUB or HTML."),
    ],
    into: Annotated[
        str,
        typer.Option("--into", metavar="PATH", help="A novel's folder or id, or a new or empty folder."),
    ] = ".",
    scene: Annotated[
        str, typer.Option("--scene", metavar="SCENE", help="Its name; -: the whole novel.")
    ] = WHOLE_NOVEL,
    title: TitleOption = "",
    author: AuthorOption = "",
    language: LanguageOption = "",
    authorship: Annotated[
        Authorship | None,
        typer.Option("--authorship", help="Who wrote it, for `trace disclose`. Default: a person."),
    ] = None,
    encoding: EncodingOption = "",
    changes: ChangesOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the scene's text if it has one.")] = False,
    json: JsonFlag = False,
) -> None:
    """Take a text in: Markdown, LaTeX, DOCX and others.

    \b
      penwright manuscript import paper.tex --into ~/papers/ebb
      penwright manuscript import pier.md --into ~/novels/tides --scene "The Pier"

    It becomes a scene of the novel, or a novel if the folder is new. Markdown comes in as it is; other
    formats are converted to Markdown, with their citations as [@key] and their formulas between dollar
    signs. What cannot come along is said. Of a DOCX, tracked changes are accepted and comments become INK
    notes; into a scene that exists they come in each in its author's name, the changes to be settled.
    """
    services, out = services_of(ctx), Printer(json)
    is_novel = _is_novel(services, into)
    there = _there(services, into, scene) if is_novel and not force else None
    if there is None:
        refuse_review(changes, "scene" if is_novel else "novel")
    taken: Changes = "review" if there else "reject" if changes == TrackedChanges.REJECT else "accept"
    with busy(f"reading {source.name}", quiet=json):
        read = scenes.read_file(services, source, Reading(encoding=encoding, changes=taken))
    if there is not None and read.returned.people:
        _come_back(services, there, read, changes, out)
        return
    declared = (authorship or Authorship.HUMAN).value
    in_settings = not is_novel and read.has_plain_abstract
    text = read.text if in_settings else read.whole
    if is_novel:
        data = _added(services, into, scene, text, read, force=force, authorship=declared)
    else:
        fields = {"title": title or read.title, "author": author or read.author, "language": language}
        fields |= {"abstract": read.abstract} if in_settings else {}
        data = _made(services, into, scene, text, fields, read, authorship=declared)
    notes = (*read.left_out, *_on_abstract(read, in_settings=in_settings))
    for note in notes:
        out.note(f"note: {note}")
    words = count_words(text)
    shown = words_of(into, scene)
    unit: LengthUnit = "characters" if is_unspaced(text) and not is_estimated(text) else "words"
    line = f"{source} is scene {scene!r} of {data['path']}: {told_length(words, unit)}."
    out.result(
        {
            "status": "imported",
            **data,
            "scene": scene,
            "words": words,
            "format": read.format,
            "notes": list(notes),
        },
        [line, f"Next: `penwright manuscript show {shown}` prints it."],
    )


def _is_novel(services: Services, into: str) -> bool:
    """Whether ``into`` is a novel already, by folder or id; else a folder in which one can be made."""
    if is_path(into):
        return not novels.is_free(Path(into))
    try:
        folder(services, kinds.NOVEL, into)
    except UsageMistake:  # no id can be written like that
        return False
    except NotFound as unknown:
        if isinstance(unknown.__cause__, EngineUnavailable):  # it may be an id
            raise
        return False
    return True


def _there(services: Services, into: str, scene: str) -> Document | None:
    """The scene, if it has a text."""
    novel = novels.find(services, into)
    return None if scenes.is_new(services, novel, scene) else Document(novel, scene)


def _come_back(
    services: Services, found: Document, read: ReadText, changes: TrackedChanges | None, out: Printer
) -> None:
    """Take the changes and comments of a document into a scene that exists."""
    wanted = changes or TrackedChanges.REVIEW
    done = asyncio.run(returned.take_in(services, found, read.returned, wanted.value))
    where = f"Next: `penwright manuscript settle {found.words}` lists them; the page has a card for each."
    say(out, done, where, novel_id=found.novel.novel_id, scene=found.scene)


def _on_abstract(read: ReadText, *, in_settings: bool) -> tuple[str, ...]:
    if not read.abstract:
        return ()
    if in_settings:
        return ("its abstract is in Novel.yml",)
    return ("its abstract is the first section of the text",)


def _added(
    services: Services, into: str, scene: str, text: str, read: ReadText, *, force: bool, authorship: str
) -> dict[str, str]:
    novel, bibtex, people = novels.find(services, into), read.references, read.people
    present, merged = references.prepared(services, novel, bibtex) if bibtex else (None, None)
    text = renamed(text, merged.keys) if merged else text
    version = scenes.add(services, novel, scene, text, force=force, authorship=authorship, people=people)
    if present and merged:
        references.publish(services, novel, present, merged)
    return {"novel_id": novel.novel_id, "path": novel.workspace.path, "commit": version.commit}


def _made(
    services: Services,
    into: str,
    scene: str,
    text: str,
    fields: dict[str, str],
    read: ReadText,
    *,
    authorship: str,
) -> dict[str, str]:
    made = new_novels.create(
        services,
        Path(into),
        fields,
        scenes={scene: text},
        references=read.references,
        authorship=authorship,
        people=read.people,
    )
    assert NOVEL in made.files, "a new novel has its settings"
    return {"novel_id": made.novel_id, "path": made.path, "commit": made.commit}
