"""A model's change of a scene: one commit under its intent, or why there is none."""

from collections.abc import Callable
from dataclasses import dataclass

from activities.manuscripts.reading import SceneAt, SceneReader
from activities.publishing import Done, Planned, Publisher, agent_trailer
from penwright.domain.citations.cited_versions import CITE_STEP
from penwright.domain.manuscript.patching import PatchedScene
from penwright.domain.manuscript.texts import no_text, rewritten
from penwright.domain.text.words import count_words
from penwright.domain.trailers import MODEL, OVERRIDES
from schemas.manuscript_text import ApplyOperations, OperationsApplied
from schemas.workspace import Contributor


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
