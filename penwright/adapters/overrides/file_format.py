"""JSON format of override sets, for people to edit: a text of several lines is a list of lines."""

import json
from codecs import BOM_UTF8
from collections import Counter
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from penwright.domain.text.strict_json import read_json
from penwright.errors import UsageMistake
from schemas.agent import SkippedOverride
from schemas.overrides import Override, OverrideField, OverrideSet

LARGEST = 4 * 1024 * 1024
"""Bytes of one file."""
_MOST_PROBLEMS = 5
_LONGEST_NAME = 200


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _OverrideEntry(_Strict):
    path: str
    field: OverrideField
    expected: str
    text: str | list[str]


class _OverrideFile(_Strict):
    format: Literal[1]
    namespace: str
    key: str
    tag: str
    overrides: list[JsonValue]


def dump_overrides(overrides: OverrideSet) -> bytes:
    """Return the file of an override set, as UTF-8; checked to be readable again.

    Raises:
        UsageMistake: ``overrides-too-long``; ``overrides-malformed``, also for a set of whose file an entry
            was not read, and would be lost.
    """
    name = f"{overrides.tag}.json"
    _refuse_unread(overrides, name)
    entries = [each.model_dump() | {"text": _lines(each.text)} for each in overrides.overrides]
    header = {"format": 1, **overrides.model_dump(exclude={"overrides", "unread"})}
    text = json.dumps(header | {"overrides": entries}, ensure_ascii=False, indent=2) + "\n"
    content = text.encode("utf-8", "surrogatepass")
    if len(content) > LARGEST:
        raise UsageMistake(
            "overrides-too-long",
            f"The overrides {overrides.tag!r} have {len(content)} bytes; at most {LARGEST} are allowed. "
            "Keep only those that change a text.",
        )
    _refuse_unread(load_overrides(content, name), name)
    return content


def load_overrides(content: bytes, name: str) -> OverrideSet:
    """Parse the file of an override set; ``name``: the file's, for messages.

    Malformed entries are ``unread``, with the field and what is wrong with it.

    Raises:
        UsageMistake: ``overrides-malformed``: the file is none, or says twice what one text is.
    """
    try:
        file = _OverrideFile.model_validate(read_json(content.removeprefix(BOM_UTF8)))
    except ValidationError as error:
        raise _malformed(name, _problems(error)) from None
    except ValueError as error:
        raise _malformed(name, str(error)) from None
    entries = [_entry(at, given) for at, given in enumerate(file.overrides)]
    found = OverrideSet(
        namespace=file.namespace,
        key=file.key,
        tag=file.tag,
        overrides=tuple(each for each in entries if isinstance(each, Override)),
        unread=tuple(each for each in entries if isinstance(each, SkippedOverride)),
    )
    _refuse_twins(found, name)
    return found


def _entry(at: int, given: JsonValue) -> Override | SkippedOverride:
    try:
        read = _OverrideEntry.model_validate(given)
    except ValidationError as error:
        told = given if isinstance(given, dict) else {}
        path, field = (str(told.get(name, ""))[:_LONGEST_NAME] for name in ("path", "field"))
        why = f"entry {at + 1}: {_problems(error)}"
        return SkippedOverride(path=path, field=field, expected="", found="", why=why)
    return Override(path=read.path, field=read.field, expected=read.expected, text=_text(read.text))


def _lines(text: str) -> str | list[str]:
    return text.split("\n") if "\n" in text else text


def _text(given: str | list[str]) -> str:
    return given if isinstance(given, str) else "\n".join(given)


def _refuse_twins(found: OverrideSet, name: str) -> None:
    places = Counter((each.path, each.field) for each in found.overrides)
    for (path, field), count in places.items():
        if count > 1:
            raise _malformed(name, f"the {field} at {path!r} occurs {count} times")


def _refuse_unread(found: OverrideSet, name: str) -> None:
    if found.unread:
        raise _malformed(name, "; ".join(each.why for each in found.unread[:_MOST_PROBLEMS]))


def _problems(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False)
    lines = [
        f"{'.'.join(map(str, each['loc']))[:_LONGEST_NAME] or 'the whole'}: {each['msg']}"
        for each in problems
    ]
    return "; ".join(lines[:_MOST_PROBLEMS])


def _malformed(name: str, why: str) -> UsageMistake:
    return UsageMistake(
        "overrides-malformed",
        f"The override file {name!r} cannot be read: {why}. Correct it, or move it away and seed it again.",
        file=name,
    )
