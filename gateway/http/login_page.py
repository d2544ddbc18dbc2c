"""The page on which a browser exchanges the code of `penwright web` for a session."""

from functools import cache
from pathlib import Path

from fastapi import APIRouter
from starlette.responses import HTMLResponse, Response

_FOLDER = Path(__file__).parent / "login"
OPEN_FILES = ("/login", "/login/sign-in.js", "/login/sign-in.css")

router = APIRouter(include_in_schema=False)


@cache
def page() -> str:
    """The page as HTML."""
    return (_FOLDER / "page.html").read_text(encoding="utf-8")


@router.get("/login")
def sign_in() -> Response:
    """The page."""
    return HTMLResponse(page())


@router.get("/login/sign-in.js")
def script() -> Response:
    """Its script."""
    return Response((_FOLDER / "sign-in.js").read_bytes(), media_type="text/javascript")


@router.get("/login/sign-in.css")
def style() -> Response:
    """Its look."""
    return Response((_FOLDER / "sign-in.css").read_bytes(), media_type="text/css")
