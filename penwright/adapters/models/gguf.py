"""Model files that llama.cpp reads: what their headers say, and whether one can be served here."""

import struct
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from penwright.errors import ModelFinal
from schemas.model_catalog import GGUF, ModelEntry

_MAGIC = b"GGUF"
_SIZES: Mapping[int, int] = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of the header's plain types, by their numbers."""
_NUMBERS: Mapping[int, str] = {4: "<I", 5: "<i", 10: "<Q", 11: "<q"}
_TEXT, _LIST = 8, 9
_WINDOW = b".context_length"


def window_of_file(file: Path) -> int | None:
    """The tokens for which the model was made; None if the file is away or does not say."""
    try:
        with file.open("rb") as read:
            return _window(read) if read.read(4) == _MAGIC else None
    except (OSError, struct.error, KeyError):
        return None


def check_served(entry: ModelEntry) -> None:
    """Raise ``ModelFinal`` if ``entry`` is a file that no server of Penwright's answers for, and say why.

    ``gguf-missing``, ``gguf-unreadable``, ``llama-missing``, ``gguf-not-served``.
    """
    if not entry.file:
        return
    check_file(entry.name, Path(entry.file))
    if not entry.api_base:
        raise _failure(
            "gguf-not-served",
            entry.name,
            "is a file that is not served: `penwright up` serves those that it finds in the settings.",
            "run `penwright down`, then `penwright up --detach`",
        )


def check_file(name: str, file: Path) -> None:
    """Raise ``ModelFinal`` if the file of the model ``name``, or what reads it, is not there; see above."""
    other = f"correct the path after `{GGUF}` under [models.{name}]"
    if not file.is_file():
        raise _failure("gguf-missing", name, f"has no file {str(file)!r}.", other)
    try:
        with file.open("rb") as read:
            begins = read.read(4)
    except OSError as error:
        raise _failure("gguf-unreadable", name, f"is in {str(file)!r}: {error.strerror}.", other) from error
    if begins != _MAGIC:
        raise _failure("gguf-unreadable", name, f"is in {str(file)!r}, which is no GGUF file.", other)
    if find_spec("xllamacpp") is None:
        needs = "needs llama.cpp, which the extra `local` brings."
        raise _failure("llama-missing", name, needs, "run `pip install 'penwright[local]'`")


def _failure(code: str, name: str, trouble: str, advice: str) -> ModelFinal:
    return ModelFinal(code, f"Model {name!r} {trouble}", model=name, hint=advice)


def _window(read: BinaryIO) -> int | None:
    _, _, count = struct.unpack("<IQQ", read.read(20))
    for _ in range(count):
        key, kind = _text(read), _number(read, "<I")
        if key.endswith(_WINDOW) and kind in _NUMBERS:
            return _number(read, _NUMBERS[kind])
        _skip(read, kind)
    return None


def _skip(read: BinaryIO, kind: int) -> None:
    if kind == _TEXT:
        _text(read)
    elif kind == _LIST:
        each, count = _number(read, "<I"), _number(read, "<Q")
        if each in _SIZES:
            read.seek(_SIZES[each] * count, 1)
            return
        for _ in range(count):
            _skip(read, each)
    else:
        read.seek(_SIZES[kind], 1)


def _text(read: BinaryIO) -> bytes:
    size = _number(read, "<Q")
    if size > 2**20:  # of a damaged file
        raise struct.error
    return read.read(size)


def _number(read: BinaryIO, form: str) -> int:
    (number,) = struct.unpack(form, read.read(struct.calcsize(form)))
    return int(number)
