"""Drafts: what people type into a file, change by change, saved as their commit.

A change names the version that it was made to (``If-Match: "v17"``); made to an older one, it is answered
412 with what was missed, and the caller maps its own over that.
"""

import asyncio
from datetime import date
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request, Response
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse

from gateway.desk.drafts.desk import DraftDesk, DraftText
from gateway.http.asking import Asking
from gateway.http.orders import Order
from gateway.http.strict import RightsRoute
from penwright.domain.text.merging.changesets import MOST_UNITS
from penwright.errors import Refused, UsageMistake
from schemas.drafts import ChangeSet, Dispute, Draft, DraftChange, Missed

router = APIRouter(prefix="/drafts", tags=["drafts"], route_class=RightsRoute)

LONGEST_WAIT_S = 30
PROGRAM = version("penwright")
DraftId = Annotated[str, Path(pattern="^[0-9a-f]{16}$")]


class OpenDraft(Order):
    """The file to be edited."""

    work: str = Field(min_length=1, max_length=200)
    """Id of a book or a novel."""
    path: str = Field(min_length=1, max_length=1000)
    """Of a book the file, of a novel the scene's name."""


class ShownDraft(BaseModel):
    """A draft and its text."""

    draft_id: str
    work: str
    path: str
    version: int
    unsaved: bool
    """Whether it holds words that the work does not have."""
    text: str
    disputes: list[Dispute]
    program: str
    """Version of the program that answers."""


class Change(Order):
    """One change."""

    op_id: str = Field(pattern="^[0-9A-Za-z_-]{8,64}$")
    """Sent again under the same id, a change is made once."""
    changes: list[int | list[int | str]]
    """As CodeMirror writes a change set; lengths in UTF-16 units."""


class KeptChange(BaseModel):
    """A change of the draft."""

    version: int
    """Of the text that it was made to."""
    op_id: str
    changes: list[int | list[int | str]]
    author: str
    kind: str
    """``person``, or ``machine`` for what the file became meanwhile."""


class ChangeKept(BaseModel):
    """The answer to a change."""

    version: int
    """Of the text after it."""
    replayed: bool
    """It was kept before; others may have followed."""


class ChangeMissed(BaseModel):
    """The answer to a change that was made to an old version; nothing is kept."""

    version: int
    missed: list[KeptChange]


class OtherPage(BaseModel):
    """Another page that has the draft open."""

    name: str
    """Of the person or program."""
    own: bool
    """Whether it is the caller's, such as a second tab."""


class Changes(BaseModel):
    """Changes, oldest first."""

    version: int
    """Of the text after them."""
    changes: list[KeptChange]
    program: str
    """Version of the program that answers; a page that was made by another one is to be loaded again."""
    others: list[OtherPage]
    """Pages that asked this process for changes in the last 45 seconds and named themselves."""


class WordsToday(BaseModel):
    """Words that were typed today and still stand; a word counts if its first character was typed."""

    day: date
    """In UTC."""
    text: int
    work: int


class Saved(BaseModel):
    """A draft that was saved."""

    commit: str
    """Empty if nothing had to be changed."""
    version: int
    disputes: list[Dispute]
    warnings: tuple[str, ...] = ()
    """That the text holds no words any more, and what brings them back."""


def _desk(request: Request) -> DraftDesk:
    desk: DraftDesk = request.app.state.drafts
    return desk


@router.post("")
async def open_draft(request: Request, response: Response, given: OpenDraft, principal: Asking) -> ShownDraft:
    """The draft of a file, begun if there is none."""
    found = await asyncio.to_thread(_desk(request).open, principal, given.work, given.path)
    return _shown(found, response)


@router.get("/{draft_id}")
async def read_draft(
    request: Request, response: Response, draft_id: DraftId, principal: Asking
) -> ShownDraft:
    """A draft with its newest text."""
    return _shown(await asyncio.to_thread(_desk(request).read, principal, draft_id), response)


