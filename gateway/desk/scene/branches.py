"""The branches of a scene as a tree, each with its first words."""

from collections.abc import Mapping
from dataclasses import dataclass

from gateway.desk.principals import Principal, sees
from gateway.desk.scene import finding, numbers
from gateway.desk.scene.numbers import numbering
from gateway.desk.services import CommandStore, Services
from schemas.scene import SceneMessage
from schemas.worlds import Scene

FIRST_WORDS = 90
"""Characters of the first message of a branch."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A scene, and those that leave from it."""

    scene: str
    title: str
    """Empty, as ``first_words``, of a scene that the caller may not see."""
    after: int
    """The last round that it shares with the scene it leaves; 0 for the first scene."""
    rounds: int
    first_words: str
    """Of the first message of its own; empty: nothing was said in it yet."""
    here: bool
    """Whether it is the one that was asked about."""
    below: tuple["Branch", ...] = ()


def tree(services: Services, principal: Principal, named: str) -> Branch:
    """The whole tree that a scene stands in, from its first scene on; raises as ``finding.scene``."""
    with services.open_store() as store:
        asked = finding.scene(store, named)
        known = {each.id: each for each in store.worlds.list(Scene)}
        first = asked
        while first.branched_from in known:
            first = known[first.branched_from]
        rounds = numbers.played(store, known.values())
        return _branch(store, principal, first, tuple(known.values()), asked.id, rounds)


def _branch(
    store: CommandStore,
    principal: Principal,
    scene: Scene,
    known: tuple[Scene, ...],
    asked: str,
    rounds: Mapping[str, int],
) -> Branch:
    seen = sees(principal, f"scene/{scene.id}")
    leaving = sorted(
        (each for each in known if each.branched_from == scene.id), key=lambda each: each.branched_at
    )
    return Branch(
        scene=scene.id,
        title=scene.title if seen else "",
        after=numbering(store, scene.id).number(scene.branched_at),
        rounds=rounds[scene.id],
        first_words=_first_words(store, scene) if seen else "",
        here=scene.id == asked,
        below=tuple(_branch(store, principal, each, known, asked, rounds) for each in leaving),
    )


def _first_words(store: CommandStore, scene: Scene) -> str:
    first = store.scenes.round(scene.id, scene.branched_at + 1)
    said = next((each.message for each in first.turns if each.message), "") if first else ""
    message = store.scenes.message(said) if said else None
    if message is None:
        return ""
    before = store.scenes.messages(scene.id, newest=1, before=message.number)
    opening = before[-1] if before and before[-1].round == message.round else message
    return _shortened(opening)


def _shortened(message: SceneMessage) -> str:
    text = f"{message.name}: {' '.join(message.text.split())}"
    return text if len(text) <= FIRST_WORDS else f"{text[:FIRST_WORDS].rstrip()} …"
