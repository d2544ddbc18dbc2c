"""Chapters of a scene: the stretches of its summary, as people read them."""

from dataclasses import dataclass

from gateway.desk.scene import finding, numbers
from gateway.desk.services import Services
from penwright.domain.scene import stretches
from penwright.domain.scene.numbering import Numbering
from schemas.scene_summary import Stretch
from schemas.worlds import Scene


@dataclass(frozen=True, slots=True)
class Chapter:
    """Messages in a row that the same people heard, told in short."""

    rounds: tuple[int, int]
    """The first and the last, as people count; so are the messages."""
    messages: tuple[int, int]
    heading: str
    line: str
    """The beginning of its text."""
    text: str
    heard_by: tuple[str, ...]
    """Ids of those whose prompts may have it."""


def chapters(services: Services, named: str, who: str = "") -> tuple[Scene, tuple[Chapter, ...]]:
    """The chapters that count now, oldest first.

    Args:
        who: a character's id or name: only those that it heard; empty: all.

    Raises:
        NotFound: ``no-such-scene``, ``no-such-character``.
    """
    with services.open_store() as store:
        scene = finding.scene(store, named)
        heard_by = finding.member(store, scene, who).id if who else ""
        known, told = numbers.numbering(store, scene.id), store.scenes.summed_up(scene.id).stretches
    kept = (each for each in told if not heard_by or heard_by in each.witnesses)
    return scene, tuple(_chapter(known.of_stretch(each), known) for each in kept)


def _chapter(told: Stretch, known: Numbering) -> Chapter:
    return Chapter(
        rounds=told.rounds,
        messages=(known.message(min(told.readings)), known.message(max(told.readings))),
        heading=stretches.heading(told),
        line=stretches.line(told),
        text=stretches.body(told),
        heard_by=told.witnesses,
    )
