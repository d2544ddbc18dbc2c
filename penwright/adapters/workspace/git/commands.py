"""GitPython's command wrapper with our limits: environment, process group, lock and time."""

import contextlib
import errno
import io
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

# GitPython runs git when it is imported: the one on PATH, whatever a variable names.
os.environ["GIT_PYTHON_GIT_EXECUTABLE"] = "git"
try:
    import git
except ImportError as error:
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "git") from error

from penwright.adapters.workspace.git import configured_programs as programs
from penwright.adapters.workspace.git import remote_secrets
from penwright.masking import masked

_OVERRIDES = (
    *programs.OVERRIDES,
    "core.quotePath=false",
    "core.fsync=loose-object",
    "core.fsyncMethod=fsync",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
)
LOCAL_TIMEOUT_S = 120.0
_NETWORK = frozenset({"fetch", "push", "ls-remote"})
"""Commands that may wait for a remote for ever. They read nothing from stdin."""
_TIED = (
    "exec 3<&0 </dev/null; { read -r _ <&3; kill -9 -$$; } >/dev/null 2>&1 & watch=$!; "
    '"$@" 3<&- & wait $!; status=$?; kill $watch 2>/dev/null; exit $status'
)
"""A shell that ends a command with its group when stdin ends: when the process that asked was killed."""
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
_ALLOWED = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CONFIG_HOME"),
        # Agents that hold keys and passwords, and certificates.
        *("SSH_AUTH_SOCK", "SSH_AGENT_PID", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "KRB5CCNAME"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE"),
        *_PROXIES,
        *(name.upper() for name in _PROXIES),
    }
)


class GitFailed(Exception):
    """git ended with an error; never leaves this package unnamed."""

    def __init__(self, command: str, status: int, stderr: str) -> None:
        super().__init__(f"git {command} ended with {status}: {stderr.strip()}")
        self.command = command
        self.stderr = stderr


class GitTimedOut(GitFailed):
    """git did not end in time and was killed with all its children."""


class NoSuchObject(Exception):
    """git has no object of this name, or several."""


def plain_environment() -> dict[str, str]:
    """Enough for local git; a worker hands in its own, for proxies and an SSH agent."""
    found = shutil.which("git")
    folders = [os.path.dirname(found)] if found else []
    return {"PATH": os.pathsep.join([*folders, os.defpath]), "HOME": str(Path.home())}


