"""Values of a book's files, and the JSON payloads specified by the seed document."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from schemas.base import LengthUnit, Value
from schemas.continuity import ContinuityTold
from schemas.lore import LoreTold
from schemas.prose import BookRule, CraftReport, Intended


def _names(value: object) -> object:
    """A list of names as people write it: also one name, or several with commas between; nothing is none."""
    listed = [] if value is None else value.split(",") if isinstance(value, str) else value
    if not isinstance(listed, list | tuple):
        return listed
    plain = (each.strip().casefold() if isinstance(each, str) else each for each in listed)
    return tuple(
        "-".join(each.replace("_", " ").split()) if isinstance(each, str) else each for each in plain
    )


class BookConfig(Value):
    """``Global Material/Config.yml``; the parser is strict, this value is tolerant."""

    target_length: int = Field(gt=0)
    chapter_count: int = Field(ge=1)
    chapter_structure: str
    words_per_session: int = Field(gt=0)
    summary_context_entries: int = Field(default=5, ge=0)
    words_per_chapter: int = Field(default=3000, gt=0)
    words_per_page: int = Field(default=250, ge=0)
    """0 turns paging off."""
    session_timeout_minutes: int = Field(default=60, gt=0)
    context_window_tokens: int = Field(default=200_000, gt=0)
    language: str = "English"
    craft: Literal["off", "check", "mend", "edit"] = "mend"
    """Whether a session's prose is checked for faults, is sent back to its writer once for what is found, and
    is then read by an editor."""
    craft_off: Annotated[tuple[BookRule, ...], BeforeValidator(_names)] = ()
    """Rules by which it is not checked."""
    review_before_completion: bool = False
    """A finished book is sealed one round after that is asked for, so that its last prose can be reviewed."""
    at_target: Literal["ask", "go-on", "complete"] = "ask"
    """Once the book has over 110 % of its target: pause its schedule and ask, write on, or seal it."""
    planning: Literal["off", "propose", "auto"] = "off"
    """Whether a chapter without an outline gets one from a planner: as a proposal that a person accepts, or
    as the outline itself."""
    continuity: Literal["off", "read"] = "off"
    """Whether a clerk reads what is new after each session, and the writer is told what the book states."""
    continuity_tokens: int = Field(default=2_500, ge=0)
    """The most that the writer is told of it."""
    lore_tokens: int = Field(default=2_000, ge=0)
    """The most that the writer is told of the entries of lorebooks that are attached to the book."""

    def told_at_most(self, tokens: int) -> int:
        """Return what a part of the writer's prompt may take: ``tokens``, and 5 % of the model's window."""
        return min(tokens, self.context_window_tokens * 5 // 100)


class BookState(Value):
    """``.ink-state.yml``; the engine's own file."""

    current_chapter: int = Field(default=1, ge=1)
    current_chapter_word_count: int = Field(default=0, ge=0)
    book_id: str | None = None
    origin: str | None = None
    """Id of the book that this one is a copy of."""
    counted_blob: str | None = None
    """Blob id of the Full_Book.md that the other ``counted_…`` fields were counted from."""
    counted_words: int = Field(default=0, ge=0)
    counted_page: int = Field(default=0, ge=0)
    counted_since_page: int = Field(default=0, ge=0)
    """Words after the last page marker."""
    counted_warnings: str | None = None
    """Warnings about the text when it was counted, one a line."""
    review_chapter: int | None = Field(default=None, ge=1)
    """Chapter that the first prose waiting in Review/current.md was written for."""
    beats_told: str | None = None
    """Beats of the current chapter that sessions have told, one a line."""
    completion_asked_by: str | None = None
    """Session that asked to seal the book since the last close; its prose has one round to be reviewed."""


class ConfigPayload(BookConfig):
    """``config`` in the payload of ``session-open``: every config key, plus the chapter from the state."""

    current_chapter: int = 1


class MaterialFile(Value):
    """One file of Global Material."""

    filename: str
    content: str


class ChapterOutline(Value):
    """One chapter outline."""

    path: str
    content: str
    modified_today: bool = False


class Chapters(Value):
    """The current outline, and the next one if the current chapter is full or its last session begins."""

    current: ChapterOutline | None = None
    next: ChapterOutline | None = None


