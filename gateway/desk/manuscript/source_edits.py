"""Changes of a novel's sources, each one commit: added, named, removed, taken back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote

from gateway.desk.services import Services
from gateway.desk.works import changes
from gateway.desk.works.novels import Novel
from penwright.domain.citations.claims import reference_of
from penwright.domain.citations.entries import Entry, read_entries
from penwright.domain.citations.identifiers import doi as checked_doi
from penwright.domain.citations.works import KnownWorks
from penwright.domain.library.describing import authors_said, surely
from penwright.domain.library.matching import is_work
from penwright.domain.library.names import SHELF, SOURCES
from penwright.domain.library.shelf import (
    Shelf,
    corrected,
    entry_for,
    files_of,
    tells_itself,
    title_of,
    work_in,
)
from penwright.domain.manuscript.layout import BIBLIOGRAPHY
from penwright.domain.manuscript.restoring import shown
from penwright.domain.manuscript.texts import SceneText, as_lf, rewritten
from penwright.domain.text.counted import counted
from penwright.domain.text.merging.reconcile import uses_crlf
from penwright.domain.text.nearest import guess, nearest
from penwright.domain.trailers import RESTORED, STEP
from penwright.errors import NotFound, Refused, RemoteUnavailable, UsageMistake
from schemas.base import Effect
from schemas.library import SaidWork
from schemas.scholarly import Reference
from schemas.workspace import Contributor, Delete, Modify, MutationPlan, Operation, Place, Pushed

_FILES = f"{SOURCES}/*"
_VERSIONS = 1_000
"""Changes of the sources among which an undo looks."""


@dataclass(frozen=True, slots=True)
class WhichWork:
    """A person's word on which work a source is; empty: its file says it."""

    doi: str = ""
    key: str = ""
    """Key of an entry in the novel's ``references.bib``."""
    title: str = ""
    authors: str = ""
    """As ``Ann Marsh and Bo Li``."""
    year: int | None = None


@dataclass(frozen=True, slots=True)
class SourcesChanged:
    """Result of a change."""

    names: tuple[str, ...]
    commit: str
    """Empty if there was nothing to change."""
    message: str = ""
    """Of an undo: the change that was taken back."""
    push: Pushed | None = None
    """Whether the remote has it; None if there was nothing to change."""


@dataclass(frozen=True, slots=True)
class Bibliographies:
    """The works that a novel names at the tip: ``sources.bib``, and the entries of ``references.bib``."""

    folder: str
    """The novel's."""
    present: SceneText
    shelf: Shelf
    references: Sequence[Entry]

    def entry(self, work: SaidWork, shelf: Shelf, which: WhichWork) -> Entry:
        """Return the entry of a source: as a person said, as the novel has the work already, or a new one.

        Args:
            work: what its file says.
            shelf: the entries so far.

        Raises:
            NotFound: ``no-such-reference``; UsageMistake: ``bad-doi``.
        """
        if which.key:
            return self._named(which.key)
        said = work
        if which.doi:
            unsure = tuple(each for each in work.unsure if each.field != "doi")
            said = work.model_copy(update={"doi": doi_of(which), "unsure": unsure})
        return self._known(surely(said), shelf) or entry_for(said, self.taken(shelf))

    def known_as(self, entry: Entry, shelf: Shelf) -> Entry | None:
        """The entry that has the work of this one already, of ``references.bib`` or another source."""
        return self._known(surely(work_in(entry)), shelf)

    def taken(self, shelf: Shelf) -> frozenset[str]:
        """Keys that another work has."""
        return shelf.keys() | {each.key for each in self.references}

    def _known(self, work: Reference, shelf: Shelf) -> Entry | None:
        known = KnownWorks[Entry]()
        for each in (*self.references, *(shelf.entries if tells_itself(work) else ())):
            known.add(surely(work_in(each)), each)
        return known.find(work) or next(
            (each for each in self.references if is_work(work, reference_of(each))), None
        )

    def _named(self, key: str) -> Entry:
        keys = [each.key for each in self.references]
        if key not in keys:
            said = f"{BIBLIOGRAPHY} has no entry {key!r}{guess(nearest(key, keys))}"
            hint = f"add it with `penwright cite import FILE --into {quote(self.folder)}`"
            raise NotFound("no-such-reference", said, hint=hint)
        return self.references[keys.index(key)]


