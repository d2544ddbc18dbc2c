"""Transitions of a draft: after a change, after saving, after its file changed meanwhile."""

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

from penwright.domain.text.merging.saving import Carried
from penwright.errors import NotFound, Refused
from schemas.base import OpId
from schemas.drafts import AppendChange, Dispute, Draft, DraftChange, NewDraft, Rebased
from schemas.patching import ConflictPlace


def opened(new: NewDraft, now: datetime) -> Draft:
    """A draft without changes."""
    return Draft(
        **new.model_dump(exclude={"text"}),
        version=0,
        saved_version=0,
        base_text=new.text,
        text=new.text,
        text_version=0,
        changed_at=now,
    )


def appended(draft: Draft, request: AppendChange, now: datetime) -> Draft:
    """The draft after one more change."""
    version = draft.version + 1
    after: dict[str, object] = {"version": version}
    if request.kind == "person":
        after |= {"changed_at": now, "changed_by": request.author}
    if request.text is not None:
        after |= {"text": request.text, "text_version": version}
    if request.saved:
        after["saved_version"] = version
    moved = draft.model_copy(update=after)
    return moved if request.rebased is None else _rebased(moved, request.rebased)


def saved(draft: Draft, version: int, of: Rebased) -> Draft:
    """The draft once the work has the text of ``version``."""
    newest = max(version, draft.saved_version)
    return _rebased(draft.model_copy(update={"saved_version": newest}), of)


def settled(draft: Draft, number: int) -> Draft:
    """The draft without that dispute."""
    return draft.model_copy(update={"disputes": tuple(d for d in draft.disputes if d.number != number)})


def closed(draft: Draft, now: datetime) -> Draft:
    """The draft, ended."""
    return (
        draft if draft.state == "closed" else draft.model_copy(update={"state": "closed", "changed_at": now})
    )


def check_open(draft: Draft) -> None:
    """Raise ``Refused`` ``draft-closed`` of a draft that has ended."""
    if draft.state == "closed":
        hint = "load the page again, which opens a new draft; what you typed last is shown there"
        raise Refused("draft-closed", f"the draft of {draft.path!r} was closed", hint=hint)


def check_complete(draft: Draft, since: int, changes: Sequence[DraftChange]) -> None:
    """Raise ``Refused`` ``draft-changes-gone`` if old changes after the version ``since`` were deleted."""
    first = changes[0].version if changes else draft.version
    if first > since:
        hint = "load the page again, which shows the present text"
        message = f"changes of {draft.path!r} after version {since} are no longer kept one by one"
        raise Refused("draft-changes-gone", message, hint=hint)


def unknown(draft_id: str) -> NotFound:
    """Make the error for an id that names no draft."""
    return NotFound("unknown-draft", f"there is no draft {draft_id!r}; load the page again")


def moved_place(carried: Carried, path: str) -> ConflictPlace:
    """Describe the words that go with a passage to another file: all of them."""
    return ConflictPlace(base=carried.before, mine=carried.after, theirs="", moved_to=path)


def carrying(draft: Draft, place: ConflictPlace) -> OpId:
    """The op id under which the words of a moved passage go into the draft of the other file."""
    words = sha256(f"{place.base}\n\n{place.mine}".encode("utf-8", "surrogatepass")).hexdigest()
    return OpId(f"moved-{draft.draft_id}-{words[:16]}")


def _rebased(draft: Draft, of: Rebased) -> Draft:
    first = 1 + max((each.number for each in draft.disputes), default=0)
    new = tuple(Dispute(number=first + at, place=place) for at, place in enumerate(of.disputes))
    return draft.model_copy(
        update={"base": of.base, "base_text": of.base_text, "disputes": (*draft.disputes, *new)}
    )
