"""Requests for ``/healthz`` and ``/readyz`` and their answers, as bytes of HTTP."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

HEALTHZ = "/healthz"
READYZ = "/readyz"
LARGEST_REQUEST = 8_192
"""Bytes."""
END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Answer:
    """One page; ``body`` is JSON."""

    status: HTTPStatus
    # Any: JSON.
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for."""

    method: str
    path: str


# Any: JSON.
def fine(**details: Any) -> Answer:
    """It does."""
    return Answer(HTTPStatus.OK, {"status": "ok", **details})


# Any: JSON.
def lacking(reason: str, message: str, **details: Any) -> Answer:
    """It does not; ``reason`` is for programs, ``message`` for people."""
    body = {"status": "unavailable", "reason": reason, "message": message, **details}
    return Answer(HTTPStatus.SERVICE_UNAVAILABLE, body)


def read(head: bytes) -> Request | Answer:
    """The request that ``head`` begins with, or the answer to one that asks for something else."""
    words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/"):
        return Answer(HTTPStatus.BAD_REQUEST, {"error": "this is no HTTP request"})
    method, path = words[0], words[1].partition("?")[0]
    if method not in ("GET", "HEAD"):
        return Answer(HTTPStatus.METHOD_NOT_ALLOWED, {"error": "health is only read; use GET"})
    if path not in (HEALTHZ, READYZ):
        return Answer(HTTPStatus.NOT_FOUND, {"error": f"there are {HEALTHZ} and {READYZ}"})
    return Request(method, path)


def page(answer: Answer, *, bodiless: bool = False) -> bytes:
    """``answer`` as it goes over the wire; ``bodiless``: to HEAD."""
    body = (json.dumps(answer.body) + "\n").encode()
    status = answer.status
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        "content-type: application/json\r\n"
        f"content-length: {len(body)}\r\n"
        "cache-control: no-store\r\n"
        "connection: close\r\n\r\n"
    ).encode()
    return head if bodiless else head + body


def url(host: str, port: int) -> str:
    """The address for a client on this machine."""
    near = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)
    return f"http://{near}:{port}"