def doi_of(which: WhichWork) -> str:
    """The DOI that a person named; raises ``UsageMistake`` ``bad-doi``."""
    if which.doi and not checked_doi(which.doi):
        raise UsageMistake("bad-doi", f"{which.doi!r} is no DOI", hint="it begins with 10., as 10.1000/182")
    return checked_doi(which.doi)


def bibliographies(services: Services, novel: Novel) -> Bibliographies:
    """Read both; raises ``Refused`` ``references-not-text``."""
    snapshot = services.workspaces("novel").snapshot(novel.workspace, (SHELF, BIBLIOGRAPHY))
    if SHELF in snapshot.unreadable:
        raise Refused("references-not-text", f"{SHELF!r} is not UTF-8 text; convert it first")
    file, own = snapshot.files.get(SHELF), snapshot.files.get(BIBLIOGRAPHY)
    present = SceneText(SHELF)
    if file is not None:
        present = SceneText(SHELF, as_lf(file.text), file.blob, uses_crlf(file.text))
    references = read_entries(own.text).entries if own else ()
    return Bibliographies(novel.workspace.path, present, Shelf.read(present.text), references)


def put(
    services: Services, novel: Novel, files: Mapping[str, bytes], before: Bibliographies, shelf: Shelf
) -> SourcesChanged:
    """Put new files into ``sources/``, in one commit.

    Raises:
        Refused: ``sources-contended``, or the gate's denial.
    """
    if not files:
        return SourcesChanged((), "")
    placed = (Place(path=f"{SOURCES}/{name}", content=content) for name, content in files.items())
    operations = (*placed, *_rewritten(before.present, shelf))
    return _published(services, novel, tuple(files), operations, f"Add {_listed(list(files))}")


def identify(services: Services, novel: Novel, name: str, which: WhichWork) -> SourcesChanged:
    """Say which work a source is, or what is wrong or missing in its entry, in ``sources.bib``.

    Raises:
        NotFound: ``no-such-source``, ``no-such-reference``; UsageMistake: ``bad-doi``, ``which-work``.
        Refused: as ``put``.
    """
    _check_said(which)
    _check_known(novel, _blobs(services, novel), [name])
    now = bibliographies(services, novel)
    others = now.shelf.without([name])
    shelf = now.shelf.with_entry(_identified(now, others, name, which), name)
    operations = _rewritten(now.present, shelf)
    return _published(services, novel, (name,), operations, f"Say which work {name} is")


def _check_said(which: WhichWork) -> None:
    if which == WhichWork():
        raise UsageMistake(
            "which-work",
            "nothing says which work it is",
            hint="name it with --doi or --key, or say --title, --author or --year",
        )
    if which.key and which != WhichWork(key=which.key):
        raise UsageMistake(
            "which-work",
            "--key takes the whole entry of a work",
            hint=f"give --key alone, and correct the entry in {BIBLIOGRAPHY} by hand",
        )


def _identified(now: Bibliographies, others: Shelf, name: str, which: WhichWork) -> Entry:
    """The entry of a source by what a person says; ``others``: the shelf without it."""
    old = now.shelf.entry(name)
    if which.key or old is None or len(files_of(old)) > 1:
        old = now.entry(SaidWork(title=title_of(name)), Shelf(), WhichWork(key=which.key))
    if which.key:
        return old
    said = Reference(
        doi=doi_of(which), title=which.title, authors=authors_said(which.authors), year=which.year
    )
    entry = corrected(old, said, now.taken(others))
    return now.known_as(entry, others) or entry


def remove(services: Services, novel: Novel, names: Sequence[str]) -> SourcesChanged:
    """Take sources out, in one commit; raises ``NotFound`` ``no-such-source``, and as ``put``."""
    blobs, once = _blobs(services, novel), tuple(dict.fromkeys(names))
    _check_known(novel, blobs, once)
    now = bibliographies(services, novel)
    gone = tuple(Delete(path=f"{SOURCES}/{name}", base=blobs[name]) for name in once)
    operations = (*gone, *_rewritten(now.present, now.shelf.without(once)))
    return _published(services, novel, once, operations, f"Remove {_listed(once)}")


