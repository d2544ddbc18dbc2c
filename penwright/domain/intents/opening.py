"""What a session that opens a book does about intents."""

from penwright.domain.book_layout import COMPLETE, KILL
from penwright.domain.book_view import BookView
from penwright.domain.intents.handshake import default_intent, select_intent
from penwright.domain.intents.ignoring import IGNORE_FILES, read_ignored
from penwright.domain.intents.registry import FIRST, REGISTRY, BrokenRegistry, read_registry
from penwright.errors import Refused
from schemas.intents import Selected
from schemas.workspace import Create


def proposal(view: BookView) -> Create | None:
    """The registry that a book without one gets; None if it has one, or if nothing will be written."""
    has_one = REGISTRY in view.files or REGISTRY in view.unreadable
    closed = view.sealed or any(path in view.blobs for path in (KILL, COMPLETE))
    return None if has_one or closed else Create(path=REGISTRY, content=FIRST)


def select_for(view: BookView, path: str) -> Selected:
    """Select the first intent in progress that owns ``path``.

    Raises:
        Refused: ``no-writable-intent``, or what is wrong with the registry or an ignore file.
    """
    unreadable = [each for each in (REGISTRY, *IGNORE_FILES) if each in view.unreadable]
    if unreadable:
        raise BrokenRegistry("registry-unreadable", f"{unreadable[0]} is not UTF-8 text; save it as UTF-8")
    text = view.files[REGISTRY].text if REGISTRY in view.files else None
    registry = read_registry(None if text is None else text.encode())
    ignored = read_ignored(*(view.text(each) for each in IGNORE_FILES))
    intent = default_intent(registry, ignored, path)
    if intent is None:
        raise Refused(
            "no-writable-intent",
            f"no intent in progress owns {path!r}; the registry has {', '.join(registry.ids) or 'none'}. "
            "Start one with `penwright intent start`, or add one with `penwright intent add`",
        )
    return select_intent(registry, ignored, intent.id)
