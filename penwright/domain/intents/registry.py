"""The registry of intents: read strictly, rewritten with everything kept.

Whatever a person wrote that we do not know, comments included, stays where it is.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any, Final

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent

from penwright.errors import Refused
from schemas.intents import Intent, IntentStatus

REGISTRY: Final = ".orchestration/active_intents.yaml"
LARGEST: Final = 256 * 1024
"""Bytes; a registry is read by people."""
_MOST_INTENTS = 1000
_VERSION = 1
_ADVICE = f"fix {REGISTRY} by hand and commit it, or take an earlier version from git"

FIRST: Final = """\
# What may be written in this book, and why. Agents must select an intent before they change text;
# whatever no intent in progress covers stays as it is. Yours to edit; `penwright intent --help` helps.
schema_version: 1
active_intents:
  - id: INT-001
    name: Write the book
    status: IN_PROGRESS
    owned_scope:
      - "Review/current.md"
      - "Current version/Full_Book.md"
      - "Global Material/Summary.md"
    constraints:
      - Follow the outline, and keep to the soul, the characters and the lore
      - Answer the author's instructions before anything new is written
    acceptance_criteria:
      - The book has its target length
      - Every arc of the outline is closed
  - id: PLAN-001
    name: Plan the chapters ahead
    status: IN_PROGRESS
    owned_scope:
      - "Chapters material/*.md"
      - "Global Material/Outline.md"
    constraints:
      - An outline that the author has filled in stays as it is
    acceptance_criteria:
      - Every chapter has an outline before it begins
  - id: REWRITE-001
    name: Rewrite passages on the author's word
    status: IN_PROGRESS
    owned_scope:
      - "Current version/Full_Book.md"
    constraints:
      - Only the passage that the author names changes
    acceptance_criteria:
      - The author has approved the new passage
