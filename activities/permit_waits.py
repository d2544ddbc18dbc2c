"""Waiting for a model's permit, told to Temporal while it lasts: the time is not the session's."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pydantic import ValidationError
from temporalio import activity

from schemas.agent_run import RunUsage
from schemas.queue_time import PermitWait

_WAITED_S: ContextVar[float] = ContextVar("waited_s")
"""Of the activity in whose context it is set."""
_NOTHING = PermitWait(waited_s=0, waits=False)


def waited_s() -> float:
    """Return how long the activity in hand has waited for permits, over all its attempts."""
    known = _WAITED_S.get(None)
    return _said_before().waited_s if known is None else known


def failed_use() -> RunUsage:
    """Return what earlier attempts of the activity in hand have used without an answer."""
    return _said_before().failed


def say_failed(use: RunUsage) -> None:
    """Tell the next attempt what this one and those before it have used."""
    _say(PermitWait(waited_s=waited_s(), waits=False, failed=use))


def _said_before() -> PermitWait:
    """Read the newest details of earlier attempts."""
    said = activity.info().heartbeat_details if activity.in_activity() else ()
    try:
        return PermitWait.model_validate(said[0]) if said else _NOTHING
    except ValidationError:
        return _NOTHING


def arriving(tokens: int) -> None:
    """Say how many tokens of the model's answer have come."""
    _say(PermitWait(waited_s=waited_s(), waits=False, failed=failed_use(), tokens=tokens))


@contextmanager
def waiting() -> Iterator[None]:
    """The caller waits for a permit inside."""
    before, began = waited_s(), time.monotonic()
    failed = failed_use()
    _say(PermitWait(waited_s=before, waits=True, failed=failed))
    try:
        yield
    finally:
        _WAITED_S.set(before + time.monotonic() - began)
        _say(PermitWait(waited_s=waited_s(), waits=False, failed=failed))


def _say(wait: PermitWait) -> None:
    if activity.in_activity():
        activity.heartbeat(wait)
