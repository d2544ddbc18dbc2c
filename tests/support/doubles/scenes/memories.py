"""Double of memories with their vectors."""

import math
from collections.abc import Sequence

from penwright.adapters.store.scenes.remembering.ranking import (
    best,
    check_vectors,
    likeness,
    recency,
    words_of,
)
from schemas.base import Value
from schemas.envelope import Recalled
from schemas.memory import Memory, MemoryCount, MemoryQuery, Remembered, Vectors
from schemas.worlds import Character, Scene, World
from tests.support.doubles.scenes.retelling import retell
from tests.support.doubles.scenes.shelf import Shelf


class MemoryMemories:
    """Implements ``Memories``."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def remember(self, memories: Sequence[Memory], vectors: Vectors | None) -> Remembered:
        if vectors is not None:
            check_vectors(memories, vectors)
        places: tuple[tuple[type[Value], str], ...] = (
            (Scene, "scene"),
            (World, "world"),
            (Character, "character"),
        )
        with self._shelf.lock:
            for kind, word in places:
                for id in sorted({getattr(memory, word) for memory in memories}):
                    self._shelf.check_there(kind, id)
            written = sum(self._add(memory) for memory in memories)
            if vectors is not None:
                for memory, vector in zip(memories, vectors.vectors, strict=True):
                    self._shelf.vectors.setdefault(memory.id, (vectors.model, vector))
        model = vectors.model if vectors is not None else ""
        return Remembered(written=written, again=len(memories) - written, model=model)

    def recall(self, query: MemoryQuery, vector: Vectors | None) -> tuple[Recalled, ...]:
        with self._shelf.lock:
            known = [memory for memory in self._shelf.memories.values() if self._recalls(query, memory)]
            found: tuple[Recalled, ...] = ()
            if vector is not None and vector.vectors:
                found = best(self._by_vector(query, known, vector), max(query.limit, 0))
            ids = {each.id for each in found}
            asked = words_of(query.text)
            by_words = [
                (memory, likeness(asked, words_of(memory.text)) * self._recency(query, memory))
                for memory in known
                if memory.id not in ids and set(asked) & set(words_of(memory.text))
            ]
        return found + best(by_words, max(query.limit - len(found), 0))

    def lacking(self, scene: str, *, after: int = 0) -> tuple[int, ...]:
        with self._shelf.lock:
            played = self._shelf.played.get(scene)
            if played is None:
                return ()
            shared = max((to for _, to in played.line), default=0)
            running = {each.round.number for each in played.rounds if each.round.status == "running"}
            known = {each.round for each in self._shelf.memories.values() if each.scene == scene}
            left_out = known | running | played.undone | played.forgotten
            characters = self._shelf.things[Character]
            said = {
                each.round
                for each in played.messages
                if each.speaker != "system" and any(who in characters for who in each.witnesses)
            }
            return tuple(sorted(each for each in said - left_out if each > max(after, shared)))

    def without(self, model: str, *, limit: int = 200) -> tuple[Memory, ...]:
        with self._shelf.lock:
            lacking = [
                memory
                for memory in reversed(self._shelf.memories.values())
                if self._shelf.vectors.get(memory.id, ("",))[0] != model
            ]
            return tuple(self._seen(memory.scene, memory) for memory in lacking[:limit])

    def counted(self, model: str) -> MemoryCount:
        with self._shelf.lock:
            known = self._shelf.memories
            having = sum(self._shelf.vectors.get(id, ("",))[0] == model for id in known)
            return MemoryCount(all=len(known), without=len(known) - having)

    def embed(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        check_vectors(memories, vectors)
        with self._shelf.lock:
            for memory, vector in zip(memories, vectors.vectors, strict=True):
                kept = self._shelf.memories.get(memory.id)
                if kept is not None and kept.text == memory.text:
                    self._shelf.vectors[memory.id] = (vectors.model, vector)

    def of(self, scene: str, character: str = "", *, newest: int = 100) -> tuple[Memory, ...]:
        with self._shelf.lock:
            held = [
                self._seen(scene, memory)
                for memory in self._shelf.memories.values()
                if self._holds(scene, memory) and character in ("", memory.character)
            ]
        ordered = sorted(held, key=lambda memory: memory.round)
        return tuple(ordered[-newest:]) if newest > 0 else ()

    def retell(self, scene: str, round: int) -> None:
        with self._shelf.lock:
            if scene in self._shelf.played:
                retell(self._shelf, scene, round)

    def take_back(self, scene: str, round: int) -> int:
        with self._shelf.lock:
            if scene not in self._shelf.played:
                return 0
            self._shelf.played[scene].forgotten.add(round)
            memories = self._shelf.memories.values()
            return sum(memory.round == round and self._holds(scene, memory) for memory in memories)

    def _add(self, memory: Memory) -> bool:
        if memory.id in self._shelf.memories:
            return False
        self._shelf.memories[memory.id] = memory.model_copy(update={"undone": False})
        return True

    def _by_vector(
        self, query: MemoryQuery, known: Sequence[Memory], vector: Vectors
    ) -> list[tuple[Memory, float]]:
        return [
            (memory, _cosine(kept[1], vector.vectors[0]) * self._recency(query, memory))
            for memory in known
            if (kept := self._shelf.vectors.get(memory.id)) is not None
            and kept[0] == vector.model
            and len(kept[1]) == vector.dimensions
        ]

    def _recalls(self, query: MemoryQuery, memory: Memory) -> bool:
        if (memory.world, memory.character) != (query.world, query.character):
            return False
        here = self._shelf.played.get(query.scene)
        family = here.family if here else ""
        if self._shelf.played[memory.scene].family == family:
            if query.before_round is not None and memory.round >= query.before_round:
                return False
            return self._holds(query.scene, memory) and not self._seen(query.scene, memory).undone
        is_early = query.until is None or memory.at < query.until
        return is_early and not self._seen(memory.scene, memory).undone

    def _holds(self, scene: str, memory: Memory) -> bool:
        """Whether the memory is of a round that the scene sees, undone or not."""
        if scene not in self._shelf.played:
            return False
        line = ((scene, memory.round), *self._shelf.played[scene].line)
        return any(memory.scene == one and memory.round <= to for one, to in line)

    def _seen(self, scene: str, memory: Memory) -> Memory:
        played = self._shelf.played[scene]
        undone = memory.round in played.undone | played.forgotten
        return memory.model_copy(update={"undone": undone})

    def _recency(self, query: MemoryQuery, memory: Memory) -> float:
        played = self._shelf.played.get(query.scene)
        line = (query.scene, *(scene for scene, _ in played.line)) if played else (query.scene,)
        return recency(query.now_round, memory, memory.scene in line)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """From -1 to 1; 0 for a vector without direction."""
    length = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / length if length else 0.0
