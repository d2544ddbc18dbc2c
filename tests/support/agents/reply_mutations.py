"""Ways in which models spoil good replies, by name; a seeded generator applies them."""

import json
import random
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

# JSON is open by nature, hence ``Any``.
_ODD_VALUES: Final[tuple[Any, ...]] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        8,
        1.7,
        1e308,
        "",
        " ",
        "0.8",
        "85%",
        "8/10",
        "NaN",
        "null",
        [],
        {},
        [[]],
        [None],
    ),
    *({"text": "x"}, ["x", {"y": 1}], "\x00", "\u2028", "é" * 5_000, "- a\n- b", {"a": {"b": {"c": []}}}),
)
_ODD_TEXTS: Final = (
    *(
        "",
        " ",
        "\n",
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        "\\",
        "```",
        "```json\n",
        "\n```",
        ",",
        ":",
        "@@@",
        "@@@ end",
        "@@@ find",
    ),
    *(
        "\x00",
        "\x08",
        "\x1b",
        "\r",
        "\t",
        "\u200b",
        "\ufeff",
        "\\u12",
        "\\ud800",
        "\\textbf",
        "NaN",
        "null",
        "{}",
        "[]",
    ),
    *(
        "<think>",
        "</think>",
        "<|im_end|>",
        "…",
        "status: maybe\n",
        "“",
        "../",
        "$&",
        "\\1",
        "{current_manuscript}",
    ),
)
Mutation = Callable[[random.Random, str], str]


def _cut_end(rng: random.Random, text: str) -> str:
    return text[: rng.randrange(len(text) + 1)]


def _cut_start(rng: random.Random, text: str) -> str:
    return text[rng.randrange(len(text) + 1) :]


def _cut_middle(rng: random.Random, text: str) -> str:
    start = rng.randrange(len(text) + 1)
    return text[:start] + text[start + rng.randrange(1, 40) :]


def _put_in(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(_ODD_TEXTS) * rng.choice((1, 1, 1, 2, 50)) + text[at:]


def _swap_sign(rng: random.Random, text: str) -> str:
    if not text:
        return text
    at = rng.randrange(len(text))
    return (
        text[:at]
        + chr(rng.choice((0, 8, 9, 34, 39, 44, 58, 91, 92, 93, 123, 125, 0x2019, 0x1F600)))
        + text[at + 1 :]
    )


def _doubled(rng: random.Random, text: str) -> str:
    return text + rng.choice(("", "\n", " or ", "\n```\n", ",")) + text


def _doubled_and_cut(rng: random.Random, text: str) -> str:
    return _cut_end(rng, _doubled(rng, text))


def _fenced(rng: random.Random, text: str) -> str:
    fence = rng.choice(("```", "```json", "~~~", "````", "```python"))
    return f"{fence}\n{text}\n{rng.choice((fence[:3], '', '```', '~~~'))}"


def _chatter(rng: random.Random, text: str) -> str:
    before = rng.choice(
        ("Sure! ", "I think {so}: ", "<think>{}</think>", "[1] ", '{"draft": true}\n', "# Answer\n")
    )
    after = rng.choice(("", "\nHope it helps {!}", "\n[end]", "\n{}", '\n{"note": "done"}', "\x00"))
    return before + text + after


def _quotes(rng: random.Random, text: str) -> str:
    return text.replace('"', rng.choice(("'", "“", "”", "`", '\\"', "")))


def _line_ends(rng: random.Random, text: str) -> str:
    return text.replace("\n", rng.choice(("\r\n", "\r", "\u2028", " ", "\n\n\n"))).replace(
        ", ", rng.choice((",\n", ", "))
    )


def _wrong_type(rng: random.Random, text: str) -> str:
    return _with_object(text, lambda value: _replaced(rng, value, lambda _: rng.choice(_ODD_VALUES)))


def _wrong_key(rng: random.Random, text: str) -> str:
    def renamed(value: Any) -> Any:
        if not isinstance(value, dict) or not value:
            return value
        key = rng.choice(list(value))
        new = rng.choice(
            (key.upper(), key.title().replace("_", " "), f"'{key}'", key[:-1], "", "extra", key + key)
        )
        return {new if name == key else name: inner for name, inner in value.items()}

    return _with_object(text, lambda value: _replaced(rng, value, renamed))


def _lost_key(rng: random.Random, text: str) -> str:
    def shorter(value: Any) -> Any:
        if isinstance(value, dict) and value:
            lost = rng.choice(list(value))
            return {name: inner for name, inner in value.items() if name != lost}
        return value[:-1] if isinstance(value, list) else value

    return _with_object(text, lambda value: _replaced(rng, value, shorter))


def _repeated(rng: random.Random, text: str) -> str:
    def longer(value: Any) -> Any:
        return value * rng.choice((2, 30, 70)) if isinstance(value, list | str) else value

    return _with_object(text, lambda value: _replaced(rng, value, longer))


def _wrapped(rng: random.Random, text: str) -> str:
    def inside(value: Any) -> Any:
        return rng.choice(
            ([value], {"answer": value}, [value, value], {"result": [value]}, json.dumps(value))
        )

    return _with_object(text, inside)


def _with_object(text: str, change: Callable[[Any], Any]) -> str:
    """The text with its JSON changed; text that is no JSON stays."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return json.dumps(change(value), ensure_ascii=False)


def _replaced(rng: random.Random, value: Any, change: Callable[[Any], Any]) -> Any:
    """One random part of ``value`` changed, or the whole."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        return value | {key: _replaced(rng, value[key], change)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], _replaced(rng, value[at], change), *value[at + 1 :]]
    return change(value)


MUTATIONS: Mapping[str, Mutation] = MappingProxyType(
    {
        "cut-end": _cut_end,
        "cut-start": _cut_start,
        "cut-middle": _cut_middle,
        "put-in": _put_in,
        "swap-sign": _swap_sign,
        "doubled": _doubled,
        "doubled-and-cut": _doubled_and_cut,
        "fenced": _fenced,
        "chatter": _chatter,
        "quotes": _quotes,
        "line-ends": _line_ends,
        "wrong-type": _wrong_type,
        "wrong-key": _wrong_key,
        "lost-key": _lost_key,
        "repeated": _repeated,
        "wrapped": _wrapped,
    }
)


def spoiled(seed: int, text: str) -> tuple[str, str]:
    """A reply after one to three mutations, and their names; equal seeds give equal replies."""
    rng = random.Random(seed)
    names = rng.choices(list(MUTATIONS), k=rng.choice((1, 1, 2, 3)))
    for name in names:
        text = MUTATIONS[name](rng, text)
    return text, "+".join(names)
