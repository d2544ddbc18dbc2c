"""Addresses of pages. A value from a book or a browser is quoted here and nowhere else."""

from urllib.parse import quote, urlencode

BASE = "/ui"
"""Path at which the workspace is mounted."""


API = "/api/v1"
"""Path of the API; pages link to the documents that it makes."""


def page(*segments: str, **query: str) -> str:
    """The address of a page below the mount; empty values of ``query`` are left out."""
    path = "/" + "/".join(quote(each, safe="") for each in segments)
    kept = {name: value for name, value in query.items() if value}
    return f"{path}?{urlencode(kept)}" if kept else path


def export(book_id: str, format: str, **options: str) -> str:
    """The address of a book as a document, on the API."""
    return f"{API}/books/{quote(book_id, safe='')}/export?{urlencode({'format': format, **options})}"


def blame(book_id: str, path: str) -> str:
    """The address on the API that tells who wrote each block of a book's text."""
    return f"{API}/books/{quote(book_id, safe='')}/blame?{urlencode({'path': path})}"


def blame_of_document(novel: str, scene: str) -> str:
    """The same of a document of a novel."""
    return f"{API}/manuscripts/{quote(novel, safe='')}/{quote(scene, safe='')}/blame"


def mentions(lorebook: str) -> str:
    """The address on the API that finds what a text mentions of a lorebook."""
    return f"{API}/lorebooks/{quote(lorebook, safe='')}/mentions"


def picture(scene: str, number: int, digest: str) -> str:
    """The address of a picture of a scene on the API.

    ``digest``, a fragment, makes the browser fetch another picture that has come to the same number.
    """
    return f"{API}/scenes/{quote(scene, safe='')}/pictures/{number}#{quote(digest, safe='')}"


def bundle(run: str) -> str:
    """The address of a run's evidence on the API, which names runs without ``/`` and ``#``."""
    return f"{API}/runs/{quote(run.replace('/', '~').replace('#', '!'), safe='~!')}/bundle"


def subject(kind: str, name: str) -> str:
    """The page of a subject: ``book``, ``novel``, ``scene`` or ``run``."""
    if kind == "novel":
        novel, _, scene = name.partition("/")
        return page("manuscripts", novel, scene or "-")
    folder = {"book": "books", "scene": "scenes", "run": "runs"}[kind]
    return page(folder, name)
