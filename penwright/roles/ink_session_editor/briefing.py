"""Make the editor's prompt from a session's payload and its draft."""

from collections.abc import Iterator

from penwright.domain.book.files.layout import REVIEW
from penwright.domain.book.files.unfilled import filled_in
from penwright.domain.book.prose_so_far import last_prose
from penwright.domain.models.token_estimate import estimate_tokens
from penwright.domain.prose.editing import MOST_EDITS
from penwright.ports.blobs import Blobs
from penwright.roles.book_text import BookText
from penwright.roles.ink_session_editor.answer import EditingTask, new_prose
from schemas.book import SessionPayload
from schemas.book_session import Brief, EditProse

_ANSWER_TOKENS = 2_000
"""Room for reasons and marks, besides the passages."""
_SOUL = "Soul.md"


def brief_of(request: EditProse, blobs: Blobs) -> Brief:
    """The prompt, stored; the same request gives the same one, byte for byte."""
    payload = SessionPayload.model_validate_json(blobs.get(request.payload))
    draft = new_prose(blobs.get(request.written.prose).decode())
    texts = [each for each in _texts(payload, request, draft) if each.text.strip()]
    task = EditingTask(
        language=" ".join(payload.config.language.split()),
        edits=MOST_EDITS,
        payload=request.payload,
        index=request.index,
        written=blobs.put(request.written.model_dump_json().encode()),
    )
    return Brief(
        task=blobs.put("\n\n".join(each.fenced for each in texts).encode()),
        params={EditingTask.__name__: task.model_dump(mode="json")},
        turn_tokens=answer_tokens(draft),
        context_tokens=payload.config.context_window_tokens,
    )


def answer_tokens(draft: str) -> int:
    """Room for the edits of a draft: each of its passages, and another in its place."""
    return 2 * estimate_tokens(draft) + _ANSWER_TOKENS


def _texts(payload: SessionPayload, request: EditProse, draft: str) -> Iterator[BookText]:
    materials = {each.filename: each.content for each in payload.global_material}
    yield BookText("style", _SOUL, filled_in(materials.get(_SOUL, "")))
    yield BookText("plan", "of the session", "\n".join(request.written.craft.plan))
    yield BookText("prose", REVIEW, last_prose(payload))
    yield BookText("draft", "of the session", draft)
