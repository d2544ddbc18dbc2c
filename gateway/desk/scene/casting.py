"""Who is present in a scene, as people change it between rounds."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from gateway.desk.scene import finding
from gateway.desk.scene.steering import changed
from gateway.desk.services import CommandStore, Services
from penwright.errors import Refused
from schemas.director import CastMember
from schemas.worlds import Character, Scene


@dataclass(frozen=True, slots=True)
class Casting:
    """Everyone who may act in a scene."""

    scene: Scene
    cast: tuple[CastMember, ...]


def cast(services: Services, named: str) -> Casting:
    """Who is present, then who else may come; raises as ``finding.scene``."""
    with services.open_store() as store:
        return _read(store, finding.scene(store, named))


def change(services: Services, named: str, add: Sequence[str], remove: Sequence[str]) -> Casting:
    """Have characters come and go; who goes may come back.

    Raises:
        NotFound: ``no-such-scene``, ``no-such-character``.
        Refused: ``round-runs``.
    """
    with services.open_store() as store:
        scene = finding.scene(store, named)
        if (number := store.scenes.running(scene.id)) is not None:
            raise Refused(
                "round-runs",
                f"round {number} runs in {scene.id!r}; nothing was changed",
                hint=f"`penwright scene watch {scene.id}` waits for its end",
            )
        come = [finding.one(store, Character, each).id for each in add]
        go = {finding.member(store, scene, each).id for each in remove}
        changed(store, scene.id, lambda now: _with_roster(now, come, go))
        return _read(store, finding.scene(store, scene.id))


def _with_roster(scene: Scene, come: Sequence[str], go: Set[str]) -> Scene:
    """The scene with these present, too, and without those."""
    roster = tuple(dict.fromkeys(each for each in (*scene.roster, *come) if each not in go))
    return scene.model_copy(update={"roster": roster})


def _read(store: CommandStore, scene: Scene) -> Casting:
    return Casting(scene, finding.cast(store, scene))
