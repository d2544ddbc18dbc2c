"""Bringing the branch, its tags and the archives to the remote, without force."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from penwright.adapters.workspace import recording
from penwright.adapters.workspace.git.commands import GitTimedOut
from penwright.adapters.workspace.git.commits import trailers_in
from penwright.adapters.workspace.git.complaints import first_line, remote_code, remote_unavailable
from penwright.adapters.workspace.git.repository import RefMoved, Repository
from penwright.adapters.workspace.syncing import has_remote, rewind_ref
from penwright.domain.trailers import TAG
from schemas.base import CommitSha
from schemas.workspace import SILENT, Pushed

_STALE = re.compile(
    r"\[rejected\]|non-fast-forward|fetch first|stale info|cannot lock ref|remote ref updated"
)
_ADVICE = frozenset(
    {
        "fatal: Could not read from remote repository.",
        "Please make sure you have the correct access rights",
        "and the repository exists.",
    }
)
"""Lines that git adds to a complaint about any remote."""
_RACED = re.compile(r"(?i)cannot lock ref|incorrect old value|reference already exists|atomic")
"""The remote's words when another push, or another ref of an atomic one, was in the way."""


@dataclass(frozen=True, slots=True)
class PushPlan:
    """Refs to push and the ids they get; None deletes a ref."""

    tip: str
    branch: str
    aside: str | None
    """Remote tip that a rollback replaces; only this one may be overwritten."""
    extras: Mapping[str, str | None]
    notes: str
    """Prefix of the refs that record what the remote has."""
    atomic: bool = False
    """All refs or none."""
    seen: str | None = None
    """The remote's tip that the branch goes on from: a remote at another one is asked first."""


def plan_push(repository: Repository) -> PushPlan:
    """Plan what the remote lacks; the cost depends on what is new, not on the size of the history."""
    tip = repository.tip()
    known = repository.objects.resolve(repository.tracking)
    notes = _notes(repository)
    extras: dict[str, str | None] = dict(_new_tags(repository, tip, known, notes))
    kept = repository.refs(
        "refs/penwright/archive", "refs/penwright/retired", f"{notes}/archive", f"{notes}/retired"
    )
    for name, sha in kept.items():
        kind, _, rest = name.removeprefix("refs/penwright/").partition("/")
        if name.startswith(notes) or f"{notes}/{kind}/{rest}" in kept:
            continue
        if kind == "archive":
            extras[name] = sha
        elif repository.objects.resolve(f"refs/tags/{rest}") is None:
            extras[f"refs/tags/{rest}"] = None
    aside = repository.objects.resolve(rewind_ref(repository))
    extras |= _log(repository, notes)
    return PushPlan(tip, repository.ref, aside, extras, notes, seen=_seen(repository, tip, known))


def _seen(repository: Repository, tip: str, known: str | None) -> str | None:
    return known if known is not None and repository.is_ancestor(known, tip) else None


def plan_claim(repository: Repository) -> PushPlan:
    """Plan to push the branch and its new tags, all or none; the rest waits for the next push."""
    tip = repository.tip()
    notes = _notes(repository)
    tags = _new_tags(repository, tip, repository.objects.resolve(repository.tracking), notes)
    aside = repository.objects.resolve(rewind_ref(repository))
    seen = _seen(repository, tip, repository.objects.resolve(repository.tracking))
    return PushPlan(tip, repository.ref, aside, tags, notes, atomic=True, seen=seen)


def _notes(repository: Repository) -> str:
    return f"refs/penwright/remotes/{repository.workspace.remote}"


def _log(repository: Repository, notes: str) -> dict[str, str]:
    """This clone's log of the ledger, if the remote lacks its newest entry."""
    name = recording.log_of(repository)
    newest = repository.objects.resolve(name)
    known = repository.objects.resolve(f"{notes}/{_short(name)}")
    return {name: newest} if newest and newest != known else {}


def unpushed(repository: Repository) -> int:
    """Commits that the remote is not known to have."""
    if not has_remote(repository):
        return 0
    tip, known = repository.tip(), repository.objects.resolve(repository.tracking)
    commits = repository.since(known, tip)
    if commits is not None:
        return len(commits)
    bounds = [tip, *([f"^{known}"] if known else [])]
    return int(repository.git.run("rev-list", "--count", *bounds).decode())


def _new_tags(repository: Repository, tip: str, known: str | None, notes: str) -> dict[str, str]:
    """Tags named by commits that the remote lacks."""
    found: dict[str, str] = {}
    for name in _named_tags(repository, tip, known):
        sha = repository.objects.resolve(f"refs/tags/{name}")
        if sha is not None and repository.objects.resolve(f"{notes}/tags/{name}") is None:
            found[f"refs/tags/{name}"] = sha
    return found


def _named_tags(repository: Repository, tip: str, known: str | None) -> Sequence[str]:
    commits = repository.since(known, tip)
    if commits is not None:
        told = (pair for commit in commits for pair in trailers_in(commit.message))
        return [name for key, value in told if key == TAG for name in value.split()]
    bounds = [tip, f"^{known}"] if known else [tip]
    order = ("log", f"--format=%(trailers:key={TAG},valueonly)", f"--grep=^{TAG}: ")
    return repository.git.run(*order, *bounds).decode("utf-8", "replace").split()