def undo(services: Services, novel: Novel) -> SourcesChanged:
    """Take the last change of the sources back, in a new commit; again, the one before.

    Raises:
        Refused: ``nothing-to-undo``, and as ``put``.
    """
    known = services.workspaces("novel").versions(novel.workspace, SOURCES, limit=_VERSIONS)
    at = shown(known)
    if at >= len(known):
        said = "every change of the sources is taken back" if known else "the sources were never changed"
        hint = f"add files with `penwright manuscript sources add {quote(novel.workspace.path)} FILE`"
        raise Refused("nothing-to-undo", f"{said}; there is nothing more to undo", hint=hint)
    last, earlier = known[at], known[at + 1].commit if at + 1 < len(known) else ""
    now, after = (_paths(services, novel, commit) for commit in ("", last.commit))
    before = _paths(services, novel, f"{last.commit}^") if earlier else {}
    changed = sorted(path for path in {**before, **after} if before.get(path) != after.get(path))
    operations = tuple(
        operation
        for path in changed
        for operation in _back(services, novel, path, before.get(path, ""), now.get(path, ""))
    )
    names = tuple(path.removeprefix(f"{SOURCES}/") for path in changed if path != SHELF)
    trailers = ((STEP, "undo"), (RESTORED, earlier or "none"))
    done = _published(services, novel, names, operations, f"Take back: {last.title}", trailers)
    return replace(done, message=last.title)


def _back(services: Services, novel: Novel, path: str, blob: str, present: str) -> Iterator[Operation]:
    """The operations that give a file the content that it had; ``blob`` is empty if there was no file."""
    if present and not blob:
        yield Delete(path=path, base=present)
    elif blob and not present:
        yield Place(path=path, blob=blob)
    elif blob != present and (text := services.workspaces("novel").text(novel.workspace, blob)) is not None:
        yield Modify(path=path, content=text, base=present)


def _paths(services: Services, novel: Novel, at: str = "") -> Mapping[str, str]:
    """Git blob ids of what lies in ``sources/`` at a commit, or at the tip, by path."""
    workspaces = services.workspaces("novel")
    return workspaces.snapshot(novel.workspace, (), names=(_FILES,), at=at or None).names


def _blobs(services: Services, novel: Novel) -> Mapping[str, str]:
    """Git blob ids of the sources at the tip, by name."""
    found = _paths(services, novel).items()
    return {path.removeprefix(f"{SOURCES}/"): blob for path, blob in found if path != SHELF}


def _check_known(novel: Novel, blobs: Mapping[str, str], names: Sequence[str]) -> None:
    for name in names:
        if name not in blobs:
            said = f"there is no source {name!r}{guess(nearest(name, list(blobs)))}"
            look = f"`penwright manuscript sources list {quote(novel.workspace.path)}` shows their names"
            raise NotFound("no-such-source", said, hint=look)


def _rewritten(present: SceneText, shelf: Shelf) -> tuple[Operation, ...]:
    if not shelf.text and present.revision:
        return (Delete(path=SHELF, base=present.revision),)
    return rewritten(present, shelf.text)


def _listed(names: Sequence[str]) -> str:
    return f"the source {names[0]}" if len(names) == 1 else counted(len(names), "source")


def _published(
    services: Services,
    novel: Novel,
    names: tuple[str, ...],
    operations: tuple[Operation, ...],
    message: str,
    trailers: tuple[tuple[str, str], ...] = (),
) -> SourcesChanged:
    """Make the commit, unless there is nothing to change, and push it."""
    if not operations:
        return SourcesChanged(names, "")
    plan = MutationPlan(
        workspace=novel.workspace,
        message=message,
        contributor=Contributor.HUMAN,
        operations=operations,
        tool="sources.edit",
        trailers=trailers,
    )
    effect = changes.new_effect(services, f"sources/{novel.novel_id}")
    published = changes.publish(services, "novel", plan, effect)
    if published.outcome == "conflict":
        said = f"{SOURCES}/ was changed meanwhile; nothing was changed, try again"
        raise Refused("sources-contended", said)
    return SourcesChanged(names, published.commit or "", push=_pushed(services, novel, effect))


def _pushed(services: Services, novel: Novel, effect: Effect) -> Pushed:
    """Bring the commit to the remote; one that does not answer gets it with the next push."""
    try:
        return services.workspaces("novel").push(novel.workspace, effect)
    except RemoteUnavailable as error:
        return Pushed(outcome="pending", code=error.code, reason=error.message)
