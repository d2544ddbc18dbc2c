"""A book of 10,000 facts: checking it against itself, and what its writer is told."""

from penwright.domain.continuity.checking import contradictions
from penwright.domain.continuity.known import known
from penwright.domain.continuity.passages import ToldBlock
from penwright.domain.continuity.telling import Sought, tell
from penwright.domain.text.blocks import block_hash
from schemas.continuity import Fact, Reading
from tests.bench.report import Row, row_of, say, timed

FACTS, ROUNDS = 10_000, 15
CHECK_MS, BRIEF_MS = 100.0, 20.0
_TRAITS = ("eyes", "age", "kin", "home", "place", "holds", "lost", "work", "knows", "born")
_CHAPTERS = 100


def run(facts: int = FACTS, rounds: int = ROUNDS) -> list[Row]:
    """Check and tell; beside them, the fold that both need."""
    say(f"continuity: {facts:,} facts")
    told, readings = made(facts)
    story = known(readings, told)
    fold = [timed(lambda: known(readings, told))[0] for _ in range(rounds)]
    check = [timed(lambda: contradictions(story, _CHAPTERS, {}))[0] for _ in range(rounds)]
    sought = Sought(", ".join(f"Person{at}" for at in range(12)), "Person40 came home. " * 40, _CHAPTERS)
    brief = [timed(lambda: tell(story, sought, 2_500))[0] for _ in range(rounds)]
    return [
        row_of("continuity", f"check {facts:,} facts; the fold of their readings", check, fold, CHECK_MS),
        row_of("continuity", f"brief of {facts:,} facts; the fold of their readings", brief, fold, BRIEF_MS),
    ]


def made(facts: int) -> tuple[tuple[ToldBlock, ...], list[Reading]]:
    """Paragraphs with a fact each, and readings of a hundred of them."""
    texts = [f"Paragraph {at} tells one thing." for at in range(facts)]
    chapters = [1 + at * _CHAPTERS // facts for at in range(facts)]
    told = tuple(ToldBlock(block_hash(each), each, at) for each, at in zip(texts, chapters, strict=True))
    stated = [
        Fact(
            about=f"Person{at // len(_TRAITS) % 500}",
            trait=_TRAITS[at % len(_TRAITS)],
            value=f"value {at % (facts // 2)}",
            block=told[at].hash,
            quote=texts[at],
        )
        for at in range(facts)
    ]
    step = 100
    readings = [
        Reading(
            blocks=tuple(each.hash for each in told[at : at + step]),
            at="2026-01-01T00:00:00+00:00",
            summary=f"What happens in passage {at}.",
            facts=tuple(stated[at : at + step]),
        )
        for at in range(0, facts, step)
    ]
    return told, readings
