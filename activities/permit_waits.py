"""Waiting for a model's permit, told to Temporal while it lasts: the time is not the session's."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pydantic import ValidationError
from temporalio import activity

from schemas.queue_time import PermitWait

_WAITED_S: ContextVar[float] = ContextVar("waited_s")
"""Of the activity in whose context it is set."""


def waited_s() -> float:
    """Return how long the activity in hand has waited for permits, over all its attempts."""
    if (known := _WAITED_S.get(None)) is not None:
        return known
    said = activity.info().heartbeat_details if activity.in_activity() else ()
    try:
        return PermitWait.model_validate(said[0]).waited_s if said else 0.0
    except ValidationError:
        return 0.0


@contextmanager
def waiting() -> Iterator[None]:
    """The caller waits for a permit inside."""
    before, began = waited_s(), time.monotonic()
    _say(PermitWait(waited_s=before, waits=True))
    try:
        yield
    finally:
        _WAITED_S.set(before + time.monotonic() - began)
        _say(PermitWait(waited_s=waited_s(), waits=False))


def _say(wait: PermitWait) -> None:
    if activity.in_activity():
        activity.heartbeat(wait)