class Instruction(Value):
    """One author instruction and the passage before it."""

    anchor: str
    """The end of the passage, at most 200 characters."""
    instruction: str
    passage: str = ""
    """Exactly the text that a rework of this instruction replaces."""


class CurrentReview(Value):
    """The last session's prose without the author's instructions, and the instructions."""

    content: str = ""
    instructions: tuple[Instruction, ...] = ()


class WordCount(Value):
    """Words of a book."""

    total: int = 0
    """In the validated book."""
    target: int = 0
    remaining: int = 0
    """Until the target, once those that wait are in the book as well."""
    waiting: int = 0
    """In Review/current.md."""


class Voice(Value):
    """The sound of the prose that the author approved: a sample, and numbers."""

    sample: str
    """A passage of it, 300 to 600 words."""
    sentence_words: int
    """Words of the middle one of its sentences, by length."""
    long_sentence_words: int
    """Words that one sentence in ten has, or more."""
    dialogue_percent: int
    """Share of characters that are quoted."""
    person: Literal["first", "third", ""] = ""
    """Empty where it is mixed, or cannot be told in this language."""
    tense: Literal["past", "present", ""] = ""
    """As ``person``."""


class SessionPayload(Value):
    """Output of ``session-open``: the seed's keys first, ours after."""

    config: ConfigPayload
    kill_requested: bool = False
    session_already_run: bool = False
    stale_lock_recovered: bool = False
    chapter_close_suggested: bool = False
    current_chapter_word_count: int = 0
    global_material: tuple[MaterialFile, ...] = ()
    chapters: Chapters = Chapters()
    current_review: CurrentReview = CurrentReview()
    word_count: WordCount = WordCount()
    human_edits: tuple[str, ...] = ()
    snapshot_tag: str = ""
    edited_today: tuple[str, ...] = ()
    """Files that people changed today (UTC), whether an earlier session reported them or not."""
    chapter_progress_pct: int = 0
    """Of the words of the chapter, those that wait for review included."""
    session_type: Literal["rewrite", "writing"] = "writing"
    warnings: tuple[str, ...] = ()
    """Malformed comments, unreadable files, an unreachable remote: what the author should know."""
    words_wanted: int = 0
    """New words; 0 when only passages are to be reworked."""
    chapter_words_left: int = 0
    """Words that the current chapter still needs, before this session."""
    last_session_of_chapter: bool = False
    """Whether this session is to bring the chapter to its end."""
    beats_told: tuple[str, ...] = ()
    """Beats of the current chapter that sessions have told, as their writer worded them."""
    beats_open: tuple[str, ...] = ()
    """Beats of its outline that none has told, as the outline words them."""
    intent: str = ""
    """The intent of this session as escaped XML, with its history."""
    author_rules: str = ""
    """The author's own rules in ``.orchestration/AGENT.md``, without the lessons."""
    intended: tuple[Intended, ...] = ()
    """Findings of the rules of prose that the author means so."""
    voice: Voice | None = None
    """None while the book is too short to have one."""
    continuity: ContinuityTold | None = None
    """The story of the book, as far as it was read; None if it is not to be told."""
    lore: LoreTold | None = None
    """Lore for this session's outlines, notes and last prose; None without lorebooks."""
    earlier_prose: str = ""
    """The end of the validated book, of this chapter and the one before."""
    rewrite_chapter: int = 0
    """The chapter in which a passage of the validated book is rewritten; ``current_review`` then is that
    passage with what follows, and ``earlier_prose`` what precedes it. 0: none is."""


class ClosedReport(Value):
    """Output of ``session-close``."""

    session_word_count: int
    total_word_count: int
    target_length: int
    current_chapter_word_count: int
    unit: LengthUnit = "words"
    completion_ready: bool
    """Whether the book may be sealed: its last chapter has begun, and with what waits it is long enough."""
    status: Literal["closed"] = "closed"
    repeated: bool = False
    """The same prose was closed before: this is what was answered then."""
    expected_words_per_session: int = 0
    words_wanted: int = 0
    """New words that were asked for: the session's share of its chapter. 0: not known."""
    instructions_answered: int = 0
    instructions_open: int = 0
    push: str = ""
    warnings: tuple[str, ...] = ()
    """Problems that the close could not resolve: a rework without its instruction, a malformed comment."""
    waiting_word_count: int = 0
    """Words that wait in Review/current.md for the author, the delivered ones included."""
    at_target: Literal["", "ask", "complete"] = ""
    """Action for a book over 110 % of its target: its author is asked, or it is sealed. Empty: nothing."""
    craft: CraftReport = CraftReport()


