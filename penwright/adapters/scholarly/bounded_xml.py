"""XML from strangers: no entities, no outside documents, bounded depth."""

from typing import NoReturn
from xml.etree.ElementTree import Element, ParseError, TreeBuilder
from xml.parsers import expat

from penwright.adapters.scholarly.source import UnansweredError

DEEPEST = 60


def parse(content: bytes) -> Element:
    """Return the root; names are ``{namespace}name``. Raises ``UnansweredError`` ``unreadable``."""
    reading = _Reading()
    try:
        return reading.read(content)
    except (expat.ExpatError, ParseError, ValueError, AssertionError):
        raise UnansweredError("unreadable") from None


def texts(element: Element | None) -> str:
    """Return all text inside an element, of nested markup too; empty if there is no element."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


class _Reading:
    def __init__(self) -> None:
        self._tree = TreeBuilder()
        self._depth = 0
        self._parser = expat.ParserCreate(namespace_separator="}")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._tree.data
        # A document type may be named, as PubMed does; nothing may be declared in it or fetched for it.
        self._parser.EntityDeclHandler = _refused
        self._parser.UnparsedEntityDeclHandler = _refused
        self._parser.ExternalEntityRefHandler = _refused
        self._parser.SkippedEntityHandler = _refused

    def read(self, content: bytes) -> Element:
        self._parser.Parse(content, True)
        return self._tree.close()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ValueError("too deep")
        self._tree.start(_named(name), {_named(key): value for key, value in attributes.items()})

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._tree.end(_named(name))


def _named(name: str) -> str:
    return "{" + name if "}" in name else name


def _refused(*_: object) -> NoReturn:
    raise ValueError("entities are not read")
