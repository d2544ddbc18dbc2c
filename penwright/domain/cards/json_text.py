"""JSON of foreign files: bounded before it is parsed, and mended where one field of it cannot be stored."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final

from penwright.domain.cards.refusals import (
    MOST_BRACKETS,
    MOST_DEPTH,
    MOST_JSON_BYTES,
    card_too_large,
    refused,
)
from penwright.domain.models.lenient_json import tidied
from penwright.domain.text.encodings import decoded
from penwright.errors import UsageMistake
from schemas.cards import FieldReport

_MOST_DIGITS: Final = 309
"""As many as the largest number with a fraction has."""
_MOST_NOTES: Final = 20
_UNSTORED = re.compile(r"[\0\ud800-\udfff]")
"""The character NUL, which no database stores, and half of a pair of surrogates, which no encoding has."""


# Any: JSON of other programs, here and in all modules of this folder.
@dataclass(frozen=True, slots=True)
class ReadJson:
    """A value, and what of its text had to be mended."""

    value: Any
    mended: tuple[FieldReport, ...] = ()


def parsed(content: bytes) -> Any:
    """Return the value of JSON. Raises ``UsageMistake`` as ``read_foreign``."""
    return read_foreign(content).value


def read_foreign(content: bytes, at: str = "") -> ReadJson:
    """Read JSON as other programs take it.

    Of a key that stands twice the last counts. Half of a surrogate pair becomes U+FFFD, the character NUL
    goes, and a number that is none, such as ``NaN``, is null.

    Args:
        at: where the text stands, for the report.

    Raises:
        UsageMistake: ``json-too-large``, ``json-too-deep``, ``not-utf8``, or ``broken-json``.
    """
    _check_bounds(content)
    text = in_utf8(content, at)
    mending = _Mending(at, list(text.mended))
    value = mending.sound(mending.loaded(text.value.decode(errors="surrogatepass")), (), MOST_DEPTH)
    left = len(mending.notes) - _MOST_NOTES
    more = [mending.note("", f"and {left:,} more like these")] if left > 0 else []
    return ReadJson(value, (*mending.notes[:_MOST_NOTES], *more))


def in_utf8(content: bytes, at: str = "") -> ReadJson:
    """Return a text of JSON in UTF-8, without a mark, and what was guessed of its encoding.

    Raises:
        UsageMistake: ``not-utf8``.
    """
    with suppress(UnicodeDecodeError):
        text = content.decode("utf-8-sig", errors="surrogatepass")
        return ReadJson(text.encode(errors="surrogatepass"))
    if (found := decoded(content)) is None:
        hint = "save it as UTF-8, and import it again"
        raise refused("not-utf8", "its text is not UTF-8", hint=hint)
    why = f"{found.said}: where signs are wrong, save it as UTF-8 and import it again"
    mended = (FieldReport(at=at, field="encoding", fate="adapted", why=why),) if found.said else ()
    return ReadJson(found.text.removeprefix("\ufeff").encode(), mended)


def written(value: Any, *, indent: int | None = None) -> bytes:
    """Return JSON in UTF-8; the same value always gives the same bytes."""
    separators = (",", ":") if indent is None else None
    return json.dumps(value, ensure_ascii=False, indent=indent, separators=separators).encode()


def in_order_of(value: Any, earlier: Any) -> Any:
    """Return the value with the keys of its objects in the order that they have in ``earlier``."""
    if isinstance(value, Mapping) and isinstance(earlier, Mapping):
        names = [name for name in earlier if name in value] + [name for name in value if name not in earlier]
        return {name: in_order_of(value[name], earlier.get(name)) for name in names}
    if isinstance(value, list) and isinstance(earlier, list):
        pairs = zip(value, [*earlier, *[None] * len(value)], strict=False)
        return [in_order_of(each, before) for each, before in pairs]
    return value


@dataclass(slots=True)
class _NoNumber:
    """Stands for a number that is none, as it is written."""

    text: str


@dataclass(slots=True)
class _Mending:
    """A text as it is read, and what is said of it."""

    at: str
    notes: list[FieldReport] = field(default_factory=list)

    def note(self, place: str, why: str) -> FieldReport:
        return FieldReport(at=self.at, field=place, fate="adapted", why=why)

    def loaded(self, text: str) -> Any:
        try:
            return self._loaded(text)
        except ValueError as error:
            first = error
        try:
            value = self._loaded(tidied(text))
        except ValueError:
            raise _broken(str(first)) from None
        self.notes.append(self.note("", "commas before a bracket, or line ends within a text, were mended"))
        return value

    def _loaded(self, text: str) -> Any:
        try:
            return json.loads(
                text,
                object_pairs_hook=self._object,
                parse_constant=_NoNumber,
                parse_float=_finite,
                parse_int=_whole,
            )
        except RecursionError:
            raise ValueError("it is nested too deep") from None

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            seen = set[str]()
            for name, _ in pairs:
                if name in seen:
                    self.notes.append(
                        self.note(_shown(name), "it stands twice in one object; the last counts")
                    )
                seen.add(name)
        return made

    def sound(self, value: Any, path: tuple[str, ...], depth: int) -> Any:
        """Return the value, changed in place where something of it cannot be stored."""
        if isinstance(value, str):
            return self._text(value, path) if _UNSTORED.search(value) else value
        if isinstance(value, _NoNumber):
            self.notes.append(self.note(_shown(".".join(path)), f"{value.text[:40]} is no number; left out"))
            return None
        if not isinstance(value, dict | list):
            return value
        if depth == 0:
            raise refused(
                "json-too-deep", f"it has more than {MOST_DEPTH} objects and lists within each other"
            )
        within = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
        for name, each in within:
            changed = self.sound(each, (*path, str(name)), depth - 1)
            if changed is not each:
                value[name] = changed
        return self._with_names(value, path) if isinstance(value, dict) else value

    def _text(self, text: str, path: tuple[str, ...]) -> str:
        why = "it held half of a character, or the character NUL, and was mended"
        self.notes.append(self.note(_shown(".".join(path)), why))
        return _storable(text)

    def _with_names(self, value: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
        if not any(_UNSTORED.search(name) for name in value):
            return value
        return {self._text(name, (*path, name)): each for name, each in value.items()}


def _storable(text: str) -> str:
    return _UNSTORED.sub("\ufffd", text.replace("\0", ""))


def _shown(place: str) -> str:
    return _storable(place)[:80]


def _whole(digits: str) -> "int | _NoNumber":
    return int(digits) if len(digits) <= _MOST_DIGITS else _NoNumber(digits)


def _finite(digits: str) -> "float | _NoNumber":
    return value if isfinite(value := float(digits)) else _NoNumber(digits)


def _check_bounds(content: bytes) -> None:
    if len(content) > MOST_JSON_BYTES:
        raise card_too_large()
    if content.count(b"{") + content.count(b"[") > MOST_BRACKETS:
        raise refused(
            "json-too-large",
            f"it has more than {MOST_BRACKETS:,} objects and lists",
            hint="divide it into several files",
        )


def _broken(why: str) -> UsageMistake:
    return refused("broken-json", f"its text is no usable JSON: {why[:300]}")
