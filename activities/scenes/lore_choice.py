"""Lore of one call of a scene: what it is chosen by, read from the store as it is now."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from activities.scenes.memory import charge_of, vectors_of
from penwright.domain.lore.index import BookIndex, LoreIndexes
from penwright.domain.lore.readers import names_of
from penwright.domain.lore.scanning import scan
from penwright.ports.scenes import Embeddings, TokenCounter, Worlds
from schemas.director_round import BriefRole
from schemas.lore import GAME_MASTER, Lorebook, LoreCase, LoreScan, Source
from schemas.model import Usage
from schemas.scene import SceneMessage, SceneState
from schemas.worlds import Character, Located

_NEAR = 0.25
"""Least cosine of two texts that are near in meaning."""
_MOST_NEAR = 5
"""Vectorised entries that fire by their meaning in one prompt."""
_MOST_COMPARED = 500
_QUERY_MESSAGES = 2
_BEHIND_THE_SCENES = ("summariser", "world", "visual")
"""Roles whose answers nobody reads as a message."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """The call that lore is chosen for."""

    request: BriefRole
    located: Located
    state: SceneState
    messages: Sequence[SceneMessage]
    """Those that the role may know."""
    newest: int
    """Number of the newest message of the scene, known or not."""
    people: Sequence[Character]
    """Those who are present."""
    round: int
    """As people count."""


@dataclass(frozen=True, slots=True)
class LoreChoice:
    """Chooses lore; vectorised entries fire only where vectors can be made."""

    worlds: Worlds
    embeddings: Embeddings
    counter: TokenCounter
    indexes: LoreIndexes

    def chosen(self, occasion: Occasion, role: str) -> tuple[LoreScan, Usage]:
        """Return the lore of the call and what its vectors cost."""
        request = occasion.request
        books = self.worlds.active_books(request.scene, reader=request.who)
        indexes = [self.indexes.of(book) for book in books]
        near, usage = self._near(indexes, occasion)
        case = self._case(books, occasion).model_copy(
            update={"near": near, "unclear": tuple(self._unclear(indexes))}
        )
        counted = scan(case, lambda text: self.counter.count(role, [text])[0], indexes=self.indexes)
        return counted, usage

    def _case(self, books: tuple[Lorebook, ...], occasion: Occasion) -> LoreCase:
        request, located, settings = occasion.request, occasion.located, occasion.located.scene.settings
        acting = self.worlds.read(Character, request.who) if request.who else None
        names = names_of(acting, self.worlds.read) if acting else ()
        played = next((each for each in occasion.people if each.id == request.who), acting)
        return LoreCase(
            books=books,
            messages=tuple(f"{each.name}: {each.text}" for each in occasion.messages),
            more={
                "the scenario": located.scene.notes.scenario,
                "the location": located.scene.notes.location,
                "the guidance": request.open_guidance,
            },
            message_number=occasion.newest,
            seed=f"{request.scene}/{request.round}",
            timers=occasion.state.timers,
            scan_messages=settings.lore_scan_messages,
            tokens=settings.lore_tokens,
            for_character=request.who,
            for_names=(GAME_MASTER,) if request.for_ == "director" else names,
            for_tags=played.tags if played else (),
            triggers=_triggers(request),
            about=_about(occasion, played),
            char=(played.nickname or played.name) if played else "",
            user=located.persona.name if located.persona else "",
            group=tuple(each.name for each in occasion.people),
            at=request.effect.issued_at,
            draws=(request.scene, str(occasion.round)),
        )

    def _unclear(self, indexes: Iterable[BookIndex]) -> Iterable[str]:
        """Names in exclusions that mean no character."""
        names = {name for index in indexes for name in index.excluded}
        return (name for name in sorted(names) if not self.worlds.find(Character, name))

    def _near(
        self, indexes: Sequence[BookIndex], occasion: Occasion
    ) -> tuple[tuple[tuple[str, str], ...], Usage]:
        """Book and uid of the vectorised entries that are nearest in meaning to the newest messages."""
        found = [(index.book.id, index.entries[place]) for index in indexes for place in index.vectorised]
        query = "\n".join(each.text for each in occasion.messages[-_QUERY_MESSAGES:])
        charge = charge_of(occasion.request.effect, occasion.request.scene)
        texts = [query, *(entry.content for _, entry in found[:_MOST_COMPARED])]
        vectors = vectors_of(self.embeddings, texts, charge) if found and query.strip() else None
        if vectors is None:
            return (), Usage(cost_micros=0)
        asked, *contents = vectors.vectors
        near = [(_cosine(asked, each), at) for at, each in enumerate(contents)]
        best = sorted(((-cosine, at) for cosine, at in near if cosine >= _NEAR))[:_MOST_NEAR]
        return tuple((found[at][0], found[at][1].uid) for _, at in best), vectors.usage


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    sizes = sqrt(sum(each * each for each in one)) * sqrt(sum(each * each for each in other))
    return sum(a * b for a, b in zip(one, other, strict=True)) / sizes if sizes else 0.0


def _triggers(request: BriefRole) -> tuple[str, ...]:
    if request.for_ in _BEHIND_THE_SCENES:
        return ("quiet",)
    if request.regenerates:
        return "regenerate", "swipe"
    return ("continue",) if request.continues else ("normal",)


def _about(occasion: Occasion, played: Character | None) -> dict[Source, str]:
    """Texts of the persona, and of the character; of all who are present, for a director, who knows them."""
    persona = occasion.located.persona
    texts: dict[Source, str] = {"persona": persona.description if persona else ""}
    people = occasion.people if occasion.request.for_ == "director" else [played] if played else []
    for each in people:
        own: dict[Source, str] = {
            "description": each.description,
            "personality": each.personality,
            "depth-note": each.depth_note,
            "scenario": each.scenario,
            "creator-notes": each.creator_notes,
        }
        texts |= {source: f"{texts.get(source, '')}\n{text}" for source, text in own.items()}
    return {source: text for source, text in texts.items() if text.strip()}