class AdvanceReport(Value):
    """Output of ``advance-chapter``."""

    status: Literal["advanced", "needs_chapter_outline", "chapter_not_ready", "error"]
    message: str = ""
    new_chapter: int | None = None
    chapter: int | None = None
    chapter_file: str | None = None
    chapter_content: str | None = None
    unit: LengthUnit = "words"
    current_word_count: int | None = None
    target_word_count: int | None = None
    min_words_to_advance: int | None = None


class CompleteReport(Value):
    """Output of ``complete``."""

    status: Literal["complete", "needs_revision", "not_ready"]
    total_word_count: int = 0
    unit: LengthUnit = "words"
    current_review: CurrentReview | None = None
    message: str = ""
    unreviewed_word_count: int = 0
    """Words that were sealed before a round of review."""
    unreviewed: str = ""
    """Which words these are, and how to open the book again; empty if there are none."""


class BookFigures(Value):
    """A book in figures."""

    words: int
    """Of the validated book."""
    unit: LengthUnit = "words"
    waiting: int = 0
    """Words in Review/current.md, for the author to look at."""
    target: int = 0
    chapter: int = 1
    sealed: bool = False
    sessions_left: int | None = None
    """Until its end, if each writes what is wanted; None: not known."""
    outlines_proposed: tuple[int, ...] = ()
    """Chapters for which a planner's outline waits for a person."""


class BookStatus(Value):
    """Status of a book; reading it changes nothing."""

    book_id: str
    initialized: bool
    complete: bool = False
    current_chapter: int = 1
    current_chapter_word_count: int = 0
    words_per_chapter: int = 0
    unit: LengthUnit = "words"
    """Of all lengths here."""
    chapter_length: int = 0
    """Words that the current chapter should have; the last one has what the others leave it."""
    chapter_close_suggested: bool = False
    total_word_count: int = 0
    target_length: int = 0
    words_per_session: int = 0
    sessions_left: int | None = 0
    """Until its end, if each writes what is wanted; None if it has over 110 % of its length."""
    completion_ready: bool = False
    session_active: bool = False
    session_age_seconds: int | None = None
    push_pending: bool = False
    """The remote lacks commits, and no session is about to push them."""
    open_instructions: int = 0
    last_tag: str = ""
    waiting_word_count: int = 0
    """Words that wait in Review/current.md for the author; they are not in ``total_word_count``."""
    warnings: tuple[str, ...] = ()
    """About files and comments at the tip, such as a malformed comment that holds back the prose after it."""
    remote_lost: str = ""
    """Published commits that the remote no longer has, until a person decides; empty if none."""
    push_since: datetime | None = None
    """Since when the remote lacks them."""
    push_reason: str = ""
    """Reason why the remote did not take them, as far as the store knows."""
    model: str = ""
    """Model that wrote last; empty for an outside agent, or before the first session."""
    next_outline: str = ""
    """Outline of the next chapter, by which `advance` moves on; empty in the last chapter."""
    next_outline_missing: bool = False
    """It is to be written first."""
    outlines_proposed: tuple[int, ...] = ()
    """As in ``BookFigures``."""
    beats_open: tuple[str, ...] = ()
    """As in ``SessionPayload``."""
    edited: tuple[str, ...] = ()
    """Files that were read as they are in the folder: edited, and in no commit before the next session."""


class Check(Value):
    """The result of one check of a book."""

    name: str
    ok: bool
    detail: str = ""
    advice: str = ""
    """Advice on what to do; empty if the check passed."""


class Question(Value):
    """One question that ``init`` asks the author."""

    id: str
    group: str
    text: str
    hint: str = ""
    kind: Literal["text", "select", "number"] = "text"
    options: tuple[str, ...] = ()
    """Valid answers of a ``select``, the default first."""
    default: str = ""
    skippable: bool = True
