"""Run the editor that the user prefers."""

import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

from penwright.errors import PermanentError

_TERMINAL = 2
"""The editor draws on stderr: stdout may be a pipe that waits for JSON."""


def open_file(path: Path, environment: Mapping[str, str]) -> None:
    """Open a file in ``$EDITOR``, else ``$VISUAL``, else ``vi``, and wait until it is closed.

    Raises:
        PermanentError: ``no-editor``: there is no such program; ``editor-failed``: it ended with an error.
    """
    wish = environment.get("EDITOR") or environment.get("VISUAL") or "vi"
    try:
        words = shlex.split(wish) or ["vi"]
        done = subprocess.run([*words, str(path)], stdout=_TERMINAL, check=False)
    except (OSError, ValueError) as error:
        raise PermanentError(
            "no-editor",
            f"the editor {wish!r} cannot be started: {getattr(error, 'strerror', None) or error}",
            hint="name one, for instance `export EDITOR=nano`; or use `--from FILE`, `--set field=value`",
        ) from None
    if done.returncode:
        raise PermanentError(
            "editor-failed",
            f"the editor {wish!r} ended with exit code {done.returncode}",
            hint="see what it says above; nothing was stored",
        )
