"""Records as Agent Trace 0.1.0, and back without loss.

What the format has no name for stays under one metadata key: the record itself, without what the strict part
says already. A file or conversation that is not in the strict part (a deletion, say) stays there whole.
"""

import json
import re
import string
from collections.abc import Iterator, Mapping, Set
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from penwright.domain.trace.chain import Raw, canonical
from schemas.agent_trace import VERSION, AgentTrace

KEY = "dev.penwright"
"""Metadata key of everything that is ours."""

_TYPES = {"AI": "ai", "HUMAN": "human", "MIXED": "mixed", "UNKNOWN": "unknown"}
_LONGEST_MODEL = 250
_PLAIN = frozenset(f"{string.ascii_letters}{string.digits}-._~".encode())
_RESERVED = frozenset(b":/?#[]@!$&'()*+,;=%")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,15}:(?=[^\s])")


class Unexportable(Exception):
    """A record the format cannot say; the message says why."""


def exported(record: Raw, revision: str | None) -> Raw:
    """``record`` as a valid ``AgentTrace``; ``revision``: the commit that introduced it, if one is known."""
    rest: Raw = json.loads(json.dumps(record))
    try:
        shown = {
            "version": VERSION,
            "id": rest.pop("id"),
            **_timestamp(rest),
            **({"vcs": {"type": "git", "revision": revision}} if revision else {}),
            **_tool(rest),
            "files": [_file(file) for file in rest["files"] if is_shown(file)],
            "metadata": {KEY: {"record": rest}},
        }
        AgentTrace.model_validate(shown)
    except ValidationError as error:
        raise Unexportable(_first(error)) from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Unexportable(f"it is no record: {error!r}") from error
    return shown


def export_line(trace: Raw) -> bytes:
    """One line of the export."""
    return canonical(trace) + b"\n"


def is_shown(file: Raw) -> bool:
    """Whether the strict part has it: only what has lines."""
    return any(conversation.get("ranges") for conversation in file.get("conversations", ()))


def as_uri(kind: str, value: str) -> str:
    """``value`` if it is a URI already, otherwise a URN of ours."""
    if _SCHEME.match(value):
        return _quoted(value, _PLAIN | _RESERVED)
    return f"urn:penwright:{_quoted(kind) or 'thing'}:{_quoted(value)}"


def as_utc(timestamp: object) -> object:
    """The same time with Z, where it is a time; one without a zone is taken for UTC."""
    if not isinstance(timestamp, str) or timestamp.endswith("Z"):
        return timestamp
    try:
        at = datetime.fromisoformat(timestamp)
        known = at if at.tzinfo else at.replace(tzinfo=UTC)
        return known.astimezone(UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):
        return timestamp


def as_contributor(author: Mapping[str, Any]) -> dict[str, str]:  # Any: JSON of a line
    """Who wrote it, by the format's names."""
    shown = {"type": _TYPES.get(str(author.get("entity_type")), "unknown")}
    model = author.get("model_identifier")
    return {**shown, "model_id": model[:_LONGEST_MODEL]} if isinstance(model, str) and model else shown


def as_author(contributor: Mapping[str, Any]) -> dict[str, str]:  # Any: JSON of a line
    """The same by the ledger's names."""
    names = {ours: name for name, ours in _TYPES.items()}
    shown = {"entity_type": names[contributor["type"]]}
    return {**shown, "model_identifier": contributor["model_id"]} if "model_id" in contributor else shown


def _quoted(text: str, kept: Set[int] = _PLAIN) -> str:
    return "".join(chr(byte) if byte in kept else f"%{byte:02X}" for byte in text.encode())


def _timestamp(rest: Raw) -> dict[str, Any]:  # Any: JSON of a line
    shown = as_utc(rest["timestamp"])
    if shown == rest["timestamp"]:
        del rest["timestamp"]
    return {"timestamp": shown}


def _tool(rest: Raw) -> dict[str, Any]:  # Any: JSON of a line
    if rest.get("tool", {}).keys() == {"name", "version"}:
        return {"tool": rest.pop("tool")}
    return {}


def _file(file: Raw) -> Raw:
    shown = [each for each in file["conversations"] if each.get("ranges")]
    return {"path": file.pop("relative_path"), "conversations": [_conversation(each) for each in shown]}


def _conversation(conversation: Raw) -> Raw:
    shown: Raw = {"url": as_uri("conversation", conversation["url"])}
    if shown["url"] == conversation["url"]:
        del conversation["url"]
    shown |= _contributor(conversation)
    shown["ranges"] = [_range(each) for each in conversation["ranges"]]
    if conversation.get("related"):
        shown["related"] = list(_related(conversation["related"]))
    return shown


def _related(related: list[Raw]) -> Iterator[Raw]:
    for each in related:
        kind = "intent" if each["type"] == "specification" else each["type"]
        yield {"type": each["type"], "url": as_uri(kind, each["value"])}


def _range(found: Raw) -> Raw:
    names = ("start_line", "end_line", "content_hash")
    return {**{name: found.pop(name) for name in names if name in found}, **_contributor(found)}


def _contributor(owner: Raw) -> Raw:
    """Taken out of ``owner`` only if it can be put back from what is shown."""
    if "contributor" not in owner:
        return {}
    shown = as_contributor(owner["contributor"])
    if as_author(shown) == owner["contributor"]:
        del owner["contributor"]
    return {"contributor": shown}


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
