"""Presence in a scene, as people change it between rounds."""

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime

from gateway.desk.models import check_model
from gateway.desk.scene import finding
from gateway.desk.scene.steering import changed
from gateway.desk.services import CommandStore, Services
from penwright.errors import Refused
from schemas.director import CastMember
from schemas.seats import Seat, SeatEnd
from schemas.worlds import Character, Scene

Change = Callable[[tuple[str, ...], str], tuple[str, ...]]
"""Those taken over, with one more or less."""


@dataclass(frozen=True, slots=True)
class Casting:
    """Everyone who may act in a scene."""

    scene: Scene
    cast: tuple[CastMember, ...]


def cast(services: Services, named: str) -> Casting:
    """List who is present, then who else may come; raises as ``finding.scene``."""
    with services.open_store() as store:
        return _read(store, finding.scene(store, named))


def change(
    services: Services,
    named: str,
    add: Sequence[str],
    remove: Sequence[str],
    available: Sequence[str] = (),
    models: Mapping[str, str] | None = None,
) -> Casting:
    """Have characters come and go; who goes may come back. While a round runs, they do at its end.

    Args:
        available: those whom a director may have come in from now on.
        models: names of models that play these characters here; an empty one takes it back.

    Raises:
        NotFound: ``no-such-scene``, ``no-such-character``.
        UsageMistake: ``unknown-model``.
    """
    for model in filter(None, (models or {}).values()):
        check_model(services.loaded(), model)
    with services.open_store() as store:
        scene = finding.scene(store, named)
        played = {finding.member(store, scene, who).id: model for who, model in (models or {}).items()}
        store.worlds.may_come(scene.id, [finding.one(store, Character, each).id for each in available])
        come = [finding.one(store, Character, each).id for each in add]
        go = {finding.member(store, scene, each).id for each in remove}
        changed(store, scene.id, lambda now: _with_models(_with_roster(now, come, go), played))
        return _read(store, finding.scene(store, scene.id))


def take_over(services: Services, named: str, who: str) -> Casting:
    """Have a person play a character from the next round on: no model does, and no plan counts for it.

    Raises:
        NotFound: ``no-such-scene``, ``no-such-character``.
        Refused: ``seat-given``: an invited person plays it.
    """
    return _taken(services, named, who, lambda taken, id: (*taken, id))


def give_back(services: Services, named: str, who: str) -> Casting:
    """Have the model play a character again, from the next round on.

    Raises:
        NotFound: ``no-such-scene``, ``no-such-character``.
        Refused: ``not-taken``; ``seat-given``: an invited person plays it.
    """
    with services.open_store() as store:
        voice_of(store, without_expired(services, store, finding.scene(store, named)), who)
    return _taken(services, named, who, lambda taken, id: tuple(each for each in taken if each != id))


def voice_of(store: CommandStore, scene: Scene, who: str) -> CastMember:
    """The character that a person took over, and speaks as.

    Raises:
        NotFound: ``no-such-character``.
        Refused: ``not-taken``.
    """
    found = finding.member(store, scene, who)
    if found.id in scene.taken:
        return found
    raise Refused(
        "not-taken",
        f"{found.name} is played by the model in {scene.id!r}",
        hint=f"`penwright scene take-over {scene.id} {found.id}` takes the character over",
    )


def seat_given(scene: Scene, character: str) -> Refused:
    """Make the error for a character that has a seat."""
    return Refused(
        "seat-given",
        f"{character!r} is played by an invited person in {scene.id!r}",
        hint=f"`penwright scene take-away {scene.id} {character}` ends that seat",
    )


def without_expired(services: Services, store: CommandStore, scene: Scene) -> Scene:
    """Give back the characters whose seats have expired; returns the scene as it is then."""
    now = services.now()
    gone = [each for each in store.seats.of(scene.id) if each.over is None and each.expires_at <= now]
    for seat in gone:
        end_seat(store, seat, "expired", now)
    return finding.scene(store, scene.id) if gone else scene


def end_seat(store: CommandStore, seat: Seat, how: SeatEnd, now: datetime) -> bool:
    """End a seat and give its character back to the model; False if it was over."""
    with store.together():
        if not store.seats.end(seat.id, how, now):
            return False
        hand_back(store, seat.scene, (seat.character,))
    return True


def hand_back(store: CommandStore, scene: str, characters: Collection[str]) -> None:
    """Have the model play these again; those that it plays anyway stay."""
    changed(
        store,
        scene,
        lambda now: _with_taken(now, tuple(each for each in now.taken if each not in characters)),
    )


def hand_over(store: CommandStore, scene: str, character: str) -> None:
    """Have a person play a character."""
    changed(store, scene, lambda now: _with_taken(now, (*now.taken, character)))


def _taken(services: Services, named: str, who: str, change: Change) -> Casting:
    with services.open_store() as store:
        scene = without_expired(services, store, finding.scene(store, named))
        id = finding.member(store, scene, who).id
        if any(each.character == id and each.over is None for each in store.seats.of(scene.id)):
            raise seat_given(scene, id)
        changed(store, scene.id, lambda now: _with_taken(now, change(now.taken, id)))
        return _read(store, finding.scene(store, scene.id))


def _with_taken(scene: Scene, taken: tuple[str, ...]) -> Scene:
    return scene.model_copy(update={"taken": tuple(dict.fromkeys(taken))})


def _with_roster(scene: Scene, come: Sequence[str], go: Set[str]) -> Scene:
    """The scene with these present, too, and without those."""
    roster = tuple(dict.fromkeys(each for each in (*scene.roster, *come) if each not in go))
    coming = tuple(each for each in scene.coming if each not in go)
    going = tuple(each for each in scene.going if each not in come)
    return scene.model_copy(update={"roster": roster, "coming": coming, "going": going})


def _with_models(scene: Scene, played: Mapping[str, str]) -> Scene:
    models = {who: model for who, model in {**scene.models, **played}.items() if model}
    return scene.model_copy(update={"models": models})


def _read(store: CommandStore, scene: Scene) -> Casting:
    return Casting(scene, finding.cast(store, scene))
