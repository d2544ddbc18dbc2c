"""The intents of a book at its opening: the first registry, and the intent a session works under."""

from dataclasses import replace

from penwright.domain.book.files.layout import COMPLETE, FULL_BOOK, KILL, REVIEW
from penwright.domain.book.view import BookView
from penwright.domain.intents.registry import FIRST, REGISTRY
from penwright.domain.intents.selecting import select_owner
from schemas.intents import Selected
from schemas.workspace import Create, TextFile


def proposal(view: BookView) -> Create | None:
    """The registry that a book without one gets; None if it has one, or if nothing will be written."""
    has_one = REGISTRY in view.files or REGISTRY in view.unreadable
    closed = view.sealed or any(path in view.blobs for path in (KILL, COMPLETE))
    return None if has_one or closed else Create(path=REGISTRY, content=FIRST)


def with_registry(view: BookView, proposed: Create) -> BookView:
    """The book as it would be with the proposed registry."""
    file = TextFile(path=proposed.path, blob="", text=proposed.content)
    return replace(view, files={**view.files, proposed.path: file})


def select_for(view: BookView, path: str, intent_id: str = "") -> Selected:
    """Select the named intent, or the first in progress that owns ``path``; raises as ``select_owner``.

    For the validated book that is rather one under which passages are rewritten than that of the sessions.
    """
    texts = {name: file.text for name, file in view.files.items()}
    apart = REVIEW if path == FULL_BOOK else ""
    return select_owner(texts, view.unreadable, path, intent_id, apart)
