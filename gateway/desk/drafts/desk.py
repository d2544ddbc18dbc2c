"""Drafts as pages and the API use them: open, change, bring up to date, save.

The server only checks and applies changes; a client that sent one to an old version gets what it missed, and
maps its own over it.
"""

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from gateway.desk.drafts import files
from gateway.desk.drafts.files import FileText
from gateway.desk.drafts.newest_texts import NewestTexts
from gateway.desk.drafts.readers import Reader, Readers, Waiters
from gateway.desk.drafts.words_today import TypedToday, words_today
from gateway.desk.principals import Principal, require
from gateway.desk.services import CommandStore, Services
from gateway.desk.works import registered
from gateway.desk.works.kinds import Work
from penwright.domain.drafts import carrying, moved_place
from penwright.domain.text.merging.changesets import apply, between
from penwright.domain.text.merging.saving import Carried, brought_together, with_carried
from penwright.errors import NotFound, PenwrightError, Refused
from schemas.base import OpId
from schemas.drafts import (
    AppendChange,
    Appended,
    ChangeSet,
    Draft,
    DraftChange,
    Missed,
    NewDraft,
    Rebased,
)

IDLE = timedelta(seconds=30)
"""Time a draft lies unchanged before it is saved by itself."""
_CHECKPOINT = 200
"""Changes after which the whole text is kept again."""
_TRIES = 5
_PAUSE = timedelta(seconds=5)
"""Time a person does not type before the passage moves in which they did."""
_LOOK_S = 2.0
"""Seconds between looks for a change that another process made."""


@dataclass(frozen=True, slots=True)
class DraftText:
    """A draft and its newest text."""

    draft: Draft
    text: str


@dataclass(frozen=True, slots=True)
class DraftSaved:
    """A draft whose words the work has."""

    draft: DraftText
    commit: str
    """Empty if nothing had to be changed."""
    warnings: tuple[str, ...] = ()
    """As of ``FileSaved``."""


@dataclass(frozen=True, slots=True)
class UnsavedDraft:
    """A draft that could not be saved by itself, and why."""

    draft: Draft
    error: PenwrightError


