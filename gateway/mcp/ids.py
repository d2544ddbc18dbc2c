"""Ids of JSON-RPC: a number or a text. The SDK takes a request with any other for a notification."""

import json
from typing import Any, Final, TypeGuard

NO_REQUEST: Final = "the message is no request of JSON-RPC 2.0 with an id that is a number or a text"


def has_unusable_id(message: str | bytes) -> bool:
    """Whether a message has an id by which no answer could be given; not if it is no JSON."""
    try:
        said: Any = json.loads(message)  # Any: what a client sent
    except (RecursionError, ValueError):
        return False
    return isinstance(said, dict) and "id" in said and not is_usable(said["id"])


def is_usable(number: object) -> TypeGuard[int | str]:
    """Whether it can be the id of a request."""
    return isinstance(number, int | str) and not isinstance(number, bool)
