"""Files in the body of a request, byte for byte, and files in an answer."""

from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import Depends, Query, Request, Response
from starlette.exceptions import HTTPException

from gateway.http.answers import attachment
from penwright.errors import UsageMistake

_TYPE: Final = "application/octet-stream"
# Any: OpenAPI.
UPLOAD: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {_TYPE: {"schema": {"type": "string", "format": "binary"}}},
    }
}
"""Description of a file upload in the API's document."""
DOWNLOAD: Final[dict[int | str, dict[str, Any]]] = {200: {"content": {_TYPE: {}}, "description": "the file"}}
"""And of one that gives a file."""


async def _content(request: Request) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _TYPE:
        raise HTTPException(415, f"a file is sent as {_TYPE}")
    return await request.body()


def _named(
    file_name: Annotated[
        str, Query(min_length=1, max_length=200, description="What the file is called; no folder.")
    ],
) -> Path:
    """The name alone: it names what is made, and is never opened."""
    if "/" in file_name or "\\" in file_name or not file_name.isprintable() or file_name in (".", ".."):
        raise UsageMistake("bad-file-name", "a file's name has no folders and no control characters")
    return Path(file_name)


Content = Annotated[bytes, Depends(_content)]
FileName = Annotated[Path, Depends(_named)]


def download(content: bytes, name: str) -> Response:
    """A file to be saved; never shown, for what is in it must not run as a page of ours."""
    return Response(content, media_type=_TYPE, headers=attachment(name))
