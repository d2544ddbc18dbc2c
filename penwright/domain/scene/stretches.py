"""Stretches of a scene that are summed up: which count, which messages come next, and how each is headed.

A stretch tells messages that the same people heard, so one who missed a round lacks what was told of it and
nothing else. It counts while each of its messages reads as it did; another text of one takes it away.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from penwright.domain.scene.remembering import shortened
from schemas.envelope import Envelope
from schemas.scene_summary import Stretch, SummedUp

_HEADING: Final = 80
"""Characters of a heading at most."""
_LINE: Final = 160
_MARKS: Final = "#*_ \t"


def shown_in(envelope: Envelope) -> dict[int, str]:
    """Texts that a summariser's envelope shows, by the numbers of their messages."""
    return {int(line.id.rpartition("/")[2]): line.text for line in envelope.history}


def valid_stretches(kept: Iterable[Stretch], readings: Mapping[int, str]) -> tuple[Stretch, ...]:
    """Those that count, by their first messages; no message is told by two.

    Args:
        kept: the newest first.
        readings: mark of the present text of each message that is not hidden.
    """
    told, found = set[int](), list[Stretch]()
    for each in kept:
        if told.isdisjoint(each.readings) and each.readings.items() <= readings.items():
            told.update(each.readings)
            found.append(each)
    return tuple(sorted(found, key=lambda each: each.first))


def next_portion(scene: SummedUp, before: int) -> tuple[int, ...]:
    """Numbers of the messages to be summed up next: the oldest one outside, and those like it after it.

    Args:
        before: number of a message; it and later ones wait.
    """
    waiting = [each for each in scene.outside if each.number < before]
    if not waiting:
        return ()
    first = waiting[0]
    like = (each.first for each in scene.stretches if set(each.witnesses) == first.heard_by)
    # What was told before and after another stretch of the same people stays apart.
    end = min((number for number in like if number > first.number), default=before)
    return tuple(each.number for each in waiting if each.heard_by == first.heard_by and each.number < end)


def heading(stretch: Stretch) -> str:
    """The rounds that it tells, and its title, if its text begins with one."""
    first, last = stretch.rounds
    rounds = f"Round {first}" if first == last else f"Rounds {first} to {last}"
    title, _ = _parted(stretch.text)
    return f"{rounds}: {title}" if title else rounds


def body(stretch: Stretch) -> str:
    """Its text without the title."""
    return _parted(stretch.text)[1]


def line(stretch: Stretch) -> str:
    """The beginning of its text, on one line."""
    return shortened(body(stretch), _LINE)


def _parted(text: str) -> tuple[str, str]:
    first, _, rest = text.strip().partition("\n")
    title = first.strip(_MARKS).removesuffix(":")
    return (title, rest.strip()) if rest.strip() and 0 < len(title) <= _HEADING else ("", text.strip())
