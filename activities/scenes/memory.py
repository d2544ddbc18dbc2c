"""Memories of a round, for those who were there, and the vectors that they are found by."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic

from temporalio import activity

from penwright.domain.models.usage import total
from penwright.domain.scene.remembering import Occasion, memories_of
from penwright.errors import BudgetSpent, ModelFinal, ModelUnavailable
from penwright.ports.scenes import Backlog, Embeddings, Memories, Scenes, Worlds
from schemas.base import Effect
from schemas.director_round import RememberRound
from schemas.memory import Charge, Memory, Remembered, Vectors
from schemas.model import BudgetScope
from schemas.worlds import Character

_AT_ONCE = 64
"""Memories that get vectors at once: one request to a vendor."""
_PATIENCE_S = 12.0
"""Time for making vectors; the step itself has half a minute, and one more request may be under way."""


def charge_of(effect: Effect, scene: str) -> Charge:
    """Make the charge of vectors: to the round that the effect belongs to, and its scene."""
    return Charge(
        effect=effect, scope=BudgetScope(run=effect.op_id.rpartition(":")[0], subject=f"scene/{scene}")
    )


def vectors_of(embeddings: Embeddings, texts: Sequence[str], charge: Charge) -> Vectors | None:
    """Make vectors; None where none are wanted, or made for lack of an answer or of money: words must do."""
    if not embeddings.model or not texts:
        return None
    try:
        return embeddings.embed(texts, charge)
    except (ModelUnavailable, ModelFinal, BudgetSpent) as error:
        activity.logger.warning("memories are found by words only: %s (%s)", error.message, error.code)
        return None


def _texts(memories: Sequence[Memory]) -> list[str]:
    return [each.text for each in memories]


@dataclass(frozen=True)
class SceneMemoryActivities:
    """Activities for the process that makes vectors. None of them can fail a round: it is closed before."""

    worlds: Worlds
    scenes: Scenes
    memories: Memories
    embeddings: Embeddings
    backlog: Backlog
    seconds: Callable[[], float] = monotonic

    @activity.defn
    async def remember(self, request: RememberRound) -> Remembered:
        """Write the memories of a round, each once, with their vectors. Harmless to repeat.

        While the model does not answer a memory is without a vector, and found by its words. If any memory
        is without one, the background is told.

        Returns:
            How many were written; ``model`` is empty unless all of them have its vectors.
        """
        remembered = await asyncio.to_thread(self._remember, request)
        if await asyncio.to_thread(self._lacks_vectors):
            await self.backlog.wanted(sha256(request.effect.op_id.encode()).hexdigest()[:12])
        return remembered

    def _remember(self, request: RememberRound) -> Remembered:
        until = self.seconds() + _PATIENCE_S
        made = self._made(request)
        parts = [made[start : start + _AT_ONCE] for start in range(0, len(made), _AT_ONCE)]
        charge = charge_of(request.effect, request.scene)
        kept = [self._keep(part, until, charge) for part in parts]
        # A text may have been changed while vectors were made, or since an earlier attempt kept memories.
        if any(each.again for each in kept) or _texts(self._made(request)) != _texts(made):
            self.memories.retell(request.scene, request.round)
        return Remembered(
            written=sum(each.written for each in kept),
            again=sum(each.again for each in kept),
            model=min((each.model for each in kept), default=""),
            usage=total(each.usage for each in kept),
        )

    def _lacks_vectors(self) -> bool:
        model = self.embeddings.model
        return bool(model and self.memories.without(model, limit=1))

    def _made(self, request: RememberRound) -> tuple[Memory, ...]:
        located = self.worlds.locate(request.scene)
        if located is None:
            return ()
        occasion = Occasion(
            op_id=request.effect.op_id,
            world=located.world.id,
            scene=request.scene,
            round=request.round,
            at=request.effect.issued_at,
        )
        messages = self.scenes.messages_of(request.scene, request.round)
        present = {who for each in messages for who in each.witnesses}
        known = {who for who in present if self.worlds.read(Character, who) is not None}
        return memories_of(occasion, messages, known)

    def _keep(self, memories: Sequence[Memory], until: float, charge: Charge) -> Remembered:
        texts = _texts(memories) if self.seconds() < until else []
        vectors = vectors_of(self.embeddings, texts, charge)
        kept = self.memories.remember(memories, vectors)
        return kept if vectors is None else kept.model_copy(update={"usage": vectors.usage})
