"""Edits of a text by search and replace: where a passage stands, what became of each edit, and merges."""

from typing import Literal

from schemas.base import Value

OperationKind = Literal["replace", "insert_after", "append", "delete"]
Mismatch = Literal["numeric_mismatch", "negation_mismatch", "token_mismatch"]
"""Difference that refuses a near passage: a number, a negation, or a citation, command or cut word."""
OperationOutcome = Literal[
    "applied",
    "already_applied",
    "not_found",
    "ambiguous",
    "numeric_mismatch",
    "negation_mismatch",
    "token_mismatch",
    "citation_touched",
    "overlap",
    "over_limit",
    "empty_find",
    "section_stands",
    "bad_count",
    "conflict",
]


class Operation(Value):
    """One edit that a model asks for."""

    kind: OperationKind = "replace"
    find: str = ""
    """The passage to change, as the model remembers it; empty only for ``append`` or in an empty text."""
    replace: str = ""
    """Text that takes its place, or is inserted after it; taken literally. Of ``delete`` it is not read."""
    count: int | str = 1
    """Number of the passages to change, from the start of the text, or ``all``; 1 means the only one.
    Anything else is the outcome ``bad_count``.
    """
    reason: str = ""
    """Reason in the model's words."""
    section: str = ""
    """Title of the section that the passage is in; empty, or none of the text: it may be anywhere."""


class EditReply(Value):
    """Answer of a model that was asked for edits."""

    status: Literal["continue", "satisfied"] = "continue"
    """Whether the model would revise again."""
    rationale: str = ""
    operations: tuple[Operation, ...] = ()


class Span(Value):
    """A passage of a text, in characters (code points); ``end`` is excluded."""

    start: int
    end: int


class Candidate(Value):
    """A passage that is like the one searched for."""

    span: Span
    distance: int
    """Insertions, deletions and substitutions of characters, after what typography varies is made alike."""
    excerpt: str
    """The passage, a long one shortened in the middle."""


class Unique(Value):
    """The passage was found, and no other one is nearly as like it."""

    span: Span
    distance: int = 0
    exact: bool = True
    """Character for character, with the whitespace at both ends; otherwise that whitespace is not in it."""


class Ambiguous(Value):
    """Several passages are equally, or almost equally, like the one searched for."""

    candidates: tuple[Candidate, ...]
    """The first ones, at most three."""
    count: int
    """Number of passages; of those that are not the same to the letter at least so many."""


class NotFound(Value):
    """No passage is like enough, or the only one differs in what decides its meaning."""

    outcome: Literal["not_found"] | Mismatch = "not_found"
    nearest: Candidate | None = None
    """The most similar passage; None if none is similar at all."""


Located = Unique | Ambiguous | NotFound


class OperationResult(Value):
    """Result of one operation."""

    index: int
    """Its place in the reply, from 0."""
    outcome: OperationOutcome
    distance: int = 0
    """Edit distance of the passage found, or of the nearest one."""
    nearest: str = ""
    """Text of the most similar passage, where none was changed; of a ``conflict`` what people made of it."""
    wanted: str = ""
    """Of a ``conflict``: the same passage as the operation would make it."""
    message: str = ""
    """For people and for the model: what was wrong and what to do."""
    places: int = 0
    """Number of passages it changed."""


class Patched(Value):
    """A text after the operations of one reply."""

    text: str
    results: tuple[OperationResult, ...]
    """One for each operation, in their order."""
    changed: bool


class Merged(Value):
    """Both sides' changes in one text."""

    text: str


class Agreed(Value):
    """A stretch of a merge in which nothing is disputed."""

    kind: Literal["agreed"] = "agreed"
    text: str


class Disputed(Value):
    """A stretch that both sides changed, differently."""

    kind: Literal["disputed"] = "disputed"
    base: str
    mine: str
    theirs: str


class Conflicting(Value):
    """Both sides changed the same words: a person chooses."""

    parts: tuple[Agreed | Disputed, ...]
    """The whole text in order; with one side's choice at each dispute they join to a complete text."""


class ConflictPlace(Value):
    """One passage that two sides changed, each excerpt at most 2,000 characters."""

    base: str
    mine: str
    theirs: str
    moved_to: str = ""
    """The file to which the other side moved the passage, and the person's words with it. ``base`` is the
    whole passage there and ``mine`` the whole new one."""
