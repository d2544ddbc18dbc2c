"""Authors of a document's blocks in a novel."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from gateway.desk.trace import json_answers as trace_data
from gateway.desk.trace.blames import BlameDesk
from gateway.desk.works import permitted
from gateway.http.asking import Asking, FromServices
from gateway.http.strict import StrictRoute
from penwright.domain.manuscript.layout import scene_path
from penwright.domain.trace.reports.blame import at_line

router = APIRouter(prefix="/manuscripts", tags=["provenance"], route_class=StrictRoute)


@router.get("/{novel_id}/{document}/blame")
def blame_document(
    request: Request,
    novel_id: str,
    document: str,
    principal: Asking,
    services: FromServices,
    line: Annotated[int | None, Query(ge=1)] = None,
) -> dict[str, Any]:  # Any: JSON, as the command prints it
    """Name the author of each block of a document, or of the block at a line."""
    work = permitted.document(services, principal, "read", novel_id, document)
    blames: BlameDesk = request.app.state.blames
    found = blames.blame(work.novel.workspace.path, scene_path(work.scene))
    return trace_data.blame_data(at_line(found, line) if line else found)
