"""Custom agents' modules, and the resources a worker binds for their tools."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

import pytest
from pydantic import ValidationError

from penwright.adapters.clock import SystemClock
from penwright.adapters.workspace import GitWorkspaces
from penwright.agents.files.filesystem import Filesystem
from penwright.agents.guardrails.selected_intent import SelectedIntent
from penwright.agents.tools.plan import Plan
from penwright.agents.tools.resources import WorkerResources, opened
from penwright.agents.tools.tool import Arguments
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.gate import IntentGate
from penwright.domain.intents.registry import REGISTRY, read_registry
from penwright.domain.intents.tools import PERSON
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.errors import BrokenDefinition, NotFound, UsageMistake
from penwright.roles import catalogue
from penwright.roles.workspace.desk import WorkspaceDesk
from schemas.agent import SerializedState
from schemas.agent_run import RunToolCall
from schemas.base import BookId, Effect, OpId
from schemas.records import BookRow
from schemas.trace import MutationClass
from schemas.workspace import Create, Modify, Operation
from tests.support.agents.gardener import Holding
from tests.support.books.repos import git, make_repository
from tests.support.doubles.store import memory_store
from workers.agents import BookWorkbench, register_agents
from workers.settings import Settings

LIBRARY = "tests.support.workflows.librarian"


def order(subject: str, tool: str = "read_page") -> RunToolCall:
    return RunToolCall(
        effect=Effect(op_id=OpId("r/call/1"), issued_at=datetime(2026, 3, 1, tzinfo=UTC)),
        agent="test/librarian",
        run_id="r",
        subject=subject,
        number=1,
        call_id="c",
        tool=tool,
        arguments={},
        state=SerializedState(),
    )


def test_agents_of_a_module_join_the_built_in_ones() -> None:
    register_agents(Settings(agents=(LIBRARY,)))

    assert catalogue.find("test/librarian").definition.title == "A librarian"
    assert "ink/writer" in catalogue.all_agents()


def test_a_module_beside_the_settings_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    text = f"from {LIBRARY} import AGENTS\n"
    (tmp_path / "agents_beside_the_settings.py").write_text(text, "utf-8")

    register_agents(Settings(agents=("agents_beside_the_settings",)), file=tmp_path / "penwright.toml")

    assert str(tmp_path) in sys.path


@pytest.mark.parametrize("name", ["no.such.module", "json"])
def test_a_module_without_agents_is_named(name: str) -> None:
    with pytest.raises(UsageMistake) as refused:
        register_agents(Settings(agents=(name,)))

    assert refused.value.code == "agents-module"
    assert repr(name) in refused.value.message


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1\nraise RuntimeError('hi')", "RuntimeError: hi, in line 2 of "),
        ("AGENTS = (", "in line 1 of "),
        ("AGENTS = 3", "TypeError"),
        ("import sys\nsys.exit(0)", "SystemExit: 0, in line 2 of "),
    ],
)
def test_a_module_that_fails_is_named_with_its_line(
    text: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    name = f"failing_agents_{abs(hash(text))}"
    (tmp_path / f"{name}.py").write_text(text, "utf-8")

    with pytest.raises(UsageMistake) as refused:
        register_agents(Settings(agents=(name,)), file=tmp_path / "penwright.toml")

    assert refused.value.code == "agents-module-fails"
    assert told in str(refused.value)


def test_an_invalid_definition_in_a_disabled_branch_stops_the_worker() -> None:
    with pytest.raises(BrokenDefinition) as broken:
        register_agents(Settings(agents=("tests.support.agents.broken",)))

    assert "'annex'" in broken.value.message
    assert "'read_page'" in broken.value.message
    assert "test/broken" not in catalogue.all_agents()


async def test_a_tool_reads_the_tip_of_the_book_its_run_works_on(tmp_path: Path) -> None:
    make_repository(tmp_path / "lamp", {"Lore.md": "The lamp burns.\n"})
    records = memory_store(clock=SystemClock()).records
    records.register(BookRow(book_id=BookId("lamp"), path=str(tmp_path / "lamp")))

    async with opened(()) as workshop:
        bench = BookWorkbench(workshop, GitWorkspaces(SystemClock(), profile=BOOK_PROFILE), records, "main")
        async with bench.call(order("lamp")) as resources:
            text = resources.get(Filesystem).read_text("Lore.md").text  # type: ignore[type-abstract]
        async with bench.call(order("moon")) as resources:
            with pytest.raises(NotFound) as unknown:
                resources.get(Filesystem)  # type: ignore[type-abstract]

    assert text == "The lamp burns.\n"
    assert unknown.value.code == "unknown-book"


INTENTS = """\
active_intents:
  - id: INT-001
    status: IN_PROGRESS
    owned_scope: ["**"]
