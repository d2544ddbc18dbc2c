"""Agent Trace 0.1.0, the exchange format, strict enough for every published form of its rules.

Its text, its type definitions and its generated schema differ; what one of them forbids is forbidden here.
Only the version follows the text alone, because the other two would reject it. We export and import this
format; on disk the ledger has its own names (``schemas.trace``).
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StringConstraints

VERSION = "0.1.0"

UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"
_DATE = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z"


def _is_a_date(text: str) -> str:
    datetime.fromisoformat(text)
    return text


Uri = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9+.-]*:[!#-;=?-\[\]_a-z~]+$")]
Uuid = Annotated[str, StringConstraints(pattern=f"^{UUID}$")]
Timestamp = Annotated[str, StringConstraints(pattern=f"^{_DATE}$"), AfterValidator(_is_a_date)]
LineNumber = Annotated[int, Field(ge=1)]


class Strict(BaseModel):
    """Base of the format's values: missing and unknown fields are errors, and nothing is converted."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class AgentContributor(Strict):
    """Author of the lines."""

    type: Literal["human", "ai", "mixed", "unknown"]
    model_id: Annotated[str, StringConstraints(max_length=250)] | None = None


class AgentRange(Strict):
    """Lines of a file at the revision, from 1, inclusive."""

    start_line: LineNumber
    end_line: LineNumber
    content_hash: str | None = None
    contributor: AgentContributor | None = None
    """Set if it differs from the conversation's."""


class AgentRelated(Strict):
    """Object that a conversation belongs to."""

    type: str
    url: Uri


class AgentConversation(Strict):
    """Lines of one file that come from one conversation."""

    url: Uri | None = None
    contributor: AgentContributor | None = None
    ranges: list[AgentRange]
    related: list[AgentRelated] | None = None


class AgentFile(Strict):
    """One file with attributed lines."""

    path: Annotated[str, StringConstraints(min_length=1)]
    conversations: list[AgentConversation]


class AgentVcs(Strict):
    """The revision that the lines refer to."""

    type: Literal["git", "jj", "hg", "svn"]
    revision: Annotated[str, StringConstraints(min_length=1)]


class AgentTool(Strict):
    """The program that wrote the record."""

    name: str
    version: str


class AgentTrace(Strict):
    """One record."""

    version: Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]
    id: Uuid
    timestamp: Timestamp
    vcs: AgentVcs | None = None
    tool: AgentTool | None = None
    files: list[AgentFile]
    metadata: dict[str, JsonValue] | None = None
    """Everything else, under keys in reverse-domain style."""
