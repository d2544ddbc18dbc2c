"""``Continuity/decisions.yaml``: what the author has decided about the book; theirs to edit."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import get_args

from ruamel.yaml.comments import CommentedMap, CommentedSeq

from penwright.domain.book.files.layout import DECISIONS
from penwright.domain.book.files.yaml_files import dumped, loaded
from penwright.domain.prose.intended import as_line, decision
from penwright.errors import BrokenBook
from schemas.base import Value
from schemas.continuity import Confirmed, Correction, Decisions, FactDecision, Postponed
from schemas.prose import ContinuityRule, Intended, Rule

_RULES: tuple[Rule, ...] = get_args(Rule)
_CONTINUITY_RULES: tuple[Rule, ...] = get_args(ContinuityRule)
_BEGINNING = """\
# Your decisions about this book. The file is yours: edit it as you like.
#
# intended: findings of the rules of prose that you mean so. Each is silent for as long as its quote, and the
# other one beside it, stand. Delete an item, and what it silenced is found again.
# later: contradictions that are silent until the session after this one.
# confirmed: contradictions that you want mended, each with the note that asks for it.
# corrected: `about`, `trait` and the right `value`; with a `quote` of one statement, else of all.
# rejected: statements of the clerk that are wrong: `about`, `trait` and `quote`.
intended: []
"""


def read_decisions(text: str) -> Decisions:
    """Parse the author's decisions; none without the file, or in an empty one.

    Raises:
        BrokenBook: ``decisions-broken-yaml``, ``decisions-duplicate-key``, ``decisions-too-long`` or
            ``decisions-wrong-value``.
    """
    values = _values(text)
    return Decisions.model_validate({name: _parsed(values, name) for name in _SECTIONS})


def with_decisions(text: str, more: Decisions, gone: Decisions) -> str:
    """Return the file with further decisions, and without others.

    Raises:
        BrokenBook: as ``read_decisions``.
    """
    values, decided = _values(text if text.strip() else _BEGINNING), read_decisions(text)
    for name in _SECTIONS:
        added, dropped = getattr(more, name), getattr(gone, name)
        if not added and not dropped:
            continue
        known = getattr(decided, name)
        pairs = zip(_items(values, name), known, strict=True)
        kept = CommentedSeq(item for item, each in pairs if each not in dropped)
        kept.extend(_item(each) for each in dict.fromkeys(added) if each not in known)
        values[name] = kept
    return dumped(values)


def _values(text: str) -> CommentedMap:
    return loaded(text, path=DECISIONS, prefix="decisions")


def _items(values: CommentedMap, name: str) -> Sequence[object]:
    items = values.get(name) or ()
    if not isinstance(items, CommentedSeq | tuple):
        raise _wrong(f"`{name}` is no list; put a dash before each of its items")
    return items


def _parsed(values: CommentedMap, name: str) -> list[Value]:
    return [_SECTIONS[name](f"item {at} of `{name}`", item) for at, item in _numbered(values, name)]


def _numbered(values: CommentedMap, name: str) -> Sequence[tuple[int, Mapping[str, object]]]:
    items = _items(values, name)
    return [(at, each if isinstance(each, CommentedMap) else {}) for at, each in enumerate(items, 1)]


def _pair(where: str, item: Mapping[str, object], rules: Sequence[Rule] = _CONTINUITY_RULES) -> Intended:
    """The rule and the quotes of a finding."""
    rule, quote = next((each for each in rules if each == item.get("rule")), None), _text(item, "quote")
    if rule is None or not quote:
        wanted = f"a `quote`, and a `rule` that is one of {', '.join(rules)}"
        raise _wrong(f"{where} needs {wanted}; correct it or delete it")
    return decision(rule, quote, _text(item, "other"))


def _about(where: str, item: Mapping[str, object], *needed: str) -> dict[str, object]:
    missing = [key for key in ("about", "trait", *needed) if not _text(item, key)]
    if missing:
        raise _wrong(f"{where} needs `{'` and `'.join(missing)}`; correct it or delete it")
    return {key: _text(item, key) for key in ("about", "trait", "quote")}


def _text(item: Mapping[str, object], key: str) -> str:
    value = item.get(key)
    return "" if value is None else as_line(str(value))


def _on_finding(kind: type[Value], key: str, where: str, item: Mapping[str, object]) -> Value:
    return kind.model_validate({**_pair(where, item).model_dump(), key: _text(item, key)})


def _correction(where: str, item: Mapping[str, object]) -> Value:
    return Correction.model_validate({**_about(where, item, "value"), "value": _text(item, "value")})


_SECTIONS: Mapping[str, Callable[[str, Mapping[str, object]], Value]] = {
    "intended": lambda where, item: _pair(where, item, _RULES),
    "later": partial(_on_finding, Postponed, "session"),
    "confirmed": partial(_on_finding, Confirmed, "note"),
    "corrected": _correction,
    "rejected": lambda where, item: FactDecision.model_validate(_about(where, item, "quote")),
}
"""The parser of each list's items."""


def _item(decided: Value) -> CommentedMap:
    return CommentedMap({key: value for key, value in decided.model_dump().items() if value})


def _wrong(what: str) -> BrokenBook:
    return BrokenBook("decisions-wrong-value", f"{DECISIONS!r}: {what}.", path=DECISIONS)
