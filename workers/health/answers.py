"""Answers of ``/healthz`` and ``/readyz``, and where they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

HEALTHZ = "/healthz"
READYZ = "/readyz"


@dataclass(frozen=True, slots=True)
class Answer:
    """One page; ``body`` is JSON."""

    status: HTTPStatus
    # Any: JSON.
    body: Mapping[str, Any]


# Any: JSON.
def healthy(**details: Any) -> Answer:
    """The answer 200."""
    return Answer(HTTPStatus.OK, {"status": "ok", **details})


# Any: JSON.
def unavailable(reason: str, message: str, **details: Any) -> Answer:
    """The answer 503; ``reason`` is for programs, ``message`` for people."""
    body = {"status": "unavailable", "reason": reason, "message": message, **details}
    return Answer(HTTPStatus.SERVICE_UNAVAILABLE, body)


def url(host: str, port: int) -> str:
    """The address for a client on this machine."""
    near = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)
    return f"http://{near}:{port}"
