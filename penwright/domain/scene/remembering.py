"""Memories of a round, for each of those who were there."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from schemas.memory import Memory
from schemas.scene import SceneMessage

LONGEST = 1_000
"""Characters of one memory."""
MOST = 4
"""Memories that one character keeps of one round."""
_LINES = (LONGEST, 400, 200, 100)
"""Characters that one message may have, tried until all of them fit."""
_ENDS = (". ", "! ", "? ", "… ", "。", "！", "？")


@dataclass(frozen=True, slots=True)
class Occasion:
    """The round that is remembered."""

    op_id: str
    """Of the step that remembers; a memory's id is made from it, so a step that runs twice writes it once."""
    world: str
    scene: str
    round: int
    at: datetime


def memories_of(
    occasion: Occasion, messages: Iterable[SceneMessage], characters: Collection[str]
) -> tuple[Memory, ...]:
    """Make the memories of a round, by character.

    A character remembers what it witnessed, word for word while that is short: each message as
    ``Name: text``, cut at the end of a sentence. Of a round that is too long even so, the beginning and the
    end are kept.

    Args:
        messages: those of the round; what is undone or of the system is not remembered.
        characters: ids of those who can remember; personas cannot.
    """
    said = [each for each in messages if _is_remembered(each, occasion.round)]
    witnesses = sorted({who for each in said for who in each.witnesses} & set(characters))
    return tuple(memory for who in witnesses for memory in _of_one(occasion, who, said))


def retold(before: Sequence[Memory], messages: Iterable[SceneMessage]) -> tuple[Memory, ...]:
    """Make the memories of a round anew from its present messages.

    Args:
        before: those that there are of the round, in one scene; at least one.
    """
    first = before[0]
    op_id = first.id[: first.id.rfind(f"/{first.character}")]
    occasion = Occasion(op_id=op_id, world=first.world, scene=first.scene, round=first.round, at=first.at)
    return memories_of(occasion, messages, {each.character for each in before})


def _is_remembered(message: SceneMessage, round: int) -> bool:
    return message.round == round and not message.undone and message.speaker != "system"


def _of_one(occasion: Occasion, who: str, said: Sequence[SceneMessage]) -> Iterator[Memory]:
    lines = _fitting([each for each in said if who in each.witnesses and each.text.strip()])
    for number, part in enumerate(_parts(lines), start=1):
        yield Memory(
            id=f"{occasion.op_id}/{who}" + (f"/{number}" if number > 1 else ""),
            scene=occasion.scene,
            world=occasion.world,
            character=who,
            round=occasion.round,
            text="\n".join(text for text, _ in part),
            messages=tuple(message for _, message in part),
            at=occasion.at,
        )


RememberedLine = tuple[str, str]
"""A message as it is remembered, and its id."""


def _fitting(heard: Sequence[SceneMessage]) -> list[RememberedLine]:
    lines: list[RememberedLine] = []
    for longest in _LINES:
        lines = [(shortened(f"{each.name}: {each.text}", longest), each.id) for each in heard]
        if len(list(_parts(lines))) <= MOST:
            return lines
    ends = list(_parts(lines))
    return [line for part in (*ends[: MOST // 2], *ends[-(MOST // 2) :]) for line in part]


def _parts(lines: Iterable[RememberedLine]) -> Iterator[list[RememberedLine]]:
    """Put lines together as long as a memory has room for them."""
    part: list[RememberedLine] = []
    for line in lines:
        if part and sum(len(text) + 1 for text, _ in part) + len(line[0]) > LONGEST:
            yield part
            part = []
        part.append(line)
    if part:
        yield part


def shortened(text: str, longest: int) -> str:
    """The text on one line, cut at the end of a sentence in its second half, or else of a word."""
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    room = line[: longest - 1]
    end = max(room.rfind(mark) + len(mark.rstrip()) for mark in _ENDS)
    if end <= longest // 2:
        end = room.rfind(" ") if " " in room[longest // 2 :] else len(room)
    return f"{room[:end].rstrip()}…"
