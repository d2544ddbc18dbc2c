"""Names of runs: parts of workflow ids, of paths and of command lines."""

import re
import secrets
from datetime import datetime

from penwright.errors import UsageMistake

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}")


def checked_run_id(text: str) -> str:
    """``text`` as the id of a new run.

    Raises:
        UsageMistake: ``bad-run-id``; a slash would make it look like a sub-agent's.
    """
    if not _ID.fullmatch(text):
        raise UsageMistake(
            "bad-run-id",
            f"{text!r} cannot be the id of a run; use 1-100 letters, digits, '.', '_', ':' and '-', "
            "beginning with a letter or digit",
        )
    return text


def new_run_id(key: str, now: datetime) -> str:
    """An id that no other run has."""
    return f"{key}-{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
