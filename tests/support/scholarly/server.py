"""A local server that speaks the protocols of five registries, under a path each, and has their faults."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from penwright.adapters.scholarly.recorded import RecordedWork
from penwright.domain.citations.titles import search_words
from schemas.scholarly import SourceName
from tests.support.scholarly import wire

NAMES: tuple[SourceName, ...] = ("crossref", "pubmed", "openalex", "datacite", "arxiv")


@dataclass(frozen=True)
class Fault:
    """What a registry does wrong, with every request until it is taken back."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    """Sent instead of the answer."""
    hang: bool = False
    cut: bool = False
    """The connection ends in the middle of the answer."""
    huge: bool = False
    """A body without end."""
    lie: Callable[[RecordedWork], RecordedWork] | None = None
    """Changes what it says about every work."""
    deny: bool = False
    """It has no work at all."""


@dataclass(frozen=True)
class Request:
    """What a registry was asked."""

    source: str
    path: str
    params: dict[str, str]
    headers: dict[str, str]


class RegistryServer:
    """Answers from one table of works."""

    def __init__(self, works: Sequence[RecordedWork]) -> None:
        self.works = list(works)
        self.faults: dict[str, Fault] = {}
        """By source; missing: it answers well."""
        self.extra_headers: dict[str, str] = {}
        """Sent with every answer."""
        self.unanswered = ""
        """Requests with this word in them get the error of a server that is overloaded; empty: none."""
        self.requests: list[Request] = []
        self.released = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True

    @property
    def addresses(self) -> dict[SourceName, str]:
        """Base URL by source."""
        port = self._http.server_address[1]
        return {name: f"http://127.0.0.1:{port}/{name}" for name in NAMES}

    @property
    def settings(self) -> dict[str, Any]:
        """The table ``[scholarly]`` of a settings file that asks this server."""
        named: dict[str, Any] = {name: {"url": url} for name, url in self.addresses.items()}
        return {"contact": "tests@example.org", "gap_factor": 0, **named}

    @property
    def environment(self) -> dict[str, str]:
        """The same as variables, for a process."""
        found = {
            f"PENWRIGHT_SCHOLARLY__{name.upper()}__URL": address for name, address in self.addresses.items()
        }
        return {
            **found,
            "PENWRIGHT_SCHOLARLY__CONTACT": "tests@example.org",
            "PENWRIGHT_SCHOLARLY__GAP_FACTOR": "0",
        }

    def all_out(self, fault: Fault) -> None:
        """Let every registry do the same thing wrong."""
        self.faults = dict.fromkeys(NAMES, fault)

    def asked(self, source: str) -> list[Request]:
        """The requests to one registry."""
        return [each for each in self.requests if each.source == source]

    @contextmanager
    def running(self) -> Iterator["RegistryServer"]:
        thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        thread.start()
        try:
            yield self
        finally:
            self.released.set()
            self._http.shutdown()
            self._http.server_close()
            thread.join()

    def answer(self, source: str, path: str, params: dict[str, str]) -> bytes | None:
        """The body of a good answer; None for 404."""
        fault = self.faults.get(source, Fault())
        works = [] if fault.deny else [each for each in self.works if source in each.sources]
        told = [(each, fault.lie(each) if fault.lie else each) for each in works]
        found = _ANSWERS[source](told, path, params)
        return None if found is None else wire.as_bytes(found)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                split = urlsplit(self.path)
                _, source, path = split.path.split("/", 2)
                params = {name: values[0] for name, values in parse_qs(split.query).items()}
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.requests.append(Request(source, path, params, headers))
                try:
                    _send(self, server, source, path, params)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing; the tests look at ``requests``."""

        return Handler


@contextmanager
def running_registries(works: Sequence[RecordedWork]) -> Iterator[RegistryServer]:
    """Run a server with these works; its ``settings`` and ``environment`` lead to it."""
    with RegistryServer(works).running() as server:
        yield server


