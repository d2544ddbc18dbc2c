"""Which file of a book is what, and the names that carry a time or a number."""

from datetime import UTC, datetime

MATERIAL_FOLDER = "Global Material"
CHAPTERS_FOLDER = "Chapters material"
REVIEW_FOLDER = "Review"
BOOK_FOLDER = "Current version"
CHANGELOG_FOLDER = "Changelog"
CONTENT_FOLDERS = (MATERIAL_FOLDER, CHAPTERS_FOLDER, REVIEW_FOLDER, BOOK_FOLDER, CHANGELOG_FOLDER)

CONFIG = f"{MATERIAL_FOLDER}/Config.yml"
SUMMARY = f"{MATERIAL_FOLDER}/Summary.md"
REVIEW = f"{REVIEW_FOLDER}/current.md"
FULL_BOOK = f"{BOOK_FOLDER}/Full_Book.md"
README = "README.md"
STATE = ".ink-state.yml"
LOCK = ".ink-running"
KILL = ".ink-kill"
COMPLETE = "COMPLETE"

GOVERNING = (".orchestration/active_intents.yaml", ".orchestration/.intentignore", ".intentignore")
"""What says which intents may write, and where none may."""

KNOWN = (
    f"{MATERIAL_FOLDER}/*.md",
    f"{MATERIAL_FOLDER}/*.txt",
    f"{MATERIAL_FOLDER}/*.yml",
    f"{MATERIAL_FOLDER}/*.yaml",
    f"{CHAPTERS_FOLDER}/*.md",
    f"{REVIEW_FOLDER}/*.md",
    f"{BOOK_FOLDER}/*.md",
    README,
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    KILL,
    ".orchestration/*",
)
"""Untracked files that belong to the book and may be committed as a person's."""

ENGINE_OWNED = (STATE, LOCK, KILL, COMPLETE, f"{CHANGELOG_FOLDER}/*")
"""The engine's bookkeeping: no text, and in nobody's scope."""

ENGINE_WRITTEN = (
    *ENGINE_OWNED,
    ".orchestration/agent_trace*.jsonl",
    ".orchestration/agent_trace/*.jsonl",
    ".orchestration/.gitattributes",
    ".orchestration/intent_map.md",
)
"""Files whose change is never reported as a person's."""

SESSION_PATTERNS = (
    f"{MATERIAL_FOLDER}/*",
    f"{CHAPTERS_FOLDER}/*.md",
    REVIEW,
    README,
    STATE,
    LOCK,
    KILL,
    COMPLETE,
    *GOVERNING,
    ".orchestration/AGENT.md",
)
"""Files whose text a session needs."""

RESET_NAMES = (*(f"{folder}/**" for folder in CONTENT_FOLDERS), STATE, LOCK, KILL, COMPLETE)
"""Files of which a reset needs the blob ids."""


def names_at(at: datetime) -> tuple[str, ...]:
    """Files whose blob id a session needs, whatever is in them: the book, the signal files, and what the
    Changelog holds of this minute."""
    return (FULL_BOOK, LOCK, KILL, COMPLETE, f"{CHANGELOG_FOLDER}/{_minute(at)}*.md")


def chapter_path(number: int) -> str:
    """Where the outline of a chapter stands."""
    return f"{CHAPTERS_FOLDER}/Chapter_{number:02d}.md"


def changelog_path(at: datetime, copy: int = 1) -> str:
    """Where a session's Changelog entry stands; ``copy`` counts the entries of one minute from 1."""
    suffix = "" if copy == 1 else f"-{copy}"
    return f"{CHANGELOG_FOLDER}/{_minute(at)}{suffix}.md"


def recovered_path(at: datetime, session: str) -> str:
    """Where prose stays that could not be closed; one file a session."""
    return f"{REVIEW_FOLDER}/recovered-{_minute(at)}-{session}.md"


def tag_base(at: datetime) -> str:
    """Name of the snapshot tag of a session that opens at ``at``; publish makes it unique."""
    return f"ink-{_minute(at)}"


def _minute(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d-%H-%M")
