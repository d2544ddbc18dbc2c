"""The manuscript loop on a folder with files that cannot be read, and beside another machine."""

import asyncio
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from tests.support.books.repos import add_remote, clone, commit_all, git, write
from tests.support.manuscripts.studio import studio

STANDING = "# Introduction\n\nThe tide comes in twice, number 1.\n\n# Method\n\nWe counted.\n"


async def test_a_run_on_settings_that_cannot_be_read_is_refused_before_anything_is_paid(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with studio(temporal_env.client, tmp_path, STANDING) as here:
        write(here.novel.folder, {"Novel.yml": "title: [\n"})
        before = here.novel.commits

        ended = await here.run()

        assert (ended.outcome, ended.code, ended.calls) == ("refused", "novel-broken-yaml", 0)
        assert "line" in ended.message
        assert here.novel.commits == before


async def test_a_file_that_cannot_be_read_is_named_once_in_the_result_and_the_history(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with studio(temporal_env.client, tmp_path, STANDING) as here:
        (here.novel.folder / "manuscript.md").write_bytes(b"caf\xe9 words\n")

        ended = await here.run()

        assert ended.outcome == "finished"
        assert ["not UTF-8" in each for each in ended.warnings] == [True]
        assert here.actions.count(("look", "file-left-out")) == 1
        assert (here.novel.folder / "manuscript.md").read_bytes() == b"caf\xe9 words\n"


@pytest.mark.long
async def test_a_run_whose_text_its_push_merged_with_another_machines_says_so(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with studio(temporal_env.client, tmp_path) as here:
        remote = add_remote(here.novel.folder, tmp_path / "remote.git")
        other = clone(remote, tmp_path / "other")
        write(other, {"manuscript.md": "# Bridges\n\nWritten on another machine.\n"})
        commit_all(other, "Write elsewhere")
        given = here.given()
        here.cast.gates["critic"] = asyncio.Event()
        handle = await here.start(given)
        await asyncio.wait_for(here.cast.reached["critic"].wait(), 60)
        git(other, "push", "-q", "origin", "main")
        here.cast.gates["critic"].set()

        ended = await asyncio.wait_for(handle.result(), 60)

        assert (ended.outcome, ended.code, ended.push) == ("finished", "merged-with-remote", "pushed")
        assert ended.revision == here.novel.revision
        assert ended.words == here.novel.read().words
        assert ended.last is not None
        assert ended.last.revision != ended.revision
        (said,) = ended.warnings
        assert f"{ended.words:,} words" in said
        assert f"diff {given.novel} - --since {ended.last.revision[:12]}" in said
        assert f"rollback {given.novel} - --to {ended.last.revision[:12]}" in said
        assert here.novel.rollback(ended.last.revision[:12]).revision == ended.last.revision
        assert ("push", "merged-with-remote") in here.actions
