"""Runs of the manuscript loop whose histories are kept: each path that a run can take, once."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from temporalio.client import Client, WorkflowHandle

from schemas.control import KillRequest
from schemas.intents import ApprovalDecision
from schemas.manuscript import AmendRequest, ManuscriptResult, StopRequest
from schemas.scholarly import Outage
from tests.support.books.repos import commit_all
from tests.support.manuscripts.studio import TITLES, Studio, append, edit, planned, scored, studio
from workflows.manuscript_loop import ManuscriptLoop

Keep = Callable[[str, str], Awaitable[None]]
"""Saves the history of a workflow under a name."""
POLL_S = 0.05


async def finished(client: Client, folder: Path, keep: Keep) -> None:
    """A text that stands is criticised and revised; an operation fails and is sent again."""
    async with studio(client, folder, "# Introduction\n\nThe tide comes in twice, number 1.\n") as here:
        here.cast.scripts["critic"] = iter([scored(0.5, "Say how often."), scored(0.9)])
        here.cast.scripts["planner"] = iter([planned("Introduction")])
        here.cast.scripts["reviser"] = iter([edit("It never was there at all, on no page.", "x")])
        given = here.given()
        await here.run(given)
        await keep("manuscript-finished", f"manuscript/{given.document}")
        await keep("document-lock", f"document/{given.document}")


async def from_sources(client: Client, folder: Path, keep: Keep) -> None:
    """Passages are gathered for each section, one source is out, and the critic is asked twice."""
    async with studio(client, folder) as here:
        here.registries.outages["crossref"] = Outage(source="crossref", reason="slow")
        written = iter(f"# {title}\n\nThe tide comes in twice a day [1]." for title in TITLES)
        here.cast.scripts["writer"] = iter(map(append, written))
        here.cast.scripts["critic"] = iter([scored(0.82), scored(0.84)])
        given = here.sourced().model_copy(update={"second_opinion": True})
        await here.run(given)
        await keep("manuscript-from-sources", f"manuscript/{given.document}")


async def steered(client: Client, folder: Path, keep: Keep) -> None:
    """It is paused and resumed, gets other instructions, and is stopped while the writer writes."""
    async with studio(client, folder) as here:
        gate = here.cast.gates["formatter"] = asyncio.Event()
        handle = await here.start()
        await here.cast.reached["formatter"].wait()
        await handle.signal(ManuscriptLoop.pause)
        gate.set()
        await _until(here, handle.id, "paused")
        await handle.signal(ManuscriptLoop.resume)
        writing = here.cast.gates["writer"] = asyncio.Event()
        await here.cast.reached["writer"].wait()
        other = AmendRequest(instructions=here.novel.put("Write about the moon."), who="ada")
        await handle.execute_update(ManuscriptLoop.amend, other)
        await handle.execute_update(ManuscriptLoop.stop, StopRequest(who="ada", reason="lunch"))
        writing.set()
        await handle.result()
        await keep("manuscript-stopped", handle.id)


async def killed(client: Client, folder: Path, keep: Keep) -> None:
    async with studio(client, folder) as here:
        here.cast.gates["planner"] = asyncio.Event()
        handle = await here.start()
        await here.cast.reached["planner"].wait()
        await handle.signal(ManuscriptLoop.kill, KillRequest(who="ada", reason="enough"))
        await handle.result()
        await keep("manuscript-killed", handle.id)


async def approved(client: Client, folder: Path, keep: Keep) -> None:
    """The intent is worded anew while the writer writes; a person allows both sections."""
    async with studio(client, folder) as here:
        gate = here.cast.gates["writer"] = asyncio.Event()
        handle = await here.start()
        await here.cast.reached["writer"].wait()
        registry = here.novel.folder / ".orchestration/active_intents.yaml"
        registry.write_text(registry.read_text().replace("Write the manuscript", "Write it"))
        commit_all(here.novel.folder)
        gate.set()
        for _ in range(2):
            await _until(here, handle.id, "approval")
            asked = (await handle.query(ManuscriptLoop.state)).asked
            assert asked is not None
            decision = ApprovalDecision(
                approval=asked.id, plan_digest=asked.need.plan_digest, decided="approved", by="ada"
            )
            await handle.execute_update(ManuscriptLoop.decide_approval, decision)
        await handle.result()
        await keep("manuscript-approved", handle.id)


async def _until(here: Studio, workflow_id: str, stage: str) -> None:
    handle: WorkflowHandle[ManuscriptLoop, ManuscriptResult] = here.client.get_workflow_handle_for(
        ManuscriptLoop.run, workflow_id
    )
    while (await handle.query(ManuscriptLoop.progress)).stage != stage:  # noqa: ASYNC110
        await asyncio.sleep(POLL_S)


ALL = (finished, from_sources, steered, killed, approved)
