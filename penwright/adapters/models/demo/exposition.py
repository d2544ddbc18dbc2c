"""Plain expository sentences about a subject; none is used twice in a manuscript."""

import random
from collections.abc import Iterator

_ANGLES = (
    *("its history", "its methods", "the people who use it", "what it costs", "what it promises"),
    *("the evidence", "daily practice", "the open questions", "its limits", "how it is taught"),
    *("those who doubt it", "the next ten years"),
)
_SENTENCES = (
    "Seen from {angle}, {subject} is less simple than it looks.",
    "It helps to keep {angle} in view while reading on.",
    "Much of the debate about {subject} comes back to {angle}.",
    "A reader who cares about {angle} will want to know what follows.",
    "None of this settles {angle}, but it narrows the question.",
    "What matters here is not novelty but {angle}.",
    "The link between {angle} and the rest of the argument is easy to miss.",
    "Opinions differ most about {angle}.",
    "It would be a mistake to leave {angle} to others.",
    "About {angle} alone there is little to say, and in company more.",
    "The plainest way into {subject} leads through {angle}.",
    "Here the manuscript asks less about names and dates than about {angle}.",
    "Nothing in what follows depends on one view of {angle}.",
    "For a first reading, {angle} can be taken as given.",
)
CLOSING = "Taken together, this is what “{title}” adds to the argument."
"""The last sentence of a finished section, for the demo critic."""


def sentences(subject: str, seed: int, *, used: str) -> Iterator[str]:
    """Sentences in an order of their own for each seed, without those that stand in ``used``."""
    every = [pattern.format(subject=subject, angle=angle) for pattern in _SENTENCES for angle in _ANGLES]
    random.Random(seed).shuffle(every)
    return (text[:1].upper() + text[1:] for text in every if text[:1].upper() + text[1:] not in used)
