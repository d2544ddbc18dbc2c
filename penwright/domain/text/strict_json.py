"""Strict parsing of foreign JSON: nothing ambiguous, and nothing that cannot be serialized again."""

import json
from collections import Counter
from math import isfinite
from typing import Any

from pydantic import JsonValue

_MOST_DIGITS = 309
"""As many as the largest number with a fraction has."""


def read_json(content: bytes) -> JsonValue:
    """Parse UTF-8 JSON.

    Raises:
        ValueError: the message says what is wrong: not JSON, not UTF-8, a duplicate key, NaN or Infinity, a
            number that is too large, half of a surrogate pair, nested too deep.
    """
    try:
        value: JsonValue = json.loads(
            content.decode(),
            object_pairs_hook=_once,
            parse_constant=_no_number,
            parse_float=_finite,
            parse_int=_whole,
        )
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except UnicodeEncodeError:
        raise ValueError("it holds half of a surrogate pair") from None
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    return value


# Values of any kind.
def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    counts = Counter(key for key, _ in pairs)
    if twins := [key for key, count in counts.items() if count > 1]:
        raise ValueError(f"duplicate key {twins[0][:80]!r} in one object")
    return dict(pairs)


def _no_number(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


def _whole(written: str) -> int:
    if len(written) > _MOST_DIGITS:
        raise ValueError(f"the number {written[:40]}… is too large")
    return int(written)


def _finite(written: str) -> float:
    if not isfinite(value := float(written)):
        raise ValueError(f"the number {written[:40]} is too large")
    return value
