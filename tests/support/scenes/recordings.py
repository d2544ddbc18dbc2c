"""Rounds whose histories are kept: the usual path, a stopped one, and others with an odd planner or none."""

import asyncio
from collections.abc import Awaitable, Callable

from temporalio.client import Client

from schemas.control import KillRequest
from tests.support.scenes.playhouse import playhouse
from workflows.director_round import DirectorRound

Keep = Callable[[str, str], Awaitable[None]]
"""Saves the history of a workflow under a name."""


async def played(client: Client, keep: Keep) -> None:
    """The director plans, two speak, the director looks at it, and the scene is summarised."""
    async with playhouse(client) as house:
        house.set(summarise_after=1)
        await house.play("Who lit the lamp?")
        await house.play(kind="continue", text="")
        await keep("round-played", f"scene/{house.scene}")


async def remembered_apart(client: Client, keep: Keep) -> None:
    """A round ends with its last reply; another run remembers and sums up."""
    async with playhouse(client) as house:
        house.set(summarise_after=1)
        await house.play("Who lit the lamp?")
        await house.play(kind="continue", text="")
        await keep("round-remembered-apart", f"scene/{house.scene}")
        await house.remembered()
        await keep("scene-remembered", f"scene-memory/{house.scene}")


async def stopped(client: Client, keep: Keep) -> None:
    """A person stops the round while the second one speaks."""
    async with playhouse(client) as house:
        house.company.gates["bob"] = asyncio.Event()
        handle = await house.start()
        await house.company.until("bob")
        await handle.execute_update(DirectorRound.halt, KillRequest(who="ann", reason="enough"))
        await handle.result()
        await keep("round-stopped", handle.id)


async def regenerated(client: Client, keep: Keep) -> None:
    """A round is played again by the fallback of a model that is away, and then one of its replies."""
    async with playhouse(client) as house:
        await house.play("Who lit the lamp?")
        house.company.instead_of = "sonnet"
        await house.play("", kind="regenerate")
        await keep("round-regenerated", f"scene/{house.scene}")
        newest = house.scenes.messages(house.scene)[-1].id
        await house.play("", kind="regenerate", message=newest)
        await keep("reply-regenerated", f"scene/{house.scene}")


async def by_turns(client: Client, keep: Keep) -> None:
    """No director is asked: the one who was silent longest speaks."""
    async with playhouse(client) as house:
        house.set(director="off")
        await house.play("Who lit the lamp?")
        await keep("round-by-turns", f"scene/{house.scene}")


ALL = (played, stopped, regenerated, by_turns)
