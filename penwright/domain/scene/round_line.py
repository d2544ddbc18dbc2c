"""A running round in a line, such as "Director plans · Ann speaks 2/3 · Director looks again"."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from penwright.domain.scene.plan.holding import holds
from penwright.domain.scene.resolving import name_of
from schemas.director import CastMember
from schemas.scene import PassRecord, Round
from schemas.worlds import SceneSettings

_AGAIN = "Director looks again"


class Part(NamedTuple):
    """One part of the line."""

    says: str
    when: Literal["done", "now", "later"]


def round_line(played: Round, settings: SceneSettings, cast: Sequence[CastMember]) -> tuple[Part, ...]:
    """The parts of a round that runs, as far as they are known."""
    if played.kind in ("narrate", "regenerate"):
        return (Part("The narrator speaks" if played.kind == "narrate" else "A reply is made anew", "now"),)
    if not played.passes:
        return (Part("Director plans", "now"), Part("the cast speaks", "later"))
    line: list[Part] = []
    for each in played.passes:
        line += _pass(played, each, settings, cast)
    if not any(part.when == "now" for part in line):
        line.append(_after(played, settings))
    elif len(played.passes) < settings.max_director_passes:
        line.append(Part(_AGAIN, "later"))
    return tuple(line)


def _pass(
    played: Round, planned: PassRecord, settings: SceneSettings, cast: Sequence[CastMember]
) -> list[Part]:
    verb = "Director plans" if planned.number == 1 else _AGAIN
    turns = planned.applied.turns
    if planned is played.passes[-1] and holds(settings, played.passes):
        return [Part(f"{verb}: the plan waits for you", "now"), Part("the cast speaks", "later")]
    done = [each.character for each in played.turns if each.pass_number == planned.number]
    waiting = [each for each in turns if each.character not in done]
    if planned is played.passes[-1] and waiting:
        says = f"{name_of(waiting[0].character, cast)} speaks {len(done) + 1}/{len(done) + len(waiting)}"
        return [Part(verb, "done"), Part(says, "now")]
    spoke = f"{len(done)} spoke" if done else "nobody is to speak"
    return [Part(verb, "done"), Part(spoke, "done")]


def _after(played: Round, settings: SceneSettings) -> Part:
    """Part after a pass whose turns are over."""
    newest = played.passes[-1]
    spoke = any(each.pass_number == newest.number for each in played.turns)
    again = newest.outcome == "planned" and spoke and newest.number < settings.max_director_passes
    return Part(_AGAIN if again else "the round closes", "now")
