"""Activities on the text of a scene: each change is one commit, made once per op id."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError
from temporalio import activity

from activities.manuscripts.reading import SceneAt, SceneReader
from activities.manuscripts.saving import SceneSaver
from activities.publishing import Done, Planned, Publisher, agent_trailer, in_one_repository
from activities.trace_reading import keep_anchors, with_past
from penwright.domain.citations.cited_versions import CITE_STEP
from penwright.domain.intents.selecting import select_owner
from penwright.domain.manuscript.config import why_broken
from penwright.domain.manuscript.layout import ENGINE_WRITTEN, GOVERNING, KNOWN, NOVEL, scene_path
from penwright.domain.manuscript.patching import PatchedScene, patched_scene
from penwright.domain.manuscript.profile import MANUSCRIPT_PROFILE
from penwright.domain.manuscript.sections import sections_of
from penwright.domain.manuscript.texts import no_text, rewritten
from penwright.domain.text.words import count_words
from penwright.domain.trace.layout import LESSONS
from penwright.domain.trace.lessons import lessons_of
from penwright.domain.trace.source import TraceAnchors
from penwright.domain.trailers import MERGE_OP, MODEL, OVERRIDES
from penwright.ports.blobs import Blobs
from penwright.ports.workspaces import Workspaces
from schemas.base import BookId
from schemas.intents import Selected
from schemas.manuscript_text import (
    ApplyOperations,
    NovelPushed,
    OperationsApplied,
    PushNovel,
    ReadText,
    RestoreText,
    SaveText,
    SceneMerged,
    SelectSceneIntent,
    SyncNovel,
    TextRead,
    TextRestored,
    TextSaved,
)
from schemas.patching import Operation
from schemas.workspace import Contributor, Synced


@dataclass(frozen=True, slots=True)
class ScenePatcher:
    """Changes scenes for models."""

    publisher: Publisher
    reader: SceneReader

    def change(self, request: ApplyOperations, changed: Callable[[str], PatchedScene]) -> OperationsApplied:
        """Commit what ``changed`` makes of the scene's text at the tip, once per op id."""
        done = self.publisher.found(request, OperationsApplied) or self._attempt(request, changed)
        if done.denial is not None:
            return done.outcome.model_copy(update={"outcome": "denied", "denial": done.denial})
        return self._at_commit(request, done)

    def _attempt(
        self, request: ApplyOperations, changed: Callable[[str], PatchedScene]
    ) -> Done[OperationsApplied]:
        """Under the approval, if there is one, and without it when nothing needs it any more."""
        self.reader.save_human_edits(request, request.approval.id if request.approval else "")
        done = self.publisher.attempt(
            request,
            OperationsApplied,
            request.step,
            _contributor(request),
            lambda: self._plan(request, changed),
        )
        asks = done.denial.asks if done.denial else None
        if request.approval is None or asks is None or asks.codes:
            return done
        return self._attempt(request.model_copy(update={"approval": None}), changed)

    def _plan(
        self, request: ApplyOperations, changed: Callable[[str], PatchedScene]
    ) -> Planned[OperationsApplied]:
        found = self.reader.at(request.workspace, request.scene)
        if found.scene.unreadable:
            code, message = no_text(found.scene)
            return Planned(OperationsApplied(outcome="refused", code=code, message=message))
        patched = changed(found.scene.text)
        operations = rewritten(found.scene, patched.text)
        return Planned(
            self._outcome(found, patched, changes=bool(operations)),
            operations,
            request.message or f"{request.step.capitalize()} {found.scene.path}",
            _trailers(request),
            pin=request.pin,
            approval=request.approval,
        )

    def _outcome(self, found: SceneAt, patched: PatchedScene, *, changes: bool) -> OperationsApplied:
        """Describe the tip; of a change, all but what its commit makes of the text."""
        text = found.scene.text
        return OperationsApplied(
            outcome="applied" if changes else "conflict" if patched.in_conflict else "unchanged",
            revision=found.scene.revision,
            text=self.reader.keep(text),
            words=count_words(text),
            results=patched.results,
        )

    def _at_commit(self, request: ApplyOperations, done: Done[OperationsApplied]) -> OperationsApplied:
        """With the text as it was committed: publish may have merged what came meanwhile."""
        if done.published is None or done.published.commit is None or done.outcome.outcome != "applied":
            return done.outcome
        found = self.reader.at(request.workspace, request.scene, done.published.commit)
        text = found.scene.text
        return done.outcome.model_copy(
            update={
                "revision": found.scene.revision,
                "text": self.reader.keep(text),
                "words": count_words(text),
                "commit": done.published.commit,
            }
        )


def _contributor(request: ApplyOperations) -> Contributor:
    """A citation is a mark that the engine sets: its sentence stays its author's."""
    return Contributor.ENGINE if request.step == CITE_STEP else Contributor.MODEL


def _trailers(request: ApplyOperations) -> tuple[tuple[str, str], ...]:
    """Trailers of the writer: a model, or the program of an outside agent."""
    told = ((MODEL, request.model), (OVERRIDES, request.overrides))
    return (*((name, value) for name, value in told if value), *agent_trailer(request.who))


_LOOKED_BACK = 20
"""Changes of a scene among which the merge of a push is looked for."""
_OPERATIONS = TypeAdapter(tuple[Operation, ...])