@router.get("/{draft_id}/changes")
async def draft_changes(
    request: Request,
    draft_id: DraftId,
    principal: Asking,
    since: Annotated[int, Query(ge=0, le=2**31 - 1)],
    wait: Annotated[float, Query(ge=0, le=LONGEST_WAIT_S)] = 0,
    page: Annotated[str, Query(pattern="^([0-9a-f]{24})?$", description="Names the page that asks.")] = "",
) -> Changes:
    """The changes made to version ``since`` and later; waits so many seconds for the first.

    The wait ends early, without changes, when another page opens the draft or is gone.
    """
    found = await _desk(request).wait(principal, draft_id, since, wait, page)
    reached = found[-1].version + 1 if found else since
    others = _desk(request).others(principal, draft_id, page)
    return Changes(
        version=reached,
        changes=[_change(each) for each in found],
        program=PROGRAM,
        others=[OtherPage(name=each.name, own=each.name == principal.name) for each in others],
    )


@router.get("/{draft_id}/today")
async def typed_today(request: Request, draft_id: DraftId, principal: Asking) -> WordsToday:
    """The words that the caller typed into a draft, and into all open drafts of its work, today (UTC)."""
    found = await asyncio.to_thread(_desk(request).words_today, principal, draft_id)
    return WordsToday(day=found.day, text=found.text, work=found.work)


@router.post(
    "/{draft_id}/changes",
    responses={
        412: {"model": ChangeMissed, "description": "the change was made to an old version"},
        428: {"description": "If-Match is missing"},
    },
)
async def change_draft(
    request: Request,
    draft_id: DraftId,
    given: Change,
    principal: Asking,
    if_match: Annotated[str, Header(pattern='^"v[0-9]{1,9}"$')] = "",
) -> ChangeKept:
    """Keep a change of the version that ``If-Match`` names."""
    if not if_match:
        raise Refused("revision-missing", "a change names its version", hint='send If-Match: "v17"')
    answer = await asyncio.to_thread(
        _desk(request).change, principal, draft_id, int(if_match[2:-1]), given.op_id, _given(given.changes)
    )
    if isinstance(answer, Missed):
        missed = ChangeMissed(version=answer.version, missed=[_change(each) for each in answer.changes])
        return JSONResponse(missed.model_dump(mode="json"), 412)  # type: ignore[return-value]
    return ChangeKept(version=answer.version, replayed=answer.replayed)


@router.post("/{draft_id}/save")
async def save_draft(request: Request, draft_id: DraftId, principal: Asking) -> Saved:
    """Save the newest text as a commit of the person who typed last."""
    saved = await asyncio.to_thread(_desk(request).save_now, principal, draft_id)
    draft = saved.draft.draft
    disputes = list(draft.disputes)
    return Saved(commit=saved.commit, version=draft.version, disputes=disputes, warnings=saved.warnings)


@router.delete("/{draft_id}/disputes/{number}", status_code=204)
async def settle_dispute(
    request: Request, draft_id: DraftId, number: Annotated[int, Path(ge=1, le=10**6)], principal: Asking
) -> None:
    """Drop a dispute that the person has decided."""
    await asyncio.to_thread(_desk(request).drop_dispute, principal, draft_id, number)


@router.delete("/{draft_id}", status_code=204)
async def close_draft(request: Request, draft_id: DraftId, principal: Asking) -> None:
    """End a draft without saving it; its text can still be read."""
    await asyncio.to_thread(_desk(request).close, principal, draft_id)


def _shown(found: DraftText, response: Response) -> ShownDraft:
    draft: Draft = found.draft
    response.headers["etag"] = f'"v{draft.version}"'
    return ShownDraft(
        draft_id=draft.draft_id,
        work=draft.work,
        path=draft.path,
        version=draft.version,
        unsaved=draft.unsaved,
        text=found.text,
        disputes=list(draft.disputes),
        program=PROGRAM,
    )


def _given(changes: list[int | list[int | str]]) -> ChangeSet:
    """Any number of parts, but no more text than a file may have."""
    if len(changes) > MOST_UNITS:
        raise UsageMistake("bad-changes", "there are more parts than a text can have characters")
    return tuple(part if isinstance(part, int) else tuple(part) for part in changes)


# Any: JSON.
def _change(change: DraftChange) -> KeptChange:
    told: dict[str, Any] = change.model_dump(mode="json", exclude={"draft_id"})
    return KeptChange.model_validate(told)
