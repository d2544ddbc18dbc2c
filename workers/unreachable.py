"""Say in plain words why Temporal could not be reached; its client tells the insides of its library."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from temporalio.service import RPCError

_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "ConnectionRefused": "nothing listens there",
        "Timeout": "it gave no answer in time",
        "timed out": "it gave no answer in time",
        "dns error": "no such host is known",
        "certificate": "its certificate is not trusted",
        "InvalidMessage": "it does not speak TLS",
        "Http2": "it is no Temporal server, or wants TLS",
        "http2": "it is no Temporal server, or wants TLS",
        "transport": "the connection was closed; it may be starting or stopping",
        "operation was canceled": "the connection was closed; it may be starting or stopping",
    }
)
"""Substring of the client's error -> its meaning; the first match counts."""
_SAID = re.compile(r'message: "([^"]+)"')


def reason(error: Exception) -> str:
    """Say why it could not be reached; what a server itself answered is quoted."""
    text = str(error)
    known = next((words for part, words in _WORDS.items() if part in text), "")
    if known:
        return known
    if isinstance(error, RPCError):
        return f"it answered {error.message!r}"
    said = _SAID.search(text)
    return f"it answered {said[1]!r}" if said else "the connection failed"
