"""A local server that answers as Zotero does."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

Work = tuple[str, str, Path | None]
"""Collection, BibTeX and file of a work."""


@contextmanager
def running_zotero(works: Mapping[str, Work]) -> Iterator[str]:
    """Yield its address; ``works`` by key."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            start = int(parse_qs(asked.query).get("start", ["0"])[0])
            said = _answer(works, asked.path.removeprefix("/api/users/0"), "bibtex" in asked.query)
            body = json.dumps(said[start : start + 100]) if isinstance(said, list) else said
            self.send_response(404 if said is None else 200)
            self.end_headers()
            self.wfile.write((body or "").encode())

        def log_message(self, *_: object) -> None:
            """Tests are not told."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


# Any: JSON.
def _answer(works: Mapping[str, Work], path: str, bibtex: bool) -> list[dict[str, Any]] | str | None:
    collections = sorted({each[0] for each in works.values()})
    parts = path.strip("/").split("/")
    match parts:
        case ["collections"]:
            return [{"key": f"C{at}", "data": {"name": name}} for at, name in enumerate(collections)]
        case ["collections", key, "items", "top"]:
            name = collections[int(key[1:])]
            return [_item(each) for each, (within, _, _) in works.items() if within == name]
        case ["items", "top"]:
            return [_item(each) for each in works]
        case ["items", key, "children"]:
            note = {"key": f"{key}N", "data": {"itemType": "note"}}
            return [note, _attachment(key)] if works[key][2] else [note]
        case ["items", key, "file", "view", "url"]:
            file = works[key.removesuffix("A")][2]
            return file.as_uri() if file else None
        case ["items", key] if bibtex:
            return works[key][1]
        case _:
            return None


def _item(key: str) -> dict[str, Any]:
    return {"key": key, "data": {"itemType": "journalArticle"}}


def _attachment(key: str) -> dict[str, Any]:
    return {"key": f"{key}A", "data": {"itemType": "attachment", "contentType": "application/pdf"}}
