"""The intents of a book at its opening: the first registry, and the intent a session works under."""

from dataclasses import replace

from penwright.domain.book.files.layout import COMPLETE, KILL
from penwright.domain.book.files.view import BookView
from penwright.domain.intents.handshake import default_intent, select_intent
from penwright.domain.intents.ignoring import IGNORE_FILES, Ignored, read_ignored
from penwright.domain.intents.registry import FIRST, REGISTRY, BrokenRegistry, Registry, read_registry
from penwright.domain.intents.scope import Scope
from penwright.errors import Refused
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
    """Select the named intent, or the first in progress that owns ``path``.

    Raises:
        Refused: ``no-writable-intent``, ``intent-owns-other-files``, what ``select_intent`` raises, or what
            is wrong with the registry or an ignore file.
    """
    unreadable = [each for each in (REGISTRY, *IGNORE_FILES) if each in view.unreadable]
    if unreadable:
        raise BrokenRegistry("registry-unreadable", f"{unreadable[0]} is not UTF-8 text; save it as UTF-8")
    text = view.files[REGISTRY].text if REGISTRY in view.files else None
    registry = read_registry(None if text is None else text.encode())
    ignored = read_ignored(*(view.text(each) for each in IGNORE_FILES)).checked()
    if intent_id:
        return _named(registry, ignored, intent_id, path)
    intent = default_intent(registry, ignored, path)
    if intent is None:
        raise Refused(
            "no-writable-intent",
            f"no intent in progress owns {path!r}; the registry has {', '.join(registry.ids) or 'none'}. "
            "Start one with `penwright intent start`, or add one with `penwright intent add`",
        )
    return select_intent(registry, ignored, intent.id)


def _named(registry: Registry, ignored: Ignored, intent_id: str, path: str) -> Selected:
    selected = select_intent(registry, ignored, intent_id)
    intent = registry.find(intent_id)
    if intent is not None and not Scope.of(intent.owned_scope).may_own(path):
        raise Refused(
            "intent-owns-other-files",
            f"{intent_id!r} does not own {path!r}, where a session writes. Select another intent, or add the "
            "file to its scope",
            id=intent_id,
        )
    return selected
