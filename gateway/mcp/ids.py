"""Ids of JSON-RPC: a number or a text. The SDK takes a request with any other for a notification."""

import json
from typing import Any, Final, TypeGuard

NO_REQUEST: Final = "the message is no request of JSON-RPC 2.0 with an id that is a number or a text"


# Any, here and below: what a client sent.
def parsed(message: str | bytes) -> Any:
    """Parse a message; None if it is no JSON."""
    try:
        return json.loads(message)
    except (RecursionError, ValueError):
        return None


def has_unusable_id(said: Any) -> bool:
    """Whether what was said has an id by which no answer could be given."""
    return isinstance(said, dict) and "id" in said and not is_usable(said["id"])


def is_usable(number: object) -> TypeGuard[int | str]:
    """Whether it can be the id of a request."""
    return isinstance(number, int | str) and not isinstance(number, bool)
