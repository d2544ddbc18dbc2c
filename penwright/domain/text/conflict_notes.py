"""The note between two versions of one passage, which people resolve by deleting a version and the note.

It is a comment of its own kind: never prose, never an instruction to the writer, and what it divides waits
for the author.
"""

import re

SUFFIXES = (".md", ".markdown", ".txt", ".text")
"""Files in which the note is written; in others, such as LaTeX, an HTML comment would be text."""
START = re.compile(r"<!--\s*INK:CONFLICT\b", re.IGNORECASE)
_ABOVE = re.compile(r"(\d+) paragraphs? above")
_OPENING = re.compile(r"^[ \t]*<!--\s*INK:CONFLICT\b", re.IGNORECASE | re.MULTILINE)


def conflict_note(above: int, below: int) -> str:
    """Write the note between ``above`` paragraphs of one version and ``below`` paragraphs of the other.

    0 paragraphs: that side deleted the passage.
    """
    if above and below:
        where = f"{_paragraphs(above)} above and {below} below this line"
        what = f"two versions of this passage are kept, {where}"
        end = "Delete the version you do not want, and this line."
    else:
        where = f"{_paragraphs(above)} above" if above else f"{_paragraphs(below)} below"
        what = f"one side changed this passage ({where} this line), the other deleted it"
        end = "Delete the passage if you do not want it, and this line."
    return f"<!-- INK:CONFLICT: {what}. {end} -->"


def paragraphs_above(note: str) -> int:
    """Return how many paragraphs before a note belong to the first version; 1 if it does not say."""
    found = _ABOVE.search(note)
    return int(found[1]) if found else 0 if "below" in note else 1


def conflict_lines(text: str) -> tuple[int, ...]:
    """Return the lines, counted from 1, of the notes in a text."""
    return tuple(text.count("\n", 0, found.start()) + 1 for found in _OPENING.finditer(text))


def is_noted(path: str) -> bool:
    """Whether conflicts in this file are divided by a note."""
    return path.lower().endswith(SUFFIXES)


def standing_warning(path: str, line: int) -> str:
    """Say that a conflict is still to be resolved."""
    return (
        f"{path} line {line}: two versions of one passage, above and below the INK:CONFLICT line; "
        "delete the one you do not want, and that line."
    )


def conflict_warning(path: str) -> str:
    """Say that two sides have just changed one passage of a file."""
    if is_noted(path):
        return (
            f"you and another machine both changed a passage of {path}; both versions are kept, with an "
            "INK:CONFLICT line between them. Delete the one you do not want, and that line."
        )
    return (
        f"you and another machine both changed {path}; the remote's text is in the book now, yours in its "
        f"history: `git log -p -- '{path}'` shows both."
    )


def _paragraphs(count: int) -> str:
    return "1 paragraph" if count == 1 else f"{count} paragraphs"
