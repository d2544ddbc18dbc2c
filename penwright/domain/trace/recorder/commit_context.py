"""A commit to be, as the recorder gets it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from penwright.domain.trace.segments import Tip
from schemas.base import Effect
from schemas.intents import Approval, IntentPin
from schemas.trace import MutationClass, TraceRecord
from schemas.workspace import Contributor


@dataclass(frozen=True, slots=True)
class TextChange:
    """Change of one file in a commit: content before and after, None for absent, and their blob ids."""

    before: bytes | None
    after: bytes | None
    blob_before: str | None
    blob_after: str | None
    moved_from: str = ""
    """The path it had before, where a file only got another name; contents are left out then."""


@dataclass(frozen=True, slots=True)
class CommitContext:
    """Author, tool and reason of a commit."""

    effect: Effect
    contributor: Contributor
    tool: str
    model: str = ""
    pin: IntentPin | None = None
    declared: MutationClass | None = None
    approval: Approval | None = None
    authorship: str = ""
    """Declared author of the new text, if any: see ``trailers.AUTHORSHIP``."""
    overrides: str = ""
    """Tag of the override set of its agent: see ``trailers.OVERRIDES``."""


@dataclass(frozen=True, slots=True)
class RecordCase:
    """A commit to be, and the tip it is made on."""

    context: CommitContext
    tip: Tip
    parent: str
    """Commit id of the tip."""
    branch: str
    changes: Mapping[str, TextChange]
    at: datetime
    former: Sequence[TraceRecord] = ()
    """Records of the commit as it was on another tip: blocks that it brings again keep their authors."""
