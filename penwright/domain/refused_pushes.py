"""A remote's refusal of a push: whether trying again may help, and else what it needs."""

import re
from collections.abc import Sequence
from typing import Final

_AGAIN: Final = "the next session pushes again"
_NEEDS: Final[Sequence[tuple[str, str]]] = (
    (
        r"GH001|[Ll]arge files? detected|exceeds .*size limit|file .*too large|larger than the limit",
        "it takes no file that large: take it out of the commits that it lacks, or keep it with Git LFS",
    ),
    (
        r"[Pp]rotected branch|GH006|GH013|rule violations|not allowed to (?:force )?push|denyNonFastforwards",
        "its branch is protected: let this user push to it, or give the book a branch that is not",
    ),
    (
        r"Authentication failed|could not read (?:Username|Password)|[Pp]ermission .*denied|access denied"
        r"|HTTP 40[13]|returned error: 40[13]|Host key verification failed|terminal prompts disabled",
        "it does not let this user in: renew the key or token, and see that `git push` works there",
    ),
    (
        r"does not appear to be a git repository|[Rr]epository .*not found|HTTP 404|does not exist",
        "there is no such repository: correct its address with `git remote set-url`",
    ),
    (r"quota|storage limit", "its space is used up: free some there"),
    (
        r"hook declined|pre-receive|remote rejected|GH\d{3}",
        "its own rules refuse it: do what it says, or ask who keeps it",
    ),
)


def what_it_needs(reason: str) -> str:
    """Return what a person must do about a refusal, or that the next session tries again.

    Args:
        reason: as the remote gave it; empty if it gave none.
    """
    needs = next((needs for pattern, needs in _NEEDS if re.search(pattern, reason)), "")
    return f"{needs}; then {_AGAIN}" if needs else _AGAIN
