"""Edits that were not made, as people see them, and conflicts that a person settles."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from gateway.desk.manuscript import refused_edits
from gateway.desk.works.documents import Document
from gateway.desk.works.novels import Novel
from penwright.errors import NotFound, Refused
from penwright.roles.manuscript.edit_reply import OPERATIONS
from schemas.agent_state import ActionEntry, StateKey
from schemas.base import BookId, OpId
from schemas.manuscript_text import TextSaved
from schemas.novel import NovelConfig
from schemas.patching import Operation
from tests.support.gateway.services import NOW
from tests.support.manuscripts.novel_repo import NovelRepo

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from gateway.desk.services import Services

BASE = "# One\n\nThe old harbour slept. It thawed.\n\nThe sea was calm.\n"
HEAD = BASE.replace("The old harbour slept.", "The old harbour woke.")
MINE = Operation(find="The old harbour slept.", replace="The new harbour slept.")
LOST = Operation(find="No such passage at all.", replace="x")


class Office:
    """The services of the desk around one novel's folder."""

    def __init__(self, novel: NovelRepo) -> None:
        self.novel = novel

    def now(self) -> Any:
        return NOW

    def defaults(self) -> Any:
        return type("Defaults", (), {"repo_queue": "q", "model_queue": "q"})

    def workspaces(self, kind: str) -> Any:
        return self.novel.git

    @contextmanager
    def open_store(self) -> Iterator[Any]:
        yield self.novel.store

    @asynccontextmanager
    async def engine(self) -> AsyncIterator[Any]:
        yield SimpleNamespace(editors=self)

    async def save(self, given: object, order: Any, key: str) -> TextSaved:
        return self.novel.save(self.novel.text(order.text), order.base)


@pytest.fixture
def novel(tmp_path: Path) -> NovelRepo:
    """A novel with a revision of which one edit met what its author wrote, and another found nothing."""
    novel = NovelRepo(tmp_path / "novel", {"-": HEAD})
    applied = novel.apply(BASE, MINE, LOST)
    reply = novel.store.blobs.put(OPERATIONS.dump_json((MINE, LOST)))
    results = novel.store.blobs.put(refused_edits._RESULTS.dump_json(applied.results))
    entry = ActionEntry(
        op_id=OpId("e1"),
        run="r",
        at=NOW,
        action="revise_manuscript",
        outcome="refused",
        summary="Nothing was written.",
        detail={"reply": reply.model_dump(), "results": results.model_dump()},
    )
    novel.store.agent_logs.append([(StateKey(novel="tides"), entry)])
    return novel


@pytest.mark.parametrize(
    ("keep", "text"),
    [("mine", HEAD), ("edit", BASE.replace("The old harbour slept.", "The new harbour slept."))],
)
async def test_a_conflict_has_both_versions_and_is_settled_once(
    novel: NovelRepo, keep: refused_edits.Keep, text: str
) -> None:
    services = cast("Services", Office(novel))
    found = Document(Novel(BookId("tides"), novel.workspace, NovelConfig(id="tides", title="T")), "-")
    entries = [each.entry for each in novel.store.agent_logs.read(found.key)]
    shown = refused_edits.of_entry(novel.store, cast("ActionEntry", entries[0]))

    await refused_edits.decide(services, found, "e1", 1, keep, who="ann")
    with pytest.raises(NotFound):
        await refused_edits.decide(services, found, "e1", 1, keep, who="ann")

    assert [each.outcome for each in shown] == ["conflict", "not_found"]
    assert (shown[0].nearest, shown[0].wanted) == ("The old harbour woke.", "The new harbour slept.")
    assert novel.committed.rstrip() == text.rstrip()
    last = novel.store.agent_logs.newest(found.key)
    assert last is not None
    assert isinstance(last.entry, ActionEntry)
    assert last.entry.summary.startswith("ann ")


async def test_a_passage_that_was_changed_since_is_left_alone(novel: NovelRepo) -> None:
    services = cast("Services", Office(novel))
    found = Document(Novel(BookId("tides"), novel.workspace, NovelConfig(id="tides", title="T")), "-")
    novel.save(HEAD.replace("woke", "sang"))

    with pytest.raises(Refused) as refused:
        await refused_edits.decide(services, found, "e1", 1, "edit", who="ann")

    assert refused.value.code == "changed-since"
    assert "sang" in novel.committed
