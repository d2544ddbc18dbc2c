"""Manuscripts: which there are, their texts now and before, and what people write into them."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from gateway.desk.manuscript import board, editing, scenes
from gateway.desk.principals import require, sees
from gateway.desk.works import permitted
from gateway.http.asking import Asking, FromServices
from gateway.http.cursors import OnePage
from gateway.http.keys import Operation
from gateway.http.orders import Order
from gateway.http.revisions import Base, not_modified, tag, unchanged
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.errors import Refused, UsageMistake
from schemas.manuscript_text import SceneSection, TextRestored, TextSaved

LONGEST = 8_000_000
"""Characters of one text."""

router = APIRouter(prefix="/manuscripts", tags=["manuscripts"], route_class=StrictRoute)

Version = Annotated[str, Query(max_length=200)]


class ListedDocument(BaseModel):
    """A document of a novel; ``-`` is the manuscript itself."""

    novel: str
    scene: str
    title: str
    state: str
    words: int | None
    """As of its newest run; null: no run has counted them yet."""
    score: float | None
    outcome: str
    """Of its newest run that ended."""
    ended_at: datetime | None
    cost_micros: int


class ListedDocuments(BaseModel):
    """Documents by name."""

    items: list[ListedDocument]
    next: str | None
    trouble: str = ""
    """Reason why it is not known what runs now; empty if it is."""


class DocumentInNovel(BaseModel):
    """A text of a novel."""

    scene: str
    words: int
    sections: int
    revision: str
    changed_at: datetime | None
    unsaved: bool
    """The folder has edits of it that no commit has yet."""
    readable: bool


class NovelDocuments(BaseModel):
    """The texts of a novel, the manuscript first."""

    novel: str
    title: str
    items: list[DocumentInNovel]


class ShownDocument(BaseModel):
    """A text at one commit."""

    scene: str
    text: str
    """With LF."""
    revision: str
    """As in the ETag."""
    commit: str
    words: int
    sections: list[SceneSection]


class DocumentText(Order):
    """The whole new text."""

    text: str = Field(max_length=LONGEST)


class SavedDocument(BaseModel):
    """Result of saving a person's text."""

    outcome: Literal["saved", "merged", "unchanged"]
    """``merged``: the text had moved on, and both sides' changes are in it."""
    revision: str
    words: int
    commit: str | None
    emptied: int = 0
    """Words that stood in it, if it holds none any more; its undo brings them back."""


class DocumentVersion(BaseModel):
    """A commit that changed a document."""

    commit: str
    at: datetime
    revision: str
    """Empty if it removed the document."""
    author: str
    title: str


class DocumentVersions(BaseModel):
    """Versions, newest first."""

    items: list[DocumentVersion]


class DocumentDifference(BaseModel):
    """Changes, as ``diff -u`` shows them; empty if there are none."""

    lines: str


class TakeBackOrder(Order):
    """Whether the text is still the one that the caller saw."""

    expected: str | None = Field(default=None, max_length=200)
    """Its revision; null: whatever it is now."""


class BringBackOrder(TakeBackOrder):
    """The earlier text that is wanted."""

    to: str = Field(min_length=1, max_length=200)
    """A commit or a revision."""


class BroughtBack(BaseModel):
    """The document as it is now."""

    outcome: Literal["restored", "unchanged"]
    revision: str
    words: int
    replaced: str
    """Revision of the text before; to bring that one back takes this back."""
    commit: str | None


@router.get("")
def list_documents(
    principal: Asking,
    services: FromServices,
    page: OnePage,
    novel: Annotated[str, Query(max_length=200, description="Only documents of this novel.")] = "",
) -> ListedDocuments:
    """The documents that agents have worked on, each with its state, score and cost."""
    require(principal, "read")
    found = finished(board.board(services, novel or None))
    seen = [each for each in found.lines if sees(principal, f"novel/{each.novel}")]
    seen.sort(key=lambda each: f"{each.novel}/{each.scene}")
    items, following = page.cut_sorted(seen, lambda each: f"{each.novel}/{each.scene}")
    listed = [ListedDocument.model_validate(asdict(each)) for each in items]
    return ListedDocuments(items=listed, next=following, trouble=found.trouble)


