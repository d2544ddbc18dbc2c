"""Programs that a repository's own configuration names: which are refused, and which are switched off.

A folder may come from anywhere, and its ``.git/config`` with it. What the user or the system has
configured for every repository stays as it is.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from penwright.adapters.workspace.git.caches import BoundedCache
from penwright.adapters.workspace.git.layout import plain_bytes
from penwright.errors import BrokenWorkspace

ALLOWED_PROTOCOLS = ("file", "git", "http", "https", "ssh")
OVERRIDES = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.editor=true",
    "sequence.editor=true",
    "core.alternateRefsCommand=true",
    "log.showSignature=false",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "push.gpgSign=false",
    *(f"gpg.{kind}program=false" for kind in ("", "openpgp.", "x509.", "ssh.")),
    "gpg.ssh.defaultKeyCommand=false",
    "uploadpack.packObjectsHook=",
)
"""Given to every git: settings with one name whose value is, or leads to, a program."""
VARIABLES = {
    "GIT_ALLOW_PROTOCOL": ":".join(ALLOWED_PROTOCOLS),
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GIT_PROXY_COMMAND": "",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
}
"""Stronger than any configuration; the protocols than ``protocol.*.allow``, too."""

_REFUSED = re.compile(
    r"filter\..*\.(?:clean|smudge|process)"
    r"|remote\..*\.(?:uploadpack|receivepack|vcs)"
    r"|merge\..*\.driver|hook\..*\.command"
    r"|lfs\.(?:customtransfer|extension)\..*"
    r"|alias\.(?:remote|credential)-.*",
    re.DOTALL,
)
"""Without these the repository would behave otherwise than its owner expects."""
_HELPER = re.compile(r"credential\.(?:.*\.)?helper", re.DOTALL)
_KNOWN_HELPERS = frozenset({"", "cache", "store"})
"""Parts of git itself; any other word could be an alias of the repository's."""
_OWN_SCOPES = frozenset({"local", "worktree"})
LIST = ("config", "--list", "--show-scope", "-z")
LISTED: BoundedCache[bytes] = BoundedCache(64)
"""Output of ``LIST`` by all that it was read from: see ``sources``."""
_HEAD = re.compile(rb"ref:[ \t]*refs/|[0-9a-f]{40}")
_SYSTEM = Path("/etc/gitconfig")
"""git reads it elsewhere on some systems; a user who may write there needs no repository to run programs."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of a key, as git reads it; files that are included count as what includes them."""

    own: bool
    """Whether it is the repository's own."""
    key: str
    value: str


def settings_of(listed: bytes) -> Sequence[Setting]:
    """The settings in the output of ``git config --list --show-scope -z``."""
    words = listed.decode("utf-8", "surrogateescape").split("\0")
    pairs = zip(words[::2], words[1::2], strict=False)
    split = ((scope, entry.partition("\n")) for scope, entry in pairs if scope != "command")
    return [Setting(scope in _OWN_SCOPES, key, value) for scope, (key, _, value) in split]


def includes(settings: Sequence[Setting]) -> bool:
    """Whether other files than ``sources`` reads say something, or may one day."""
    return any(each.key.startswith(("include.", "includeif.")) for each in settings)


def sources(folder: Path, variables: Mapping[str, str]) -> str:
    """All that the configuration of a repository is read from; empty if only git can tell."""
    own, home = folder / ".git", Path(variables.get("HOME", "/"))
    user = Path(variables.get("XDG_CONFIG_HOME") or home / ".config")
    if not all((own / name).is_dir() for name in ("", "objects", "refs")) or (own / "commondir").exists():
        return ""
    files = (own / "HEAD", own / "config", own / "config.worktree")
    try:
        contents = [_content(each) for each in (*files, home / ".gitconfig", user / "git/config", _SYSTEM)]
        owners = [each.stat().st_uid for each in (folder, own)]
    except OSError:
        return ""
    # Without a sound HEAD git takes the folder for no repository, and reads the one around it.
    if not _HEAD.match(contents[0] or b"") or (own / "HEAD").is_symlink():
        return ""
    return repr((str(folder), str(home), str(user), owners, contents))


def _content(file: Path) -> bytes | None:
    try:
        return plain_bytes(file)
    except FileNotFoundError:
        return None


def refuse_programs(folder: Path, settings: Sequence[Setting]) -> None:
    """Raise ``BrokenWorkspace`` for programs that git would run to read, write or exchange content."""
    named = sorted({each.key for each in settings if each.own and _REFUSED.fullmatch(each.key)})
    if named:
        raise BrokenWorkspace(
            "repository-runs-programs",
            f"the configuration of {str(folder)!r} names programs that git would run: {', '.join(named)}",
            hint=f"remove each with `git config --unset-all {named[0]}`, or set it for all your "
            "repositories with `git config --global`",
            path=str(folder),
            keys=", ".join(named),
        )


def credential_helpers(settings: Sequence[Setting]) -> Iterator[str]:
    """Overrides that leave the user's own helpers, and of the repository's those that are part of git."""
    found = [each for each in settings if _HELPER.fullmatch(each.key)]
    if any(each.own for each in found):
        yield "credential.helper="
        for each in found:
            # git would take what follows an equals sign in a key for the value.
            if "=" not in each.key and (not each.own or each.value in _KNOWN_HELPERS):
                yield f"{each.key}={each.value}"
