"""Skills: folders with a ``SKILL.md`` that follow the visibility of their section."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from penwright.agents.tools.tool import Declared

MANIFEST = "SKILL.md"
LARGEST_FILE = 1024 * 1024
LARGEST_FOLDER = 10 * LARGEST_FILE
LONGEST_DESCRIPTION = 1_024
LONGEST_COMPATIBILITY = 500
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")


class SkillFile(Declared):
    """One file of a skill."""

    path: str
    """Relative to the skill's folder, separated by ``/``."""
    content: bytes


class Skill(Declared):
    """Instructions in files, available while their section is open."""

    name: str
    """1–64 of ``a-z0-9-``."""
    description: str
    """1–1 024 characters: its purpose, so that the model knows when to read it."""
    folder: str
    """Source of the skill: ``package:path``."""
    compatibility: str = ""
    """At most 500 characters: what it needs."""
    files: tuple[SkillFile, ...] = ()
    """Among them ``SKILL.md``; at most 1 MiB each and 10 MiB together."""

    @property
    def digest(self) -> str:
        """Over names and contents of all files, whatever their order."""
        whole = hashlib.sha256()
        for file in sorted(self.files, key=lambda each: each.path):
            whole.update(f"{file.path}\0{hashlib.sha256(file.content).hexdigest()}\n".encode())
        return whole.hexdigest()

    def file(self, path: str = MANIFEST) -> SkillFile | None:
        """The file at ``path``, if there is one."""
        return next((each for each in self.files if each.path == path), None)


def faults(skill: Skill) -> Iterator[tuple[str, str]]:
    """Problems of a skill: token and text."""
    if not _NAME.fullmatch(skill.name):
        yield skill.name, "must be 1–64 lowercase letters, digits and hyphens, with none at an end"
    if not 1 <= len(skill.description.strip()) <= LONGEST_DESCRIPTION:
        yield skill.name, f"needs a description of 1–{LONGEST_DESCRIPTION} characters"
    if len(skill.compatibility) > LONGEST_COMPATIBILITY:
        yield skill.name, f"may say at most {LONGEST_COMPATIBILITY} characters about compatibility"
    if skill.file() is None:
        yield MANIFEST, f"is missing from {skill.folder!r}; a skill begins there"
    yield from _bad_files(skill)


def _bad_files(skill: Skill) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for file in skill.files:
        if not _is_canonical(file.path):
            yield file.path, "must be a relative path without `.`, `..` or empty parts"
        if file.path in seen:
            yield file.path, "is listed twice; keep one"
        if len(file.content) > LARGEST_FILE:
            yield file.path, f"is larger than {LARGEST_FILE} bytes; split it"
        seen.add(file.path)
    if sum(len(file.content) for file in skill.files) > LARGEST_FOLDER:
        yield skill.name, f"is larger than {LARGEST_FOLDER} bytes altogether; remove some files"


def _is_canonical(path: str) -> bool:
    parts = path.split("/")
    plain = "\\" not in path and "\0" not in path and str(PurePosixPath(path)) == path
    return plain and path[:1] != "/" and not {"", ".", ".."} & set(parts)
