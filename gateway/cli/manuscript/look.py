"""Verbs that look at a novel: list, show, diff, versions."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Any, TypedDict

import typer

from gateway.cli.context import services_of
from gateway.cli.live import money
from gateway.cli.manuscript.arguments import NovelArgument, TextArgument
from gateway.cli.output import JsonFlag, Printer, columns
from gateway.cli.times import minute
from gateway.desk.manuscript import board, scenes
from gateway.desk.manuscript.board import DocumentBoard, DocumentLine
from gateway.desk.manuscript.scenes import SceneRow
from gateway.desk.services import Services
from gateway.desk.works import novels
from penwright.domain.text.escaping import printable
from penwright.domain.trailers import MODEL, PERSON, STEP
from penwright.errors import EngineUnavailable, StoreUnavailable
from schemas.workspace import FileVersion

_SHORT = 10


def list_(
    ctx: typer.Context,
    novel: Annotated[
        str | None,
        typer.Argument(metavar="[NOVEL]", help="Its folder or id. Default: every registered novel."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """List the scenes of a novel, or every novel.

    Each with its state, last run, cost and next run.

    \b
      penwright manuscript list
      penwright manuscript list ~/novels/tides
    """
    services, out = services_of(ctx), Printer(json)
    if novel is None:
        _list_all(services, out)
        return
    found = novels.find(services, novel)
    listed = scenes.listing(services, found)
    known = _known(services, out, found.novel_id)
    lines_of = {line.scene: line for line in known.lines}
    data = [_row_data(row) | state_and_score(lines_of.get(row.scene), known) for row in listed]
    none = [f"{found.title} has no text yet; `penwright manuscript import FILE --into {novel}` takes one in."]
    rows = [(*_row(row)[:4], *document_cells(lines_of.get(row.scene), known), _row(row)[4]) for row in listed]
    lines = columns([("SCENE", "WORDS", "SECTIONS", "CHANGED", "STATE", "SCORE", ""), *rows])
    out.result({"novel_id": found.novel_id, "title": found.title, "scenes": data}, lines if listed else none)


def _list_all(services: Services, out: Printer) -> None:
    with services.open_store() as store:
        rows = store.records.books("novel")
    known = _known(services, out)
    data = [row.model_dump(mode="json", include={"book_id", "title", "path", "remote_url"}) for row in rows]
    documents = [document_data(line) for line in known.lines]
    lines = document_lines(known.lines) if rows else []
    none = ["No novel is registered; `penwright manuscript new PATH` makes one."]
    out.result({"novels": data, "documents": documents, "trouble": known.trouble}, lines or none)


def _known(services: Services, out: Printer, novel: str | None = None) -> board.DocumentBoard:
    try:
        known = asyncio.run(board.board(services, novel))
    except (EngineUnavailable, StoreUnavailable) as error:
        if novel is None:
            raise  # the list of novels lies in the store
        known = board.DocumentBoard((), error.message)
    if known.trouble:
        out.note(f"What runs now, and which schedules there are, is not known: {known.trouble}")
    return known


def show(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: TextArgument = "",
    at: Annotated[str, typer.Option("--at", metavar="VERSION", help="A commit, tag or revision.")] = "",
    outline: Annotated[bool, typer.Option("--outline", help="Only the headings and their words.")] = False,
    json: JsonFlag = False,
) -> None:
    """Print a scene, now or as it was.

    \b
      penwright manuscript show ~/novels/tides
      penwright manuscript show ~/novels/tides "The Pier" --at 1a2b3c4
      penwright manuscript show ~/papers/ebb --outline

    It prints the committed text; edits in the folder that no commit has yet are said.
    """
    services, out = services_of(ctx), Printer(json)
    found = novels.find(services, novel)
    shown = scenes.show(services, found, scenes.chosen(services, found, scene), at=at)
    if shown.unsaved:
        out.note(f"{shown.path} has edits in the folder that no commit has yet; the committed text follows.")
    sections = [f"{'  ' * (each.level - 1)}{each.title}  {each.words:,}" for each in shown.sections]
    none = [f"No headings; {found.length(shown.words)}."]
    text = (sections or none) if outline else shown.text.removesuffix("\n")
    data = {**asdict(shown), "sections": [each.model_dump() for each in shown.sections]}
    out.result({"novel_id": found.novel_id, **data}, text)


def diff(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: TextArgument = "",
    since: Annotated[
        str, typer.Option("--since", metavar="VERSION", help="Default: the version before.")
    ] = "",
    until: Annotated[str, typer.Option("--until", metavar="VERSION", help="Default: the last commit.")] = "",
    json: JsonFlag = False,
) -> None:
    """Show what changed in a scene.

    \b
      penwright manuscript diff ~/novels/tides                    # the last change
      penwright manuscript diff ~/novels/tides --since 1a2b3c4
    """
    services = services_of(ctx)
    found = novels.find(services, novel)
    chosen = scenes.chosen(services, found, scene)
    text = scenes.diff(services, found, chosen, since=since, until=until)
    lines = [printable(line) for line in text.splitlines()] or ["Nothing changed."]
    Printer(json).result({"novel_id": found.novel_id, "scene": chosen, "diff": text}, lines)


def versions(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: TextArgument = "",
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many at most.")] = 20,
    json: JsonFlag = False,
) -> None:
    """List the changes of a scene.

    \b
      penwright manuscript versions ~/novels/tides
      penwright manuscript versions ~/novels/tides "The Pier" --json

    The newest comes first. What stands first in a line can be given to `show --at`, `diff --since` and
    `rollback --to`.
    """
    services = services_of(ctx)
    found = novels.find(services, novel)
    chosen = scenes.chosen(services, found, scene)
    listed = scenes.versions(services, found, chosen)[:limit]
    data = [each.model_dump(mode="json") for each in listed]
    Printer(json).result(
        {"novel_id": found.novel_id, "scene": chosen, "versions": data}, columns(map(_version, listed))
    )


def _row_data(row: SceneRow) -> dict[str, Any]:  # Any: JSON
    return {**asdict(row), "changed_at": row.changed_at.isoformat() if row.changed_at else None}


def _row(row: SceneRow) -> Sequence[str]:
    changed = minute(row.changed_at) if row.changed_at else "not yet"
    edits = row.folder or ("unsaved edits" if row.unsaved else "")
    note = edits if row.readable else "not UTF-8 text"
    return (row.scene, f"{row.words:,}", str(row.sections), changed, note)


def _version(version: FileVersion) -> Sequence[str]:
    who = version.trailers.get(MODEL) or version.trailers.get(PERSON) or version.author.partition(" <")[0]
    step = version.trailers.get(STEP, "")
    return (version.commit[:_SHORT], minute(version.at), step, who, printable(version.title))


class Standing(TypedDict):
    """State of a document, beside its text."""

    state: str | None
    score: float | None


_HEAD = ("novel", "scene", "state", "words", "score", "cost")


def document_lines(board: Sequence[DocumentLine]) -> list[str]:
    """A table of the documents; under each its last run and its folder."""
    head, *rows = columns([_HEAD, *map(_cells, board)])
    return [head, *(text for row, line in zip(rows, board, strict=True) for text in (row, *_under(line)))]


def _cells(line: DocumentLine) -> tuple[str, ...]:
    cost = money(line.cost_micros, line.unknown_prices) if line.cost_micros or line.unknown_prices else "-"
    score = "-" if line.score is None else f"{line.score:.2f}"
    words = "-" if line.words is None else f"{line.words:,}"
    return line.novel, line.scene, line.state, words, score, cost


def _under(line: DocumentLine) -> Iterator[str]:
    if line.ended_at:
        yield f"    last run: {line.outcome} {minute(line.ended_at)}"
    yield f"    {line.path}"


def document_cells(line: DocumentLine | None, board: DocumentBoard) -> tuple[str, str]:
    """State and score of a document, which agents may never have worked on; "?" if that is not known."""
    told = state_and_score(line, board)
    state, score = told["state"], told["score"]
    return state or "?", "-" if score is None else f"{score:.2f}"


def state_and_score(line: DocumentLine | None, board: DocumentBoard) -> Standing:
    """The same as JSON; a state that is not known is null."""
    if line is None:
        return {"state": None if board.trouble else "idle", "score": None}
    return {"state": line.state, "score": line.score}


def document_data(line: DocumentLine) -> dict[str, Any]:  # Any: JSON
    """A line as JSON."""
    return {**asdict(line), "ended_at": line.ended_at.isoformat() if line.ended_at else None}
