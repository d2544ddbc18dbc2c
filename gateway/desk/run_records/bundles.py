"""A bundle: one zip with a single folder and a manifest of checksums, written whole or not at all."""

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gateway.desk.durable_file import durable_file
from penwright.domain.archives import NOT_WHOLE, USUAL_PACKING
from penwright.errors import Refused, UsageMistake

FORMAT = "penwright-run-bundle"
VERSION = 1
MANIFEST = "manifest.json"
LARGEST = 2 * 1024**3
"""Bytes of all files together that are read; more is no bundle of ours."""
_EPOCH = (1980, 1, 1, 0, 0, 0)

# Any, here and below: JSON.
Json = Any


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle whose checksums are right."""

    manifest: Mapping[str, Json]
    files: Mapping[str, bytes]

    def json(self, path: str) -> Json:
        """Parse a file."""
        return json.loads(self.files[path])


def check(to: Path) -> None:
    """``Refused`` if something is there already."""
    if os.path.lexists(to):
        raise Refused("output-exists", f"{str(to)!r} exists; nothing was written", hint="name another file")


def write(to: Path, root: str, about: Mapping[str, Json], files: Mapping[str, Json]) -> Mapping[str, Json]:
    """Write a bundle to ``to``; returns its manifest. ``Refused`` if something is there by then.

    Args:
        root: the folder within.
        about: what the manifest says beside the checksums.
        files: a text for ``.md``, a list of values for ``.jsonl``, one value for ``.json``.
    """
    manifest, contents = _whole(about, files)
    try:
        with durable_file(to, over=False) as file:
            _zip(file, root, contents)
    except FileExistsError:
        raise Refused("output-exists", f"{str(to)!r} exists; it was left alone") from None
    return manifest


def packed(root: str, about: Mapping[str, Json], files: Mapping[str, Json]) -> bytes:
    """The same as bytes, for a caller that has no folder here."""
    file = io.BytesIO()
    _zip(file, root, _whole(about, files)[1])
    return file.getvalue()


def read(path: Path) -> Bundle:
    """The bundle at ``path``, its checksums verified.

    Raises:
        UsageMistake: ``no-bundle``, or ``bundle-damaged`` naming what is not as it was written.
    """
    try:
        with zipfile.ZipFile(path) as packed:
            found = _unpacked(packed, path)
    except FileNotFoundError:
        raise UsageMistake("no-bundle", f"there is no file {str(path)!r}; name a bundle") from None
    except (IsADirectoryError, PermissionError):
        raise UsageMistake("no-bundle", f"{str(path)!r} is no file that can be read; name a bundle") from None
    except NOT_WHOLE as error:
        raise _damaged(path, f"it is no whole zip file: {error}") from error
    return Bundle(_manifest(found, path), found)


def _whole(
    about: Mapping[str, Json], files: Mapping[str, Json]
) -> tuple[Mapping[str, Json], Mapping[str, bytes]]:
    """The manifest, and all contents with it."""
    contents = {path: _content(path, value) for path, value in sorted(files.items())}
    manifest = {"format": FORMAT, "version": VERSION, **about, "files": _checksums(contents)}
    return manifest, {MANIFEST: _json(manifest), **contents}


def _zip(file: Any, root: str, contents: Mapping[str, bytes]) -> None:  # Any: a binary file
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, content in contents.items():
            entry = zipfile.ZipInfo(f"{root}/{path}", _EPOCH)
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, content, zipfile.ZIP_DEFLATED)


def _unpacked(packed: zipfile.ZipFile, path: Path) -> dict[str, bytes]:
    entries = [entry for entry in packed.infolist() if not entry.is_dir()]
    roots = {entry.filename.partition("/")[0] for entry in entries}
    if len(roots) != 1:
        raise _damaged(path, f"it holds {len(roots)} folders instead of one")
    if any(entry.compress_type not in USUAL_PACKING for entry in entries):
        raise _damaged(path, "it is packed in another way than ours")
    if sum(entry.file_size for entry in entries) > LARGEST:
        raise _damaged(path, "it is too large")
    names = [entry.filename.partition("/")[2] for entry in entries]
    if len(set(names)) != len(names):
        raise _damaged(path, "it contains a file twice")
    return {name: packed.read(entry) for name, entry in zip(names, entries, strict=True)}


def _manifest(found: Mapping[str, bytes], path: Path) -> Mapping[str, Json]:
    try:
        manifest = json.loads(found.get(MANIFEST, b""))
        sums: dict[str, Json] = dict(manifest["files"])
    except (ValueError, TypeError, KeyError):
        raise _damaged(path, f"it has no readable {MANIFEST}") from None
    if manifest.get("format") != FORMAT or manifest.get("version") != VERSION:
        said = f"{str(path)!r} is a {manifest.get('format')!r} of version {manifest.get('version')!r}"
        raise UsageMistake("no-bundle", f"{said}, and this program reads {FORMAT!r} of version {VERSION}")
    actual = _checksums({name: content for name, content in found.items() if name != MANIFEST})
    for name in sorted(sums.keys() | actual.keys()):
        if sums.get(name) != actual.get(name):
            kind = "is missing" if name not in actual else "was changed" if name in sums else "was added"
            raise _damaged(path, f"{name!r} {kind}")
    return dict(manifest)


def _checksums(contents: Mapping[str, bytes]) -> dict[str, Json]:
    return {
        path: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for path, content in contents.items()
    }


def _content(path: str, value: Json) -> bytes:
    if path.endswith(".md"):
        return str(value).encode("utf-8", "backslashreplace")
    if path.endswith(".jsonl"):
        return b"".join(_line(each) for each in value)
    return _json(value)


def _json(value: Json) -> bytes:
    return f"{json.dumps(value, ensure_ascii=False, indent=2)}\n".encode("utf-8", "backslashreplace")


def _line(value: Json) -> bytes:
    return f"{json.dumps(value, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace")


def _damaged(path: Path, how: str) -> UsageMistake:
    return UsageMistake(
        "bundle-damaged", f"{str(path)!r} cannot be trusted: {how}; fetch it again from where it was made"
    )
