"""Small books and readings of them, for tests."""

from collections.abc import Sequence

from penwright.domain.continuity.passages import ToldBlock
from penwright.domain.text.blocks import block_hash
from schemas.continuity import Entity, Fact, Mode, Reading, Step, ThreadStep


def told(*texts: str, chapter: int = 1) -> tuple[ToldBlock, ...]:
    """Paragraphs of one chapter."""
    return tuple(ToldBlock(block_hash(each), each, chapter) for each in texts)


def person(name: str, block: str, *also: str) -> Entity:
    return Entity(kind="person", name=name, also=also, block=block_hash(block), quote=block[:160])


def fact(about: str, trait: str, value: str, block: str, mode: Mode = "told") -> Fact:
    return Fact(about=about, trait=trait, value=value, mode=mode, block=block_hash(block), quote=block[:160])


def thread(name: str, step: Step, block: str) -> ThreadStep:
    return ThreadStep(thread=name, step=step, block=block_hash(block), quote=block[:160])


def reading(
    blocks: Sequence[str],
    *stated: Entity | Fact | ThreadStep,
    at: str = "2026-01-01T00:00:00+00:00",
    summary: str = "",
    lost: int = 0,
) -> Reading:
    """A reading of some paragraphs."""
    return Reading(
        blocks=tuple(block_hash(each) for each in blocks),
        reader="test",
        at=at,
        words=sum(len(each.split()) for each in blocks),
        summary=summary,
        entities=tuple(each for each in stated if isinstance(each, Entity)),
        facts=tuple(each for each in stated if isinstance(each, Fact)),
        threads=tuple(each for each in stated if isinstance(each, ThreadStep)),
        lost=lost,
    )