@dataclass(frozen=True)
class DraftDesk:
    """Drafts of this installation; one for each process, since it remembers the newest texts."""

    services: Services
    _texts: NewestTexts = field(default_factory=NewestTexts)
    _waiters: Waiters = field(default_factory=Waiters)
    _readers: Readers = field(default_factory=Readers)

    def open(self, principal: Principal, named: str, path: str) -> DraftText:
        """The draft of a file, begun if there is none, with what the file has become meanwhile.

        Raises:
            Refused: ``not-permitted``.
            NotFound, UsageMistake: there is no such work, or no such text in it.
        """
        work = self._work(principal, named)
        file = files.read(self.services, work, path)
        with self.services.open_store() as store:
            return self._opened(store, work.subject, path, file)

    def read(self, principal: Principal, draft_id: str) -> DraftText:
        """A draft with its newest text."""
        with self.services.open_store() as store:
            draft = _permitted(principal, store.drafts.read(draft_id))
            return DraftText(draft, self._texts.newest(store, draft))

    def changes(self, principal: Principal, draft_id: str, since: int) -> tuple[DraftChange, ...]:
        """The changes made to version ``since`` and later."""
        with self.services.open_store() as store:
            _permitted(principal, store.drafts.read(draft_id))
            return store.drafts.changes(draft_id, since)

    def words_today(self, principal: Principal, draft_id: str) -> TypedToday:
        """The words that ``principal`` typed into a draft, and into all of its work, today (UTC)."""
        with self.services.open_store() as store:
            draft = _permitted(principal, store.drafts.read(draft_id))
            return words_today(store, self._texts, draft, principal.name, self.services.now())

    def others(self, principal: Principal, draft_id: str, page: str) -> tuple[Reader, ...]:
        """The other pages of this process that have the draft open; a named ``page`` has it from now on."""
        reader, now = Reader(principal.name, page), self.services.now()
        if page and self._readers.seen(draft_id, reader, now):
            self._waiters.wake(draft_id)
        return self._readers.others(draft_id, reader, now)

    async def wait(
        self, principal: Principal, draft_id: str, since: int, seconds: float, page: str = ""
    ) -> tuple[DraftChange, ...]:
        """The changes made to version ``since`` and later; waits up to ``seconds`` for the first.

        What the file has become meanwhile is brought in before, which makes a change as well. The wait ends
        early when another page opens the draft, or is gone.

        Args:
            page: names the page that asks; see ``others``.
        """
        until = asyncio.get_running_loop().time() + seconds
        await asyncio.to_thread(self.refresh, principal, draft_id, patient=True)
        known = self.others(principal, draft_id, page)
        with self._waiters.waiting(draft_id) as waiter:
            while True:
                found = await asyncio.to_thread(self.changes, principal, draft_id, since)
                left = until - asyncio.get_running_loop().time()
                if found or left <= 0 or self.others(principal, draft_id, page) != known:
                    return found
                # Another process may have made a change, which wakes no waiter here.
                with suppress(TimeoutError):
                    await asyncio.wait_for(waiter.changed.wait(), min(left, _LOOK_S))
                waiter.changed.clear()

    def change(
        self, principal: Principal, draft_id: str, version: int, op_id: str, changes: ChangeSet
    ) -> Appended | Missed:
        """Keep a person's change of that version; of an older one, what was missed.

        Raises:
            UsageMistake: ``bad-changes``, ``text-too-long``.
            Refused: ``draft-closed``, ``not-permitted``.
        """
        request = AppendChange(
            draft_id=draft_id, version=version, op_id=OpId(op_id), changes=changes, author=principal.name
        )
        with self.services.open_store() as store:
            draft = _permitted(principal, store.drafts.read(draft_id))
            return self._append(store, draft, request)

    def refresh(self, principal: Principal, draft_id: str, *, patient: bool = False) -> DraftText:
        """Bring in what the file has become; the person's words stay where both changed.

        ``patient``: a passage that moved to another file stays while the person types.
        """
        with self.services.open_store() as store:
            draft = _permitted(principal, store.drafts.read(draft_id))
            work = self._work(principal, draft.work)
            file = files.read(self.services, work, draft.path)
            return self._brought_up(store, draft, file, patient=patient)

    async def save(self, principal: Principal, draft_id: str) -> DraftSaved:
        """Save the newest text as a commit of the person's; what others changed meanwhile is brought in.

        Raises:
            Refused: ``book-busy`` and other reasons; the draft keeps all words.
        """
        for _ in range(_TRIES):
            mine = self.refresh(principal, draft_id)
            await self._save_moved(principal, mine.draft)
            if not mine.draft.unsaved:
                return DraftSaved(mine, "")
            work = self._work(principal, mine.draft.work)
            typed = FileText(mine.text, mine.draft.base)
            key = f"draft-{draft_id}-{mine.draft.version}"
            saved = await files.save(
                self.services, work, mine.draft.path, typed, who=mine.draft.changed_by, key=key
            )
            if not saved.conflict:
                return DraftSaved(self._noted(mine, saved.file), saved.commit, saved.warnings)
        raise Refused(
            "draft-not-saved",
            f"{mine.draft.path!r} was changed each time it was to be saved; all words are in the draft",
            hint="save again when the run that writes it has ended",
        )

    async def _save_moved(self, principal: Principal, draft: Draft) -> None:
        """Save the words that went with passages into the draft of another file."""
        with self.services.open_store() as store:
            into = self._carry(store, draft)
            unsaved = sorted(each for each in into if store.drafts.read(each).unsaved)
        for draft_id in unsaved:
            await self.save(principal, draft_id)

    def save_now(self, principal: Principal, draft_id: str) -> DraftSaved:
        """``save`` in a loop of its own: it runs git between its awaits, which would hold up a server."""
        return asyncio.run(self.save(principal, draft_id))

    def save_idle_now(self) -> tuple[UnsavedDraft, ...]:
        """``save_idle`` in a loop of its own."""
        return asyncio.run(self.save_idle())

    async def save_idle(self) -> tuple[UnsavedDraft, ...]:
        """Save each draft that has lain unchanged for ``IDLE``; returns those that could not be saved."""
        with self.services.open_store() as store:
            idle = store.drafts.unsaved_since(self.services.now() - IDLE)
        failed: list[UnsavedDraft] = []
        for draft in idle:
            try:
                await self.save(_typist(draft), draft.draft_id)
            except PenwrightError as error:
                failed.append(UnsavedDraft(draft, error))
        return tuple(failed)

    def drop_dispute(self, principal: Principal, draft_id: str, number: int) -> Draft:
        """Drop a dispute that the person has decided."""
        with self.services.open_store() as store:
            _permitted(principal, store.drafts.read(draft_id))
            return store.drafts.drop_dispute(draft_id, number)

    def close(self, principal: Principal, draft_id: str) -> Draft:
        """End a draft without saving it; its text can still be read."""
        with self.services.open_store() as store:
            _permitted(principal, store.drafts.read(draft_id))
            return store.drafts.close(draft_id)

    def _work(self, principal: Principal, named: str) -> Work:
        """A registered book or novel; what a browser sends never names a folder."""
        work = registered.work(self.services, named)
        require(principal, "write", f"{work.kind}/{work.subject}")
        return work

    def _append(self, store: CommandStore, draft: Draft, request: AppendChange) -> Appended | Missed:
        if request.version != draft.version:
            # An old version: the store says what was missed, or that it has the operation.
            return store.drafts.append(request)
        after = apply(self._texts.newest(store, draft), request.changes)
        if (draft.version + 1) % _CHECKPOINT == 0:
            request = request.model_copy(update={"text": store.blobs.put(after.encode())})
        answer = store.drafts.append(request)
        if isinstance(answer, Appended) and not answer.replayed:
            self._texts.remember(draft.draft_id, answer.version, after)
            self._waiters.wake(draft.draft_id)
        return answer

    def _opened(
        self, store: CommandStore, work: str, path: str, file: FileText, *, follow: bool = True
    ) -> DraftText:
        text = store.blobs.put(file.text.encode())
        new = NewDraft(draft_id=secrets.token_hex(8), work=work, path=path, base=file.revision, text=text)
        return self._brought_up(store, store.drafts.open(new), file, follow=follow)

    def _brought_up(
        self, store: CommandStore, draft: Draft, file: FileText, *, follow: bool = True, patient: bool = False
    ) -> DraftText:
        """The draft with what its file has become; tried again when a person types meanwhile.

        Args:
            follow: words typed in a passage that moved to another file go into that file's draft.
            patient: such a passage is left where it is while the person types.
        """
        for _ in range(_TRIES):
            mine = self._texts.newest(store, draft)
            if draft.base == file.revision:
                return DraftText(draft, mine)
            base = store.blobs.get(draft.base_text).decode()
            path = self._other_path(draft) if follow and mine != base else ""
            together = brought_together(base, mine, file.text, self._draft_text(store, draft, path))
            if patient and together.carried and self.services.now() - draft.changed_at < _PAUSE:
                return DraftText(draft, mine)
            moved = (moved_place(each, path) for each in together.carried)
            answer = self._append(
                store,
                draft,
                AppendChange(
                    draft_id=draft.draft_id,
                    version=draft.version,
                    op_id=OpId(f"file-{file.revision}-{draft.version}"),
                    changes=between(mine, together.text),
                    author="",
                    kind="machine",
                    rebased=Rebased(
                        base=file.revision,
                        base_text=store.blobs.put(file.text.encode()),
                        disputes=(*together.places, *moved),
                    ),
                    saved=together.text == file.text,
                ),
            )
            draft = store.drafts.read(draft.draft_id)
            if isinstance(answer, Appended):
                self._carry(store, draft)
                return DraftText(draft, self._texts.newest(store, draft))
        raise Refused("draft-busy", f"{draft.path!r} is being typed into; try again")

    def _other_path(self, draft: Draft) -> str:
        return files.other_path(registered.work(self.services, draft.work), draft.path)

    def _draft_text(self, store: CommandStore, draft: Draft, path: str) -> str:
        """The newest text of another file of the draft's work; empty without a path."""
        return self._other(store, draft, path).text if path else ""

    def _other(self, store: CommandStore, draft: Draft, path: str) -> DraftText:
        file = files.read(self.services, registered.work(self.services, draft.work), path)
        return self._opened(store, draft.work, path, file, follow=False)

    def _carry(self, store: CommandStore, draft: Draft) -> set[str]:
        """Put the words for moved passages into the drafts where these are now, once; returns those drafts.

        The disputes of the draft hold the words until then, whenever a process dies.
        """
        into: set[str] = set()
        for place in (each.place for each in draft.disputes if each.place.moved_to):
            for _ in range(_TRIES):
                other = self._other(store, draft, place.moved_to)
                text = with_carried(other.text, (Carried(place.base, place.mine),))
                request = AppendChange(
                    draft_id=other.draft.draft_id,
                    version=other.draft.version,
                    op_id=carrying(draft, place),
                    changes=between(other.text, text),
                    author=draft.changed_by,
                )
                into.add(other.draft.draft_id)
                if text == other.text or isinstance(self._append(store, other.draft, request), Appended):
                    break
        return into

    def _noted(self, mine: DraftText, file: FileText) -> DraftText:
        """The draft once the work has it; others' changes that came in with the save are brought in."""
        with self.services.open_store() as store:
            ref = store.blobs.put(mine.text.encode())
            rebased = Rebased(base=mine.draft.base, base_text=ref)
            if file.text == mine.text:
                rebased = Rebased(base=file.revision, base_text=ref)
            draft = store.drafts.mark_saved(mine.draft.draft_id, mine.draft.version, rebased)
            return self._brought_up(store, draft, file)


def _permitted(principal: Principal, draft: Draft) -> Draft:
    """``draft``; one of a work that the principal may not touch is told as one that is not there."""
    if principal.subjects is not None and not principal.subjects & set(_subjects(draft)):
        raise NotFound("unknown-draft", f"there is no draft {draft.draft_id!r}; load the page again")
    require(principal, "write")
    return draft


def _subjects(draft: Draft) -> tuple[str, ...]:
    """The id of a work names a book or a novel, never both."""
    return (f"book/{draft.work}", f"novel/{draft.work}")


def _typist(draft: Draft) -> Principal:
    return Principal(draft.changed_by, frozenset({"write"}), frozenset(_subjects(draft)))
