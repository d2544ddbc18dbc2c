"""Values of a form checked and put into a thing; every mistake names the field, and its line."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from gateway.desk.worlds.forms.yaml_reading import Read, read_value, strings
from gateway.desk.worlds.kinds import EntityKind, FormField, Thing
from penwright.domain.text.escaping import printable
from penwright.domain.text.nearest import meant
from penwright.errors import UsageMistake

LONGEST_NAME = 200
_SHOWN = 60
_ASKED = {
    "string_type": "must be text; put it between quotes",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "tuple_type": "must be a list, one item a line after a dash",
    "model_type": "must be fields of its own, below it and two blanks in",
    "literal_error": "must be {expected}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "missing": "is missing",
}


def filled(kind: EntityKind[Thing], thing: Thing, read: Read) -> Thing:
    """Return the thing with the values of a form; fields that the form leaves out stay as they are.

    Raises:
        UsageMistake: ``unknown-field``, ``bad-value``, ``bad-text`` or ``bad-name``.
    """
    values = {name: _completed(kind, name, value) for name, value in read.values.items()}
    for name, value in values.items():
        _check(kind, name, value, read.lines)
    data = _merged(thing.model_dump(mode="json"), kind.nested(values))
    try:
        made = kind.type.model_validate(data)
    except ValidationError as error:
        raise _mistake(error.errors()[0], read) from None
    dumped = kind.values(made)
    for name, value in values.items():
        _check_inner(name, value, dumped[name], read.lines)
    _check_name(kind, made, read.lines)
    return made


def assigned(kind: EntityKind[Thing], words: tuple[str, ...]) -> Read:
    """Return the values of ``--set field=value``; ``settings.shares.lore=20`` reaches a field within one.

    Raises:
        UsageMistake: ``bad-set``, or ``unknown-field``.
    """
    values: dict[str, Any] = {}
    for word in words:
        path, equals, text = word.partition("=")
        names = [name.strip().replace("-", "_") for name in path.split(".")]
        if not equals or not all(names):
            raise UsageMistake("bad-set", f"{word!r} is not field=value", hint=f"`--set {kind.label}=TEXT`")
        check_known(kind, names[0], {})
        _put(values, names, text if _is_text(kind, names[0]) and len(names) == 1 else read_value(text))
    return Read(values, {})


def check_known(kind: EntityKind[Any], name: str, lines: Mapping[str, int]) -> FormField:
    """Return the field; raises ``UsageMistake`` (``unknown-field``) with the nearest names."""
    if field := kind.field(name):
        return field
    raise _unknown(f"a {kind.word}", name, [field.name for field in kind.fields], _at(name, lines))


def _check_inner(path: str, given: Any, known: Any, lines: Mapping[str, int]) -> None:
    """Refuse a field within a field that its type does not have: pydantic would ignore it."""
    if not isinstance(given, Mapping) or not isinstance(known, Mapping):
        return
    for name, value in given.items():
        if name not in known:
            raise _unknown(repr(path), name, list(known), _at(path, lines))
        _check_inner(f"{path}.{name}", value, known[name], lines)


def _unknown(owner: str, name: str, names: list[str], at: str) -> UsageMistake:
    message = f"{at}{owner} has no field {printable(name)!r}{meant(name, names)}"
    return UsageMistake("unknown-field", message, hint=f"its fields: {', '.join(names)}")


def _is_text(kind: EntityKind[Any], name: str) -> bool:
    own = kind.type.model_fields.get(name)
    return own is None or own.annotation is str


def _put(values: dict[str, Any], names: list[str], value: Any) -> None:
    for name in names[:-1]:
        inner = values.setdefault(name, {})
        if not isinstance(inner, dict):
            inner = values[name] = {}
        values = inner
    values[names[-1]] = value


def _merged(old: Any, new: Mapping[str, Any]) -> dict[str, Any]:
    """Lay values over a dump: objects by key, all else replaced."""
    kept: dict[str, Any] = dict(old) if isinstance(old, Mapping) else {}
    for name, value in new.items():
        kept[name] = _merged(kept.get(name), value) if isinstance(value, Mapping) else value
    return kept


def _completed(kind: EntityKind[Any], name: str, value: Any) -> Any:
    """A field with nothing after its colon is empty, if it is text or a list; one text can be a list."""
    if kind.field(name) is None:
        return value
    own = kind.type.model_fields.get(name)
    annotation = str(own.annotation) if own else "str"
    if annotation.startswith("tuple"):
        return [] if value is None else [value] if isinstance(value, str) else value
    return "" if value is None and _is_text(kind, name) else value


def _check(kind: EntityKind[Any], name: str, value: Any, lines: Mapping[str, int]) -> None:
    field = check_known(kind, name, lines)
    if isinstance(value, int) and not field.range[0] <= value <= field.range[1]:
        least, most = field.range
        raise _wrong(name, f"must be from {least} to {most}", value, lines)
    for text in strings(value):
        if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
            raise UsageMistake(
                "bad-text",
                f"{_at(name, lines)}{name!r} has a NUL byte or half a character; delete it",
                hint="text is UTF-8, without NUL bytes",
            )


def _check_name(kind: EntityKind[Thing], made: Thing, lines: Mapping[str, int]) -> None:
    name = kind.name_of(made)
    if (name.strip() and len(name) <= LONGEST_NAME and name.isprintable()) or (
        not name and kind.word == "entry"
    ):
        return
    raise UsageMistake(
        "bad-name",
        f"{_at(kind.label, lines)}a {kind.word} needs a {kind.label} of 1 to {LONGEST_NAME} characters "
        f"on one line, not {_shown(name)}",
        hint=f"give it a {kind.label} on one line",
    )


def _mistake(error: ErrorDetails, read: Read) -> UsageMistake:
    path = [str(part) for part in error["loc"] if part != "notes"]
    asked = _ASKED.get(error["type"], "has an invalid value").format(**error.get("ctx", {}))
    return _wrong(".".join(path), asked, error["input"], read.lines)


def _wrong(path: str, asked: str, value: Any, lines: Mapping[str, int]) -> UsageMistake:
    return UsageMistake(
        "bad-value",
        f"{_at(path, lines)}{path!r} {asked}, not {_shown(value)}",
        hint="correct the value; nothing was stored",
        field=path,
    )


def _at(path: str, lines: Mapping[str, int]) -> str:
    line = lines.get(path.partition(".")[0])
    return f"line {line}: " if line else ""


def _shown(value: Any) -> str:
    text = repr(printable(value)) if isinstance(value, str) else str(value)
    return "nothing" if value is None else text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
