"""A hundred made files, always the same, and chats."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.support.cards.books import card_book, world_info
from tests.support.cards.people import first_card, oldest_card, second_card, third_card
from tests.support.cards.pictures import archive, dumped, picture, text_chunk
from tests.support.cards.texts import NAMES, SENTENCES


@dataclass(frozen=True)
class Sample:
    name: str
    holds: str
    """A card, or a lorebook."""
    content: bytes


def _v2_of(card: dict[str, Any]) -> dict[str, Any]:
    return card | {"spec": "chara_card_v2", "spec_version": "2.0"}


def _both(chance: Random) -> bytes:
    card = third_card(chance)
    return picture(text_chunk("chara", _v2_of(card)), text_chunk("ccv3", card))


def _archive(chance: Random) -> bytes:
    icon = {"type": "icon", "uri": "embeded://assets/icon/images/main.png", "name": "main", "ext": "png"}
    card = third_card(chance)
    card["data"]["assets"] = [icon]
    return archive(card, {"assets/icon/images/main.png": picture(), "assets/other/other/a.bin": b"\0\1" * 99})


MAKERS: Mapping[str, Callable[[Random], bytes]] = {
    "png-v2": lambda chance: picture(text_chunk("chara", second_card(chance))),
    "png-v3": lambda chance: picture(text_chunk("ccv3", third_card(chance)), after=b"tail"),
    "png-both": _both,
    "png-itxt": lambda chance: picture(text_chunk("Chara", second_card(chance), "iTXt")),
    "png-itxt-packed": lambda chance: picture(text_chunk("ccv3", third_card(chance), "iTXt+")),
    "png-ztxt": lambda chance: picture(text_chunk("chara", first_card(chance), "zTXt")),
    "json-v1": lambda chance: dumped(first_card(chance)),
    "json-oldest": lambda chance: dumped(oldest_card(chance)),
    "json-v2": lambda chance: json.dumps(second_card(chance), indent=4).encode(),
    "json-v3": lambda chance: b"\xef\xbb\xbf" + dumped(third_card(chance)),
    "charx": _archive,
    "world-info": lambda chance: dumped(world_info(chance, chance.randint(0, 12))),
    "book-v2": lambda chance: dumped(card_book(chance, chance.randint(0, 8), 2)),
    "book-v3": lambda chance: dumped(
        {"spec": "lorebook_v3", "data": card_book(chance, chance.randint(0, 8), 3), "note": 1}
    ),
}
_BOOKS = ("world-info", "book-v2", "book-v3")


def corpus(size: int = 100) -> tuple[Sample, ...]:
    kinds = [list(MAKERS)[number % len(MAKERS)] for number in range(size)]
    return tuple(
        Sample(f"{number:03}-{kind}", "lorebook" if kind in _BOOKS else "card", MAKERS[kind](Random(number)))
        for number, kind in enumerate(kinds)
    )


def chat(chance: Random, messages: int) -> bytes:
    head = {"user_name": "Mira", "character_name": chance.choice(NAMES), "chat_metadata": {"note_depth": 4}}
    lines = [head, *(_message(chance, number) for number in range(messages))]
    return b"\n".join(dumped(line) for line in lines)


def _message(chance: Random, number: int) -> dict[str, Any]:
    text = chance.choice(SENTENCES)
    line: dict[str, Any] = {
        "name": chance.choice(NAMES),
        "is_user": chance.random() < 0.4,
        "is_system": chance.random() < 0.1,
        "send_date": chance.choice([f"June {number + 1}, 2024 1:0{number % 10}pm", 1_700_000_000_000]),
        "mes": text,
        "extra": chance.choice([{}, {"type": "narrator"}, {"model": "m", "token_count": 9}]),
    }
    if chance.random() < 0.5:
        swipes = [*chance.sample(SENTENCES, chance.randint(0, 3)), text]
        line |= {"swipes": swipes, "swipe_id": len(swipes) - 1, "swipe_info": [{"extra": {}}] * len(swipes)}
    return line | ({"force_avatar": "img/five.png"} if chance.random() < 0.2 else {})