def _send(
    handler: BaseHTTPRequestHandler, server: RegistryServer, source: str, path: str, params: dict[str, str]
) -> None:
    fault = server.faults.get(source, Fault())
    if server.unanswered and server.unanswered in f"{path} {params}".lower():
        fault = Fault(status=503, headers={"Retry-After": "0"}, body=b"")
    if fault.hang:
        server.released.wait()
        return
    body = fault.body if fault.body is not None else server.answer(source, path, params)
    handler.send_response(404 if body is None and fault.status == 200 else fault.status)
    body = body or b"Resource not found."
    for name, value in {**server.extra_headers, **fault.headers}.items():
        handler.send_header(name, value)
    if not fault.huge:
        handler.send_header("Content-Length", str(len(body)))
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.close_connection = True
    if fault.huge:
        while not server.released.is_set():
            handler.wfile.write(b" " * 1_000_000)
    handler.wfile.write(body[: len(body) // 2] if fault.cut else body)


Told = list[tuple[RecordedWork, RecordedWork]]
"""Each work as it is, and as the registry tells of it."""


def _crossref(told: Told, path: str, params: dict[str, str]) -> Any:
    if path == "works":
        asked = [
            wire.crossref(each) for each in _found(told, params["query.bibliographic"], int(params["rows"]))
        ]
        return {"status": "ok", "message-type": "work-list", "message": {"items": asked}}
    named = _with(told, "doi", unquote(path.removeprefix("works/")))
    return {"status": "ok", "message-type": "work", "message": wire.crossref(named)} if named else None


def _openalex(told: Told, path: str, params: dict[str, str]) -> Any:
    if path == "works":
        text = params.get("search") or params["filter"].removeprefix("title.search:")
        return {
            "meta": {},
            "results": [wire.openalex(each) for each in _found(told, text, int(params["per-page"]))],
        }
    kind, _, value = unquote(path.removeprefix("works/")).partition(":")
    named = _with(told, kind, value)
    return wire.openalex(named) if named else None


def _datacite(told: Told, path: str, params: dict[str, str]) -> Any:
    if path == "dois":
        text = re.sub(r"^titles\.title:\((.*)\)$", r"\1", params["query"])
        return {"data": [wire.datacite(each) for each in _found(told, text, int(params["page[size]"]))]}
    named = _with(told, "doi", unquote(path.removeprefix("dois/")))
    return {"data": wire.datacite(named)} if named else None


def _pubmed(told: Told, path: str, params: dict[str, str]) -> Any:
    if path == "efetch.fcgi":
        wanted = params["id"].split(",")
        return wire.pubmed([each for work, each in told if work.pmid in wanted])
    term = params["term"]
    quoted = re.fullmatch(r'"(.*)"\[AID\]', term)
    if quoted:
        found = [each for work, each in told if work.doi == quoted[1]]
    else:
        found = _found(told, re.sub(r"\[Title\]| AND ", " ", term), int(params["retmax"]))
    real = [work.pmid for work, each in told if each in found]
    return {"header": {"type": "esearch"}, "esearchresult": {"count": str(len(real)), "idlist": real}}


def _arxiv(told: Told, path: str, params: dict[str, str]) -> Any:
    if "id_list" in params:
        named = _with(told, "arxiv", params["id_list"])
        return wire.arxiv([named] if named else [])
    text = re.sub(r"\b(?:ti|all):| AND ", " ", params["search_query"])
    return wire.arxiv(_found(told, text, int(params["max_results"])))


_ANSWERS: dict[str, Callable[[Told, str, dict[str, str]], Any]] = {
    "crossref": _crossref,
    "pubmed": _pubmed,
    "openalex": _openalex,
    "datacite": _datacite,
    "arxiv": _arxiv,
}


def _with(told: Told, kind: str, value: str) -> RecordedWork | None:
    return next(
        (each for work, each in told if getattr(work, kind) and getattr(work, kind) == value.lower()), None
    )


def _found(told: Told, text: str, limit: int) -> list[RecordedWork]:
    """The works that share most words with a text; like a real one, it always finds something near."""
    wanted = set(search_words(text))

    def score(work: RecordedWork) -> int:
        return len(wanted & set(re.findall(r"\w+", f"{work.title} {work.abstract}".lower())))

    best = sorted(told, key=lambda pair: score(pair[0]), reverse=True)
    return [each for work, each in best if score(work)][:limit]


def moved(address: str) -> Fault:
    """A redirect to ``address``."""
    return Fault(status=302, headers={"Location": address}, body=b"")


def bodies(value: object) -> Fault:
    """An answer of this JSON."""
    return Fault(body=json.dumps(value).encode())
