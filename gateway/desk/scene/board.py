"""Every scene: where it belongs, how far it was played, what runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gateway.desk.scene import counting, finding
from gateway.desk.scene.waiting_plan import held
from gateway.desk.services import CommandStore, Services
from penwright.errors import EngineUnavailable
from schemas.base import Progress
from schemas.worlds import Arc, Campaign, Scene, World


@dataclass(frozen=True, slots=True)
class SceneLine:
    """One scene in a list."""

    scene: str
    title: str
    arc: str
    campaign: str
    world: str
    rounds: int
    cast: tuple[str, ...]
    """Ids of those present."""
    state: str
    """What the round that runs does, such as ``act`` or ``paused``; ``idle`` if none runs."""
    detail: str = ""
    """The same in a sentence."""
    round: int = 0
    """Number of the round that runs."""
    branched_from: str = ""
    waits: bool = False
    """The plan of the round waits for a person's approval."""


@dataclass(frozen=True, slots=True)
class SceneBoard:
    """Every scene."""

    lines: tuple[SceneLine, ...]
    trouble: str = ""
    """Why it is not known what runs now; empty if it is."""


@dataclass(frozen=True, slots=True)
class _Above:
    arcs: Mapping[str, Arc] = field(default_factory=dict)
    campaigns: Mapping[str, Campaign] = field(default_factory=dict)


async def board(services: Services, world: str = "") -> SceneBoard:
    """Every scene, oldest first; of one world, if it is named.

    Raises:
        NotFound: ``no-such-world``.
    """
    running, trouble = await running_rounds(services)
    with services.open_store() as store:
        wanted = finding.one(store, World, world).id if world else ""
        above = _Above(
            {each.id: each for each in store.worlds.list(Arc)},
            {each.id: each for each in store.worlds.list(Campaign)},
        )
        scenes = store.worlds.list(Scene)
        played = counting.played(store, scenes)
        lines = (_line(store, each, above, running, played[each.id]) for each in scenes)
        return SceneBoard(tuple(each for each in lines if wanted in ("", each.world)), trouble)


async def running_rounds(services: Services) -> tuple[Mapping[str, Progress], str]:
    """What runs, by scene, and why that is not known."""
    try:
        async with services.scenes() as rounds:
            return await rounds.running(), ""
    except EngineUnavailable as error:
        return {}, error.message


def _line(
    store: CommandStore, scene: Scene, above: _Above, running: Mapping[str, Progress], rounds: int
) -> SceneLine:
    arc = above.arcs.get(scene.arc)
    campaign = above.campaigns.get(arc.campaign) if arc else None
    now = running.get(scene.id)
    return SceneLine(
        scene=scene.id,
        title=scene.title,
        arc=scene.arc,
        campaign=campaign.id if campaign else "",
        world=campaign.world if campaign else "",
        rounds=rounds,
        cast=scene.roster,
        state="idle" if now is None else "paused" if now.paused else now.stage,
        detail=now.detail if now else "",
        round=(store.scenes.running(scene.id) or 0) if now else 0,
        branched_from=scene.branched_from,
        waits=now is not None and held(store, scene) is not None,
    )
