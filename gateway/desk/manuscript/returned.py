"""A document that came back to a scene: its changes as cards to be settled, its comments as notes."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import replace

from gateway.desk.manuscript import editing, refused_edits, scenes
from gateway.desk.services import Services
from gateway.desk.works.documents import Document
from penwright.domain.text.counted import counted
from penwright.domain.text.returned import (
    Brought,
    Place,
    Returned,
    TakenIn,
    left_out,
    names_of,
    places,
    with_places,
)
from penwright.errors import Refused
from schemas.agent_state import ActionEntry
from schemas.base import OpId
from schemas.documents import Changes
from schemas.patching import Operation, OperationResult

RUN = "returned-document"


async def take_in(services: Services, found: Document, returned: Returned, changes: Changes) -> TakenIn:
    """Take changes and comments in, each person's in that person's name.

    Raises:
        Refused: the scene was changed meanwhile.
        EngineUnavailable: cards and saves need the engine.
    """
    made = comments = waiting = 0
    lost: list[Brought] = []
    for person in returned.people:
        own = returned.by(person)
        own = own if changes == "accept" else replace(own, edits=())
        here, missing = await _saved(services, found, own, person)
        made += sum(place.edit is not None for place in here)
        comments += sum(len(place.comments) for place in here)
        lost += missing
    if changes == "review":
        text = await asyncio.to_thread(lambda: scenes.show(services, found.novel, found.scene).text)
        here, missing = places(text, Returned(returned.edits))
        lost, waiting = [*missing, *lost], len(here)
        await asyncio.to_thread(_log, services, found, text, here)
    return TakenIn(waiting, made, comments, tuple(left_out(each, "is not in the text") for each in lost))


async def _saved(
    services: Services, found: Document, own: Returned, person: str
) -> tuple[tuple[Place, ...], tuple[Brought, ...]]:
    """Save what one person changed and noted; the places, and what has none."""
    shown = await asyncio.to_thread(scenes.show, services, found.novel, found.scene)
    here, missing = places(shown.text, own)
    text = with_places(shown.text, [(each, each.after + each.notes) for each in here])
    if text != shown.text:
        saved = await editing.save(
            services, found.novel, found.scene, text, base=shown.revision, principal=person
        )
        if saved.outcome in ("conflict", "refused"):
            raise Refused(saved.code or "changed-since", saved.message or "the text was changed meanwhile")
    return here, missing


def _log(services: Services, found: Document, text: str, here: Sequence[Place]) -> None:
    """Note the changes as edits that wait for a person, one card each."""
    if not here:
        return
    spans = [_only(text, place) for place in here]
    operations = [Operation(find=old, replace=new) for old, new in spans]
    results = [
        OperationResult(
            index=index,
            outcome="conflict",
            nearest=old,
            wanted=new,
            message=f"Tracked change by {_who(place)}.",
        )
        for index, (place, (old, new)) in enumerate(zip(here, spans, strict=True))
    ]
    with services.open_store() as store:
        entry = ActionEntry(
            op_id=OpId(f"{RUN}/{secrets.token_hex(6)}"),
            run=RUN,
            at=services.now(),
            action="take_in_changes",
            outcome="skipped",
            code="tracked-changes",
            summary=f"{counted(len(here), 'tracked change')} of a document wait to be settled.",
            detail=refused_edits.kept(store, operations, results)
            | {"people": [_who(place) for place in here]},
        )
        store.agent_logs.append([(found.key, entry)])


def _only(text: str, place: Place) -> tuple[str, str]:
    """A passage before and after; one that stands in the text twice, with as much before it as is needed."""
    start = place.start
    while start and text.count(text[start : place.end]) > 1:
        cut = text.rfind("\n\n", 0, max(0, start - 2))
        start = cut + 2 if cut >= 0 else 0
    return text[start : place.end], f"{text[start : place.start]}{place.after}"


def _who(place: Place) -> str:
    return names_of(place.edit) if place.edit else ""
