"""JSON from outside: nothing in it may be ambiguous, or impossible to write again."""

import json
from collections import Counter
from math import isfinite
from typing import Any

from pydantic import JsonValue


def read_json(content: bytes) -> JsonValue:
    """The value that UTF-8 ``content`` writes down.

    Raises:
        ValueError: with what is wrong: no JSON, not UTF-8, a key twice in one object, a number that is none
            or too large, half of a surrogate pair, nested too deep.
    """
    try:
        value: JsonValue = json.loads(
            content.decode(), object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite
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
        raise ValueError(f"the key {twins[0][:80]!r} stands twice in one object")
    return dict(pairs)


def _no_number(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")


def _finite(written: str) -> float:
    if not isfinite(value := float(written)):
        raise ValueError(f"{written[:40]} is too large a number")
    return value
