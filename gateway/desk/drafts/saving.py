"""Saves drafts that lie unchanged, as long as a process runs."""

import asyncio

import structlog

from gateway.desk.drafts.desk import DraftDesk
from penwright.errors import PenwrightError

EVERY_S = 10.0
_log = structlog.get_logger(__name__)


async def keep_saving(desk: DraftDesk, *, every_s: float = EVERY_S) -> None:
    """Save idle drafts until cancelled; what cannot be saved now is logged once, and tried again."""
    told: dict[str, str] = {}
    while True:
        told = await _saved(desk, told)
        await asyncio.sleep(every_s)


async def _saved(desk: DraftDesk, told: dict[str, str]) -> dict[str, str]:
    """Save once; returns the code of each draft that could not be saved."""
    try:
        failed = await asyncio.to_thread(desk.save_idle_now)
    except PenwrightError as error:
        if told.get("") != error.code:
            _log.warning("drafts cannot be saved now", code=error.code, reason=error.message)
        return {**told, "": error.code}
    for each in failed:
        if told.get(each.draft.draft_id) != each.error.code:
            _log.warning(
                "a draft is not saved yet; its words are kept",
                work=each.draft.work,
                path=each.draft.path,
                code=each.error.code,
                reason=each.error.message,
            )
    return {each.draft.draft_id: each.error.code for each in failed}
