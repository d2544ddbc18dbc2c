"""The seed's cases of its gatekeeper, before a real repository and a registry that is really parsed."""

from pathlib import Path

import pytest

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.gate import IntentGate
from penwright.domain.intents.registry import REGISTRY, read_registry
from penwright.domain.intents.tools import AGENT
from penwright.domain.trace.chain import read_lines
from penwright.domain.trace.layout import LEDGER
from penwright.domain.trace.recorder.recording import LedgerRecorder
from schemas.intents import IntentPin
from schemas.trace import MutationClass
from schemas.workspace import Contributor, Create, Published
from tests.support.books.desks import Desk
from tests.support.books.repos import git, plan_of
from tests.support.each import for_each

OWNED = """\
# What the book is about is the author's.
active_intents:
  - id: INT-003
    name: The third chapter
    status: IN_PROGRESS
    owned_scope: ["Chapters/**"]
  - id: INT-004
    name: The fourth
    status: BLOCKED
    owned_scope: ["Chapters/**"]
"""
NEW = "Chapters/Three.md"
TOOLS = sorted(AGENT)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path, gate=IntentGate(BOOK_PROFILE), recorder=LedgerRecorder("test", BOOK_PROFILE))
    made.commit(REGISTRY, OWNED)
    return made


def pin_of(intent_id: str = "INT-003") -> IntentPin:
    found = read_registry(OWNED.encode()).find(intent_id)
    return IntentPin(intent_id=intent_id, digest=found.digest if found else "")


def write(desk: Desk, tool: str = "write_to_file", pin: IntentPin | None = None) -> Published:
    """An agent writes a new chapter."""
    plan = plan_of(desk.workspace, Create(path=NEW, content="Rain fell.\n")).model_copy(
        update={
            "tool": tool,
            "contributor": Contributor.MODEL,
            "pin": pin,
            "mutation": MutationClass.INTENT_EVOLUTION,
        }
    )
    return desk.port.publish(plan, desk.effect("agent/r/call/1"))


def refused(desk: Desk, tool: str = "write_to_file", pin: IntentPin | None = None) -> tuple[str, str]:
    """The denial of a write that leaves every byte of the repository as it was."""
    before = _everything(desk)
    published = write(desk, tool, pin)
    assert published.outcome == "denied"
    assert published.denial is not None
    assert published.denial.action_hint
    assert _everything(desk) == before
    return published.denial.error_type, published.denial.error_code


def _everything(desk: Desk) -> tuple[object, ...]:
    top = Path(desk.workspace.path)
    files = {
        str(path.relative_to(top)): path.read_bytes()
        for path in top.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }
    return git(top, "rev-parse", "HEAD"), git(top, "ls-files", "-s"), git(top, "for-each-ref"), files


# Tools that change text, without an intent.


@for_each("tool", TOOLS)
def test_no_tool_writes_without_an_intent(desk: Desk, tool: str) -> None:
    assert refused(desk, tool) == ("MISSING_OR_INVALID_INTENT", "INTENT_NOT_SELECTED")


@for_each("intent_id", ["", "   ", "\t\n"])
@for_each("tool", TOOLS)
def test_an_empty_intent_id_is_denied(desk: Desk, tool: str, intent_id: str) -> None:
    kind, _ = refused(desk, tool, IntentPin(intent_id=intent_id, digest=""))

    assert kind == "MISSING_OR_INVALID_INTENT"


# With an intent that does not hold.


def test_a_write_without_a_registry_is_denied(desk: Desk) -> None:
    git(Path(desk.workspace.path), "rm", "-q", REGISTRY)
    git(Path(desk.workspace.path), "commit", "-q", "-m", "Remove")

    assert refused(desk, pin=pin_of()) == ("MISSING_OR_INVALID_INTENT", "REGISTRY_MISSING")


def test_a_write_under_an_unregistered_intent_is_denied(desk: Desk) -> None:
    assert refused(desk, pin=pin_of("INT-009"))[1] == "INTENT_UNKNOWN"


def test_a_write_under_an_intent_not_in_progress_is_denied(desk: Desk) -> None:
    assert refused(desk, pin=pin_of("INT-004"))[1] == "INTENT_NOT_WRITABLE"


@for_each(
    "text",
    [
        "",
        "active_intents: [",
        "- just\n- a list\n",
        "active_intents: 7\n",
        OWNED + OWNED.partition("\n")[2][15:],
    ],
)
def test_a_write_under_an_invalid_registry_is_denied(desk: Desk, text: str) -> None:
    desk.commit(REGISTRY, text)

    assert refused(desk, pin=pin_of())[1] == "REGISTRY_INVALID"


# With one that holds.


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_writes_under_an_intent_in_progress(desk: Desk, tool: str) -> None:
    published = write(desk, tool, pin_of())

    assert published.outcome == "published"
    assert git(Path(desk.workspace.path), "show", f"HEAD:{NEW}") == "Rain fell."


def test_a_write_and_its_one_line_are_in_one_commit_that_names_both(desk: Desk) -> None:
    published = write(desk, pin=pin_of())

    changed = git(Path(desk.workspace.path), "show", "--name-only", "--format=", "HEAD").splitlines()
    (line,) = read_lines(git(Path(desk.workspace.path), "show", f"HEAD:{LEDGER}").encode() + b"\n")
    assert {NEW, LEDGER} <= set(changed)
    assert line.record is not None
    assert line.record["intent"]["id"] == "INT-003"
    assert published.trailers["Trace-Id"] == line.record["id"]


# Writes that need no intent.


def test_reading_needs_neither_intent_nor_valid_registry(desk: Desk) -> None:
    desk.commit(REGISTRY, "active_intents: [")

    with desk.port.tree(desk.workspace) as tree:
        assert tree.content("Book.md") is not None
    assert desk.port.snapshot(desk.workspace, ["Book.md"]).files["Book.md"].text
    with desk.port.trace(desk.workspace) as source:
        assert source.ledger() == ()


# The file system.


def test_the_gate_reads_the_committed_registry_not_the_worktree(desk: Desk) -> None:
    lying = Path(desk.workspace.path) / REGISTRY
    lying.write_text("active_intents: [", encoding="utf-8")

    assert write(desk, pin=pin_of()).outcome == "published"


def test_a_link_in_place_of_the_registry_is_not_followed(desk: Desk) -> None:
    top = Path(desk.workspace.path)
    (top / "elsewhere.yaml").write_text(OWNED, encoding="utf-8")
    (top / REGISTRY).unlink()
    (top / REGISTRY).symlink_to("../elsewhere.yaml")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "Link")

    assert refused(desk, pin=pin_of())[0] == "MISSING_OR_INVALID_INTENT"


def test_a_registry_beyond_its_size_is_refused_unread(desk: Desk) -> None:
    desk.commit(REGISTRY, OWNED + "# x\n" * 300_000)

    assert refused(desk, pin=pin_of())[1] == "REGISTRY_UNREADABLE"


# Edges.


@for_each("tool", ["", "rm_rf", "mcp__files__write", "Write_To_File", "select_active_intent"])
def test_a_write_by_an_unregistered_tool_is_denied(desk: Desk, tool: str) -> None:
    assert refused(desk, tool, pin_of())[1] == "UNKNOWN_TOOL"


@for_each("intent_id", ["int-003", "INT-3", "INT-003 "])
def test_names_of_intents_are_taken_to_the_letter(desk: Desk, intent_id: str) -> None:
    assert refused(desk, pin=pin_of().model_copy(update={"intent_id": intent_id}))[1] == "INTENT_UNKNOWN"
