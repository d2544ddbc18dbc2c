"""The scene tools as an agent has them: ``penwright mcp`` in its own process, workers, Temporal, a store."""

from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import Implementation

from penwright.domain.text.words import count_words
from tests.support.books.repos import git
from tests.support.engine.shared import console_script
from tests.support.engine.stand import Stand, desk
from tests.support.manuscripts.novel_repo import NovelRepo

pytestmark = [pytest.mark.server, pytest.mark.long]

DRAFT = "# Ebb\n\nThe keeper counts the lamps at dusk.\n"


async def test_an_agent_reads_selects_and_edits_over_its_pipe(stand: Stand, tmp_path: Path) -> None:
    novel = NovelRepo(tmp_path / "tides", {"-": DRAFT})
    edit = {"scene": "-", "operations": [{"find": "at dusk", "replace": "at dusk, twice"}]}
    async with desk(stand, tmp_path / "desk") as at:
        served = StdioServerParameters(
            command=str(console_script("penwright")), args=["mcp", str(novel.folder)], env=at.environ
        )
        async with Client(served, client_info=Implementation(name="codex", version="1.0")) as client:
            read = (await client.call_tool("read_scene", {"scene": "-"})).structured_content or {}
            edit["base"] = read["revision"]
            early = await client.call_tool("edit_scene", edit)
            selected = await client.call_tool("select_active_intent", {"scene": "-", "intent_id": "INT-001"})
            assert selected.structured_content is not None, selected
            edit["session"] = selected.structured_content["session"]
            edited = await client.call_tool("edit_scene", edit)
            again = await client.call_tool("edit_scene", edit)
            status = await client.call_tool("scene_status", {"scene": "-"})

    assert (read["text"], read["words"]) == (DRAFT, count_words(DRAFT))
    assert early.is_error
    assert (early.structured_content or {})["error_code"] == "INTENT_NOT_SELECTED"
    assert (edited.structured_content or {})["outcome"] == "applied"
    assert (again.structured_content or {})["outcome"] == "unchanged"
    assert (status.structured_content or {})["revision"] == novel.revision
    assert novel.committed == DRAFT.replace("at dusk", "at dusk, twice").strip()
    assert "Penwright-Agent: codex 1.0" in git(novel.folder, "log", "-1", "--format=%B")