"""


class BrokenRegistry(Refused):
    """The registry cannot be relied on: nothing is written until a person mends it."""


@dataclass(frozen=True, slots=True)
class Registry:
    """The intents of one workspace, in the order of the file."""

    intents: tuple[Intent, ...] = ()

    def find(self, intent_id: str) -> Intent | None:
        """The intent of exactly this id; case matters."""
        return next((intent for intent in self.intents if intent.id == intent_id), None)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(intent.id for intent in self.intents)


def read_registry(content: bytes | None) -> Registry:
    """Parse the registry.

    Raises:
        BrokenRegistry: ``registry-missing``, ``registry-unreadable`` (no text, too large) or
            ``registry-invalid`` (not what a registry looks like), naming what is wrong.
    """
    entries = _entries(_loaded(_text(content)))
    intents = tuple(_intent(entry, number) for number, entry in enumerate(entries, 1))
    doubled = [name for name, count in Counter(intent.id for intent in intents).items() if count > 1]
    if doubled:
        raise _invalid(f"the id {doubled[0]!r} is used twice")
    return Registry(intents)


def added(content: bytes | None, intent: Intent) -> str:
    """The registry with ``intent`` at its end; None begins a new one.

    Raises:
        Refused: ``intent-exists``.
    """
    if content is not None and read_registry(content).find(intent.id) is not None:
        raise Refused(
            "intent-exists", f"there is an intent {intent.id!r} already; choose another id", id=intent.id
        )
    root = _loaded(_text(content)) if content is not None else CommentedMap(schema_version=_VERSION)
    if root.get("active_intents") is None:
        root["active_intents"] = CommentedSeq()
    root["active_intents"].append(_as_entry(intent))
    return _checked(_dumped(root))


def with_status(content: bytes, intent_id: str, status: IntentStatus) -> str:
    """The registry with one intent's status changed and everything else as it was.

    Raises:
        Refused: ``intent-unknown``.
    """
    if read_registry(content).find(intent_id) is None:
        raise unknown(intent_id, read_registry(content))
    root = _loaded(_text(content))
    for entry in _entries(root):
        if entry["id"] == intent_id:
            entry["status"] = status.value
    return _checked(_dumped(root))


def unknown(intent_id: str, registry: Registry) -> Refused:
    """The refusal of an intent that is not in the registry."""
    known = ", ".join(registry.ids) or "none"
    return Refused(
        "intent-unknown",
        f"there is no intent {intent_id!r}; the registry has: {known}",
        id=intent_id,
        available=known,
    )


def _text(content: bytes | None) -> str:
    if content is None:
        raise BrokenRegistry(
            "registry-missing",
            f"there is no {REGISTRY} on the branch; make one with `penwright intent add BOOK`",
        )
    if len(content) > LARGEST:
        raise BrokenRegistry(
            "registry-unreadable", f"{REGISTRY} is larger than {LARGEST // 1024} KiB; {_ADVICE}"
        )
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise BrokenRegistry("registry-unreadable", f"{REGISTRY} is not UTF-8 text; {_ADVICE}") from error


def _loaded(text: str) -> CommentedMap:
    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 10_000
    yaml.indent(mapping=2, sequence=4, offset=2)
    try:
        _refuse_tricks(text)
        root = yaml.load(text)
    except DuplicateKeyError as error:
        raise _invalid(f"a key is used twice in one entry{_line_of(error)}") from error
    except (YAMLError, ValueError, RecursionError) as error:
        raise _invalid(f"it is not YAML{_line_of(error)}") from error
    if not isinstance(root, CommentedMap):
        raise _invalid("its top level must be a mapping with the key `active_intents`")
    return root


def _refuse_tricks(text: str) -> None:
    """Aliases make a small file enormous, and tags ask for objects; a registry has no use for them."""
    if not any(sign in text for sign in "*!"):
        return
    for event in YAML(typ="safe", pure=True).parse(text):
        if isinstance(event, AliasEvent):
            raise _invalid("it uses YAML aliases (`*name`); write the values out")
        if getattr(event, "tag", None):
            raise _invalid(f"it uses the YAML tag {event.tag!r}; take it out")


def _line_of(error: BaseException) -> str:
    mark = error.problem_mark if isinstance(error, MarkedYAMLError) else None
    return f" (line {mark.line + 1})" if mark is not None else ""


def _entries(root: CommentedMap) -> Sequence[CommentedMap]:
    version = root.get("schema_version", _VERSION)
    if version != _VERSION or isinstance(version, bool):
        raise _invalid(f"its `schema_version` is {version!r}, and this Penwright reads {_VERSION}")
    if "active_intents" not in root:
        raise _invalid("it has no key `active_intents`")
    entries = root["active_intents"]
    if entries is None:
        return ()
    if not isinstance(entries, CommentedSeq) or not all(isinstance(entry, CommentedMap) for entry in entries):
        raise _invalid("`active_intents` must be a list of entries with an id each")
    if len(entries) > _MOST_INTENTS:
        raise _invalid(f"it has more than {_MOST_INTENTS} intents")
    return tuple(entries)


def _intent(entry: CommentedMap, number: int) -> Intent:
    plain = json.loads(_plain(entry))
    try:
        intent = Intent.model_validate({**_without_nulls(plain), "digest": _digest(plain)}, strict=False)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise _invalid(f"entry {number} ({plain.get('id')!r}): `{place}`: {first['msg']}") from error
    if not intent.id.strip() or not intent.id.isprintable() or len(intent.id) > 100:
        raise _invalid(f"entry {number}: {intent.id!r} cannot be an id")
    return intent


# Any: whatever JSON a person's entry comes to.
def _without_nulls(plain: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in plain.items() if value is not None}


def _plain(entry: CommentedMap) -> str:
    """The entry as canonical JSON; what has no JSON of its own, such as a date, as its text."""
    try:
        return json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError) as error:
        raise _invalid(f"the entry {entry.get('id')!r} holds what no registry can hold") from error


def _digest(plain: dict[str, Any]) -> str:
    canonical = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


def _as_entry(intent: Intent) -> CommentedMap:
    given = intent.model_dump(mode="json", exclude={"digest"})
    return CommentedMap({key: value for key, value in given.items() if value not in ("", [], None)})


def _dumped(root: CommentedMap) -> str:
    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 10_000
    yaml.indent(mapping=2, sequence=4, offset=2)
    written = StringIO()
    yaml.dump(root, written)
    return written.getvalue()


def _checked(text: str) -> str:
    """Never write what could not be read again."""
    read_registry(text.encode())
    return text


def _invalid(what: str) -> BrokenRegistry:
    return BrokenRegistry("registry-invalid", f"{REGISTRY} cannot be used: {what}; {_ADVICE}")