def git_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of ``environment`` that git may see, and those that keep it from asking questions."""
    ssh = environment.get("GIT_SSH_COMMAND", "ssh")
    return {name: value for name, value in environment.items() if name in _ALLOWED} | {
        **programs.VARIABLES,
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_SSH_COMMAND": f"{ssh} -oBatchMode=yes",
    }


class ProcessGroup(git.Git.AutoInterrupt):
    """A running git; when it is terminated, so are the processes it started."""

    __slots__ = ()

    def _terminate(self) -> None:
        if self.proc is not None:
            _kill_group(self.proc)
        super()._terminate()


class _Bounded(io.RawIOBase):
    """Output of a lasting git; one that keeps silent too long, as a partial clone may, is killed."""

    def __init__(self, pipe: io.RawIOBase, process: "subprocess.Popen[bytes]", name: str, silent_s: float):
        self._pipe, self._process, self._name, self._silent_s = pipe, process, name, silent_s
        self._poll = select.poll()
        self._poll.register(pipe, select.POLLIN | select.POLLHUP)

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._pipe.fileno()

    def readinto(self, buffer: Any) -> int | None:  # Any: a buffer, which 3.11 has no type for
        if not self._poll.poll(self._silent_s * 1000):
            _kill_group(self._process)
            raise GitTimedOut(self._name, -9, f"no answer within {self._silent_s:g} seconds")
        return self._pipe.readinto(buffer)

    def close(self) -> None:
        self._pipe.close()
        super().close()


class GitCommands(git.Git):
    """git in one folder.

    Its environment is ``variables`` and nothing of this process's. What the folder's configuration would run
    is refused or switched off before the first command. Each git has a process group of its own,
    which is killed when time is up. A git that runs to its end inherits ``lock``, the descriptor of the
    repository's lock: should this process be killed, the repository stays locked until git has ended. A git
    that goes on running, to read or write objects, does not: it moves no ref.
    """

    GIT_PYTHON_GIT_EXECUTABLE = "git"
    silent_s = LOCAL_TIMEOUT_S
    """Seconds that a git which goes on running may take for an answer."""

    def __init__(self, working_dir: Any = None) -> None:
        # GitPython leaves variables such as $HOME in the name of a folder alone only in a Path.
        super().__init__(working_dir and Path(working_dir))
        self.variables: Mapping[str, str] = {}
        self.lock: int | None = None
        self._examined = False
        self._first: Mapping[str, str] = {}
        self._hidden: Mapping[str, str] = {}
        self.set_persistent_git_options(c=_OVERRIDES)

    @classmethod
    def within(cls, folder: Path, variables: Mapping[str, str]) -> "GitCommands":
        """git in a folder that need not be a repository."""
        commands = cls(folder)
        commands.variables = variables
        return commands

    @contextlib.contextmanager
    def holding(self, lock: int) -> Iterator[None]:
        """Let each git inherit the descriptor of the repository's lock."""
        self.lock = lock
        try:
            yield
        finally:
            self.lock = None

    def run(self, *arguments: str, data: bytes = b"", timeout_s: float = LOCAL_TIMEOUT_S) -> bytes:
        """Output of a command that must succeed; raises ``GitFailed``."""
        status, out, err = self.attempt(*arguments, data=data, timeout_s=timeout_s)
        if status:
            raise GitFailed(arguments[0], status, err)
        return out

    def attempt(
        self, *arguments: str, data: bytes = b"", timeout_s: float = LOCAL_TIMEOUT_S
    ) -> tuple[int, bytes, str]:
        """Exit status, output and complaints.

        Raises ``GitTimedOut``, or ``BrokenWorkspace`` when the folder's configuration names programs.
        """
        command = getattr(self, arguments[0])
        ended: tuple[int, bytes, str] = command(
            *arguments[1:],
            istream=data,
            with_extended_output=True,
            with_exceptions=False,
            stdout_as_string=False,
            kill_after_timeout=timeout_s,
        )
        return ended

    def start(self, *arguments: str, env: Mapping[str, str] | None = None) -> ProcessGroup:
        """A command that goes on running, with pipes on all three channels; the caller terminates it."""
        process: ProcessGroup = getattr(self, arguments[0])(*arguments[1:], as_process=True, env=env)
        return process

    def has_setting(self, key: str) -> bool:
        """Whether the configuration had ``key`` at the first command."""
        self.examine()
        return key in self._first

    def remote_url(self, remote: str) -> str:
        """The address of a remote, as git would use it; empty without one."""
        self.examine()
        if any(key.startswith("url.") for key in self._first):
            return self.attempt("remote", "get-url", remote)[1].decode("utf-8", "replace").rstrip("\n")
        return self._first.get(f"remote.{remote}.url", "")

    # Any: GitPython's own signatures.
    def _call_process(self, method: str, *arguments: Any, **options: Any) -> Any:
        self.examine()
        return super()._call_process(method, *arguments, **options)

    def examine(self) -> None:
        """Refuse, or switch off, what the folder's configuration would run; once."""
        if self._examined:
            return
        self._examined = True
        settings = self._settings()
        programs.refuse_programs(Path(self.working_dir or "."), settings)
        self._first = {each.key: each.value for each in reversed(settings)}
        self._hidden = remote_secrets.hidden(settings)
        self.set_persistent_git_options(c=[*_OVERRIDES, *programs.credential_helpers(settings)])

    def _settings(self) -> Sequence[programs.Setting]:
        """The configuration; git lists it again once a file of it has changed."""
        before = programs.sources(Path(self.working_dir or "."), self.variables)
        known = programs.LISTED.get(before) if before else None
        if known is not None:
            return programs.settings_of(known)
        waiting, self._git_options = self._git_options, ()
        status, listed, _ = self.attempt(*programs.LIST)
        self._git_options = waiting
        # Where git cannot read the configuration, no command runs.
        settings = programs.settings_of(listed) if not status else ()
        after = programs.sources(Path(self.working_dir or "."), self.variables)
        if before == after != "" and not status and not programs.includes(settings):
            programs.LISTED.keep(before, listed)
        return settings

    # Any: GitPython's own signature has eight overloads.
    def execute(self, *arguments: Any, **options: Any) -> Any:
        """Run a command as GitPython does, with its options; ``istream`` is what git reads, as bytes."""
        (command,) = arguments
        lasting, name = options.get("as_process", False), _name_of(command)
        tied = name in _NETWORK and not lasting and self.lock is None
        with _ends_with_us() if tied else contextlib.nullcontext(subprocess.PIPE) as stdin:
            process = subprocess.Popen(
                ["/bin/sh", "-c", _TIED, "sh", *command] if tied else command,
                cwd=self.working_dir,
                env={**self.variables, **self._hidden, **(options.get("env") or {})},
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=() if lasting or self.lock is None else (self.lock,),
                process_group=0,
            )
            return self._answered(process, command, name, options)

    def _answered(
        self, process: "subprocess.Popen[bytes]", command: Any, name: str, options: Mapping[str, Any]
    ) -> Any:
        if options.get("as_process", False):
            pipe = process.stdout.detach()  # type: ignore[union-attr]  # there is a pipe, see above
            process.stdout = io.BufferedReader(_Bounded(pipe, process, name, self.silent_s))
            return ProcessGroup(process, command)
        data, timeout_s = options.get("istream") or b"", options.get("kill_after_timeout")
        status, out, err = _ended(process, name, data, timeout_s)
        if status and options.get("with_exceptions", True):
            raise GitFailed(name, status, err)
        answer = out.decode("utf-8", "replace").rstrip("\n") if options.get("stdout_as_string", True) else out
        return (status, answer, err) if options.get("with_extended_output") else answer

    def _parse_object_header(self, header_line: str | bytes) -> tuple[str, str, int]:
        """As GitPython's, but for ids of any length. Raises ``NoSuchObject``."""
        answer = header_line.decode("utf-8", "replace") if isinstance(header_line, bytes) else header_line
        if not answer:
            raise GitFailed("cat-file", 128, complaint_of(self.cat_file_all))
        if answer.endswith((" missing\n", " ambiguous\n")):
            raise NoSuchObject(answer)
        sha, kind, size = answer.split()
        return sha, kind, int(size)


