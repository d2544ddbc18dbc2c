"""Rounds and messages by the numbers that people count by: here alone they become ids, and ids numbers."""

from collections.abc import Iterable

from gateway.desk.services import CommandStore, Services
from penwright.domain.scene.numbering import Numbering
from penwright.domain.text.counted import counted
from penwright.errors import NotFound
from schemas.director_round import DirectorRoundResult, NumberedResult
from schemas.scene import NumberedRound, Round, SceneMessage, SceneState, Takes
from schemas.worlds import Scene


def numbering(store: CommandStore, scene: str) -> Numbering:
    """The numbers of a scene's rounds as they are now."""
    return Numbering(store.scenes.takes(scene))


def number_in(services: Services, scene: str, id: int) -> int:
    """The number of one round by its id; 0 if there is none."""
    with services.open_store() as store:
        return numbering(store, scene).number(id)


def id_of(scene: str, known: Numbering, number: int, take: int = 0) -> int:
    """The id of a round; raises ``NotFound`` ``no-such-round``.

    Args:
        number: 0: the last one.
        take: 0: the one that is played, or the last where none is.
    """
    wanted = number or known.newest
    if (found := known.id(wanted, take)) is not None:
        return found
    there = len(known.takes(wanted))
    said = (
        f"round {wanted} of {scene!r} has {counted(there, 'take')}, and no take {take}"
        if there
        else f"{scene!r} has no round {wanted or 'yet'}; its newest is {known.newest}"
    )
    raise NotFound("no-such-round", said, hint=f"`penwright scene log {scene}` lists its rounds")


def numbered(found: Round, known: Numbering) -> NumberedRound:
    """A round as people see it."""
    name = known.name(found.number)
    before = state(found.before, known)
    return NumberedRound(**(dict(found) | {"before": before, "id": found.number} | dict(name)))


def newest(store: CommandStore, scene: str, many: int) -> tuple[NumberedRound, ...]:
    """The newest rounds, those that are hidden too, oldest first."""
    found = store.scenes.rounds(scene, newest=many)
    known = numbering(store, scene) if found else Numbering(Takes(rounds=0))
    return tuple(numbered(each, known) for each in found)


def said(messages: Iterable[SceneMessage], known: Numbering) -> tuple[SceneMessage, ...]:
    """Messages as people count them; one that is not played now has the number 0."""
    return tuple(
        each.model_copy(update={"number": known.message(each.number), "round": known.number(each.round)})
        for each in messages
    )


def state(found: SceneState, known: Numbering) -> SceneState:
    """A state with numbers for the messages that it names."""
    timers = (
        each.model_copy(update={"message": known.messages_up_to(each.message)}) for each in found.timers
    )
    return found.model_copy(update={"timers": tuple(timers)})


def shown(scene: Scene, known: Numbering) -> Scene:
    """A scene with numbers for what is stored by ids."""
    at = known.number(scene.branched_at)
    return scene.model_copy(update={"rounds": known.newest, "branched_at": at})


def ended(store: CommandStore, result: DirectorRoundResult) -> NumberedResult:
    """The end of a round, with its number."""
    name = numbering(store, result.scene).name(result.round)
    told = {"round": name.number, "take": name.take, "is_meant": name.is_meant}
    return NumberedResult(**(dict(result) | told))


def played(store: CommandStore, scenes: Iterable[Scene]) -> dict[str, int]:
    """Rounds that stand, by scene: without those that were taken back or only made one reply again."""
    rounds = {each.id: each.rounds for each in scenes}
    aside = store.scenes.set_aside(tuple(rounds))
    return {id: number - aside.get(id, 0) for id, number in rounds.items()}
