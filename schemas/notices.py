"""A notification on its way to people."""

from datetime import datetime
from typing import Final

from pydantic import JsonValue

from schemas.base import Value

PIPELINE: Final = "notification"
"""Name of a notification in lists of runs."""


class Notice(Value):
    """One notification for every channel, sent by a workflow of its own, ``notice/<key>``."""

    key: str
    """Op id of the step that it reports: each channel gets a key once."""
    subject: str
    """Subject it is about, such as a book's id."""
    title: str
    body: str
    data: dict[str, JsonValue] = {}
    """Facts for a webhook or command."""
    at: datetime
    """When it was written, timezone-aware."""


class Undelivered(Value):
    """Record that a notification did not reach every channel."""

    notice: Notice
    reason: str


class NoticeResult(Value):
    """Every channel has the notification; else the workflow fails as ``notify-failed``."""

    key: str
