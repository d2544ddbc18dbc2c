"""The lines at the end of a commit's message that are for programs."""

import re
from collections.abc import Sequence

_TRAILER = re.compile(r"\n([A-Za-z0-9-]+): *(.*\S|)")


def trailers_in(message: str) -> Sequence[tuple[str, str]]:
    """``Name: value`` lines of the last paragraph, unless that is the title; others there are skipped."""
    title = message.rstrip("\n").rfind("\n\n")
    return _TRAILER.findall(message, title + 1) if title > 0 else ()
