"""Kinds of pictures, and the words for a picture that was painted."""

from typing import Final

from schemas.scene_roles import Painted

MOST_BYTES: Final = 5 * 1024 * 1024
"""Of one picture; as base64 it is below the largest reply that is read."""
_SIGNS: Final = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"))
SUFFIXES: Final = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}
"""By the kind of picture."""


def kind_of(content: bytes) -> str:
    """Return ``image/png``, ``image/jpeg`` or ``image/webp`` by the first bytes; empty if it is none."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for sign, kind in _SIGNS if content.startswith(sign)), "")


def painted_reply(painted: Painted) -> str:
    """Return the reply that stands for a picture: its bytes are stored, and named here."""
    return painted.model_dump_json()