class Repo(git.Repo):
    """A repository of GitPython's with our commands."""

    git: GitCommands
    GitCommandWrapperType = GitCommands


def open_repository(top: Path, variables: Mapping[str, str]) -> Repo:
    """Open the repository at ``top``; git sees ``variables`` and no others."""
    try:
        repo = Repo(top, expand_vars=False)
    except git.InvalidGitRepositoryError as error:
        raise GitFailed("open", 128, f"corrupt repository: {error}") from error
    repo.git.variables = variables
    return repo


def complaint_of(process: ProcessGroup | None) -> str:
    """Read what a git that has ended wrote to stderr."""
    complaint: bytes = process.stderr.read() if process is not None else b""
    return masked(complaint.decode("utf-8", "replace"))


@contextlib.contextmanager
def _ends_with_us() -> Iterator[int]:
    """A descriptor to read from that ends when the block does, or this process, however it is killed."""
    read_end, write_end = os.pipe()
    try:
        yield read_end
    finally:
        os.close(read_end)
        os.close(write_end)


def _name_of(command: Sequence[str]) -> str:
    """The subcommand, which comes after the settings."""
    words = iter(command[1:])
    for word in words:
        if word != "-c":
            return word
        next(words)
    return ""


def _ended(
    process: "subprocess.Popen[bytes]", name: str, data: bytes, timeout_s: float | None
) -> tuple[int, bytes, str]:
    with process:
        try:
            out, err = process.communicate(data, timeout=timeout_s)
        except subprocess.TimeoutExpired:
            _kill_group(process)
            process.communicate()
            raise GitTimedOut(name, -9, f"no answer within {timeout_s:g} seconds") from None
        except BaseException:
            _kill_group(process)
            process.communicate()
            raise
    return process.returncode, out, masked(err.decode("utf-8", "replace"))


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
