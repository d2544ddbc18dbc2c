"""The requests that the steps of a scan make of the text's activities, and what their answers come to."""

from collections.abc import Iterator
from typing import Any

from penwright.domain.citations.cited_versions import CITE_STEP
from schemas.base import BlobRef, Effect, OpId
from schemas.citation_scan import (
    ApplyChanges,
    BibliographyRead,
    ChangesApplied,
    EditsPlanned,
    OpenScan,
    PlanEdits,
    PushScan,
    ReadBibliography,
    ScanOpened,
    ScanRequest,
    Surveyed,
    SurveyText,
    TakeUpScan,
)
from schemas.intents import Selected
from schemas.manuscript_text import (
    ApplyOperations,
    OperationsApplied,
    PushNovel,
    ReadText,
    SceneRequest,
    SelectSceneIntent,
    TextRead,
)
from schemas.patching import OperationResult
from schemas.workspace import Denial

_IN_TEXT = frozenset({"applied", "already_applied"})


def reading(step: ScanRequest) -> ReadText:
    """Read the scene; people's unsaved edits are committed under an op id of their own."""
    approval = step.approval if isinstance(step, ApplyChanges) else None
    part = f"read-{approval.id}" if approval else "read"
    return ReadText(**_scene(step, _part_of(step.effect, part)))


def selecting(step: OpenScan) -> SelectSceneIntent:
    """Look up the intent to change text under."""
    return SelectSceneIntent(
        subject=step.subject, workspace=step.workspace, scene=step.scene, intent=step.intent
    )


def surveying(step: OpenScan, text: BlobRef) -> SurveyText:
    """Number the sentences of what was read."""
    return SurveyText(**_scene(step, step.effect), principal=step.principal, text=text)


def looking_for_references(step: OpenScan) -> ReadBibliography:
    """Read what the author has collected."""
    return ReadBibliography(**_scene(step, step.effect), principal=step.principal)


def taking_up(step: OpenScan, text: BlobRef | None) -> TakeUpScan:
    """Read what the last scan left."""
    return TakeUpScan(**_scene(step, step.effect), principal=step.principal, text=text)


def opened(
    read: TextRead, selected: Selected, shelf: BibliographyRead, surveyed: Surveyed | None
) -> ScanOpened:
    """Text, bibliography and survey that the scan works on."""
    return ScanOpened(
        revision=read.revision,
        text=read.text,
        pin=selected.pin,
        bibliography=shelf.text,
        library=shelf.library,
        surveyed=surveyed,
        code=read.code if read.text is None else "",
        message=read.message if read.text is None else "",
    )


def planning(step: ApplyChanges, text: BlobRef) -> PlanEdits:
    """Make operations on the newest text."""
    return PlanEdits(text=text, proposals=step.proposals, numbers=step.numbers)


def applying(step: ApplyChanges, text: BlobRef, operations: BlobRef) -> ApplyOperations:
    """Bring the operations onto the scene, as one commit."""
    many = "citations" if len(step.numbers) > 1 else "citation"
    return ApplyOperations(
        **_scene(step, step.effect),
        snapshot=text,
        operations=operations,
        step=CITE_STEP,
        keep_citations=False,
        pin=step.pin,
        approval=step.approval,
        message=f"Add {len(step.numbers)} {many}",
        overrides=step.overrides,
    )


def pushing(step: PushScan) -> PushNovel:
    """Bring the remote up to date."""
    asked = step.request
    return PushNovel(
        effect=asked.effect, subject=asked.subject, workspace=asked.workspace, session=asked.session
    )


def unreadable(step: ApplyChanges, read: TextRead) -> ChangesApplied:
    """The scene's file is no text any more."""
    return ChangesApplied(causes=dict.fromkeys(step.numbers, (read.code, read.message)))


def unchanged(planned: EditsPlanned, read: TextRead) -> ChangesApplied:
    """There is nothing to change: it stands there already, or its sentence is gone."""
    return ChangesApplied(
        applied=planned.present, causes=planned.stale, revision=read.revision, text=read.text
    )


def changed(planned: EditsPlanned, done: OperationsApplied) -> ChangesApplied:
    """Result of each target's operation."""
    if done.denial is not None:
        return _denied(planned, done, done.denial)
    pairs = list(zip(planned.numbers, _results(planned, done), strict=True))
    is_in = {number for numbers, each in pairs if each.outcome in _IN_TEXT for number in numbers}
    causes = {
        number: (each.outcome, each.message or done.message or "people changed this place; scan again")
        for numbers, each in pairs
        for number in numbers
        if number not in is_in
    }
    return ChangesApplied(
        applied=(*planned.present, *sorted(is_in)),
        causes={**planned.stale, **causes},
        revision=done.revision,
        text=done.text,
        commit=done.commit,
    )


def _results(planned: EditsPlanned, done: OperationsApplied) -> Iterator[OperationResult]:
    """A result for each operation, also where the whole request was refused."""
    yield from done.results[: len(planned.numbers)]
    for index in range(len(done.results), len(planned.numbers)):
        yield OperationResult(index=index, outcome="conflict", message=done.message)


def _denied(planned: EditsPlanned, done: OperationsApplied, denial: Denial) -> ChangesApplied:
    """It may not be allowed: each target says why."""
    code = denial.error_code.lower().replace("_", "-")
    cause = (code, f"{denial.message}; {denial.action_hint}")
    causes = {number: cause for numbers in planned.numbers for number in numbers}
    return ChangesApplied(
        applied=planned.present, causes={**planned.stale, **causes}, revision=done.revision, text=done.text
    )


# Any: the fields of ``SceneRequest``.
def _scene(step: SceneRequest, effect: Effect) -> dict[str, Any]:
    return {
        "effect": effect,
        "subject": step.subject,
        "workspace": step.workspace,
        "session": step.session,
        "scene": step.scene,
    }


def _part_of(effect: Effect, part: str) -> Effect:
    return effect.model_copy(update={"op_id": OpId(f"{effect.op_id}/{part}")})
