"""Files that a command writes to standard output: ``--output -``."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from gateway.cli.output import Printer
from penwright.errors import UsageMistake

_DASH = Path("-")


@contextmanager
def placed(output: Path | None, out: Printer) -> Iterator[Path | None]:
    """Yield the file to write: ``output``, or for ``-`` one that is printed at the end, as all there is.

    Raises:
        UsageMistake: ``two-answers``: standard output is to hold JSON, too.
    """
    if output != _DASH:
        yield output.expanduser() if output else None
        return
    if out.as_json:
        raise UsageMistake(
            "two-answers",
            "`--json` and `--output -` both want standard output",
            hint="name a file with `--output`, or leave `--json` out",
        )
    out.is_taken = True
    with TemporaryDirectory(prefix="penwright-") as folder:
        place = Path(folder) / "output"
        yield place
        sys.stdout.flush()
        sys.stdout.buffer.write(place.read_bytes())
        sys.stdout.buffer.flush()
