"""Set a PDF from typst's language: ``python -m`` this, with the source on standard input.

A process of its own, because the typesetter runs inside the interpreter and could not be stopped there.
"""

import resource
import sys
import tempfile
from pathlib import Path

_FAILED = 1


def main() -> int:
    """Write the PDF to standard output; errors to standard error.

    Arguments: the most memory that may be used, in MB, and when the book was written, in seconds since 1970.
    """
    import typst

    most = int(sys.argv[1]) * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    with tempfile.TemporaryDirectory(dir=".") as folder:
        source = Path(folder) / "book.typ"
        source.write_bytes(sys.stdin.buffer.read())
        # Nothing but the source is below this root, and no package is looked for elsewhere.
        try:
            pdf = typst.compile(
                str(source),
                root=folder,
                package_path=folder,
                package_cache_path=folder,
                timestamp=int(sys.argv[2]),
            )
        except typst.TypstError as error:
            sys.stderr.write(str(error))
            return _FAILED
    sys.stdout.buffer.write(pdf)
    return 0


if __name__ == "__main__":
    sys.exit(main())
