"""Find the intent under which a file may be written: the one that is named, or the first that owns it."""

from collections.abc import Collection, Mapping

from penwright.domain.intents.handshake import default_intent, select_intent
from penwright.domain.intents.ignoring import IGNORE_FILES, Ignored, read_ignored
from penwright.domain.intents.registry import REGISTRY, BrokenRegistry, Registry, read_registry
from penwright.domain.intents.scope import Scope
from penwright.errors import Refused
from schemas.intents import Selected


def select_owner(
    texts: Mapping[str, str],
    unreadable: Collection[str],
    path: str,
    intent_id: str = "",
    apart: str = "",
) -> Selected:
    """Select the named intent, or the first in progress that owns ``path``.

    Args:
        texts: registry and ignore files by path, as far as they exist.
        unreadable: those of them that are no UTF-8 text.
        apart: a file that the intent should not own, if there is such a one.

    Raises:
        Refused: ``no-writable-intent``, ``intent-owns-other-files``, what ``select_intent`` raises, or what
            is wrong with the registry or an ignore file.
    """
    if wrong := [each for each in (REGISTRY, *IGNORE_FILES) if each in unreadable]:
        raise BrokenRegistry("registry-unreadable", f"{wrong[0]} is not UTF-8 text; save it as UTF-8")
    content = texts.get(REGISTRY)
    registry = read_registry(None if content is None else content.encode())
    ignored = read_ignored(*(texts.get(each, "") for each in IGNORE_FILES)).checked()
    if intent_id:
        return _named(registry, ignored, intent_id, path)
    intent = default_intent(registry, ignored, path, apart)
    if intent is None:
        raise Refused(
            "no-writable-intent",
            f"no intent in progress owns {path!r}; the registry has {', '.join(registry.ids) or 'none'}. "
            "Start one with `penwright intent start ID BOOK`, or add one with `penwright intent add BOOK`",
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
