"""Complaints of git and the disk, as the named errors of Penwright."""

import contextlib
import errno
import re
from collections.abc import Iterator, Mapping, Sequence

from penwright.adapters.workspace.git.commands import GitFailed
from penwright.errors import BrokenWorkspace, RemoteUnavailable

_DISK = {
    errno.ENOSPC: "disk-full",
    errno.EDQUOT: "disk-full",
    errno.EROFS: "disk-read-only",
    errno.EACCES: "not-permitted",
    errno.EPERM: "not-permitted",
}
_COMPLAINTS: Sequence[tuple[str, str]] = (
    (r"No space left on device|Disk quota exceeded", "disk-full"),
    (r"Read-only file system", "disk-read-only"),
    (r"dubious ownership", "foreign-owner"),
    (r"[Pp]ermission denied|Operation not permitted", "not-permitted"),
    (r"no answer within", "git-timed-out"),
    (r"invalid value for 'submodule\.|\.gitmodules", "submodules-invalid"),
    (r"unable to read tree|bad object|corrupt|inflate|missing blob", "repository-damaged"),
)
_ADVICE: Mapping[str, str] = {
    "disk-full": "the disk is full; free some space and try again",
    "disk-read-only": "the disk is read-only; mount it writable and try again",
    "not-permitted": "this user may not write there; fix the permissions and try again",
    "foreign-owner": "it belongs to another user; run as its owner or add it to git's safe.directory",
    "repository-damaged": "the repository is damaged; run `git fsck` there and restore it from its remote",
    "git-timed-out": "git did not answer in time; if the clone is partial (`git clone --filter`), see that "
    "its remote answers, or clone it whole",
    "submodules-invalid": "git refuses what `.gitmodules` says; correct the submodule there, or remove it",
    "git-failed": "look at the repository with `git status` and try again",
}


@contextlib.contextmanager
def named_errors(path: str) -> Iterator[None]:
    """Turn what the disk or git says into the named errors of Penwright."""
    try:
        yield
    except GitFailed as failure:
        raise _named(path, _code_of(failure.stderr), str(failure)) from failure
    except OSError as failure:
        code = _DISK.get(failure.errno or 0)
        if code is None:
            raise
        raise _named(path, code, str(failure)) from failure


def unreadable(path: str, stderr: str) -> BrokenWorkspace:
    """The error for a repository that git cannot read, by what it says."""
    return _named(path, _code_of(stderr), " ".join(stderr.split())[:300] or "git says nothing")


def _code_of(stderr: str) -> str:
    return next((code for pattern, code in _COMPLAINTS if re.search(pattern, stderr)), "git-failed")


def _named(path: str, code: str, cause: str) -> BrokenWorkspace:
    return BrokenWorkspace(
        code, f"cannot work in {path!r} ({cause}): {_ADVICE[code]}", path=path, cause=cause
    )


_REMOTE_FINAL: Sequence[tuple[str, str]] = (
    (r"transport '.*' not allowed", "protocol-not-allowed"),
    (
        r"Authentication failed|could not read (Username|Password)|Permission denied|access denied"
        r"|HTTP 40[13]|Host key verification failed|terminal prompts disabled",
        "remote-auth",
    ),
    (
        r"does not appear to be a git repository|[Rr]epository .*not found|HTTP 404|not a git repository"
        r"|No such remote|does not exist|No such file or directory",
        "remote-absent",
    ),
    (
        r"protected branch|GH006|not allowed to (force )?push|denyNonFastforwards|denyDeletes",
        "branch-protected",
    ),
    (r"hook declined|pre-receive|remote rejected", "rejected-by-remote"),
)


def remote_code(stderr: str) -> str:
    """Code of a remote's refusal; ``remote-unreachable`` when trying again may help."""
    return next((code for pattern, code in _REMOTE_FINAL if re.search(pattern, stderr)), "remote-unreachable")


def first_line(stderr: str) -> str:
    """Find git's complaint, without warnings and the advice that follows; at most 300 characters."""
    said = [" ".join(line.split()) for line in stderr.splitlines() if line.strip()]
    told = [line for line in said if not line.lower().startswith("warning:")]
    return next(iter([*told, *said]), "")[:300]


def remote_unavailable(remote: str, cause: str) -> RemoteUnavailable:
    """The error for a remote that may answer later."""
    brief = first_line(cause)
    message = f"the remote {remote!r} did not answer ({brief}); nothing is lost, it is tried again later"
    return RemoteUnavailable("remote-unreachable", message, remote=remote, cause=brief)
