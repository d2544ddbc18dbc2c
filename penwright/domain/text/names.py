"""Names and titles that people can read in a list."""

import re
import unicodedata

from penwright.domain.text.escaping import printable
from penwright.errors import UsageMistake

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Signs that terminals execute, that break lines, or that turn the order of letters around."""
LONGEST_NAME = 300


def check_name(name: str) -> None:
    """Raise ``UsageMistake`` (``bad-name``) unless people can read the name or title in a list."""
    seen = "".join(each for each in name if unicodedata.category(each) != "Cf")
    if not seen.strip() or len(name) > LONGEST_NAME or _CONTROL.search(name):
        raise UsageMistake(
            "bad-name",
            f"{name[:80]!r} cannot be a name. Use 1 to {LONGEST_NAME} characters in one line, "
            "and no control characters.",
        )


def in_one_line(title: str) -> str:
    """A title as a file has it, without what no name may have."""
    return " ".join(printable(title).split())[:LONGEST_NAME]
