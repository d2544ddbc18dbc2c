"""Zotero's own interface on this machine: the files of a collection, and what it says of each.

``pyzotero`` is not used: it needs a version of bibtexparser that reads entries in another way than ours.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx

from penwright.domain.citations.entries import Entry, read_entries
from penwright.domain.text.nearest import guess, nearest
from penwright.errors import NotFound

_PAGE = 100
_TIMEOUT_S = 30.0
_KINDS = ("application/pdf", "application/epub+zip", "text/html", "text/plain", "text/markdown")
"""Types of files that can be read, the best one of a work first."""
_HINT = (
    "start Zotero 7 or newer; in its settings, under Advanced, allow other applications on this computer "
    "to communicate with it"
)


@dataclass(frozen=True, slots=True)
class ZoteroFile:
    """A file, and the work that Zotero says it is."""

    path: Path
    entry: Entry | None
    """None: it stands there without a work."""


def zotero_files(address: str, collection: str = "") -> Iterator[ZoteroFile]:
    """Yield the best file of each work of a collection, or of the whole library.

    Args:
        address: such as ``http://127.0.0.1:23119``.
        collection: its name or key; empty: the whole library.

    Raises:
        NotFound: ``zotero-silent``, or ``no-such-collection``.
    """
    # No proxy: whatever the environment names, this stays on the machine.
    with httpx.Client(base_url=f"{address}/api/users/0", timeout=_TIMEOUT_S, trust_env=False) as client:
        zotero = _Zotero(client, address)
        within = f"/collections/{zotero.collection(collection)}" if collection else ""
        for item in zotero.listed(f"{within}/items/top"):
            is_file = item["data"].get("itemType") == "attachment"
            attached = [item] if is_file else zotero.listed(f"/items/{item['key']}/children")
            if (path := zotero.best(attached)) is not None:
                yield ZoteroFile(path, None if is_file else zotero.entry(item["key"]))


@dataclass(frozen=True, slots=True)
class _Zotero:
    client: httpx.Client
    address: str

    def collection(self, named: str) -> str:
        """The key of a collection."""
        keys: dict[str, str] = {
            each["data"].get("name", ""): each["key"] for each in self.listed("/collections")
        }
        if named in keys.values():
            return named
        if named not in keys:
            said = f"Zotero has no collection {named!r}{guess(nearest(named, list(keys)))}"
            raise NotFound("no-such-collection", said, hint="name it as Zotero shows it")
        return keys[named]

    # Any: JSON.
    def listed(self, path: str) -> Iterator[dict[str, Any]]:
        """All items at a path, page by page."""
        start = 0
        while True:
            with self._answering():
                answer = self.client.get(path, params={"format": "json", "limit": _PAGE, "start": start})
                answer.raise_for_status()
                items = _checked(answer.json())
            yield from items
            start += len(items)
            if len(items) < _PAGE:
                return

    def best(self, attached: Iterator[dict[str, Any]] | list[dict[str, Any]]) -> Path | None:
        """The place of the best file among attachments; None if none can be read."""
        known = [each for each in attached if each["data"].get("contentType") in _KINDS]
        for each in sorted(known, key=lambda one: _KINDS.index(one["data"]["contentType"])):
            with self._answering():
                answer = self.client.get(f"/items/{each['key']}/file/view/url")
            place = urlsplit(answer.text.strip())
            if answer.is_success and place.scheme == "file":
                return Path(unquote(place.path))
        return None

    def entry(self, key: str) -> Entry | None:
        """The entry that Zotero writes for a work."""
        with self._answering():
            answer = self.client.get(f"/items/{key}", params={"format": "bibtex"})
            answer.raise_for_status()
        return next(iter(read_entries(answer.text).entries), None)

    @contextmanager
    def _answering(self) -> Iterator[None]:
        try:
            yield
        except (httpx.HTTPError, ValueError) as error:
            said = f"Zotero does not answer as it should at {self.address}: {error or type(error).__name__}"
            raise NotFound("zotero-silent", said, hint=_HINT) from None


def _checked(items: Any) -> list[dict[str, Any]]:  # Any: JSON
    """The items of an answer; raises ``ValueError`` if it is another program's."""
    if not isinstance(items, list):
        raise ValueError("its answer is no list of items")
    for each in items:
        if not (isinstance(each, dict) and isinstance(each.get("data"), dict) and "key" in each):
            raise ValueError("its answer holds something that is no item")
    return items
