"""Trace of a work, read by its steps; anchors of the ledger log are stored."""

from temporalio import activity

from penwright.domain.intents.handshake import with_history
from penwright.domain.trace.intent_history.history import history_from_ledger
from penwright.domain.trace.source import TraceAnchors
from penwright.errors import PenwrightError
from penwright.ports.workspaces import Workspaces
from schemas.base import BookId
from schemas.intents import Selected
from schemas.lessons import Lesson
from schemas.workspace import Workspace


def with_past(
    workspaces: Workspaces, workspace: Workspace, selected: Selected, lessons: tuple[Lesson, ...]
) -> Selected:
    """The handshake's answer with what was done for the intent before."""
    with workspaces.trace(workspace) as source:
        return with_history(selected, history_from_ledger(source, selected.pin.intent_id, lessons=lessons))


def keep_anchors(
    workspaces: Workspaces, kept: TraceAnchors | None, workspace: Workspace, book: BookId
) -> None:
    """Keep the entries of the log that are new since the last call; a store that fails gets them later."""
    if kept is None:
        return
    try:
        with workspaces.trace(workspace) as source:
            known = {anchor.clone: anchor.entry for anchor in kept.anchors(book)}
            for anchor in source.anchors(since=known):
                kept.anchor(book, anchor)
    except PenwrightError as error:
        activity.logger.warning("the store does not hold the newest entries of the log: %s", error)
