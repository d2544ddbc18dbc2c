"""A person's change of a work outside a session and outside a run: one commit."""

import secrets

from gateway.desk.services import Services
from penwright.errors import Refused
from schemas.base import Effect, OpId
from schemas.book_text import BookEdited
from schemas.manuscript_text import TextSaved
from schemas.records import WorkspaceKind
from schemas.workspace import MutationPlan, Published


def new_effect(services: Services, about: str) -> Effect:
    """The effect of a change that is made once; ``about`` begins its id, such as ``import/<novel>``."""
    return Effect(op_id=OpId(f"{about}/{secrets.token_hex(8)}"), issued_at=services.now())


def publish(services: Services, kind: WorkspaceKind, plan: MutationPlan, effect: Effect) -> Published:
    """Commit a plan; a conflict is a result, ``Refused`` ``denied`` the gate's denial."""
    published = services.workspaces(kind).publish(plan, effect)
    if published.denial is not None:
        raise Refused("denied", f"{published.denial.message}; {published.denial.action_hint}")
    return published


def require_saved(saved: BookEdited | TextSaved, otherwise: str) -> None:
    """Raise ``Refused`` for a text that was not saved; ``otherwise``: the code of a conflict."""
    if saved.outcome in ("conflict", "refused"):
        raise Refused(saved.code or otherwise, saved.message or "the text was changed meanwhile")
