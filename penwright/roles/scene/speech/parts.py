"""The words and the state in an object, whatever its keys are called and however deep they stand."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from penwright.errors import ModelMistake
from penwright.roles.scene.reply_json import REMARKS, folded
from penwright.roles.scene.state_block import is_state, state_in
from schemas.director import FIELDS, StatePatch

REFUSED: Final = (
    "The reply was JSON and not prose. Answer again with nothing but what is said and done, as plain text."
)
FAILED: Final = "The reply was an error of the model's own and not prose. Answer again with prose."
BROKEN: Final = "the reply was broken JSON; its words were taken out of it"
_SPEECH: Final = frozenset(
    {"speech", "dialogue", "dialog", "say", "says", "said", "line", "lines", "utterance", "quote"}
)
_TEXT: Final = _SPEECH | {
    *("text", "reply", "response", "content", "message", "answer", "output", "prose", "narration"),
    *("roleplay", "action", "actions", "narrative", "description", "body", "paragraph", "story"),
}
_ABOUT: Final = frozenset({"name", "character", "speaker", "who", "actor"})
"""Keys that say who speaks, which is known."""
_PLACES: Final = frozenset({"role", "id", "type", "round", "kind", "language", "format"})
"""Keys of the form itself."""
_FEATURES: Final = frozenset({"emotion", "tone", "expression", "position", "posture", "pose", "gesture"})
"""Further features of a speaker, which a scene does not keep."""
_STATES: Final = frozenset({"state", "characterstate", "newstate", "stateupdate", "stateupdates", "updates"})
_ERROR: Final = frozenset({"error", "errors", "errorcode", "statuscode", "exception"})
_NOT_OURS: Final = frozenset({"user", "system"})
_DEEPEST: Final = 6
_KEY_WORD = re.compile(r"[A-Z]?[a-z]+")
_QUOTED = re.compile(r"[\"“”„«»]")
_JSON = re.compile(r"\A\s*(?:\[\s*)?\{\s*\"")


class Speech(NamedTuple):
    """The words, and the state that an object around or after them reports; None: it reports none."""

    text: str
    reported: StatePatch | None = None
    note: str = ""


class _Part(NamedTuple):
    """One value of an object that counts."""

    kind: Literal["speech", "text", "state", "who"]
    value: str
    state: StatePatch | None = None


# Any, here and below: the model may have written anything.
def parts_of(given: Any) -> Speech:
    """Everything that is said and done in an object or a list, in its order, and the state in it.

    Raises:
        ModelMistake: ``invalid-output``, where there is no text, a value of unknown meaning, an error of the
            model's, or several who speak.
    """
    found = list(_parts(given, _DEEPEST))
    texts = list(dict.fromkeys(each for each in found if each.kind in {"speech", "text"} and each.value))
    if not texts or len({each.value for each in found if each.kind == "who"}) > 1:
        raise ModelMistake("invalid-output", REFUSED)
    states = [each.state for each in found if each.state is not None]
    is_mixed = len({each.kind for each in texts}) > 1
    text = "\n\n".join(dict.fromkeys(_as_prose(each) if is_mixed else each.value for each in texts))
    return Speech(text, _joined(states) if states else None)


def state_alone(given: Any) -> StatePatch | None:
    """The state that an object reports, if it holds nothing else."""
    if isinstance(given, list) and given:
        found = [state for each in given if (state := state_alone(each)) is not None]
        return _joined(found) if len(found) == len(given) else None
    if not isinstance(given, Mapping) or not given:
        return None
    if len(given) == 1 and folded(str(next(iter(given)))) in _STATES:
        return state_alone(next(iter(given.values())))
    return state_in(given) if all(map(is_state, given)) else None


def is_error(key: object) -> bool:
    """Whether a key names an error of the model's server."""
    return folded(str(key)) in _ERROR


def is_text(key: object) -> bool:
    """Whether a key names words: by its last word, as in ``characterResponse`` and ``reply_text``."""
    words = _KEY_WORD.findall(str(key)) or [str(key)]
    return folded(str(key)) in _TEXT or folded(words[-1]) in _TEXT


def _parts(given: Any, depth: int) -> Iterator[_Part]:
    if depth == 0:
        raise ModelMistake("invalid-output", REFUSED)
    if isinstance(given, list):
        for each in given:
            yield from [_Part("text", each.strip())] if isinstance(each, str) else _parts(each, depth - 1)
    elif isinstance(given, Mapping):
        if any(map(is_error, given)):
            raise ModelMistake("invalid-output", FAILED)
        for key, value in given.items():
            yield from _part(str(key), value, depth)


def _part(key: str, value: Any, depth: int) -> Iterator[_Part]:
    name = folded(key)
    if name in _STATES and isinstance(value, Mapping | list):
        yield _Part("state", "", _joined([state_in(each) for each in _listed(value)]))
    elif is_state(key):
        yield _Part("state", "", state_in({key: value}))
    elif isinstance(value, Mapping | list):
        yield from _parts(value, depth - 1)
    elif name in _ABOUT:
        yield _Part("who", folded(str(value)))
    elif isinstance(value, str) and not _is_skipped(name, value):
        yield _words(key, value)


def _words(key: str, value: str) -> _Part:
    if not is_text(key) or _JSON.match(value):
        raise ModelMistake("invalid-output", REFUSED)
    return _Part("speech" if folded(key) in _SPEECH else "text", value.strip())


def _is_skipped(name: str, value: str) -> bool:
    if name == "role" and folded(value) in _NOT_OURS:
        raise ModelMistake("invalid-output", REFUSED)
    return not value.strip() or name in _PLACES | _FEATURES | REMARKS


def _listed(value: Mapping[str, Any] | list[Any]) -> list[Mapping[str, Any]]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, Mapping)]


def _joined(states: list[StatePatch]) -> StatePatch:
    """Several states as one; a later value of a field counts."""
    values = {name: each for state in states for name in FIELDS if (each := getattr(state, name))}
    return StatePatch(**values)


def _as_prose(part: _Part) -> str:
    """The part as prose: speech, beside what is done, stands in quotes."""
    is_bare = part.kind == "speech" and not _QUOTED.search(part.value)
    return f"“{part.value}”" if is_bare else part.value
