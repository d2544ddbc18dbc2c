"""Level 0: a line read as a record, as far as the verifier looks at one.

The line is parsed and checked in one go and hashed as it stands: a long ledger has a hundred thousand, and to
build each of them, and write it out again to compare, would take a minute. Only a line that fails is looked
at slowly, to say what is wrong with it.
"""

from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple, NotRequired

from pydantic import AwareDatetime, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12

from penwright.domain.trace.chain import Line, hash_of_line, read_lines
from schemas.trace import EntityType

_Digest = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
_BlockHash = Annotated[str, Field(pattern=r"^prose1:[0-9a-f]{32}$")]
_Object = Annotated[str, Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]
_Uuid = Annotated[str, Field(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")]
_Count = Annotated[int, Field(ge=1, strict=True)]
_Name = Annotated[str, Field(min_length=1)]
_Class = Literal["AST_REFACTOR", "INTENT_EVOLUTION"]
_Detail = Literal["MECHANICAL", "RELOCATION", "LINE_EDIT", "EVOLUTION"]
_LONGEST = 64 * 1024


class ReadFormer(TypedDict):
    """Where a moved block was."""

    path: NotRequired[str]


class ReadRange(TypedDict):
    """A block that came in."""

    start_line: _Count
    end_line: _Count
    content_hash: _Digest
    block_hash: _BlockHash
    change: Literal["added", "replaced", "moved"]
    ctx: tuple[str, str]
    before_block_hash: NotRequired[_BlockHash]
    former: NotRequired[ReadFormer]


class ReadRemoved(TypedDict):
    """A block that went out."""

    block_hash: _BlockHash


class ReadAuthor(TypedDict):
    """Who made the change."""

    entity_type: EntityType


class ReadConversation(TypedDict):
    """What one contributor did to a file."""

    contributor: ReadAuthor
    ranges: list[ReadRange]
    removed: list[ReadRemoved]


class ReadFile(TypedDict):
    """One changed file."""

    relative_path: _Name
    path_before: NotRequired[str]
    op: Literal["create", "modify", "delete", "rename"]
    blob_before: NotRequired[_Object]
    blob_after: NotRequired[_Object]
    conversations: list[ReadConversation]


# ``class`` is a word Python keeps for itself.
ReadMutation = TypedDict(
    "ReadMutation",
    {"class": _Class, "detail": _Detail, "declared": NotRequired[_Class], "floor": _Detail},
)


class ReadIntent(TypedDict):
    """The intent a change was made under."""

    id: str
    registry_digest: str
    matched: list[str]


class ReadDecision(TypedDict):
    """What a person approved."""

    approval: str
    by: str
    plan_digest: str
    codes: list[str]


class ReadOp(TypedDict):
    """The effect."""

    id: _Digest
    key: str
    part: _Count
    parts: _Count


class ReadVcs(TypedDict):
    """The commit the change was made on."""

    revision_id: _Object
    branch: str


class ReadTool(TypedDict):
    """What made the change."""

    name: str


class ReadIntegrity(TypedDict):
    """The place in the chain."""

    alg: Literal["sha256+jcs"]
    prev: list[_Digest]
    hash: _Digest


class ReadRecord(TypedDict):
    """A record with the lengths of its digests checked, and without what nobody verifies."""

    schema: Literal["orchestration.trace/1"]
    id: _Uuid
    timestamp: AwareDatetime
    vcs: ReadVcs
    tool: ReadTool
    op: ReadOp
    intent: NotRequired[ReadIntent]
    mutation: ReadMutation
    files: list[ReadFile]
    decision: NotRequired[ReadDecision]
    integrity: ReadIntegrity


_RECORD: TypeAdapter[ReadRecord] = TypeAdapter(ReadRecord)
# Through ``validate_json`` of the adapter every line would pass seven more arguments.
_PARSE = _RECORD.validator.validate_json


class ReadLine(NamedTuple):
    """A line as it was found."""

    number: int
    hash: str = ""
    """Empty where the line does not say."""
    prev: tuple[str, ...] = ()
    record: ReadRecord | None = None
    fault: str = ""
    """Stable code; ``RECORD_MALFORMED`` for a line that has its hash and is no record all the same."""
    why: str = ""


def parsed_lines(content: bytes) -> Iterator[ReadLine]:
    """Every line of a segment; blank ones are skipped."""
    rows = content.split(b"\n")
    last = len(rows)
    for number, row in enumerate(rows, start=1):
        if row:
            yield parsed(number, row, number < last)


def parsed(number: int, row: bytes, whole: bool = True) -> ReadLine:
    """One line without its end; ``whole`` if it has one."""
    try:
        record = _PARSE(row)
    except ValidationError as error:
        return _faulty(number, row, error, whole=whole)
    integrity = record["integrity"]
    hash_ = integrity["hash"]
    if len(row) > _LONGEST or hash_of_line(row, hash_) != hash_:
        return _faulty(number, row, None, whole=whole)
    return ReadLine(number, hash_, tuple(integrity["prev"]), record)


def _faulty(number: int, row: bytes, error: ValidationError | None, *, whole: bool) -> ReadLine:
    """What is wrong with a line that is no record."""
    found: Line = next(read_lines(row + b"\n" if whole else row))
    if found.fault or error is None:
        fault = found.fault or "CHAIN_HASH_MISMATCH"
        return ReadLine(number, found.hash, found.prev, None, fault)
    first = error.errors(include_url=False, include_input=False)[0]
    why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return ReadLine(number, found.hash, found.prev, None, "RECORD_MALFORMED", why)
