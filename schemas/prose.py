"""Prose that was just written, the book that it continues as numbers, and what is wrong with it."""

from typing import Literal

from schemas.base import Value

LONGEST_QUOTE = 160
"""Characters of a finding's quote."""
LONGEST_BEGINNING = 120
"""Characters that are kept of the beginning of an earlier paragraph."""

BookRule = Literal[
    "cut-end",
    "task-talk",
    "loop",
    "echo",
    "name-slip",
    "unanswered",
    "length",
    "beat-untold",
    "worn-phrase",
    "not-but",
    "same-openings",
    "same-ends",
    "tense",
    "person",
    "dialogue",
    "never",
]
"""Rules of a book session's prose."""
ContinuityRule = Literal["one-value", "age", "kin", "dead-acts", "lost-used", "canon", "overdue"]
"""Rules by which a book contradicts itself, or the author's files."""
Rule = Literal[
    BookRule,
    ContinuityRule,
    "speaks-for-persona",
    "heading",
    "heading-dropped",
    "unsourced-number",
]


class Finding(Value):
    """One fault of a draft, and its place."""

    rule: Rule
    quote: str
    """The beginning of the place, word for word; empty if what is missing has no place."""
    start: int
    end: int
    """From where to where it stands in the draft's prose, in code points."""
    hard: bool
    """Whether it must be mended; a soft one is a matter of taste or of chance."""
    other: str = ""
    """The other side: an earlier passage, the known name, the instruction, the beat, or the measure."""


class Intended(Value):
    """A finding that the author means as it stands: it is silent while its quotes stand."""

    rule: Rule
    quote: str
    other: str = ""
    """The other quote; empty where the other side of the rule's faults is no quote."""


class BeatTold(Value):
    """A beat of the plan that the writer says it told."""

    beat: str
    quote: str
    """The words of the draft that tell it, as the writer quotes them."""


EditReason = Literal["unclear", "repeated", "flat", "out-of-voice", "contradiction"]
"""Reasons for which a session's editor may change a passage."""


class PassageEdit(Value):
    """A passage that a session's editor changed."""

    reason: EditReason
    before: str
    """The beginning of the passage as it was; empty if it was put in."""
    after: str
    """The beginning of what it is now; empty if it was taken out."""


class CraftReport(Value):
    """The plan of a session, the beats that its prose tells, its editor's edits, and the findings in it."""

    plan: tuple[str, ...] = ()
    """The plan that its writer made before, a line each."""
    told: tuple[BeatTold, ...] = ()
    """Beats that it tells, each with a quote that stands in it."""
    findings: tuple[Finding, ...] = ()
    """Findings that were not mended."""
    mended: int = 0
    """Number of findings that its writer has mended."""
    unmended: str = ""
    """The reason why none of its writer's edits was taken; empty if some were, or none were asked for."""
    edits: tuple[PassageEdit, ...] = ()
    """Edits of its editor that were taken."""
    unedited: str = ""
    """The reason why none of its editor's was; empty if some were, or no editor was asked."""


class Draft(Value):
    """New prose as a reader sees it, and what was asked of it."""

    prose: str
    """Without markers."""
    language: str = "English"
    """A name or a tag, as authors write it."""
    words_wanted: int = 0
    """0: no length was asked for."""
    beats: tuple[BeatTold, ...] = ()
    names: tuple[str, ...] = ()
    """Names of people and places that the author wrote down."""
    never: tuple[str, ...] = ()
    """Words and phrases that the author does not want."""
    unanswered: tuple[str, ...] = ()
    """Instructions of the author that the session should have answered and did not."""
    intended: tuple[Intended, ...] = ()
    """Findings that the author means so; they are none."""
    off: tuple[BookRule, ...] = ()
    """Rules that the author switched off."""


class BookIndex(Value):
    """A book as drafts are compared with it; at most about 9 MB of JSON, however long the book is.

    Beyond its bounds it is without the oldest passages, and the rarest phrases, words and names.
    """

    language: str = "English"
    words: int = 0
    """Words of all texts, those that were dropped too."""
    passages: tuple[str, ...] = ()
    """The beginning of each paragraph that is compared, oldest first."""
    dropped: int = 0
    """Paragraphs before the first of ``passages``."""
    shingles: str = ""
    """Base64 of sorted 64-bit numbers: the hash of five words, and the number of a paragraph with them."""
    phrases: str = ""
    """The same of three words, and how often they stand in the book."""
    vocabulary: dict[str, int] = {}
    """Count of each word in small letters."""
    names: dict[str, int] = {}
    """Count of each word with a capital letter that once stood within a sentence."""
    openers: dict[str, int] = {}
    """Count of each other word with a capital letter: those that only began sentences."""
    measures: dict[str, float] = {}
    """Sums of the counts by which tense, person, dialogue and turns of phrase are compared."""
