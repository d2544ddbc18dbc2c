"""Answers that routes of several resources share."""

from urllib.parse import quote

from pydantic import BaseModel
from starlette.responses import Response

from gateway.http.site import PREFIX


class StartedRun(BaseModel):
    """A run that was started; its events and its end are read under its id."""

    run_id: str
    session: str


def locate(response: Response, *parts: str) -> None:
    """Say where what was made is: ids keep the letters of their titles, headers take ASCII alone."""
    response.headers["location"] = "/".join((PREFIX, *(quote(part, safe="~!") for part in parts)))


def attachment(name: str) -> dict[str, str]:
    """The header of a file to be saved as ``name``, whatever is in the name."""
    shown = "".join(each for each in name if each.isprintable() and each not in '"\\/')
    stem, dot, kind = shown.rpartition(".")
    plain = (_ascii(stem).strip() or "file") + _ascii(dot + kind)
    said = f'attachment; filename="{plain}"'
    if plain != shown:
        said += f"; filename*=UTF-8''{quote(shown, safe='')}"
    return {"content-disposition": said}


def _ascii(text: str) -> str:
    return text.encode("ascii", "ignore").decode()