def send(repository: Repository, wanted: PushPlan, *, timeout_s: float) -> Pushed | None:
    """Push; None means the remote has moved: fetch, reconcile, try again.

    A remote that keeps silent is not waited for twice: the push is ``pending``. Raises ``RemoteUnavailable``
    when it refused the connection and may take the next.
    """
    try:
        return _sent(repository, wanted, timeout_s=timeout_s)
    except GitTimedOut as late:
        reason = f"the remote {repository.workspace.remote!r} kept silent: {first_line(late.stderr)}"
        return Pushed(outcome="pending", tip=CommitSha(wanted.tip), code=SILENT, reason=reason)


def _sent(repository: Repository, wanted: PushPlan, *, timeout_s: float) -> Pushed | None:
    remote = repository.workspace.remote
    extras = _without_absent(repository, wanted.extras, timeout_s=timeout_s)
    specs = [f"{wanted.tip}:{wanted.branch}", *(f"{sha or ''}:{name}" for name, sha in extras.items())]
    expected = wanted.aside or wanted.seen
    lease = [f"--force-with-lease={wanted.branch}:{expected}"] if expected else []
    _, out, complaint = repository.git.attempt(
        "push",
        "--porcelain",
        "--no-verify",
        "--no-follow-tags",
        *lease,
        *(["--atomic"] if wanted.atomic else []),
        "--",
        remote,
        *specs,
        timeout_s=timeout_s,
    )
    report = _report(out.decode("utf-8", "replace"))
    arrived = {name for name, (flag, _) in report.items() if flag != "!"}
    if wanted.branch in arrived:
        late_tags = {name: why for name, (flag, why) in report.items() if flag == "!"}
        _note(repository, wanted, arrived)
        reason = "; ".join(f"{name} was refused: {why}" for name, why in late_tags.items())
        return Pushed(outcome="pushed", tip=CommitSha(wanted.tip), reason=reason)
    why = report.get(wanted.branch, ("!", complaint))[1]
    if _is_stale(why, complaint):
        return None
    code = remote_code(f"{why}\n{complaint}")
    if code == "remote-unreachable":
        raise remote_unavailable(remote, complaint)
    return Pushed(outcome="pending", tip=CommitSha(wanted.tip), code=code, reason=_brief(why, complaint))


def _is_stale(why: str, complaint: str) -> bool:
    """Whether the remote has moved, or may have: only another fetch tells."""
    if "ermission denied" in complaint:
        return False
    return bool(_RACED.search(f"{why}\n{complaint}") or ("remote rejected" not in why and _STALE.search(why)))


def _brief(why: str, complaint: str) -> str:
    lines = [line.removeprefix("remote: ").strip() for line in complaint.splitlines() if line.strip()]
    said = [line for line in lines if line not in _ADVICE] or lines
    return " ".join(dict.fromkeys([*(why.split("\n")[:1] if "[" in why else []), *said]))[:400]


def _report(porcelain: str) -> dict[str, tuple[str, str]]:
    """Remote ref -> flag and summary, from ``git push --porcelain``."""
    rows = (line.split("\t") for line in porcelain.splitlines() if line.count("\t") >= 2)
    return {row[1].split(":", 1)[1]: (row[0], row[2]) for row in rows if ":" in row[1]}


def _without_absent(
    repository: Repository, extras: Mapping[str, str | None], *, timeout_s: float
) -> dict[str, str | None]:
    """Leave out deletions of refs the remote does not have: git refuses the whole push for one of them."""
    gone = [name for name, sha in extras.items() if sha is None]
    if not gone:
        return dict(extras)
    remote = repository.workspace.remote
    status, out, complaint = repository.git.attempt("ls-remote", "--", remote, *gone, timeout_s=timeout_s)
    if status and remote_code(complaint) == "remote-unreachable":
        raise remote_unavailable(remote, complaint)
    there = {line.split("\t")[1] for line in out.decode("utf-8", "replace").splitlines() if "\t" in line}
    return {name: sha for name, sha in extras.items() if sha is not None or name in there}


def _note(repository: Repository, wanted: PushPlan, arrived: set[str]) -> None:
    """Record what the remote has now. If this is lost, the same refs are pushed again."""
    # git notes the branch itself, unless the remote is configured without it.
    noted = repository.objects.resolve(repository.tracking) == wanted.tip
    changes = [] if noted else [f"update {repository.tracking} {wanted.tip}"]
    for name, sha in wanted.extras.items():
        if name in arrived and sha is not None:
            changes.append(f"update {wanted.notes}/{_short(name)} {sha}")
        elif sha is None:
            changes.append(f"update {wanted.notes}/retired/{name.removeprefix('refs/tags/')} {wanted.tip}")
            changes += _deletion(repository, f"{wanted.notes}/{_short(name)}")
    if wanted.aside:
        changes.append(f"delete {rewind_ref(repository)} {wanted.aside}")
    if changes:
        with suppress(RefMoved):
            repository.move(changes, why="note what was pushed")


def _short(name: str) -> str:
    return name.removeprefix("refs/penwright/").removeprefix("refs/")


def _deletion(repository: Repository, ref: str) -> Sequence[str]:
    sha = repository.objects.find(ref)
    return [f"delete {ref} {sha[0]}"] if sha else []
