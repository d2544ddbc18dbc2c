"""Paths of a book's files, and file patterns for the port calls that need them."""

from datetime import UTC, datetime

MATERIAL_FOLDER = "Global Material"
CHAPTERS_FOLDER = "Chapters material"
REVIEW_FOLDER = "Review"
BOOK_FOLDER = "Current version"
CHANGELOG_FOLDER = "Changelog"
CONTENT_FOLDERS = (MATERIAL_FOLDER, CHAPTERS_FOLDER, REVIEW_FOLDER, BOOK_FOLDER, CHANGELOG_FOLDER)

_PROPOSED = ".proposed.md"
CONFIG = f"{MATERIAL_FOLDER}/Config.yml"
CHARACTERS = f"{MATERIAL_FOLDER}/Characters.md"
LORE = f"{MATERIAL_FOLDER}/Lore.md"
OUTLINE = f"{MATERIAL_FOLDER}/Outline.md"
CRAFT = f"{MATERIAL_FOLDER}/Craft.md"
SUMMARY = f"{MATERIAL_FOLDER}/Summary.md"
REVIEW = f"{REVIEW_FOLDER}/current.md"
FULL_BOOK = f"{BOOK_FOLDER}/Full_Book.md"
DECISIONS = "Continuity/decisions.yaml"
CONTINUITY_FOLDER = ".orchestration/continuity"
README = "README.md"
STATE = ".ink-state.yml"
LOCK = ".ink-running"
KILL = ".ink-kill"
COMPLETE = "COMPLETE"

GOVERNING = (".orchestration/active_intents.yaml", ".orchestration/.intentignore", ".intentignore")
"""Files that govern which intents may write where."""

KNOWN = (
    f"{MATERIAL_FOLDER}/*.md",
    f"{MATERIAL_FOLDER}/*.txt",
    f"{MATERIAL_FOLDER}/*.yml",
    f"{MATERIAL_FOLDER}/*.yaml",
    f"{CHAPTERS_FOLDER}/*.md",
    f"{REVIEW_FOLDER}/*.md",
    f"{BOOK_FOLDER}/*.md",
    DECISIONS,
    "*.md",
    "*.txt",
    KILL,
    ".orchestration/*",
)
"""Globs of untracked files that belong to the book and may be committed as a person's edits: of those at the
top, texts. Others are left alone, and named to the author."""

EDITABLE = tuple(pattern for pattern in KNOWN if pattern not in (KILL, ".orchestration/*"))
"""Globs of the texts that a person may write from a page or by the API; the rest is edited in the folder."""

ENGINE_OWNED = (STATE, LOCK, KILL, COMPLETE, f"{CHANGELOG_FOLDER}/*", f"{CONTINUITY_FOLDER}/*")
"""The engine's bookkeeping: not text, and in no intent's scope."""

ENGINE_WRITTEN = (
    *ENGINE_OWNED,
    ".orchestration/agent_trace*.jsonl",
    ".orchestration/agent_trace/*.jsonl",
    ".orchestration/.gitattributes",
    ".orchestration/intent_map.md",
)
"""Files whose changes are never reported as a person's."""

SESSION_PATTERNS = (
    f"{MATERIAL_FOLDER}/*",
    f"{CHAPTERS_FOLDER}/*.md",
    REVIEW,
    DECISIONS,
    README,
    STATE,
    LOCK,
    KILL,
    COMPLETE,
    *GOVERNING,
    ".orchestration/AGENT.md",
)
"""Files whose text a session reads."""

RESET_NAMES = (*(f"{folder}/**" for folder in CONTENT_FOLDERS), STATE, LOCK, KILL, COMPLETE)
"""Files whose blob ids a reset reads."""


def other_file(path: str) -> str:
    """Return the file to which a session moves passages of ``path``, or from which; empty for most."""
    return {REVIEW: FULL_BOOK, FULL_BOOK: REVIEW}.get(path, "")


def names_at(at: datetime) -> tuple[str, ...]:
    """Return globs of the files whose blob ids a session reads: the book, the signal files, and this minute's
    Changelog entries."""
    return (FULL_BOOK, LOCK, KILL, COMPLETE, f"{CHANGELOG_FOLDER}/{_minute(at)}*.md")


def chapter_path(number: int) -> str:
    """Return the path of a chapter's outline."""
    return f"{CHAPTERS_FOLDER}/Chapter_{number:02d}.md"


WHOLE_BOOK = 0
"""Stands for the whole book where outlines go by the number of their chapter."""


def outline_path(number: int) -> str:
    """Return the path of the outline of a chapter, or of ``WHOLE_BOOK``."""
    return OUTLINE if number == WHOLE_BOOK else chapter_path(number)


def outlined(number: int) -> str:
    """Name what an outline is of, in a sentence."""
    return "the book" if number == WHOLE_BOOK else f"chapter {number}"


def proposed_path(number: int) -> str:
    """Return the path of the outline that is proposed for a chapter, or for ``WHOLE_BOOK``.

    All of them lie beside the outlines of chapters, where sessions show none of them to their writer.
    """
    name = "Outline" if number == WHOLE_BOOK else f"Chapter_{number:02d}"
    return f"{CHAPTERS_FOLDER}/{name}{_PROPOSED}"


def is_proposed(path: str) -> bool:
    """Whether the file is an outline that is proposed; it goes when a person has answered."""
    return path.startswith(f"{CHAPTERS_FOLDER}/") and path.endswith(_PROPOSED)


def changelog_path(at: datetime, copy: int = 1) -> str:
    """Return the path of a Changelog entry; ``copy`` counts the entries of one minute from 1."""
    suffix = "" if copy == 1 else f"-{copy}"
    return f"{CHANGELOG_FOLDER}/{_minute(at)}{suffix}.md"


def recovered_path(at: datetime, session: str) -> str:
    """Return the path of prose that could not be closed; one file per session."""
    return f"{REVIEW_FOLDER}/recovered-{_minute(at)}-{session}.md"


def tag_base(at: datetime) -> str:
    """Return the name of a session's snapshot tag; publish makes it unique."""
    return f"ink-{_minute(at)}"


def _minute(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d-%H-%M")
