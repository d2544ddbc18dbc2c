"""``penwright mcp --agent`` as a client starts it: its own process, workers, Temporal, a real book."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, Implementation

from penwright.domain.book.files.fresh_files import FRESH_STATE
from penwright.domain.book.files.layout import STATE
from penwright.domain.intents.registry import REGISTRY
from tests.contract.harness.over_the_loop import FILES_INTENT
from tests.support.books.running_books import RunningBook, lay_out
from tests.support.engine.shared import console_script
from tests.support.engine.stand import Desk

pytestmark = [pytest.mark.server, pytest.mark.long]

LORE = "Global Material/Lore.md"


def server(at: Desk, book: RunningBook, run_id: str) -> Client:
    """A client that starts a server of its own."""
    served = StdioServerParameters(
        command=str(console_script("penwright")),
        args=["mcp", str(book.folder), "--agent", "ink/editor", "--id", run_id],
        env=at.environ,
    )
    return Client(served, client_info=Implementation(name="codex", version="1.0"))


async def test_an_editors_writes_go_through_the_gate_and_outlive_the_server(
    shared_desk: Desk, tmp_path: Path
) -> None:
    book_id = f"served-{uuid4().hex[:8]}"
    files = {STATE: f"{FRESH_STATE}book_id: {book_id}\n", REGISTRY: FILES_INTENT}
    book = lay_out(tmp_path / "tide", book_id, target=5000, files=files)
    new = {"path": LORE, "content": "# Lore\n\nSalt.\n", "mutation_class": "INTENT_EVOLUTION"}
    later = {"path": LORE, "old": "Salt.", "new": "Rope.", "mutation_class": "INTENT_EVOLUTION"}
    outside = {**new, "path": "Current version/New.md"}

    async with server(shared_desk, book, book_id) as client:
        early = await client.call_tool("write_to_file", new)
        await done(client, "select_active_intent", intent_id="INT-001")
        denied = await client.call_tool("write_to_file", outside)
        written = await done(client, "write_to_file", **new)
    async with server(shared_desk, book, book_id) as client:
        edited = await done(client, "edit", **later)
        ended = await done(client, "final_answer", answer="The lore is kept.")

    assert (code(early), code(denied)) == ("INTENT_NOT_SELECTED", "SCOPE_VIOLATION")
    assert book.text(LORE) == "# Lore\n\nRope."
    assert [written["commit"], edited["commit"]] == [book.git("rev-parse", at) for at in ("main~1", "main")]
    told = book.git("log", "-1", "--format=%B", "main")
    assert "Penwright-Agent: ink/editor" in told
    assert f"Penwright-Run: {book_id}" in told
    assert "Penwright-Intent: INT-001" in told
    assert ended["ended"] == "completed"


# Any: JSON.
async def done(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The result of a call; it must succeed."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.structured_content
    return result.structured_content or {}


def code(result: CallToolResult) -> str:
    """The code of a call that was refused."""
    assert result.is_error, result.structured_content
    return str((result.structured_content or {})["error_code"])
