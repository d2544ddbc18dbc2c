"""Records as Agent Trace 0.1.0, and back without loss: the record itself stays under one metadata key.

A file or conversation without lines (a deletion, say) is in that record alone.
"""

import re
import string
from collections.abc import Set

from pydantic import ValidationError

from penwright.domain.trace.chain import Raw, canonical, line_of
from penwright.domain.trace.mentions import instant
from penwright.domain.trace.reading import parse_record
from schemas.agent_trace import (
    VERSION,
    AgentContributor,
    AgentConversation,
    AgentFile,
    AgentRange,
    AgentRelated,
    AgentTool,
    AgentTrace,
    AgentVcs,
)
from schemas.trace import Author, Conversation, Related, TracedFile

KEY = "dev.penwright"
"""Metadata key of the record."""

_LONGEST_MODEL = 250
_PLAIN = frozenset(f"{string.ascii_letters}{string.digits}-._~".encode())
_RESERVED = frozenset(b":/?#[]@!$&'()*+,;=%")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,15}:(?=[^\s])")


class Unexportable(Exception):
    """A record the format cannot say; the message says why."""


def exported(raw: Raw, revision: str | None) -> AgentTrace:
    """A record of the ledger in the format; ``revision``: the commit that introduced it, if one is known.

    Raises:
        Unexportable: it is no record, or has a value that the format forbids.
    """
    try:
        record = parse_record(line_of(raw))
        return AgentTrace(
            version=VERSION,
            id=record.id,
            timestamp=instant(record).isoformat().replace("+00:00", "Z"),
            vcs=AgentVcs(type="git", revision=revision) if revision else None,
            tool=AgentTool(name=record.tool.name, version=record.tool.version),
            files=[_file(each) for each in record.files if any(talk.ranges for talk in each.conversations)],
            metadata={KEY: {"record": raw}},
        )
    except ValidationError as error:
        raise Unexportable(_first(error)) from error


def export_line(trace: AgentTrace) -> bytes:
    """One line of the export."""
    return canonical(trace.model_dump(mode="json", exclude_none=True)) + b"\n"


def as_uri(kind: str, value: str) -> str:
    """``value`` if it is a URI already, otherwise a URN of ours."""
    if _SCHEME.match(value):
        return _quoted(value, _PLAIN | _RESERVED)
    return f"urn:penwright:{_quoted(kind) or 'thing'}:{_quoted(value)}"


def _quoted(text: str, kept: Set[int] = _PLAIN) -> str:
    return "".join(chr(byte) if byte in kept else f"%{byte:02X}" for byte in text.encode())


def _file(file: TracedFile) -> AgentFile:
    shown = [_conversation(each) for each in file.conversations if each.ranges]
    return AgentFile(path=file.relative_path, conversations=shown)


def _conversation(talk: Conversation) -> AgentConversation:
    return AgentConversation(
        url=as_uri("conversation", talk.url),
        contributor=_contributor(talk.contributor),
        ranges=[
            AgentRange(
                start_line=row.start_line,
                end_line=row.end_line,
                content_hash=row.content_hash,
                contributor=_contributor(row.contributor) if row.contributor else None,
            )
            for row in talk.ranges
        ],
        related=[_related(each) for each in talk.related] or None,
    )


def _contributor(author: Author) -> AgentContributor:
    model = (author.model_identifier or "")[:_LONGEST_MODEL]
    return AgentContributor.model_validate({"type": author.entity_type.lower(), "model_id": model or None})


def _related(related: Related) -> AgentRelated:
    kind = "intent" if related.type == "specification" else related.type
    return AgentRelated(type=related.type, url=as_uri(kind, related.value))


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
