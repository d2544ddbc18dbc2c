"""Which memories come first; the store and its double count alike."""

import math
import re
from collections.abc import Collection, Iterable, Sequence

from penwright.adapters.store.scenes.setting.naming import folded
from penwright.domain.text.words import UNSPACED
from penwright.errors import UsageMistake
from schemas.envelope import Recalled
from schemas.memory import Memory, Vectors

_WORD = re.compile(r"\w+")
# Scripts that are written without spaces: pairs of their characters stand for words.
_ANY_UNSPACED = re.compile(f"[{UNSPACED}]")
_HALF_LIFE = 50
"""Rounds after which the part of a score that ages is half of what it was."""
_AGING = 0.3
"""The part of a score that ages."""
POOL = 8
"""Candidates looked at for each memory wanted, because recency may change their order."""


def words_of(text: str) -> tuple[str, ...]:
    """The words that a text is found by, each once."""
    found: dict[str, None] = {}
    for word in _WORD.findall(folded(text.replace("\x00", " "))):
        found.update(dict.fromkeys(_pieces(word)))
    return tuple(found)


def recency(now_round: int, memory: Memory, in_line: bool) -> float:
    """From 0.7 to 1; memories of other scenes are as old as can be."""
    age = max(now_round - memory.round, 0) if in_line else math.inf
    return 1 - _AGING + _AGING * float(0.5 ** (age / _HALF_LIFE))


def likeness(query: Collection[str], words: Collection[str]) -> float:
    """From 0 to 1: how much of the query occurs, less for long memories."""
    if not query or not words:
        return 0.0
    shared = len(set(query) & set(words))
    return shared / math.sqrt(len(query) * len(words))


def best(scored: Iterable[tuple[Memory, float]], limit: int) -> tuple[Recalled, ...]:
    """The best, best first; of equals the newest."""
    ordered = sorted(scored, key=lambda pair: (-round(pair[1], 9), -pair[0].round, pair[0].id))
    return tuple(
        Recalled(
            id=one.id,
            scene=one.scene,
            character=one.character,
            round=one.round,
            text=one.text,
            score=score,
        )
        for one, score in ordered[:limit]
    )


def check_vectors(memories: Sequence[Memory], vectors: Vectors) -> None:
    """Raise ``UsageMistake`` unless there is one vector of the right size for each memory."""
    sizes = {len(vector) for vector in vectors.vectors}
    finite = all(math.isfinite(number) for vector in vectors.vectors for number in vector)
    if len(vectors.vectors) != len(memories) or sizes - {vectors.dimensions} or not finite:
        raise UsageMistake(
            "bad-vectors",
            f"{len(memories)} memories need as many vectors of {vectors.dimensions} finite numbers; "
            f"there are {len(vectors.vectors)} of sizes {sorted(sizes)}.",
        )


def _pieces(word: str) -> Iterable[str]:
    if not _ANY_UNSPACED.search(word) or len(word) == 1:
        return (word,)
    return (word[place : place + 2] for place in range(len(word) - 1))
