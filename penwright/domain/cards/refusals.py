"""Refusals of foreign files, and their greatest size."""

from penwright.errors import UsageMistake

MOST_FILE_BYTES = 32 * 1024 * 1024
MOST_JSON_BYTES = 8 * 1024 * 1024
MOST_DEPTH = 64
"""Objects and lists within each other."""
MOST_BRACKETS = 1_000_000
"""Each opens an object or list of some 60 bytes, however short it is in the file."""
MOST_ENTRIES = 20_000
"""Of a lorebook."""
MOST_MESSAGES = 100_000
"""Of a chat."""

_AGAIN = "open the file in the program it comes from, export it again, and import the new file"


def refused(code: str, message: str, hint: str = _AGAIN) -> UsageMistake:
    """The error for a file that cannot be imported; nothing was kept of it."""
    return UsageMistake(code, message, hint=hint)


def card_too_large() -> UsageMistake:
    """The error for JSON that is longer than ``MOST_JSON_BYTES``."""
    limit = MOST_JSON_BYTES // 1024 // 1024
    hint = "take pictures out of its text, or divide it into several files"
    return refused("json-too-large", f"the text of the file has more than {limit} MB", hint=hint)


def check_size(content: bytes) -> None:
    """Raise ``UsageMistake`` (``file-too-large``)."""
    if len(content) > MOST_FILE_BYTES:
        raise refused(
            "file-too-large",
            f"the file has {len(content) // 1024 // 1024} MB; at most {MOST_FILE_BYTES // 1024 // 1024} MB"
            " are read",
            hint="make its picture or its other files smaller",
        )
