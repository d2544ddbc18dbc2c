"""A document that came back to a scene: its changes as cards to be settled, its comments as notes."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import replace

from gateway.desk.manuscript import editing, refused_edits, scenes
from gateway.desk.services import CommandStore, Services
from gateway.desk.works import inspecting
from gateway.desk.works.changes import require_saved
from gateway.desk.works.documents import Document
from penwright.domain.text.counted import counted
from penwright.domain.text.returned import (
    Place,
    Returned,
    TakenIn,
    names_of,
    not_found,
    not_yet_in,
    places,
    together,
    with_places,
)
from schemas.agent_state import ActionEntry
from schemas.base import OpId
from schemas.documents import Changes, PassageEdit
from schemas.patching import Operation, OperationResult

RUN = "returned-document"
_ACTION = "take_in_changes"


async def take_in(services: Services, found: Document, returned: Returned, changes: Changes) -> TakenIn:
    """Take changes and comments in, each person's in that person's name.

    Raises:
        Refused: the scene was changed meanwhile.
        EngineUnavailable: cards and saves need the engine.
    """
    shares: list[TakenIn] = []
    for person in returned.people:
        own = returned.by(person)
        own = own if changes == "accept" else replace(own, edits=())
        shares.append(await _saved(services, found, own, person))
    if changes == "review":
        shares.append(await asyncio.to_thread(_log, services, found, returned.edits))
    return together(shares)


async def _saved(services: Services, found: Document, own: Returned, person: str) -> TakenIn:
    """Save what one person changed and noted."""
    shown = await asyncio.to_thread(scenes.show, services, found.novel, found.scene)
    new = not_yet_in(shown.text, own)
    here, missing = places(shown.text, new)
    text = with_places(shown.text, [(each, each.after + each.notes) for each in here])
    if text != shown.text:
        saved = await editing.save(
            services, found.novel, found.scene, text, base=shown.revision, principal=person
        )
        require_saved(saved, "changed-since")
    return TakenIn(
        made=sum(place.edit is not None for place in here),
        comments=sum(len(place.comments) for place in here),
        again=len(own.edits) + len(own.comments) - len(new.edits) - len(new.comments),
        lost=tuple(map(not_found, missing)),
    )


def _log(services: Services, found: Document, edits: tuple[PassageEdit, ...]) -> TakenIn:
    """Note changes as edits that wait for a person, one card each; not those that have had theirs."""
    text = scenes.show(services, found.novel, found.scene).text
    new = not_yet_in(text, Returned(edits))
    every, missing = places(text, new)
    with services.open_store() as store:
        cards = {
            (each.find, each.replace)
            for entry in inspecting.actions(store, found.key)
            if entry.action == _ACTION
            for each in refused_edits.of_entry(store, entry)
        }
        here = [place for place in every if _only(text, place) not in cards]
        if here:
            store.agent_logs.append([(found.key, _entry(services, store, text, here))])
    again = len(edits) - len(here) - len(missing)
    return TakenIn(len(here), again=again, lost=tuple(map(not_found, missing)))


def _entry(services: Services, store: CommandStore, text: str, here: Sequence[Place]) -> ActionEntry:
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
    return ActionEntry(
        op_id=OpId(f"{RUN}/{secrets.token_hex(6)}"),
        run=RUN,
        at=services.now(),
        action=_ACTION,
        outcome="skipped",
        code="tracked-changes",
        summary=f"{counted(len(here), 'tracked change')} of a document wait to be settled.",
        detail=refused_edits.kept(store, operations, results) | {"people": [_who(place) for place in here]},
    )


def _only(text: str, place: Place) -> tuple[str, str]:
    """A passage before and after; one that stands in the text twice, with as much before it as is needed."""
    start = place.start
    while start and text.count(text[start : place.end]) > 1:
        cut = text.rfind("\n\n", 0, max(0, start - 2))
        start = cut + 2 if cut >= 0 else 0
    return text[start : place.end], f"{text[start : place.start]}{place.after}"


def _who(place: Place) -> str:
    return names_of(place.edit) if place.edit else ""
