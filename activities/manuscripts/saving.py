"""A person's change of a scene: what was typed, an undo, a rollback; one commit, or why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass

from activities.manuscripts.reading import SceneAt, SceneReader
from activities.publishing import Done, Planned, Publisher
from penwright.domain.citations.proposals import same_words
from penwright.domain.manuscript.layout import scene_path
from penwright.domain.manuscript.restoring import named, undone
from penwright.domain.manuscript.texts import no_text, rewritten
from penwright.domain.text.merging.saving import gone_words, saved_text
from penwright.domain.text.words import count_words
from penwright.domain.trailers import PERSON, RESTORED
from penwright.errors import NotFound, Refused
from schemas.manuscript_text import RestoreText, SaveText, TextRestored, TextSaved
from schemas.workspace import Contributor, FileVersion

_LOCAL = "local"
"""The principal without logins."""
_VERSIONS = 1_000
"""Most changes of a scene that an undo or a rollback looks back."""


@dataclass(frozen=True, slots=True)
class SceneSaver:
    """Changes scenes for people, who need no intent."""

    publisher: Publisher
    reader: SceneReader

    def save(self, request: SaveText) -> TextSaved:
        """Merge what was typed into the scene at the tip; see ``TextSaved.outcome``."""
        mine = self.reader.text(request.text)
        if mine is None:
            return TextSaved(
                outcome="refused",
                code="text-not-utf8",
                message="what was sent is no UTF-8 text, or holds a NUL byte; nothing was saved",
                mine=request.text,
            )
        done = self.publisher.found(request, TextSaved)
        if done is None:
            self.reader.save_human_edits(request)
            done = self.publisher.commit(
                request, TextSaved, "save", Contributor.HUMAN, lambda: self._plan_save(request, mine)
            )
        return self._saved_at_commit(request, done, mine)

    def _plan_save(self, request: SaveText, mine: str) -> Planned[TextSaved]:
        found = self.reader.at(request.workspace, request.scene)
        if refused := _refused(found):
            return Planned(
                TextSaved(outcome="refused", code=refused[0], message=refused[1], mine=request.text)
            )
        base = self.reader.revision(request.workspace, request.base)
        theirs = found.scene.text
        saved = saved_text(base, mine, theirs)
        state = {
            "revision": found.scene.revision,
            "text": self.reader.keep(theirs),
            "words": count_words(theirs),
        }
        if saved.places:
            code = "unknown-base" if base is None else "edited-meanwhile"
            return Planned(
                TextSaved(
                    outcome="conflict",
                    mine=request.text,
                    theirs=state["text"],
                    places=saved.places,
                    code=code,
                    message="the same words were changed meanwhile; choose, and save again on this revision",
                    **state,
                )
            )
        operations = rewritten(found.scene, saved.text)
        gone = gone_words(theirs, saved.text) if operations else 0
        outcome = TextSaved(outcome="saved" if operations else "unchanged", emptied=gone, **state)
        if not operations and mine != theirs:
            outcome = outcome.model_copy(update={"mine": request.text})
        return Planned(
            outcome,
            operations,
            f"Save {found.scene.path}",
            _person(request.who),
            marks_alone=same_words(theirs, saved.text),
        )

    def _saved_at_commit(self, request: SaveText, done: Done[TextSaved], mine: str) -> TextSaved:
        """With the text as it was committed: it may hold others' changes as well."""
        if done.published is None or done.published.commit is None:
            return done.outcome
        found = self.reader.at(request.workspace, request.scene, done.published.commit)
        text = found.scene.text
        return done.outcome.model_copy(
            update={
                "outcome": "saved" if text == mine else "merged",
                "revision": found.scene.revision,
                "text": self.reader.keep(text),
                "words": count_words(text),
                "mine": None if text == mine else request.text,
                "commit": done.published.commit,
            }
        )

    def restore(self, request: RestoreText) -> TextRestored:
        """Bring an earlier text back; see ``TextRestored.outcome``."""
        done = self.publisher.found(request, TextRestored)
        if done is None:
            self.reader.save_human_edits(request)
            done = self.publisher.commit(
                request, TextRestored, request.kind, Contributor.HUMAN, lambda: self._plan_restore(request)
            )
        if done.published is None or done.published.commit is None:
            return done.outcome
        found = self.reader.at(request.workspace, request.scene, done.published.commit)
        text = found.scene.text
        now = {"revision": found.scene.revision, "text": self.reader.keep(text), "words": count_words(text)}
        return done.outcome.model_copy(update={**now, "commit": done.published.commit})

    def _plan_restore(self, request: RestoreText) -> Planned[TextRestored]:
        found = self.reader.at(request.workspace, request.scene)
        theirs = found.scene.text
        outcome = TextRestored(
            outcome="unchanged",
            revision=found.scene.revision,
            text=self.reader.keep(theirs),
            words=count_words(theirs),
        )
        if refused := _refused(found):
            return Planned(_not_restored(outcome, "refused", *refused))
        if request.expected is not None and request.expected != found.scene.revision:
            why = "the text was changed meanwhile; look at it, and do it again on this revision"
            return Planned(_not_restored(outcome, "conflict", "edited-meanwhile", why))
        try:
            version = self._version(request)
        except (NotFound, Refused) as error:
            return Planned(_not_restored(outcome, "refused", error.code, error.message))
        text = self.reader.revision(request.workspace, version.blob if version else "")
        if text is None:
            why = "that version is no UTF-8 text; take another one"
            return Planned(_not_restored(outcome, "refused", "scene-not-text", why))
        operations = rewritten(found.scene, text)
        changes = {"replaced": found.scene.revision, "restored_from": version.commit if version else None}
        if operations:
            outcome = outcome.model_copy(update={"outcome": "restored", **changes})
        trailers = ((RESTORED, version.commit if version else "none"), *_person(request.who))
        message = f"{'Undo the last change of' if request.kind == 'undo' else 'Roll back'} {found.scene.path}"
        return Planned(outcome, operations, message, trailers, marks_alone=same_words(theirs, text))

    def _version(self, request: RestoreText) -> FileVersion | None:
        path = scene_path(request.scene)
        versions = self.publisher.workspaces.versions(request.workspace, path, limit=_VERSIONS)
        if request.kind == "undo":
            return undone(versions)
        try:
            return named(versions, request.to)
        except NotFound:
            version = self._version_at(request, versions)
            if version is None:
                raise
            return version

    def _version_at(self, request: RestoreText, versions: Sequence[FileVersion]) -> FileVersion | None:
        """The version that a commit or tag has which did not change the scene."""
        try:
            found = self.reader.at(request.workspace, request.scene, request.to)
        except NotFound:
            return None
        return next((each for each in versions if each.blob and each.blob == found.scene.revision), None)


def _refused(found: SceneAt) -> tuple[str, str] | None:
    """Code and message of why the scene cannot be written; None if it can."""
    if found.scene.unreadable:
        return no_text(found.scene)
    if found.twin is not None:
        message = f"there is a scene {found.twin!r}, and the names differ only in case; use that one"
        return "scene-name-taken", message
    return None


def _not_restored(outcome: TextRestored, word: str, code: str, message: str) -> TextRestored:
    return outcome.model_copy(update={"outcome": word, "code": code, "message": message})


def _person(who: str) -> tuple[tuple[str, str], ...]:
    return ((PERSON, who),) if who and who != _LOCAL else ()
