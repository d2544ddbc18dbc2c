"""Every scene: where it belongs, how far it was played, what runs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from gateway.desk.scene import finding, numbers
from gateway.desk.scene.waiting_plan import held
from gateway.desk.services import CommandStore, Services
from penwright.domain.control import shown_outcome
from penwright.domain.scene.board import scene_attention, unfinished, went_wrong
from penwright.errors import EngineUnavailable
from penwright.ports.portions import Portion
from schemas.base import Progress
from schemas.board import Attention
from schemas.worlds import Arc, Campaign, Character, Scene, World

_Kept = TypeVar("_Kept", World, Character, Scene)

_MOST = 200
"""Scenes that are looked at for what waits while nothing runs in them."""


@dataclass(frozen=True, slots=True)
class LineNames:
    """Names of those whom a line gives by id; the id of one that is gone."""

    arc: str = ""
    world: str = ""
    cast: tuple[str, ...] = ()
    branched_from: str = ""


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
    """Present step of the round that runs, such as ``act`` or ``paused``; ``importing`` until a chat is in
    it whole; ``idle`` if nothing is done."""
    detail: str = ""
    """The same in a sentence."""
    round: int = 0
    """Number of the round that runs."""
    branched_from: str = ""
    waits: bool = False
    """The plan of the round waits for a person's approval."""
    names: LineNames = LineNames()


@dataclass(frozen=True, slots=True)
class SceneBoard:
    """Every scene."""

    lines: tuple[SceneLine, ...]
    trouble: str = ""
    """Reason why it is not known what runs now; empty if it is."""
    count: int = 0
    """Of a part: how many scenes fit, those that are not in ``lines`` included."""


@dataclass(frozen=True, slots=True)
class RestingScene:
    """A scene in which nothing runs and that waits for a person all the same."""

    scene: str
    title: str
    state: str
    """Result of its last round; ``idle`` before the first."""
    attention: tuple[Attention, ...]


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
        lines = _lines(store, scenes, above, running)
        return SceneBoard(tuple(each for each in lines if wanted in ("", each.world)), trouble)


async def part(services: Services, portion: Portion, world: str = "") -> SceneBoard:
    """A portion of the scenes; of one world, if it is named; no other scene is read.

    Raises:
        NotFound: ``no-such-world``.
    """
    running, trouble = await running_rounds(services)
    with services.open_store() as store:
        if world:
            portion = replace(portion, above=_arcs(store, finding.one(store, World, world)))
        scenes, count = store.worlds.part(Scene, portion)
        lines = _lines(store, scenes, _above(store, scenes), running)
        return SceneBoard(lines, trouble, count)


async def at_work(services: Services) -> SceneBoard:
    """The scenes in which a round runs; no other scene is read."""
    running, trouble = await running_rounds(services)
    if not running:
        return SceneBoard((), trouble)
    with services.open_store() as store:
        scenes, count = store.worlds.part(Scene, Portion(len(running), among=tuple(running)))
        lines = _lines(store, scenes, _above(store, scenes), running)
        return SceneBoard(lines, trouble, count)


def resting(store: CommandStore, running: Collection[str]) -> tuple[RestingScene, ...]:
    """The scenes in which nothing runs and that wait for a person, among the newest of all scenes."""
    scenes, count = store.worlds.part(Scene, Portion(_MOST))
    if count > _MOST:
        scenes, _ = store.worlds.part(Scene, Portion(_MOST, skip=count - _MOST))
    cases = (_resting(store, each) for each in scenes if each.id not in running)
    return tuple(each for each in cases if each.attention)


def _resting(store: CommandStore, scene: Scene) -> RestingScene:
    last = next(iter(store.scenes.rounds(scene.id, newest=1)), None) if scene.rounds else None
    state = shown_outcome(last.status, last.code) if last else "idle"
    bad = numbers.numbered(last, numbers.numbering(store, scene.id)) if last and went_wrong(last) else None
    return RestingScene(scene.id, scene.title, state, scene_attention(scene, bad))


async def running_rounds(services: Services) -> tuple[Mapping[str, Progress], str]:
    """List what runs, by scene, with the reason if that is not known."""
    try:
        async with services.engine() as engine:
            return await engine.rounds.running(), ""
    except EngineUnavailable as error:
        return {}, error.message


def _arcs(store: CommandStore, world: World) -> list[str]:
    """Ids of the arcs of a world."""
    campaigns = [each.id for each in store.worlds.list(Campaign, below=world.id)]
    return [arc.id for each in campaigns for arc in store.worlds.list(Arc, below=each)]


def _above(store: CommandStore, scenes: Sequence[Scene]) -> _Above:
    """Read the arcs and campaigns above these scenes."""
    ids = {each.arc for each in scenes}
    arcs, _ = store.worlds.part(Arc, Portion(len(ids), among=ids))
    ids = {each.campaign for each in arcs}
    campaigns, _ = store.worlds.part(Campaign, Portion(len(ids), among=ids))
    return _Above({each.id: each for each in arcs}, {each.id: each for each in campaigns})


def _lines(
    store: CommandStore, scenes: Sequence[Scene], above: _Above, running: Mapping[str, Progress]
) -> tuple[SceneLine, ...]:
    played = numbers.played(store, scenes)
    lines = [_line(store, each, above, running, played[each.id]) for each in scenes]
    return _named(store, lines, above.arcs)


def _named(store: CommandStore, lines: Sequence[SceneLine], arcs: Mapping[str, Arc]) -> tuple[SceneLine, ...]:
    worlds = {each.id: each.name for each in _those(store, World, {line.world for line in lines})}
    people = {
        each.id: each.name for each in _those(store, Character, {id for line in lines for id in line.cast})
    }
    titles = {each.id: each.title for each in _those(store, Scene, {line.branched_from for line in lines})}

    def names(line: SceneLine) -> LineNames:
        arc = arcs[line.arc].name if line.arc in arcs else line.arc
        cast = tuple(people.get(each, each) for each in line.cast)
        return LineNames(
            arc, worlds.get(line.world, line.world), cast, titles.get(line.branched_from, line.branched_from)
        )

    return tuple(replace(each, names=names(each)) for each in lines)


def _those(store: CommandStore, kind: type[_Kept], ids: set[str]) -> tuple[_Kept, ...]:
    """Those with these ids; an empty id names none."""
    wanted = ids - {""}
    return store.worlds.part(kind, Portion(len(wanted), among=wanted))[0] if wanted else ()


def _line(
    store: CommandStore, scene: Scene, above: _Above, running: Mapping[str, Progress], rounds: int
) -> SceneLine:
    arc = above.arcs.get(scene.arc)
    campaign = above.campaigns.get(arc.campaign) if arc else None
    now = running.get(scene.id)
    stands = "" if scene.importing is None else "importing"
    return SceneLine(
        scene=scene.id,
        title=scene.title,
        arc=scene.arc,
        campaign=campaign.id if campaign else "",
        world=campaign.world if campaign else "",
        rounds=rounds,
        cast=scene.roster,
        state=stands or ("idle" if now is None else "paused" if now.paused else now.stage),
        detail=unfinished(scene) or (now.detail if now else ""),
        round=numbers.numbering(store, scene.id).number(store.scenes.running(scene.id)) if now else 0,
        branched_from=scene.branched_from,
        waits=now is not None and held(store, scene) is not None,
    )
