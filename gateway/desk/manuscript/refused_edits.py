"""Edits of a writer or reviser that were not made: why, and a conflict that a person settles."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue, TypeAdapter

from gateway.desk.manuscript import editing, scenes
from gateway.desk.services import CommandStore, Services
from gateway.desk.works import inspecting
from gateway.desk.works.changes import require_saved
from gateway.desk.works.documents import Document
from penwright.domain.manuscript.retrying import failed_results
from penwright.errors import NotFound, PenwrightError, Refused
from schemas.agent_state import ActionEntry, StateKey
from schemas.base import BlobRef, OpId
from schemas.patching import Operation, OperationOutcome, OperationResult

_OPERATIONS = TypeAdapter(tuple[Operation, ...])
_RESULTS = TypeAdapter(tuple[OperationResult, ...])
_MOST_ENTRIES = 50
SETTLED = "conflict-settled"
"""Code of the entry about a conflict that a person has settled."""
Keep = Literal["mine", "edit"]
"""``mine``: the text stays as people have it. ``edit``: the agent's version takes its place."""


@dataclass(frozen=True, slots=True)
class RefusedEdit:
    """One edit that was not made."""

    entry: str
    """Op id of the action in the history."""
    number: int
    """Of the edit in its reply, from 1."""
    outcome: OperationOutcome
    message: str
    find: str
    replace: str
    nearest: str
    """The text in question: the passages that it may mean; of a conflict what people wrote."""
    wanted: str = ""
    """Of a conflict: the same passage as the agent would have it."""
    people: str = ""
    """The author of a tracked change in a document; empty for an agent's."""

    @property
    def name(self) -> str:
        """``ACTION:NUMBER``: what a command calls it."""
        return f"{self.entry}:{self.number}"


def of_entry(store: CommandStore, entry: ActionEntry) -> tuple[RefusedEdit, ...]:
    """The edits of one action that were not made; none if its reply is not kept any more."""
    try:
        operations = _OPERATIONS.validate_json(_kept(store, entry, "reply"))
        results = _RESULTS.validate_json(_kept(store, entry, "results"))
    except PenwrightError:
        return ()
    people = entry.detail.get("people")
    return tuple(
        RefusedEdit(
            people=str(people[each.index]) if isinstance(people, list) else "",
            entry=str(entry.op_id),
            number=each.index + 1,
            outcome=each.outcome,
            message=each.message,
            find=operations[each.index].find,
            replace=operations[each.index].replace,
            nearest=each.nearest,
            wanted=each.wanted,
        )
        for each in failed_results(results)
    )


def kept(
    store: CommandStore, operations: Sequence[Operation], results: Sequence[OperationResult]
) -> dict[str, JsonValue]:
    """Keep edits and what became of them; the detail of their action, which ``of_entry`` reads."""
    reply = store.blobs.put(_OPERATIONS.dump_json(tuple(operations)))
    outcome = store.blobs.put(_RESULTS.dump_json(tuple(results)))
    return {"reply": reply.model_dump(), "results": outcome.model_dump()}


def _kept(store: CommandStore, entry: ActionEntry, name: str) -> bytes:
    ref = entry.detail.get(name)
    if not isinstance(ref, dict):
        raise NotFound("not-kept", f"the entry keeps no {name}")
    return store.blobs.get(BlobRef.model_validate(ref))


def conflicts(store: CommandStore, entries: Iterable[ActionEntry]) -> tuple[RefusedEdit, ...]:
    """The conflicts that no person has settled yet, newest first."""
    newest = list(entries)[-_MOST_ENTRIES:]
    settled = {each.detail.get("settles") for each in newest if each.code == SETTLED}
    return tuple(each for each in _conflicts(store, newest) if each.name not in settled)


def _conflicts(store: CommandStore, entries: list[ActionEntry]) -> Iterator[RefusedEdit]:
    for entry in reversed(entries):
        if entry.detail.get("results"):
            yield from (each for each in of_entry(store, entry) if each.outcome == "conflict")


async def decide(
    services: Services, found: Document, entry: str, number: int, keep: Keep, *, who: str = editing.LOCAL
) -> RefusedEdit:
    """Settle a conflict; with ``edit`` the agent's version is saved in the name of ``who``, a tracked change
    in its author's.

    Raises:
        NotFound: ``no-such-conflict``.
        Refused: ``changed-since`` if the passage reads otherwise by now.
    """
    edit = await asyncio.to_thread(_open, services, found, entry, number)
    if keep == "edit":
        await _take(services, found, edit, edit.people or who)
    await asyncio.to_thread(_note, services, found.key, edit, keep, who)
    return edit


def unsettled(services: Services, found: Document) -> tuple[RefusedEdit, ...]:
    """As ``conflicts``, of one document."""
    with services.open_store() as store:
        return conflicts(store, inspecting.actions(store, found.key))


def _open(services: Services, found: Document, entry: str, number: int) -> RefusedEdit:
    for each in unsettled(services, found):
        if (each.entry, each.number) == (entry, number):
            return each
    said = f"there is no open conflict about edit {number} of {entry!r}"
    hint = f"`penwright manuscript settle {found.words}` lists those that are open"
    raise NotFound("no-such-conflict", said, hint=hint)


async def _take(services: Services, found: Document, edit: RefusedEdit, who: str) -> None:
    shown = await asyncio.to_thread(scenes.show, services, found.novel, found.scene)
    if not edit.nearest or shown.text.count(edit.nearest) != 1:
        said = "the passage was changed since; nothing was done"
        raise Refused("changed-since", said, hint="put the edit in by hand, and keep yours here")
    at = shown.text.index(edit.nearest)
    rest = shown.text[at + len(edit.nearest) :]
    text = shown.text[:at] + edit.wanted + (rest if edit.wanted else rest.lstrip("\n"))
    saved = await editing.save(services, found.novel, found.scene, text, base=shown.revision, principal=who)
    require_saved(saved, "changed-since")


def _note(services: Services, key: StateKey, edit: RefusedEdit, keep: Keep, who: str) -> None:
    taken = (
        f"took the version of {edit.people or 'the agent'}" if keep == "edit" else "kept the text as it is"
    )
    with services.open_store() as store:
        about = next(each for each in inspecting.actions(store, key) if str(each.op_id) == edit.entry)
        settled = ActionEntry(
            op_id=OpId(f"{edit.name}:settled"),
            run=about.run,
            at=services.now(),
            action="settle_conflict",
            outcome="done",
            code=SETTLED,
            summary=f"{who} {taken} where edit {edit.number} was in conflict.",
            detail={"settles": edit.name, "by": who, "keep": keep},
        )
        store.agent_logs.append([(key, settled)])
