"""Things that a prompt lacks, because the run that remembers and sums up has not made it yet."""

from collections.abc import Sequence

from penwright.domain.scene.numbering import Numbering
from schemas.envelope import Envelope


def pending(
    shown: Envelope, outside: Sequence[int], lacking: Sequence[int], known: Numbering
) -> tuple[str, ...]:
    """Sentences for people, with the numbers that they see.

    Args:
        outside: stored numbers of messages that no summary tells, rising.
        lacking: stored numbers of rounds that nobody remembers.
    """
    lines = (*shown.history, *shown.last_round, *shown.this_round)
    numbers = [int(line.id.rpartition("/")[2]) for line in lines]
    untold = [known.message(each) for each in outside if each < min(numbers, default=0)]
    rounds = [known.number(each) for each in lacking]
    told = [f"memories of {_span('round', min(rounds), max(rounds))} were not made yet"] if rounds else []
    told += [f"{_span('message', untold[0], untold[-1])} stood in no summary yet"] if untold else []
    return tuple(told)


def _span(word: str, first: int, last: int) -> str:
    return f"{word} {first}" if first == last else f"{word}s {first} to {last}"
