"""All that a page of one document shows: its text, runs, variables and citations."""

import asyncio
from dataclasses import dataclass

from gateway.desk.citations import scans
from gateway.desk.citations.scans import Review
from gateway.desk.manuscript import board, scenes
from gateway.desk.manuscript.board import DocumentLine
from gateway.desk.manuscript.refused_edits import RefusedEdit, conflicts
from gateway.desk.manuscript.scenes import ShownScene
from gateway.desk.services import Services
from gateway.desk.works import inspecting
from gateway.desk.works.documents import Document
from gateway.desk.works.inspecting import ModelCall, VariableView
from penwright.errors import NotFound
from schemas.agent_state import ActionEntry, AgentState


@dataclass(frozen=True, slots=True)
class DocumentDetails:
    """One document."""

    line: DocumentLine | None
    """None: no agent has worked on it, and its novel has other documents."""
    text: ShownScene | None
    """None: it was not written yet."""
    settings: AgentState
    variables: tuple[VariableView, ...]
    actions: tuple[ActionEntry, ...]
    """Of all its runs, oldest first."""
    calls: tuple[ModelCall, ...]
    review: Review | None
    """Proposals of the last citation scan; None without one."""
    conflicts: tuple[RefusedEdit, ...] = ()
    """Edits in conflict with what people wrote, which no person has settled yet."""


async def document_details(services: Services, found: Document) -> DocumentDetails:
    """All of one document.

    Raises:
        EngineUnavailable, StoreUnavailable: there is no store.
    """
    known = await board.board(services, found.novel.novel_id)
    line = next((each for each in known.lines if each.scene == found.scene), None)
    review = await _review(services, found)
    return await asyncio.to_thread(_read, services, found, line, review)


async def _review(services: Services, found: Document) -> Review | None:
    try:
        return await scans.review(services, found)
    except NotFound:
        return None


def _read(
    services: Services, found: Document, line: DocumentLine | None, review: Review | None
) -> DocumentDetails:
    try:
        text = scenes.show(services, found.novel, found.scene)
    except NotFound:
        text = None
    with services.open_store() as store:
        actions = inspecting.actions(store, found.key)
        return DocumentDetails(
            line=line,
            text=text,
            settings=inspecting.state(store, found.key),
            variables=inspecting.variables(store, found.key),
            actions=actions,
            calls=inspecting.calls(store, found.key),
            review=review,
            conflicts=conflicts(store, actions),
        )
