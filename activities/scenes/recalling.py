"""Memories that the roles of a scene recall before they act: those nearest to the newest words they heard."""

from collections.abc import Sequence
from dataclasses import dataclass

from activities.scenes.memory import charge_of, vectors_of
from activities.scenes.moments import Moment
from penwright.ports.scenes import Embeddings, Memories
from schemas.director_round import BriefRole
from schemas.envelope import Recalled
from schemas.memory import MemoryQuery, Vectors
from schemas.model import Usage
from schemas.scene import SceneMessage
from schemas.worlds import Located

_ASKED_BY = 2_000
"""Characters of the newest words that memories are searched by."""
_MOST_REMEMBERING = 8
"""Characters whose memories a director is shown."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """Recalled memories, and the usage of finding them."""

    memories: tuple[Recalled, ...]
    usage: Usage


@dataclass(frozen=True, slots=True)
class SceneRecalling:
    """Searches memories; where no vectors can be made, by words."""

    memories: Memories
    embeddings: Embeddings

    def recalled(
        self,
        request: BriefRole,
        located: Located,
        moment: Moment,
        messages: Sequence[SceneMessage],
    ) -> Recollection:
        """The acting character's own memories; a director is shown a few of each; others, none."""
        queries = tuple(_queries(request, located, moment, messages))
        charge = charge_of(request.effect, request.scene)
        vectors = vectors_of(self.embeddings, [each.text for each in queries], charge)
        chars = located.scene.settings.memory_chars
        found = (
            _within(self.memories.recall(query, _one(vectors, place)), chars)
            for place, query in enumerate(queries)
        )
        usage = vectors.usage if vectors is not None else Usage(cost_micros=0)
        return Recollection(tuple(memory for memories in found for memory in memories), usage)


def _queries(
    request: BriefRole, located: Located, moment: Moment, messages: Sequence[SceneMessage]
) -> Sequence[MemoryQuery]:
    limit = located.scene.settings.memories
    if request.for_ == "character":
        asking, each = [request.who], limit
    elif request.for_ == "director" and moment.state.roster:
        asking = list(moment.state.roster[:_MOST_REMEMBERING])
        each = limit // len(asking)
    else:
        return ()
    heard = {who: _newest_words(who, messages) for who in asking}
    return [
        MemoryQuery(
            scene=request.scene,
            world=located.world.id,
            character=who,
            text=text,
            limit=each,
            now_round=moment.round,
            before_round=moment.round if moment.at else None,
            until=moment.at,
        )
        for who, text in heard.items()
        if each and text
    ]


def _newest_words(who: str, messages: Sequence[SceneMessage]) -> str:
    return "\n".join(each.text for each in messages[-3:] if who in each.witnesses)[-_ASKED_BY:]


def _one(vectors: Vectors | None, place: int) -> Vectors | None:
    if vectors is None:
        return None
    return vectors.model_copy(update={"vectors": (vectors.vectors[place],)})


def _within(memories: Sequence[Recalled], chars: int) -> tuple[Recalled, ...]:
    """The best memories that have room; a long one does not keep a shorter one out."""
    kept: list[Recalled] = []
    for memory in memories:
        if len(memory.text) <= chars:
            kept.append(memory)
            chars -= len(memory.text)
    return tuple(kept)
