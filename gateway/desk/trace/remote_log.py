"""The log of the ledger on the remote: fetching it, and why there is none."""

from gateway.desk.services import Services
from gateway.desk.works.works import kind_at
from penwright.domain.trace.verifying.anchors import RemoteLog
from schemas.workspace import LogFetched, Workspace


def fetched(services: Services, workspace: Workspace) -> RemoteLog:
    """Describe the remote; its log is fetched first if no log is known here."""
    answer = services.workspaces(kind_at(workspace)).fetch_log(workspace)
    history = services.history()
    return RemoteLog(
        clone=history.clone(workspace),
        why_none=why_none(answer, workspace),
        branch=lambda: history.remote(workspace),
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
