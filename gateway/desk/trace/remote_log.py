"""The log of the ledger on the remote: fetching it, and what our branch is beside the remote's."""

from pathlib import Path

from gateway.desk.services import Services
from gateway.desk.works.works import kind_at
from penwright.adapters.scaffold.repository_folder import git
from penwright.domain.trace.verifying.anchors import RemoteBranch, RemoteLog
from schemas.workspace import LogFetched, Workspace


def fetched(services: Services, workspace: Workspace) -> RemoteLog:
    """Describe the remote; its log is fetched first if no log is known here."""
    answer = services.workspaces(kind_at(workspace)).fetch_log(workspace)
    return RemoteLog(
        clone=_clone(workspace), why_none=why_none(answer, workspace), branch=lambda: _branch(workspace)
    )


def why_none(answer: LogFetched, workspace: Workspace) -> str:
    """Explain why there is no log, as the end of a sentence; empty if there is one."""
    if answer.known:
        return ""
    if answer.remote == "none":
        return f"there is no remote {workspace.remote!r} to fetch it from"
    if answer.remote == "unreachable":
        return f"it could not be fetched from the remote {workspace.remote!r} ({answer.reason})"
    return f"the remote {workspace.remote!r} keeps none"


def why_not_asked(answer: LogFetched, workspace: Workspace) -> str:
    """Explain why not every log could be asked, as the end of a sentence; empty if every one was."""
    if answer.remote == "unreachable":
        return f"the remote {workspace.remote!r} could not be asked ({answer.reason})"
    return why_none(answer, workspace)


def _clone(workspace: Workspace) -> str:
    """The name under which this clone keeps its own log; empty if it has none."""
    folder = git(Path(workspace.path), "rev-parse", "--git-common-dir", check=False)
    file = Path(workspace.path, folder, "penwright", "clone")
    return file.read_text(encoding="ascii").strip() if folder and file.is_file() else ""


def _branch(workspace: Workspace) -> RemoteBranch:
    """The remote's branch as last fetched."""
    ours, theirs = f"refs/heads/{workspace.branch}", f"refs/remotes/{workspace.remote}/{workspace.branch}"
    top = Path(workspace.path)
    if not git(top, "rev-parse", "--verify", "--quiet", theirs, check=False):
        return RemoteBranch()
    ahead = git(top, "rev-list", theirs, f"^{ours}", check=False).split()
    own = git(top, "rev-list", "--max-count=1", ours, f"^{theirs}", check=False)
    return RemoteBranch(ahead=frozenset(ahead), diverged=bool(own))