@dataclass(frozen=True)
class ManuscriptTextActivities:
    """Activities for the novels on one host. They finish what they began, even when the worker shuts down.

    What the model, the gate or a person did wrong is an outcome; only the infrastructure raises, and a
    scene's name that is none (``UsageMistake``), which callers check before they ask.
    """

    workspaces: Workspaces
    """Those made with ``MANUSCRIPT_PROFILE``."""
    blobs: Blobs
    trace: TraceAnchors | None = None
    """Parsed texts, for the histories of intents."""

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def read_text(self, request: ReadText) -> TextRead:
        """Read a scene at the tip, after a person's unsaved edits were committed as theirs."""
        saved = self._reader.save_human_edits(request)
        found = self._reader.at(request.workspace, request.scene)
        if found.scene.unreadable:
            code, message = no_text(found.scene)
            return TextRead(
                outcome="refused", code=code, message=message, commit=found.commit, left_out=saved.left_out
            )
        text = found.scene.text
        return TextRead(
            revision=found.scene.revision,
            text=self._reader.keep(text),
            words=count_words(text),
            sections=sections_of(text),
            human_edits=saved.paths,
            left_out=saved.left_out,
            commit=found.commit,
        )

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def apply_operations(self, request: ApplyOperations) -> OperationsApplied:
        """Bring a model's operations onto the scene at the tip, as one commit."""
        try:
            operations = _OPERATIONS.validate_json(self.blobs.get(request.operations))
        except ValidationError as error:
            problem = "; ".join(each["msg"] for each in error.errors()[:3])
            return OperationsApplied(outcome="refused", code="bad-operations", message=problem)
        snapshot = self._reader.text(request.snapshot)
        if snapshot is None:
            return _sent_no_text()

        def changed(head: str) -> PatchedScene:
            return patched_scene(
                operations,
                snapshot,
                head,
                max_hunks=request.max_hunks,
                new_citations=request.new_citations if request.keep_citations else None,
                once=request.step == "write",
            )

        return self._patcher.change(request, changed)

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def save_text(self, request: SaveText) -> TextSaved:
        """Save what a person typed; what others changed meanwhile is merged, or named as a conflict."""
        return self._saver.save(request)

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def restore_text(self, request: RestoreText) -> TextRestored:
        """Undo the last change of a scene, or roll it back to an earlier version."""
        return self._saver.restore(request)

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def select_scene_intent(self, request: SelectSceneIntent) -> Selected:
        """The handshake: what an intent asks now, and what was done for it.

        Raises:
            Refused: as ``select_owner``.
        """
        snapshot = self.workspaces.snapshot(request.workspace, (*GOVERNING, LESSONS))
        texts = {path: file.text for path, file in snapshot.files.items()}
        path = scene_path(request.scene)
        selected = select_owner(texts, snapshot.unreadable, path, request.intent)
        lessons = lessons_of(texts.get(LESSONS, ""))
        return with_past(self.workspaces, request.workspace, selected, lessons)

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def sync_novel(self, request: SyncNovel) -> Synced:
        """Commit people's unsaved edits as theirs, and take in what the remote has.

        Raises:
            BrokenBook, UsageMistake: the ``Novel.yml`` that this would leave cannot be read; nothing is
                committed or merged.
        """
        workspace, effect = request.workspace, request.effect
        self.workspaces.check(workspace)
        previewed = self.workspaces.preview(workspace, effect, (NOVEL,), known=KNOWN)
        if (broken := why_broken(previewed.snapshot)) is not None:
            raise broken
        return self.workspaces.sync(workspace, effect, known=KNOWN, engine=ENGINE_WRITTEN, after=previewed)

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def push_novel(self, request: PushNovel) -> NovelPushed:
        """Bring the remote up to date, without force; raises ``RemoteUnavailable`` if it does not answer."""
        pushed = self.workspaces.push(request.workspace, request.effect)
        merged = self._merged(request) if request.scene else None
        self.workspaces.maintain(request.workspace)
        keep_anchors(self.workspaces, self.trace, request.workspace, BookId(request.subject))
        return NovelPushed(**pushed.model_dump(), merged=merged)

    def _merged(self, request: PushNovel) -> SceneMerged | None:
        """The scene as this push merged it with what another machine had pushed; None if it did not."""
        versions = self.workspaces.versions(request.workspace, scene_path(request.scene), limit=_LOOKED_BACK)
        if not any(each.trailers.get(MERGE_OP) == request.effect.op_id for each in versions):
            return None
        found = self._reader.at(request.workspace, request.scene)
        words = count_words(found.scene.text)
        return SceneMerged(revision=found.scene.revision, words=words, commit=found.commit)

    @property
    def _reader(self) -> SceneReader:
        return SceneReader(self.workspaces, self.blobs)

    @property
    def _publisher(self) -> Publisher:
        return Publisher(self.workspaces, self.blobs, MANUSCRIPT_PROFILE)

    @property
    def _patcher(self) -> ScenePatcher:
        return ScenePatcher(self._publisher, self._reader)

    @property
    def _saver(self) -> SceneSaver:
        return SceneSaver(self._publisher, self._reader)


def _sent_no_text() -> OperationsApplied:
    message = "what was sent is no UTF-8 text, or holds a NUL byte; nothing was changed"
    return OperationsApplied(outcome="refused", code="text-not-utf8", message=message)