@router.get("/{novel_id}")
def show_novel(novel_id: str, principal: Asking, services: FromServices) -> NovelDocuments:
    """The texts of a novel as they were committed last."""
    found = permitted.novel(services, principal, "read", novel_id)
    rows = [DocumentInNovel.model_validate(asdict(each)) for each in scenes.listing(services, found)]
    return NovelDocuments(novel=found.novel_id, title=found.title, items=rows)


@router.get("/{novel_id}/{document}", responses={304: {"description": "the caller has this revision"}})
def show_document(
    novel_id: str,
    document: str,
    request: Request,
    response: Response,
    principal: Asking,
    services: FromServices,
    at: Annotated[str, Query(max_length=200, description="A commit, tag or revision.")] = "",
) -> ShownDocument:
    """A text as it was committed last, or as it was."""
    found = permitted.document(services, principal, "read", novel_id, document)
    shown = scenes.show(services, found.novel, found.scene, at=at)
    if unchanged(request, shown.revision):
        return not_modified(shown.revision)  # type: ignore[return-value]
    response.headers["etag"] = tag(shown.revision)
    return ShownDocument.model_validate(asdict(shown))


@router.put("/{novel_id}/{document}")
def write_document(
    novel_id: str,
    document: str,
    given: DocumentText,
    response: Response,
    base: Base,
    principal: Asking,
    services: FromServices,
) -> SavedDocument:
    """Save a text as the caller's commit, merged with what changed since the revision in If-Match.

    412 where the same words were changed meanwhile; nothing is saved then.
    """
    found = permitted.document(services, principal, "write", novel_id, document)
    saved = finished(
        editing.save(services, found.novel, found.scene, given.text, base=base, principal=principal.name)
    )
    _refuse_unsaved(saved)
    response.headers["etag"] = tag(saved.revision)
    return SavedDocument.model_validate(saved.model_dump())


@router.get("/{novel_id}/{document}/versions")
def list_versions(
    novel_id: str,
    document: str,
    principal: Asking,
    services: FromServices,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> DocumentVersions:
    """The commits that changed a document, newest first."""
    found = permitted.document(services, principal, "read", novel_id, document)
    items = [
        DocumentVersion(
            commit=each.commit, at=each.at, revision=each.blob, author=each.author, title=each.title
        )
        for each in scenes.versions(services, found.novel, found.scene)[:limit]
    ]
    return DocumentVersions(items=items)


@router.get("/{novel_id}/{document}/compare")
def compare_versions(
    novel_id: str,
    document: str,
    principal: Asking,
    services: FromServices,
    since: Version = "",
    until: Version = "",
) -> DocumentDifference:
    """Compare two versions; without them, the newest one with the one before."""
    found = permitted.document(services, principal, "read", novel_id, document)
    return DocumentDifference(lines=scenes.diff(services, found.novel, found.scene, since=since, until=until))


@router.post("/{novel_id}/{document}/undo")
def undo_change(
    novel_id: str,
    document: str,
    given: TakeBackOrder,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> BroughtBack:
    """Take the last change back, as a new commit; done again, the one before."""
    found = permitted.document(services, principal, "write", novel_id, document)
    who = principal.name
    return _brought_back(
        finished(editing.undo(services, found.novel, found.scene, expected=given.expected, principal=who))
    )


@router.post("/{novel_id}/{document}/rollback")
def bring_back(
    novel_id: str,
    document: str,
    given: BringBackOrder,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> BroughtBack:
    """Bring an earlier text back, as a new commit."""
    found = permitted.document(services, principal, "write", novel_id, document)
    answer = editing.rollback(
        services, found.novel, found.scene, given.to, expected=given.expected, principal=principal.name
    )
    return _brought_back(finished(answer))


def _refuse_unsaved(saved: TextSaved) -> None:
    if saved.outcome == "refused":
        raise UsageMistake(saved.code, saved.message)
    if saved.outcome == "conflict":
        raise Refused(
            "stale-revision",
            f"{saved.message or 'the same words were changed meanwhile'}; nothing was saved",
            hint="read the text again, bring both together, and save with its ETag",
        )


def _brought_back(answer: TextRestored) -> BroughtBack:
    if answer.outcome == "conflict":
        raise Refused("stale-revision", answer.message, hint="read the text again")
    if answer.outcome == "refused":
        raise Refused(answer.code, answer.message)
    return BroughtBack.model_validate(answer.model_dump())
