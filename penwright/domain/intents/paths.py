"""Which paths may be written at all, before any scope is asked."""

import re
import unicodedata
from typing import Final, Protocol

from penwright.domain.text.globs import Globs
from penwright.domain.text.plain_names import hidden_sign

_LONGEST = 1024
_GIT: Final = (".git", ".gitattributes", ".gitignore", ".gitmodules", ".lfsconfig", ".mailmap")
_HOOKS: Final = (".githooks", ".husky", ".pre-commit-config.yaml", "lefthook.yml", ".envrc", ".env")
_CI: Final = (
    ".appveyor.yml",
    ".azure-pipelines",
    ".buildkite",
    ".circleci",
    ".cirrus.yml",
    ".drone.yml",
    ".forgejo",
    ".gitea",
    ".github",
    ".gitlab",
    ".gitlab-ci.yml",
    ".travis.yml",
    ".woodpecker",
    ".woodpecker.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "cloudbuild.yaml",
    "jenkinsfile",
)
_TOOLS: Final = (
    ".aider.conf.yml",
    ".clinerules",
    ".codex",
    ".continue",
    ".cursor",
    ".cursorrules",
    ".devcontainer",
    ".gemini",
    ".idea",
    ".mcp.json",
    ".roo",
    ".roomodes",
    ".vscode",
    ".windsurf",
    ".windsurfrules",
    ".zed",
    ".claude",
    "agents.md",
    "claude.md",
    "gemini.md",
    "penwright.toml",
)
"""Names that editors and agents run or obey when they open the folder."""
_PROTECTED: Final = frozenset((".orchestration", ".intentignore", *_GIT, *_HOOKS, *_CI, *_TOOLS))
"""Files and folders that no agent writes, nor anything below them, in any folder and any case."""


class Folder(Protocol):
    """Folders of a tree."""

    def names(self, folder: str) -> tuple[str, ...]:
        """Names in a folder, ``""`` being the top."""
        ...


def why_unsafe(path: str) -> str | None:
    """Say what is wrong with ``path``; it is refused as written, never resolved."""
    parts = path.split("/")
    if not path or len(path) > _LONGEST:
        return "is empty" if not path else "is too long"
    if "\\" in path or path.startswith("/") or re.match(r"[A-Za-z]:", path):
        return "is not a plain path relative to the workspace"
    if (hidden := hidden_sign(path)) is not None:
        return f"holds U+{ord(hidden):04X}, a character that cannot be seen"
    if any(part in ("", ".", "..") for part in parts):
        return "has an empty, '.' or '..' part"
    if any(part.endswith((".", " ")) for part in parts):
        return "has a part that ends in a dot or a blank"
    if unicodedata.normalize("NFC", path) != path:
        return "is not in Unicode's composed form (NFC)"
    return None


def is_protected(path: str, others: Globs) -> bool:
    """Whether only the engine or a person may write there, however its letters are cased.

    Args:
        others: what is protected in this kind of workspace beside what is everywhere, in small letters.
    """
    parts = [part.casefold() for part in path.split("/")]
    return not _PROTECTED.isdisjoint(parts) or "/".join(parts) in others


def twin(tree: Folder, path: str) -> str | None:
    """A path of the tree that differs from ``path`` only in case or Unicode form; None if there is none."""
    folder = ""
    for part in path.split("/"):
        names = tree.names(folder)
        if part not in names:
            other = next((name for name in names if _folded(name) == _folded(part)), None)
            return f"{folder}/{other}".removeprefix("/") if other is not None else None
        # A twin beside an exact match was there before us, and file systems that fold cannot hold it.
        folder = f"{folder}/{part}".removeprefix("/")
    return None


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())
