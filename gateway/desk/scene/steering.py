"""Steering of the running round, or the next: who must speak or must not, whom the user speaks as."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from gateway.desk.scene import finding
from gateway.desk.services import CommandStore, Services
from penwright.errors import NotFound, Refused
from schemas.director import Steering
from schemas.director_round import DirectorRoundInput
from schemas.worlds import Persona, Scene

Verb = Literal["force", "veto", "hand-over"]
Change = Callable[[Scene], Scene]
_TRIES = 5
_NEXT = frozenset({"no-round-runs", "round-over", "nothing-to-steer"})
"""Codes of a round that cannot be steered any more; the next one can."""


@dataclass(frozen=True, slots=True)
class Steered:
    """Steering that was asked for, and its round."""

    scene: str
    who: str
    """Id of a character or persona."""
    name: str
    running: bool
    """The round that runs was told; otherwise the next one takes it with it."""


async def steer(services: Services, named: str, verb: Verb, who: str) -> Steered:
    """Force or veto a speaker, or hand the user's part over.

    Raises:
        NotFound: ``no-such-scene``, ``no-such-character``.
        Refused: ``has-acted``; ``unknown-to-round``: the round that runs cannot take them in.
    """
    scene, id, name = await asyncio.to_thread(_named, services, named, verb, who)
    asked = _asked(verb, id)
    async with services.engine() as engine:
        running = await engine.rounds.progress(scene) is not None
        if running:
            try:
                await engine.rounds.steer(scene, asked)
            except Refused as over:  # it ended meanwhile
                if over.code == "unknown-name":
                    raise _stranger(scene, id, name) from over
                if over.code not in _NEXT:
                    raise
                running = False
    if not running:
        await asyncio.to_thread(_keep, services, scene, asked)
    return Steered(scene, id, name, running)


def _stranger(scene: str, id: str, name: str) -> Refused:
    return Refused(
        "unknown-to-round",
        f"the round that runs does not know {name}, who was in no scene of its world yet",
        hint=f"`penwright scene force {scene} {id}` after its end brings {name} in",
    )


def merged(before: Steering, asked: Steering) -> Steering:
    """Both; of two wishes about one character the later one counts."""
    force = (*(each for each in before.force if each not in (*asked.veto, *asked.force)), *asked.force)
    veto = (*(each for each in before.veto if each not in (*asked.veto, *asked.force)), *asked.veto)
    return Steering(
        force=force,
        veto=veto,
        hand_over=asked.hand_over or before.hand_over,
        note=asked.note or before.note,
        hold=asked.hold,
        within=before.within if asked.within is None else asked.within,
    )


def taken(services: Services, given: DirectorRoundInput) -> None:
    """Forget what the round ``given`` has taken with it; what was asked since stays."""
    if given.steering != Steering():
        forget(services, given.scene, given.steering)


def forget(services: Services, scene: str, gone: Steering) -> None:
    """Forget what a round was told; what was asked since stays."""
    with services.open_store() as store:
        changed(store, scene, lambda found: _without(found, gone))


def _without(scene: Scene, gone: Steering) -> Scene:
    left = Steering(
        force=tuple(each for each in scene.steering.force if each not in gone.force),
        veto=tuple(each for each in scene.steering.veto if each not in gone.veto),
        hand_over="" if scene.steering.hand_over == gone.hand_over else scene.steering.hand_over,
        note="" if scene.steering.note == gone.note else scene.steering.note,
        within=None if scene.steering.within == gone.within else scene.steering.within,
    )
    return scene.model_copy(update={"steering": left})


def _named(services: Services, named: str, verb: Verb, who: str) -> tuple[str, str, str]:
    with services.open_store() as store:
        scene = finding.scene(store, named)
        if verb == "hand-over":
            persona = _part(store, scene, who)
            return scene.id, persona.id, persona.name
        character = finding.member(store, scene, who)
        return scene.id, character.id, character.name


def _part(store: CommandStore, scene: Scene, who: str) -> Persona:
    """The persona that the user speaks as from now on."""
    try:
        return finding.one(store, Persona, who)
    except NotFound as unknown:
        raise NotFound(
            unknown.code,
            f"there is no persona {who!r}; the user speaks as a persona, which no model plays",
            hint=f"`penwright persona list` shows them, `penwright persona create {who}` makes one",
        ) from None


def _asked(verb: Verb, id: str) -> Steering:
    match verb:
        case "force":
            return Steering(force=(id,))
        case "veto":
            return Steering(veto=(id,))
        case "hand-over":
            return Steering(hand_over=id)


def _keep(services: Services, scene: str, asked: Steering) -> None:
    with services.open_store() as store:
        if asked.hand_over:
            changed(store, scene, lambda found: found.model_copy(update={"persona": asked.hand_over}))
            return
        changed(store, scene, lambda found: _asking(found, asked))


def _asking(scene: Scene, asked: Steering) -> Scene:
    """Add the forced ones to the roster: a round knows only those who were in a scene of its world."""
    roster = tuple(dict.fromkeys((*scene.roster, *asked.force)))
    return scene.model_copy(update={"steering": merged(scene.steering, asked), "roster": roster})


def changed(store: CommandStore, id: str, change: Change) -> None:
    """Change the scene as it is now; another change in between is read, and built on."""
    for left in reversed(range(_TRIES)):
        scene = store.worlds.read(Scene, id)
        if scene is None or (new := change(scene)) == scene:
            return
        try:
            store.worlds.change(new)
            return
        except Refused as stale:
            if stale.code != "stale" or not left:
                raise
