"""A remote that lost a published session: noticed after a fetch, and held back until a person decides.

Until then the branch is neither merged with the remote's nor pushed; sessions go on here.
"""

from penwright.adapters.workspace.git.repository import RefMoved, Repository
from penwright.domain.trailers import SESSION, STEP
from schemas.workspace import LOST_SESSION

_CLOSE = "close"
_NAMED = 5


def lost_ref(repository: Repository) -> str:
    """Ref to the last tip of the remote that had the session."""
    return f"refs/penwright/lost/{repository.workspace.branch}"


def notice(repository: Repository, before: str | None, aside: str | None) -> None:
    """Compare the remote's tip with the one ``before`` it was fetched, and note what it lost.

    ``aside``: the tip that a rollback here replaces; what is missing of it was taken back here.
    """
    now = repository.objects.resolve(repository.tracking)
    noted = repository.objects.resolve(lost_ref(repository))
    if noted is not None:
        if now is not None and repository.is_ancestor(noted, now):
            _move(repository, f"delete {lost_ref(repository)} {noted}")
        return
    if before is None or now is None or repository.is_ancestor(before, now):
        return
    if aside is not None and repository.is_ancestor(before, aside):
        return
    if _sessions(repository, before, now) - _sessions(repository, now, before):
        _move(repository, f"create {lost_ref(repository)} {before}")


def held(repository: Repository) -> str:
    """Explain why the remote is left alone, with the commits and both ways on; empty if it is not."""
    if not (said := lost_commits(repository)):
        return ""
    return (
        f"{LOST_SESSION}: {said}; nothing is merged or pushed until you decide: "
        "`penwright book accept-remote BOOK` takes it out here as well, "
        "`penwright book restore-session BOOK` publishes it again"
    )


def lost_commits(repository: Repository) -> str:
    """A clause that names what the remote lost; empty if nothing waits for a decision."""
    lost = repository.objects.resolve(lost_ref(repository))
    remote = repository.objects.resolve(repository.tracking)
    if lost is None or remote is None:
        return ""
    log = repository.git.run("log", "--format=%h %s", lost, f"^{remote}").decode("utf-8", "replace")
    commits = [f'"{line}"' for line in log.splitlines()]
    more = f" and {len(commits) - _NAMED} more" if len(commits) > _NAMED else ""
    return (
        f"the remote {repository.workspace.remote!r} no longer has what was published: "
        f"{', '.join(commits[:_NAMED])}{more}"
    )


def _sessions(repository: Repository, tip: str, without: str) -> set[str]:
    """Sessions that were closed by commits of ``tip`` that the other lacks."""
    form = f"--format=%(trailers:key={SESSION},valueonly,separator=%x2C)"
    raw = repository.git.run("log", form, f"--grep=^{STEP}: {_CLOSE}$", tip, f"^{without}")
    return set(raw.decode("utf-8", "replace").split())


def _move(repository: Repository, change: str) -> None:
    try:
        repository.move([change], why="note what the remote lost")
    except RefMoved:
        # Another process has noted it.
        return
