"""Reading changes nothing: every page and every address that is read, over an engine with works in it."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import Connection, NullPool, create_engine, inspect, text

from gateway.desk.access import Access
from gateway.desk.drafts.desk import DraftDesk
from gateway.desk.principals import SCOPES, local_user
from gateway.http.run_ids import encoded
from gateway.http.strict import SEATED
from tests.browser.conftest import Workspace
from tests.browser.test_workspace import pages_of
from tests.support.gateway.every_operation import CHAPTER, OPERATIONS, address_of
from tests.support.gateway.services import git_in

CACHE = "board_entries"
"""The board's own copy of where works stand: made anew when it is read, and told from nothing else."""
CLOCKS = ("last_used", "last_used_at")
"""Columns that say when a credential or a text was needed last, for expiry and retention."""
STREAMS = ("follow_events", "follow_typing")
READ = [
    each
    for each in OPERATIONS
    if each.method == "GET" and each.name not in STREAMS and each.name not in SEATED
]
"""Those of a seat note that its person is at the table, and open to its own secret alone."""
EMPTY = {
    *("show_campaign", "list_arcs", "show_arc", "preview_removal_of_campaign", "preview_removal_of_arc"),
    *("show_audit", "show_schedule", "show_picture"),
}
"""Of things that the stock has none of."""

_PATIENCE_S, _PAUSE_S = 60, 0.5

State = Mapping[str, Counter[str]]
"""By table, and for the files of the works: each row or file, and how often it is there."""


async def test_nothing_that_is_read_changes_a_row_or_a_file(workspace: Workspace) -> None:
    await asyncio.to_thread(_save_drafts, workspace)
    known = await asyncio.to_thread(_known, workspace)
    origin = workspace.address.removesuffix("/ui")
    caller = {"authorization": f"Bearer {await asyncio.to_thread(_token, workspace)}"}
    before = await _at_rest(workspace)

    answers = {}
    async with httpx.AsyncClient(base_url=origin, headers=caller, timeout=60) as client:
        for operation in READ:
            path, query = address_of(operation, known)
            answers[operation.name] = await client.get(path, params=query)
        for page in pages_of(workspace):
            answers[page] = await client.get(f"/ui{page}")
    after = await asyncio.to_thread(_state, workspace)

    unread = {name: answer.text for name, answer in answers.items() if answer.status_code != 200}
    assert list(_differences(before, after)) == []
    assert unread.keys() == EMPTY, unread


def _token(workspace: Workspace) -> str:
    made = Access(workspace.services).create_token(local_user("ada"), "reader", SCOPES, None)
    return made.secret


def _save_drafts(workspace: Workspace) -> None:
    """What other tests typed; the workspace itself would save it after 30 seconds."""
    desk = DraftDesk(workspace.services)
    with workspace.services.open_store() as store:
        unsaved = store.drafts.unsaved_since(workspace.services.now())
    for draft in unsaved:
        desk.save_now(local_user("ada"), draft.draft_id)


# Any: parameters by name.
def _known(workspace: Workspace) -> dict[str, Any]:
    """One of each thing."""
    stock = workspace.stock
    newest, older = git_in(stock.folder / "tide", "rev-parse", "HEAD", "HEAD~1").split()
    draft = DraftDesk(workspace.services).open(local_user("ada"), stock.book, CHAPTER)
    return {
        **{"book_id": stock.book, "path": CHAPTER, "draft_id": draft.draft.draft_id},
        **{"novel_id": stock.novel, "document": "-", "name": "section_plan"},
        **{"scene_id": stock.scene, "world_id": "skerrow", "character_id": "ann-quist"},
        **{"persona_id": "mira", "lorebook_id": "skerrow", "scope": "day"},
        **{"commit": newest, "before": older, "after": newest},
        "run_id": encoded(_first_session(workspace)),
    }


def _first_session(workspace: Workspace) -> str:
    """The session that wrote the stock's book; those of other tests may have asked no model."""
    with workspace.services.open_store() as store:
        runs = store.records.runs(subject=workspace.stock.book, pipeline="book-session", limit=50)
    return runs[-1].run


async def _at_rest(workspace: Workspace) -> State:
    """The state once nothing that other tests began changes it.

    Readers of events give them their cursors, by design; here each has its own before.
    """
    with workspace.services.open_store() as store:
        store.records.events_after(0, limit=1)
    before: State = {}
    async with asyncio.timeout(_PATIENCE_S):
        while (now := await asyncio.to_thread(_state, workspace)) != before:
            before = now
            await asyncio.sleep(_PAUSE_S)
    return before


def _state(workspace: Workspace) -> State:
    """Every row of the database, and every file of the works with the refs and objects of git."""
    url = workspace.home.record().database_url
    assert url is not None
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"), poolclass=NullPool)
    with engine.connect() as connection:
        rows = {
            table: Counter(_rows(connection, table))
            for table in inspect(connection).get_table_names()
            if table != CACHE
        }
    return {**rows, "files": Counter(_files(workspace.stock.folder))}


def _rows(connection: Connection, table: str) -> Iterator[str]:
    told = text(f'SELECT (to_jsonb(t) - CAST(:clocks AS text[]))::text FROM "{table}" t')
    yield from connection.execute(told, {"clocks": list(CLOCKS)}).scalars()


def _files(folder: Path) -> Iterator[str]:
    for each in folder.rglob("*"):
        if each.is_file():
            yield f"{each}: {hashlib.sha256(each.read_bytes()).hexdigest()}"


def _differences(before: State, after: State) -> Iterator[str]:
    for name in sorted(before.keys() | after.keys()):
        yield from (f"gone from {name}: {each}" for each in before[name] - after[name])
        yield from (f"new in {name}: {each}" for each in after[name] - before[name])
