"""Files that a person names: forms, cards, lorebooks."""

from pathlib import Path

from penwright.errors import PermanentError, UsageMistake


def read_text(path: Path, *, most: int, stdin: bytes | None = None) -> str:
    """Return a text file; ``-`` is standard input.

    Raises:
        UsageMistake: as ``read_bytes``, or ``form-not-text``.
    """
    content = read_bytes(path, most=most, stdin=stdin)
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise UsageMistake("form-not-text", f"{str(path)!r} is not UTF-8", hint="save it as UTF-8") from None


def read_bytes(path: Path, *, most: int, stdin: bytes | None = None) -> bytes:
    """Return a file of at most ``most`` bytes; ``-`` is standard input.

    Raises:
        UsageMistake: ``no-such-file``, ``not-a-file`` or ``file-too-large``.
        PermanentError: ``not-readable``.
    """
    content = stdin or b"" if str(path) == "-" else _read(path, most)
    if len(content) > most:
        raise UsageMistake(
            "file-too-large",
            f"{str(path)!r} has more than {most // 2**20} MiB",
            hint="give the file that you mean, or a smaller one",
        )
    return content


def _read(path: Path, most: int) -> bytes:
    place = path.expanduser()
    if not place.exists():
        raise UsageMistake("no-such-file", f"there is no file {str(path)!r}", hint="check the path")
    if not place.is_file():
        raise UsageMistake("not-a-file", f"{str(path)!r} is not a file", hint="name a file")
    try:
        with place.open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise PermanentError(
            "not-readable",
            f"{str(path)!r} cannot be read: {error.strerror or error}",
            hint="use a file that is yours to read",
        ) from None
