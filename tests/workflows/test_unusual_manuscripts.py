"""The manuscript loop on texts that are unusual, and on replies that would spoil them."""

from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from tests.support.manuscripts.studio import append, edit, planned, scored, studio

STANDING = "# Introduction\n\nThe tide comes in twice, number 1.\n\n# Method\n\nWe counted.\n"
ENTRY = "[[@article{lee2020tides, author = {Lee, Ann}, title = {On [18F] tides}, year = {2020}}]]"
BARE = "Only words.\r\nNo heading at all: 潮, φύλακας, الحارس.\r\n"


@pytest.mark.long
async def test_five_megabytes_are_criticised_and_revised_in_place(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    lines = "".join(
        f"The tide {n} goes out over the stones, and the keeper counts them.\n\n" for n in range(80_000)
    )
    text = STANDING.replace("# Method", f"{lines}# Method")
    assert len(text) > 5_000_000
    async with studio(temporal_env.client, tmp_path, text) as here:
        here.cast.scripts["critic"] = iter([scored(0.5, "Say how often."), scored(0.9)])

        ended = await here.run()

        assert (ended.stop, ended.pass_index) == ("finished", 1)
        assert here.text == text.replace("comes in twice, number 1.", "comes in twice a day.").rstrip("\n")


async def test_a_text_without_headings_keeps_each_byte_and_gets_its_sections_in_its_own_line_ends(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with studio(temporal_env.client, tmp_path, BARE) as here:
        ended = await here.run()

        written = (here.novel.folder / "manuscript.md").read_bytes().decode()
        assert (ended.stop, here.cast.asked["writer"]) == ("finished", 2)
        assert written.startswith(f"{BARE}\r\n# Introduction\r\n\r\n")
        assert written.count("\n") == written.count("\r\n")


@pytest.mark.long
@pytest.mark.parametrize(
    "spoiled",
    [
        edit(ENTRY, ENTRY.replace("2020}}", "2021}}")),
        edit(f"We counted {ENTRY}.", "We counted."),
        append("# Results\n\nMany tides [[@book{new, title = {Invented}}]]."),
        append("# Results\n\nMany tides [@invented]."),
    ],
    ids=["altered", "dropped", "added", "added-by-key"],
)
async def test_the_writer_leaves_citations_as_they_are(
    spoiled: str, temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    text = STANDING.replace("counted.", f"counted {ENTRY}.")
    async with studio(temporal_env.client, tmp_path, text) as here:
        here.cast.scripts["planner"] = iter([planned("Introduction", "Method", "Results")])
        here.cast.scripts["writer"] = iter(
            [spoiled, append("# Results\n\nMany tides came and went in spring.")]
        )

        ended = await here.run()

        assert ended.stop == "finished"
        assert here.text == f"{text}\n# Results\n\nMany tides came and went in spring."
        assert "citation_touched" in here.cast.prompts_of("writer")[1]


@pytest.mark.parametrize("titles", [("Introduction", "introduction"), ("Introduction", "")])
async def test_a_plan_that_cannot_be_followed_is_asked_for_again_and_never_kept(
    titles: tuple[str, ...], temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with studio(temporal_env.client, tmp_path) as here:
        here.cast.scripts["planner"] = iter([planned(*titles)] * 4)

        ended = await here.run()

        assert (ended.outcome, ended.stop) == ("unfinished", "stalled")
        assert "generate_plan" in ended.message
        assert here.cast.asked["planner"] == 4
        assert here.row.section_plan == ()
        assert here.cast.asked["writer"] == 0
