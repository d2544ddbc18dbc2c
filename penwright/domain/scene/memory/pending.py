"""Things that a prompt lacks, because the run that remembers and sums up has not made it yet."""

from collections.abc import Sequence

from penwright.domain.scene.numbering import Numbering
from schemas.envelope import Envelope


def pending(shown: Envelope, summarised_to: int, lacking: Sequence[int], known: Numbering) -> tuple[str, ...]:
    """Sentences for people, with the numbers that they see.

    Args:
        lacking: stored numbers of rounds that nobody remembers.
    """
    lines = (*shown.history, *shown.last_round, *shown.this_round)
    numbers = [int(line.id.rpartition("/")[2]) for line in lines]
    first = known.messages_up_to(summarised_to) + 1
    last = known.messages_up_to(min(numbers) - 1) if numbers else 0
    rounds = [known.number(each) for each in lacking]
    told = [f"memories of {_span('round', min(rounds), max(rounds))} were not made yet"] if rounds else []
    told += [f"{_span('message', first, last)} stood in no summary yet"] if first <= last else []
    return tuple(told)


def _span(word: str, first: int, last: int) -> str:
    return f"{word} {first}" if first == last else f"{word}s {first} to {last}"
