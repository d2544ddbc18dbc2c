"""JSON format of override sets, for people to edit: a text of several lines is a list of lines."""

import json
from codecs import BOM_UTF8
from collections import Counter
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from penwright.domain.text.strict_json import read_json
from penwright.errors import UsageMistake
from schemas.overrides import Override, OverrideField, OverrideSet

LARGEST = 4 * 1024 * 1024
"""Bytes of one file."""
_MOST_PROBLEMS = 5


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
    overrides: list[_OverrideEntry]


def dump_overrides(overrides: OverrideSet) -> bytes:
    """Return the file of an override set, as UTF-8; checked to be readable again.

    Raises:
        UsageMistake: ``overrides-too-long``, ``overrides-malformed``.
    """
    entries = [each.model_dump() | {"text": _lines(each.text)} for each in overrides.overrides]
    header = {"format": 1, **overrides.model_dump(exclude={"overrides"})}
    text = json.dumps(header | {"overrides": entries}, ensure_ascii=False, indent=2) + "\n"
    content = text.encode("utf-8", "surrogatepass")
    if len(content) > LARGEST:
        raise UsageMistake(
            "overrides-too-long",
            f"The overrides {overrides.tag!r} have {len(content)} bytes; at most {LARGEST} are allowed. "
            "Keep only those that change a text.",
        )
    load_overrides(content, f"{overrides.tag}.json")
    return content


def load_overrides(content: bytes, name: str) -> OverrideSet:
    """Parse the file of an override set; ``name``: the file's, for messages.

    Raises:
        UsageMistake: ``overrides-malformed``, naming the entry and field.
    """
    try:
        file = _OverrideFile.model_validate(read_json(content.removeprefix(BOM_UTF8)))
    except ValidationError as error:
        raise _malformed(name, _problems(error)) from None
    except ValueError as error:
        raise _malformed(name, str(error)) from None
    overrides = tuple(
        Override(path=each.path, field=each.field, expected=each.expected, text=_text(each.text))
        for each in file.overrides
    )
    found = OverrideSet(namespace=file.namespace, key=file.key, tag=file.tag, overrides=overrides)
    _refuse_twins(found, name)
    return found


def _lines(text: str) -> str | list[str]:
    return text.split("\n") if "\n" in text else text


def _text(given: str | list[str]) -> str:
    return given if isinstance(given, str) else "\n".join(given)


def _refuse_twins(found: OverrideSet, name: str) -> None:
    places = Counter((each.path, each.field) for each in found.overrides)
    for (path, field), count in places.items():
        if count > 1:
            raise _malformed(name, f"the {field} at {path!r} occurs {count} times")


def _problems(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False)
    lines = [f"{'.'.join(map(str, each['loc']))[:200] or 'the whole'}: {each['msg']}" for each in problems]
    return "; ".join(lines[:_MOST_PROBLEMS])


def _malformed(name: str, why: str) -> UsageMistake:
    return UsageMistake(
        "overrides-malformed",
        f"The override file {name!r} cannot be read: {why}. Correct it, or move it away and seed it again.",
        file=name,
    )
