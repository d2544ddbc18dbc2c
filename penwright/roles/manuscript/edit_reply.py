"""Edits in a reply: plain blocks, or the same operations as JSON."""

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, TypeAdapter

from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.models.structured_output import Misfit
from penwright.domain.text.edit_blocks import parse
from penwright.errors import ModelMistake
from penwright.roles.reply import (
    JsonReply,
    Objects,
    OptionalText,
    find_object,
    fit_text,
    plain_text,
    whole_text,
    word,
)
from schemas.manuscript_roles import Edited
from schemas.patching import EditReply, Operation, OperationKind

OPERATIONS = TypeAdapter(tuple[Operation, ...])
"""Type in which the operations of an ``Edited`` are stored."""
_MARKER = re.compile(r"^@@@+\s*\w", re.MULTILINE)


# Any, here and below: the model may have written anything.
def _verbatim(value: Any) -> Any:
    """Text without its ends cut off: they belong to the manuscript."""
    plain_text(value)
    return value.replace("\r\n", "\n")


def _count(value: Any) -> Any:
    """A count that is wrong is the outcome ``bad_count`` of its operation, not an error of the reply."""
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value[:9])
    return value if isinstance(value, int) and not isinstance(value, bool) else str(value)


class OperationReply(JsonReply):
    also_called = {"operation": "kind", "type": "kind", "action": "kind"}

    find: Annotated[str, BeforeValidator(_verbatim)] = ""
    replace: Annotated[str, BeforeValidator(_verbatim)]
    kind: Annotated[OperationKind, BeforeValidator(word)] = "replace"
    count: Annotated[int | str, BeforeValidator(_count)] = 1
    reason: OptionalText = ""
    section_title: OptionalText = ""


class EditsReply(JsonReply):
    operations: Annotated[tuple[OperationReply, ...], *Objects]
    rationale: OptionalText = ""
    status: Annotated[Literal["continue", "satisfied"], BeforeValidator(word)] = "continue"


def read_edits(arrival: RawReply, *, may_be_none: bool) -> Edited:
    """The operations of a reply, stored.

    Args:
        may_be_none: whether a reply without operations is one, if its status is ``satisfied``.

    Raises:
        ModelMistake: as ``whole_text`` and ``edit_blocks.parse``; ``no-operations``, ``invalid-output`` or
            ``control-character``.
    """
    reply = _reply(whole_text(arrival))
    if not reply.operations and not (may_be_none and reply.status == "satisfied"):
        raise ModelMistake(
            "no-operations",
            "The reply held no edits. Answer with at least one edit block, as described above.",
        )
    return Edited(
        status=reply.status,
        rationale=reply.rationale,
        operations=arrival.blobs.put(OPERATIONS.dump_json(reply.operations)),
        count=len(reply.operations),
        model=arrival.model,
        demo=arrival.demo,
    )


def _reply(text: str) -> EditReply:
    if _MARKER.search(text) is None and (found := _as_json(text)) is not None:
        return found
    reply = parse(text)
    for each in reply.operations:
        fit_text(each.find + each.replace)
    return reply


def _as_json(text: str) -> EditReply | None:
    """The operations in JSON; None if there is none that could be meant.

    An object without its end is refused: a repair would cut the replacement short without a sign.
    """
    found = find_object(text, EditsReply)
    if not isinstance(found, Misfit):
        said = found.value
        operations = tuple(
            Operation(**each.model_dump(exclude={"section_title"}), section=each.section_title)
            for each in said.operations
        )
        return EditReply(status=said.status, rationale=said.rationale, operations=operations)
    if found.code == "invalid-output" and '"operations"' in text:
        raise ModelMistake(found.code, found.message)
    return None