"""


def bench_of(resources: WorkerResources, folder: Path) -> BookWorkbench:
    """A bench beside a book with an intent that owns all of it."""
    make_repository(folder, {REGISTRY: INTENTS, "Lore.md": "The lamp burns.\n"})
    records = memory_store(clock=SystemClock()).records
    records.register(BookRow(book_id=BookId("lamp"), path=str(folder)))
    recorder = LedgerRecorder("1", BOOK_PROFILE, Lock())
    book = GitWorkspaces(SystemClock(), IntentGate(BOOK_PROFILE), recorder, profile=BOOK_PROFILE)
    return BookWorkbench(resources, book, records, "main")


class Note(Arguments):
    """What a tool of one's own is asked."""


def plan_of(*operations: Operation) -> Plan:
    return Plan(operations=operations, mutation=MutationClass.INTENT_EVOLUTION)


SELECTED = SelectedIntent(
    intent_id="INT-001", digest=getattr(read_registry(INTENTS.encode()).find("INT-001"), "digest", "")
)


async def test_what_a_tool_published_is_read_at_its_commit(tmp_path: Path) -> None:
    async with opened(()) as workshop:
        bench = bench_of(workshop, tmp_path / "lamp")
        async with bench.call(order("lamp", "note")) as resources:
            files = resources.get(Filesystem)  # type: ignore[type-abstract]
            was_there = files.exists("Tide.md")
            publisher = bench.publisher(order("lamp", "note"))
            assert publisher is not None
            new = plan_of(Create(path="Tide.md", content="It turns.\n"))
            commit = publisher.publish(new, Note(), Holding((SELECTED,))).commit
            assert commit is not None
            made = resources.get(WorkspaceDesk).file_at(commit, "Tide.md")
            is_shown = files.exists("Tide.md")

    assert (was_there, is_shown) == (False, False)
    assert made is not None
    assert made.text == "It turns.\n"


async def test_an_agents_plan_is_an_agents_whatever_its_tool_is_called(tmp_path: Path) -> None:
    """A plan cannot say of itself that a person's command or the engine made it."""
    folder = tmp_path / "lamp"
    outcomes = {}
    async with opened(()) as workshop:
        bench = bench_of(workshop, folder)
        wider = Modify(
            path=REGISTRY, content=INTENTS + "# wider", base=git(folder, "rev-parse", f"HEAD:{REGISTRY}")
        )
        for called in (*PERSON, *BOOK_PROFILE.engine_tools, *BOOK_PROFILE.writer_tools, "note"):
            publisher = bench.publisher(order("lamp", called))
            assert publisher is not None
            outcomes[called] = publisher.publish(plan_of(wider), Note(), Holding((SELECTED,))).outcome

    assert set(outcomes.values()) == {"denied"}, outcomes
    with pytest.raises(ValidationError, match="tool"):
        Plan.model_validate({**plan_of(wider).model_dump(), "tool": "intent.edit"})


async def test_the_files_that_a_plan_changed_are_read_from_its_commit(tmp_path: Path) -> None:
    folder = tmp_path / "lamp"
    new = Create(path="Lore/tide.md", content="High.\n")
    async with opened(()) as workshop:
        publisher = bench_of(workshop, folder).publisher(order("lamp", "note"))
        assert publisher is not None
        made = publisher.publish(plan_of(new), Note(), Holding((SELECTED,)))
        again = publisher.earlier(Note())

    assert (made.outcome, again and again.commit) == ("published", made.commit)
    assert publisher.files(made) == {"Lore/tide.md": git(folder, "rev-parse", "HEAD:Lore/tide.md")}
    assert git(folder, "log", "-1", "--format=%s") == "write_to_file Lore/tide.md"
