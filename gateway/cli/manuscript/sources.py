"""Verbs of the sources of one's own."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from gateway.cli.completing import works
from gateway.cli.context import services_of
from gateway.cli.live import busy
from gateway.cli.manuscript.arguments import NovelArgument
from gateway.cli.output import EXIT_FAILED, JsonFlag, Printer
from gateway.cli.tables import block, cut, table
from gateway.desk.manuscript import source_edits, sources
from gateway.desk.manuscript.source_edits import SourcesChanged, WhichWork
from gateway.desk.manuscript.sources import GivenFile, SourceRow, SourcesAdded
from gateway.desk.works import novels
from penwright.domain.text.counted import counted
from penwright.errors import UsageMistake
from schemas.library import LibraryPassage
from schemas.scholarly import ScholarlyRecord
from schemas.workspace import Pushed

_SHOWN = 300
"""Characters of a passage that a list shows."""
_LONGEST_TITLE = 60
_WANTED = {"author": "--author NAMES", "year": "--year YEAR"}

NovelName = Annotated[
    str,
    typer.Argument(
        metavar="NOVEL", help="The novel's folder, or its registered id.", autocompletion=works("novel")
    ),
]
DoiOption = Annotated[str, typer.Option("--doi", metavar="DOI", help="The DOI of the work that it is.")]
KeyOption = Annotated[
    str, typer.Option("--key", metavar="KEY", help="The entry of references.bib that it is.")
]


def add(
    ctx: typer.Context,
    novel: NovelName,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE...]", help="PDF, DOCX, EPUB, HTML, Markdown or text."),
    ] = None,
    zotero: Annotated[
        bool,
        typer.Option("--zotero", help="Take what Zotero holds; a name in place of FILE is a collection."),
    ] = False,
    doi: DoiOption = "",
    key: KeyOption = "",
    json: JsonFlag = False,
) -> None:
    """Add files to the novel's sources, in one commit, and read them.

    \b
      penwright manuscript sources add ~/papers/ebb ~/Downloads/*.pdf
      penwright manuscript sources add ~/papers/ebb tides.pdf --doi 10.5555/tides.7
      penwright manuscript sources add ~/papers/ebb --zotero "Tides"

    A file that cannot be read is named; the others come in. A file is 20 MB at most.
    Exit codes: 0 done, 1 no file could be added.
    """
    services, which, named = services_of(ctx), WhichWork(doi, key), files or []
    if not named and not zotero:
        raise UsageMistake("no-files", "no file is named", hint="name files, or take what --zotero holds")
    if zotero and len(named) > 1:
        raise UsageMistake("no-such-collection", "--zotero takes one collection", hint="name one, or none")
    if (doi or key) and (zotero or len(named) > 1):
        hint = "add its file alone, or name each later: `penwright manuscript sources identify NOVEL FILE`"
        raise UsageMistake("one-work", "--doi and --key name one work, not several", hint=hint)
    found = novels.find(services, novel)
    with _Doing(quiet=json) as tell:
        given = [GivenFile(each) for each in named]
        if zotero:
            tell("asking Zotero")
            given = list(sources.in_zotero(services, str(named[0]) if named else ""))
        done = sources.add(services, found, given, which, tell=tell)
    Printer(json).result({"status": "added", **_added(done)}, _added_lines(done, novel))
    if not done.added and not done.there:
        raise typer.Exit(EXIT_FAILED)


def identify(
    ctx: typer.Context,
    novel: NovelName,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The name of its file.")],
    doi: DoiOption = "",
    key: KeyOption = "",
    title: Annotated[str, typer.Option("--title", help="The title of the work.")] = "",
    author: Annotated[
        str, typer.Option("--author", metavar="NAMES", help='Its authors: "Ann Marsh and Bo Li".')
    ] = "",
    year: Annotated[
        int | None, typer.Option("--year", min=1000, max=2100, help="The year in which it appeared.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Say which work a source is, or confirm what was guessed of it.

    \b
      penwright manuscript sources identify ~/papers/ebb scan-17.pdf --key marsh2019tides
      penwright manuscript sources identify ~/papers/ebb tides.pdf --year 2019

    sources/sources.bib can be edited by hand as well: its field unsure says what was guessed, and how.
    """
    services = services_of(ctx)
    found = novels.find(services, novel)
    with busy("changing the sources", quiet=json):
        done = source_edits.identify(services, found, source, WhichWork(doi, key, title, author, year))
    _tell(Printer(json), "identified", novel, done, f"{source} is named.")


def remove(
    ctx: typer.Context,
    novel: NovelName,
    names: Annotated[list[str], typer.Argument(metavar="SOURCE...", help="Names of their files.")],
    json: JsonFlag = False,
) -> None:
    """Take sources out of the novel, in one commit.

    \b
      penwright manuscript sources remove ~/papers/ebb tides.pdf
    """
    services = services_of(ctx)
    found = novels.find(services, novel)
    with busy("changing the sources", quiet=json):
        done = source_edits.remove(services, found, names)
    _tell(Printer(json), "removed", novel, done, f"{counted(len(done.names), 'source')} removed.")


def undo(ctx: typer.Context, novel: NovelArgument = ".", json: JsonFlag = False) -> None:
    """Take the last change of the sources back, as a new commit.

    Given again, it takes back the change before that one, until none is left.

    \b
      penwright manuscript sources undo ~/papers/ebb
    """
    services = services_of(ctx)
    found = novels.find(services, novel)
    with busy("changing the sources", quiet=json):
        done = source_edits.undo(services, found)
    _tell(Printer(json), "undone", novel, done, f"Taken back: {done.message}.")


def list_(ctx: typer.Context, novel: NovelArgument = ".", json: JsonFlag = False) -> None:
    """List the sources of the novel, with the work that each is.

    \b
      penwright manuscript sources list ~/papers/ebb
    """
    services = services_of(ctx)
    found = novels.find(services, novel)
    with _Doing(quiet=json) as tell:
        rows = sources.listing(services, found, tell=tell)
    data = {"status": "listed", "sources": [_source(each) for each in rows]}
    none = f"No sources yet. Add some: `penwright manuscript sources add {quote(novel)} FILE`"
    lines = table([("source", "work", "year", "pages", "words"), *(_cells(each) for each in rows)])
    trouble = [f"{each.source.name}: {each.why}" for each in rows if each.why]
    guessed = [line for each in rows if each.unsure for line in _unsure_lines(each, novel, each.source.name)]
    Printer(json).result(data, [*lines, *trouble, *guessed] if rows else [none])


def search(
    ctx: typer.Context,
    novel: NovelName,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="A question, or words of the passage.")],
    limit: Annotated[int, typer.Option("--limit", min=1, max=50, help="Passages at most.")] = 5,
    json: JsonFlag = False,
) -> None:
    """Find passages in the sources, best first: by their words, and by what they mean.

    \b
      penwright manuscript sources search ~/papers/ebb "sleep before a spring tide"

    No registry is asked. Lists of references are left out.
    """
    services = services_of(ctx)
    found = novels.find(services, novel)
    with busy("searching the sources", quiet=json):
        passages = sources.search(services, found, words, limit)
    data = {"status": "found", "passages": [_passage(each) for each in passages]}
    near = bool(passages) and not any(each.has_words for each in passages)
    head = ["No passage has these words; nearest by meaning:", ""] if near else []
    lines = [line for each in passages for line in _passage_lines(each, alone=near)]
    Printer(json).result(data, [*head, *lines] or ["Nothing in the sources is about that."])


class _Doing:
    """Shows what is done now, one thing after the other."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet, self._shown = quiet, ExitStack()

    def __enter__(self) -> Callable[[str], None]:
        return self._tell

    def __exit__(self, *_: object) -> None:
        self._shown.close()

    def _tell(self, doing: str) -> None:
        self._shown.close()
        self._shown.enter_context(busy(doing, quiet=self._quiet))


def _tell(out: Printer, status: str, novel: str, done: SourcesChanged, line: str) -> None:
    data = {
        "status": status if done.commit else "unchanged",
        "sources": list(done.names),
        "commit": done.commit,
        **_push(done.push),
    }
    back = f"Back: `penwright manuscript sources undo {quote(novel)}`"
    if status == "undone":
        back = f"The change before it: `penwright manuscript sources undo {quote(novel)}`"
    lines = [line, *_push_lines(done.push), back]
    out.result(data, lines if done.commit else ["It is so already; nothing was changed."])


# Any: JSON.
def _push(push: Pushed | None) -> dict[str, Any]:
    return {"push": push.outcome, "push_reason": push.reason} if push else {}


def _push_lines(push: Pushed | None) -> Sequence[str]:
    if push is None or push.outcome != "pending":
        return ()
    return (f"Not pushed yet; the next push takes it: {push.reason or 'the remote did not take it'}",)


# Any: JSON, here and below.
def _added(done: SourcesAdded) -> dict[str, Any]:
    refused = [
        {"path": each.path, "code": each.code, "error": each.message, "hint": each.hint}
        for each in done.refused
    ]
    return {
        "added": [_source(each) for each in done.added],
        "already_there": [name for _, name in done.there],
        "refused": refused,
        "commit": done.commit,
        **_push(done.push),
    }


def _added_lines(done: SourcesAdded, novel: str) -> Sequence[str]:
    lines = [line for each in done.added for line in _added_row(each, novel)]
    lines += [
        f"{name} is there already." if Path(given).name == name else f"{given} is there already, as {name}."
        for given, name in done.there
    ]
    for each in done.refused:
        lines += [f"Not added: {each.message}", *([f"  {each.hint}"] if each.hint else [])]
    lines += _push_lines(done.push)
    if done.commit:
        lines.append(f"Back: `penwright manuscript sources undo {quote(novel)}`")
    return [f"{counted(len(done.added), 'source')} added.", *lines]


def _added_row(row: SourceRow, novel: str) -> Iterator[str]:
    yield f"{row.source.name}: {cut(row.title, _LONGEST_TITLE)}{_amount(row)}"
    if by := ", ".join(filter(None, (_people(row), _year(row), _doi(row)))):
        yield f"  {by}"
    yield from _unsure_lines(row, novel)
    if row.beside:
        name = quote(row.source.name)
        yield f"  The same work as {', '.join(row.beside)}, whose entry {row.source.key} now names both."
        yield f"  If it is another: `penwright manuscript sources identify {quote(novel)} {name} --doi DOI`"


def _people(row: SourceRow) -> str:
    named = row.source.record.people if row.source.record else ()
    said = " and ".join(each.family for each in named[:2]) if len(named) < 3 else f"{named[0].family} et al."
    return _marked(row, "authors", said)


def _year(row: SourceRow) -> str:
    return _marked(row, "year", str(row.source.record.year or "") if row.source.record else "")


def _doi(row: SourceRow) -> str:
    return _marked(row, "doi", row.source.record.doi if row.source.record else "")


def _marked(row: SourceRow, field: str, said: str) -> str:
    """A guess has a question mark."""
    return f"{said}?" if said and any(each.field == field for each in row.unsure) else said


def _unsure_lines(row: SourceRow, novel: str, name: str = "") -> Iterator[str]:
    """Guesses and gaps, with the command that settles them."""
    record = row.source.record
    if record is None:
        return
    begins = f"{name}: " if name else "  "
    for each in row.unsure:
        yield f"{begins}{each.field} not sure: {each.why}."
    missing = [word for word, known in (("author", record.people), ("year", record.year)) if not known]
    if missing:
        yield f"{begins}no {' and no '.join(missing)} found."
    if steps := [
        *(_confirmed(each.field, record) for each in row.unsure),
        *(_WANTED[each] for each in missing),
    ]:
        named = f"{quote(novel)} {quote(row.source.name)}"
        yield f"  Say it: `penwright manuscript sources identify {named} {' '.join(steps)}`"


def _confirmed(field: str, record: ScholarlyRecord) -> str:
    """The option that confirms a guess."""
    people = " and ".join(f"{each.given} {each.family}".strip() for each in record.people)
    said = {"authors": people, "title": record.title, "doi": record.doi, "year": str(record.year or "")}
    return f"--{'author' if field == 'authors' else field} {quote(said[field])}"


def _amount(row: SourceRow) -> str:
    if row.text is None:
        return ""
    pages = f", {counted(row.text.pages, 'page')}" if row.text.pages else ""
    scans = f", {counted(len(row.text.without_text), 'page')} without text" if row.text.without_text else ""
    return f"{pages}, {counted(row.text.words, 'word')}{scans}"


def _source(row: SourceRow) -> dict[str, Any]:
    record, text = row.source.record, row.text
    return {
        "name": row.source.name,
        "key": row.source.key,
        "title": row.title,
        "authors": [f"{each.given} {each.family}".strip() for each in record.authors] if record else [],
        "year": record.year if record else None,
        "doi": record.doi if record else "",
        "pages": text.pages if text else None,
        "pages_without_text": list(text.without_text) if text else [],
        "words": text.words if text else 0,
        "unsure": {each.field: each.why for each in row.unsure},
        "same_work": list(row.beside),
        "error": row.why,
    }


def _cells(row: SourceRow) -> tuple[str, ...]:
    text = row.text
    year = _year(row) or "-"
    pages = str(text.pages) if text and text.pages else "-"
    return row.source.name, cut(row.title, _LONGEST_TITLE), year, pages, f"{text.words:,}" if text else "-"


def _passage(passage: LibraryPassage) -> dict[str, Any]:
    record = passage.record
    return {
        **passage.model_dump(include={"source", "number", "page", "section", "text", "has_words"}),
        "title": record.title if record else "",
        "doi": record.doi if record else "",
    }


def _passage_lines(passage: LibraryPassage, *, alone: bool) -> Sequence[str]:
    """``alone``: none of the passages has a word of the question, which was said above them."""
    page = f", page {passage.page}" if passage.page else ""
    section = f", {passage.section}" if passage.section else ""
    text = passage.text if len(passage.text) <= _SHOWN else f"{passage.text[:_SHOWN].rstrip()}…"
    by = "" if passage.has_words or alone else " (by meaning)"
    return f"{passage.source}{page}{section}{by}", *block(text), ""
