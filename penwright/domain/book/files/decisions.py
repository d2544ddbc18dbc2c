"""``Continuity/decisions.yaml``: what the author has decided about the book; theirs to edit."""

from collections.abc import Collection, Sequence
from typing import get_args

from ruamel.yaml.comments import CommentedMap, CommentedSeq

from penwright.domain.book.files.layout import DECISIONS
from penwright.domain.book.files.yaml_files import dumped, loaded
from penwright.domain.prose.intended import decision
from penwright.errors import BrokenBook
from schemas.prose import Intended, Rule

_RULES: tuple[Rule, ...] = get_args(Rule)
_BEGINNING = """\
# Your decisions about this book. The file is yours: edit it as you like.
#
# intended: findings of the rules of prose that you mean so. Each is silent for as long as its quote, and the
# other one beside it, stand. Delete an item, and what it silenced is found again.
intended: []
"""


def read_intended(text: str) -> tuple[Intended, ...]:
    """Parse the findings that the author means so; none without the file, or in an empty one.

    Raises:
        BrokenBook: ``decisions-broken-yaml``, ``decisions-duplicate-key``, ``decisions-too-long`` or
            ``decisions-wrong-value``.
    """
    return tuple(_decision(number, each) for number, each in enumerate(_items(_values(text)), 1))


def with_intended(text: str, more: Sequence[Intended], gone: Collection[Intended]) -> str:
    """Return the file with further findings that the author means so, and without others.

    Raises:
        BrokenBook: as ``read_intended``.
    """
    values = _values(text if text.strip() else _BEGINNING)
    known = read_intended(text)
    pairs = zip(_items(values), known, strict=True)
    kept = CommentedSeq(item for item, each in pairs if each not in gone)
    kept.extend(_item(each) for each in dict.fromkeys(more) if each not in known)
    values["intended"] = kept
    return dumped(values)


def _values(text: str) -> CommentedMap:
    return loaded(text, path=DECISIONS, prefix="decisions")


def _items(values: CommentedMap) -> Sequence[object]:
    items = values.get("intended") or ()
    if not isinstance(items, CommentedSeq | tuple):
        raise _wrong("`intended` is no list; put a dash before each of its items")
    return items


def _decision(number: int, item: object) -> Intended:
    fields = dict(item) if isinstance(item, CommentedMap) else {}
    rule = next((each for each in _RULES if each == fields.get("rule")), None)
    quote = str(fields.get("quote") or "").strip()
    if rule is None or not quote:
        wanted = f"a `quote`, and a `rule` that is one of {', '.join(_RULES)}"
        raise _wrong(f"item {number} of `intended` needs {wanted}; correct it or delete it")
    return decision(rule, quote, str(fields.get("other") or ""))


def _item(decision: Intended) -> CommentedMap:
    return CommentedMap({key: value for key, value in decision.model_dump().items() if value})


def _wrong(what: str) -> BrokenBook:
    return BrokenBook("decisions-wrong-value", f"{DECISIONS!r}: {what}.", path=DECISIONS)
