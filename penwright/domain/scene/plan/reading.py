"""A director's plan with its names resolved, and its actors in order; what is refused of it is noted."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from penwright.domain.scene import presence
from penwright.domain.scene.resolving import NARRATOR, name_of, resolve, shortened
from penwright.domain.text.slugs import folded
from schemas.director import CastMember, DirectorPlan, Note, PlannedActor, PlannedEntry, PlannedExit, Steering
from schemas.scene import SceneState
from schemas.worlds import Persona


@dataclass(frozen=True, slots=True)
class PlanReader:
    """Reads one plan against the scene as it is; ``notes`` grows with what is refused."""

    cast: Sequence[CastMember]
    state: SceneState
    persona: Persona | None
    may_narrate: bool = False
    """Whether the plan may have the narrator act, too."""
    gives_turns: bool = False
    """Whether the plan says which person speaks next: to name one is no mistake then."""
    notes: list[Note] = field(default_factory=list)

    def find(self, who: str, or_else: str = "", *, coming: bool = False) -> str:
        """The id of the one who is meant; empty, with a note, if there is no such one.

        Args:
            or_else: the other way in which the same person is called, such as a name beside an id.
            coming: whether it is to come in, so that one who is present is not meant before others.
        """
        cast = presence.without_presence(self.cast) if coming else self.cast
        found = resolve(who, cast, self.persona)
        other = resolve(or_else, cast, self.persona) if or_else.strip() else found
        if isinstance(found, Note) and found.code == "unknown-name":
            found = other
        if not isinstance(found, Note):
            if not isinstance(other, Note) and other != found:
                told = f"is named together with {shortened(or_else)!r}, who is another; the id counts"
                self.refuse("two-named", found, told)
            return found
        self.notes.append(found)
        return ""

    def refuse(self, code: str, character: str, text: str) -> None:
        """Note something about a character who is known."""
        shown = f"{name_of(character, self.cast)!r} {text}."
        self.notes.append(Note.model_validate({"code": code, "who": character, "text": shown}))

    def by_name(self, characters: Iterable[str]) -> list[str]:
        """Each once, by the code points of their names, then of their ids."""
        return sorted(set(characters), key=lambda each: (name_of(each, self.cast), each))

    def entries(self, plan: DirectorPlan) -> dict[str, str]:
        """Those who are to come in, with their guidance; one who is present already needs none."""
        told = [(each.who, each.or_else, each.entry_guidance) for each in plan.activations]
        found = self._guided(told, coming=True)
        for character in found:
            if character in self.state.roster:
                self.refuse("already-present", character, "is here already")
        return {each: said for each, said in found.items() if each not in self.state.roster}

    def exits(self, plan: DirectorPlan) -> dict[str, str]:
        """Those who are to leave, with their guidance."""
        return self._guided([(each.who, each.or_else, each.exit_guidance) for each in plan.deactivations])

    def _guided(self, told: Iterable[tuple[str, str, str]], *, coming: bool = False) -> dict[str, str]:
        """Ids with their guidance; of two entries of one character the one that says something counts."""
        found = [
            (character, said)
            for who, or_else, said in told
            if (character := self.find(who, or_else, coming=coming))
        ]
        best: dict[str, str] = {}
        for character, said in sorted(found, key=lambda each: (each[0], not each[1].strip(), each[1])):
            best.setdefault(character, said)
        return {each: best[each] for each in self.by_name(best)}

    def actors(self, plan: DirectorPlan) -> tuple[tuple[str, PlannedActor], ...]:
        """Those who are to act, each once and in order."""
        found = [
            (character, each)
            for each in plan.acting
            if not self._person(each)
            and (character := NARRATOR if self._narrates(each) else self.find(each.who, each.or_else))
        ]
        for character in self.by_name(each for each, _ in found):
            if sum(each == character for each, _ in found) > 1:
                self.refuse("duplicate-actor", character, "is listed more than once; the best place counts")
        return ordered(found, self.cast)

    def floor(self, plan: DirectorPlan) -> str:
        """The character of a person who speaks next: the last that the plan lists; empty if it lists none."""
        found = ordered([(id, each) for each in plan.acting if (id := self._person(each))], self.cast)
        return found[-1][0] if found else ""

    def _person(self, actor: PlannedActor) -> str:
        """Id of the character of a person who is meant, where the plan may give turns to people."""
        if not self.gives_turns:
            return ""
        free = [each.model_copy(update={"taken": False}) for each in self.cast]
        found = resolve(actor.who, free, self.persona)
        is_taken = any(each.id == found and each.taken for each in self.cast)
        return str(found) if is_taken and found in self.state.roster else ""

    def _narrates(self, actor: PlannedActor) -> bool:
        """Whether the narrator is meant; a character who is called so comes first."""
        is_called = folded(actor.who).removeprefix("the ") == NARRATOR
        return self.may_narrate and is_called and isinstance(resolve(actor.who, self.cast, None), Note)

    def forced(self, steering: Steering) -> list[str]:
        """Those whom people force to act, in their order."""
        found = [character for who in steering.force if (character := self.find(who))]
        return [each for each in dict.fromkeys(found) if not presence.has_acted(self.state, each)]

    def allowed(
        self, actors: Iterable[tuple[str, PlannedActor]], steering: Steering
    ) -> dict[str, PlannedActor]:
        """Those who may act: not forbidden by a person, and not twice in a round."""
        may: dict[str, PlannedActor] = {}
        for character, actor in actors:
            if character in steering.veto:
                self.refuse("vetoed", character, "was told by a person not to act in this round")
            elif presence.has_acted(self.state, character):
                self.refuse("duplicate-actor", character, "has acted in this round already")
            else:
                may[character] = actor
        return may


def entry_values(characters: Iterable[str], guidance: dict[str, str]) -> tuple[PlannedEntry, ...]:
    """Entries for the audit."""
    return tuple(PlannedEntry(who=each, entry_guidance=guidance.get(each, "")) for each in characters)


def exit_values(characters: Iterable[str], guidance: dict[str, str]) -> tuple[PlannedExit, ...]:
    """Exits for the audit."""
    return tuple(PlannedExit(who=each, exit_guidance=guidance[each]) for each in characters)


class Rank(NamedTuple):
    """Place of an actor: what is smaller acts earlier."""

    unordered: bool
    order: float
    behind: float
    name: str
    id: str
    guidance: tuple[bool, str]
    """Only tells two entries of one character apart: one with guidance is the better."""


def _rank(character: str, actor: PlannedActor, cast: Sequence[CastMember]) -> Rank:
    """Return where an entry of a plan stands."""
    order = actor.order if actor.order is not None and math.isfinite(actor.order) else None
    priority = actor.priority if math.isfinite(actor.priority) else 0.0
    return Rank(
        unordered=order is None,
        order=order or 0.0,
        behind=-priority,
        name=name_of(character, cast),
        id=character,
        guidance=(not actor.guidance.strip(), actor.guidance),
    )


def ordered(
    actors: Sequence[tuple[str, PlannedActor]], cast: Sequence[CastMember]
) -> tuple[tuple[str, PlannedActor], ...]:
    """Return who acts, each once and in order, each with the best of its entries.

    The order is total, the same for every arrangement of a plan. An explicit ``order`` comes first, lowest
    first; then the higher priority; then the name by code point; then the id. A missing priority is 0, and
    what is no finite number counts as missing.

    Args:
        actors: ids with entries of the plan, in any order.
    """
    ranked = sorted(actors, key=lambda each: _rank(each[0], each[1], cast))
    best: dict[str, PlannedActor] = {}
    for character, actor in ranked:
        best.setdefault(character, actor)
    return tuple(best.items())
