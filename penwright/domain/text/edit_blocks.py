"""Edits as fenced plain text, for replacement text that must not pass through JSON.

A reply looks like this::

    status: continue
    rationale: Why these edits, in one or more lines.

    @@@ replace
    count: all
    reason: Why this one.
    @@@ find
    The passage as it stands.
    @@@ with
    The passage as it shall be.
    @@@ end

- A block begins with ``@@@`` and its kind: ``replace`` (parts find, with), ``insert_after`` (find, with),
  ``append`` (with) or ``delete`` (find). ``count:`` and ``reason:`` may follow, one line each.
- Text between marker lines is taken character for character, without the line end before the next marker.
- Text that has such marker lines itself goes into a block whose markers all have more signs: ``@@@@ find``.
- Outside the blocks, ``status:`` is ``continue`` or ``satisfied``; all other lines are the rationale.
"""

import re
from collections.abc import Sequence

from penwright.errors import ModelMistake
from schemas.patching import EditReply, Operation

_PARTS = {
    "replace": ("find", "with"),
    "insert_after": ("find", "with"),
    "append": ("with",),
    "delete": ("find",),
}
_MARKER = re.compile(r"(@{3,})[ \t]*([A-Za-z_-]+):?[ \t]*\r?")
_FIELD = re.compile(r"[ \t]*([A-Za-z_ -]+?)[ \t]*:[ \t]*(.*?)[ \t]*\r?")
_STATUS = re.compile(r"[ \t>*_`#-]*status[*_`]*[ \t]*:[ \t*_`\"]*(\w+)?[ \t*_`\".,]*\r?", re.IGNORECASE)
_RATIONALE = re.compile(r"[ \t>*_#-]*rationale[*_]*[ \t]*:[ \t*_]*", re.IGNORECASE)
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[\w-]*[ \t]*\r?")


def parse(reply: str) -> EditReply:
    """Read a reply with edit blocks.

    Raises:
        ModelMistake: ``empty-reply``; ``truncated-block``, ``unclosed-block``, ``stray-marker``,
            ``unknown-kind``, ``wrong-part``, ``unknown-field``, ``bad-status``. The message is advice to the
            model. A reply is taken whole or not at all.
    """
    if not reply.strip():
        raise ModelMistake(
            "empty-reply", "The reply was empty. Answer with edit blocks, or with status: satisfied."
        )
    # Not splitlines, which would also part a line at characters that belong to the text.
    lines = reply.split("\n")
    outside: list[str] = []
    operations: list[Operation] = []
    at = 0
    while at < len(lines):
        marker = _MARKER.fullmatch(lines[at])
        if marker is None:
            outside.append(lines[at])
            at += 1
            continue
        number = len(operations) + 1
        end = _end_of_block(lines, at, _kind(marker, number), marker[1], number)
        operations.append(_operation(lines[at:end], marker[1], number))
        at = end + 1
    return EditReply.model_validate(
        {"status": _status(outside), "rationale": _rationale(outside), "operations": tuple(operations)}
    )


def _kind(marker: re.Match[str], number: int) -> str:
    word = marker[2].lower().replace("-", "_")
    if word in _PARTS:
        return word
    if word in ("find", "with", "end"):
        raise _mistake(
            "stray-marker", f"`{marker[0].strip()}` stands outside a block, after {number - 1} blocks"
        )
    raise _mistake("unknown-kind", f"`{word}` of block {number} is none of {', '.join(_PARTS)}")


def _end_of_block(lines: Sequence[str], at: int, kind: str, fence: str, number: int) -> int:
    """The index of the line that ends the block which begins at ``at``."""
    for place in range(at + 1, len(lines)):
        word = _word(lines[place], fence)
        if word == "end":
            return place
        if word in _PARTS:
            raise _mistake(
                "unclosed-block", f"block {number} ({kind}) has no `{fence} end` before the next block"
            )
    raise _mistake("truncated-block", f"the reply ends inside block {number} ({kind}), before `{fence} end`")


def _word(line: str, fence: str) -> str:
    """The word of a marker with these signs; empty for any other line."""
    marker = _MARKER.fullmatch(line)
    return marker[2].lower().replace("-", "_") if marker and marker[1] == fence else ""


def _operation(lines: Sequence[str], fence: str, number: int) -> Operation:
    """The operation of a block, from its first marker to the line before its end."""
    kind = _word(lines[0], fence)
    places = [at for at, line in enumerate(lines) if _word(line, fence) in ("find", "with")]
    names = tuple(_word(lines[at], fence) for at in places)
    if names != _PARTS[kind]:
        wanted = " and ".join(_PARTS[kind])
        raise _mistake("wrong-part", f"block {number} ({kind}) must have {wanted}, in this order, once each")
    parts = {
        name: "\n".join(lines[start + 1 : stop])
        for name, start, stop in zip(names, places, [*places[1:], len(lines)], strict=True)
    }
    fields = _fields(lines[1 : places[0]], number)
    return Operation.model_validate(
        {"kind": kind, "find": parts.get("find", ""), "replace": parts.get("with", ""), **fields}
    )


def _fields(lines: Sequence[str], number: int) -> dict[str, int | str]:
    fields: dict[str, int | str] = {}
    for line in lines:
        found = _FIELD.fullmatch(line)
        name = found[1].lower() if found else ""
        if found and name in ("count", "reason") and name not in fields:
            fields[name] = int(found[2][:9]) if name == "count" and found[2].isdecimal() else found[2]
        elif line.strip():
            raise _mistake(
                "unknown-field", f"`{line.strip()[:80]}` of block {number} is neither count nor reason"
            )
    return fields


def _status(outside: Sequence[str]) -> str:
    """The last status that is told; to continue if none is."""
    told = [found[1] or "" for line in outside if (found := _STATUS.fullmatch(line))]
    status = told[-1].lower() if told else "continue"
    if status not in ("continue", "satisfied"):
        raise _mistake("bad-status", f"status is `{status[:40]}`, but must be continue or satisfied")
    return status


def _rationale(outside: Sequence[str]) -> str:
    """All other lines, without a fence that a model puts around its whole reply."""
    lines = [line for line in outside if not _STATUS.fullmatch(line) and not _FENCE.fullmatch(line)]
    return _RATIONALE.sub("", "\n".join(lines).strip(), count=1).strip()


def _mistake(code: str, what: str) -> ModelMistake:
    return ModelMistake(code, f"The edits cannot be read: {what}. Send all edits again; none was made.")
