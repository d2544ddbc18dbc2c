"""Next steps of a person after a refusal, by its code."""

from shlex import quote

from penwright.domain.book.files.layout import FULL_BOOK

_LIST = "penwright intent list {book}"
_START = f"`{_LIST}` shows the intents, `penwright intent start ID {{book}}` lets one write"
TO_WRITE_ON = "to write on, delete COMPLETE and raise target_length"
"""Advice to open a sealed book again, in short."""

REOPENING = (
    "to write on, delete the file COMPLETE in the book and raise target_length in Config.yml by the words "
    "that are to come: at 90 % of it a session may seal the book again"
)
"""The same at length."""

_REOPEN = (
    f"{REOPENING}; then run the command again; "
    "`penwright book rollback {book}` reopens the book, too, but takes the last session out of it"
)

_RESTORE = (
    "correct the file named above, or bring back the last one that can be read: "
    "`penwright book restore {book}`"
)

_STEPS = {
    "config-broken-yaml": _RESTORE,
    "config-duplicate-key": _RESTORE,
    "config-missing-key": _RESTORE,
    "config-wrong-value": _RESTORE,
    "no-writable-intent": _START,
    "intent-not-writable": _START,
    "intent-owns-other-files": _START,
    "intent-unknown": f"`{_LIST}` shows the intents of the book",
    "instruction-empty": 'say what to change: `-i "make her left-handed"`',
    "chapter-missing": "give the number of the chapter, too",
    "no-such-chapter": "name one that it has; prose in Review/current.md is changed by a note there",
    "no-such-passage": f"give words as they stand in {FULL_BOOK!r}, or its lines with `--lines`",
    "which-passage": "give more of its words, or its lines with `--lines`",
    "no-note-in-book": "name a chapter and say what to change, or put `<!-- INK: … -->` after a passage",
    "passage-holds-comment": "move the comment into a line of its own, with blank lines around it",
    "passage-too-long": "name a part of it with `--passage` or `--lines`",
    "passage-changed": "order the rewrite again",
    "unusable-reply": "`penwright models list` shows which model writes",
    "sealed": _REOPEN,
    "already-complete": _REOPEN,
    "book-sealed": _REOPEN,
}


def step_after(code: str, book: str = "BOOK") -> str:
    """The next step in words; empty if the code has none of its own.

    ``book``: folder or id, as the user names the book.
    """
    return _STEPS.get(code, "").format(book=quote(book))


def command_after(code: str, book: str) -> str:
    """The command that shows what stood in the way of a session refused with ``code``."""
    about_intents = code == "no-writable-intent" or code.startswith("intent-")
    return _LIST.format(book=quote(book)) if about_intents else f"penwright book doctor {quote(book)}"
