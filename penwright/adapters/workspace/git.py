"""Running git: bounded in time, deaf to the user's hooks and environment, its complaints named."""

import contextlib
import errno
import fcntl
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from penwright.errors import BrokenWorkspace, RemoteUnavailable

_OVERRIDES = (
    "core.quotePath=false",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
)
_COMMAND = ("git", *(part for override in _OVERRIDES for part in ("-c", override)))
LOCAL_TIMEOUT_S = 120.0
WIDE = 1024 * 1024
"""Bytes in a wide pipe; a user may not have many such."""


class GitFailed(Exception):
    """git ended with an error; never leaves this package unnamed."""

    def __init__(self, command: str, status: int, stderr: str) -> None:
        super().__init__(f"git {command} ended with {status}: {stderr.strip()}")
        self.command = command
        self.stderr = stderr


class GitTimedOut(GitFailed):
    """git did not end in time and was killed with all its children."""


def plain_environment() -> dict[str, str]:
    """Enough for local git; a worker hands in its own, for proxies and an SSH agent."""
    found = shutil.which("git")
    places = [os.path.dirname(found)] if found else []
    return {"PATH": os.pathsep.join([*places, os.defpath]), "HOME": str(Path.home())}


def sealed(environment: Mapping[str, str]) -> dict[str, str]:
    """``environment`` without the variables that would point git at another repository."""
    kept = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
    ssh = environment.get("GIT_SSH_COMMAND", "ssh")
    return kept | {
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_SSH_COMMAND": f"{ssh} -oBatchMode=yes",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
    }


@dataclass(frozen=True, slots=True)
class Git:
    """git in one repository; ``held`` is the lock's descriptor, which children keep until they end.

    A child of a killed process may live on for a moment: because it holds the lock as well, nobody
    takes the repository before it is gone.
    """

    top: Path
    environment: Mapping[str, str]
    held: int | None = None

    def command(self, *arguments: str) -> list[str]:
        """The full command line."""
        return [*_COMMAND, *arguments]

    def popen(self, *arguments: str, wide: bool = False) -> subprocess.Popen[bytes]:
        """Start git with pipes on all three channels, in a process group of its own.

        Args:
            wide: its output may be ``WIDE`` ahead of whoever reads it, and not what the system thinks fit.
        """
        process = subprocess.Popen(
            self.command(*arguments),
            cwd=self.top,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=() if self.held is None else (self.held,),
            process_group=0,
        )
        if wide and process.stdout is not None:
            # A system that has no such call, or no room left for it, has pipes all the same.
            with contextlib.suppress(OSError, AttributeError):
                fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, WIDE)
        return process

    def run(self, *arguments: str, data: bytes = b"", timeout_s: float = LOCAL_TIMEOUT_S) -> bytes:
        """Output of a command that must succeed; raises ``GitFailed``."""
        status, out, err = self.attempt(*arguments, data=data, timeout_s=timeout_s)
        if status:
            raise GitFailed(arguments[0], status, err)
        return out

    def attempt(
        self,
        *arguments: str,
        data: bytes = b"",
        timeout_s: float = LOCAL_TIMEOUT_S,
    ) -> tuple[int, bytes, str]:
        """Exit status, output and complaints; raises only ``GitTimedOut``."""
        with self.popen(*arguments) as process:
            try:
                out, err = process.communicate(data, timeout=timeout_s)
            except subprocess.TimeoutExpired:
                _kill_group(process)
                raise GitTimedOut(arguments[0], -9, f"no answer within {timeout_s:g} seconds") from None
            except BaseException:
                _kill_group(process)
                raise
        return process.returncode, out, err.decode("utf-8", "replace")


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


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
    (r"unable to read tree|bad object|corrupt|inflate|missing blob", "repository-damaged"),
)
_ADVICE: Mapping[str, str] = {
    "disk-full": "the disk is full; free some space and try again",
    "disk-read-only": "the disk is read-only; mount it writable and try again",
    "not-permitted": "this user may not write there; mend the permissions and try again",
    "foreign-owner": "it belongs to another user; run as its owner or add it to git's safe.directory",
    "repository-damaged": "the repository is damaged; run `git fsck` there and restore it from its remote",
    "git-failed": "look at the repository with `git status` and try again",
}


@contextlib.contextmanager
def named_errors(path: str) -> Iterator[None]:
    """Turn what the disk or git says into the named errors of the house."""
    try:
        yield
    except GitFailed as failure:
        raise _named(path, _code_of(failure.stderr), str(failure)) from failure
    except OSError as failure:
        code = _DISK.get(failure.errno or 0)
        if code is None:
            raise
        raise _named(path, code, str(failure)) from failure


def _code_of(stderr: str) -> str:
    return next((code for pattern, code in _COMPLAINTS if re.search(pattern, stderr)), "git-failed")


def _named(path: str, code: str, cause: str) -> BrokenWorkspace:
    return BrokenWorkspace(
        code, f"cannot work in {path!r} ({cause}): {_ADVICE[code]}", path=path, cause=cause
    )


_REMOTE_FINAL: Sequence[tuple[str, str]] = (
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


def remote_unavailable(remote: str, cause: str) -> RemoteUnavailable:
    """The error for a remote that may answer later."""
    brief = " ".join(cause.split())[:300]
    message = f"the remote {remote!r} did not answer ({brief}); nothing is lost, it is tried again later"
    return RemoteUnavailable("remote-unreachable", message, remote=remote, cause=brief)
