"""Some rules of epubcheck, by its numbers, checked offline: faults for which shops refuse an EPUB."""

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping
from urllib.parse import unquote
from xml.etree import ElementTree

_DC = "{http://purl.org/dc/elements/1.1/}"
_OPF = "{http://www.idpf.org/2007/opf}"
_NAME = re.compile(r"[A-Za-z_\u0080-\U0010ffff][\w.\-\u0080-\U0010ffff]*")
_MARKED_UP = (".xhtml", ".opf", ".ncx", ".xml")
_OUTSIDE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_NEEDED = ("identifier", "title", "language")

Trees = Mapping[str, ElementTree.Element]


def faults(content: bytes) -> tuple[str, ...]:
    """A sentence for each broken rule, with epubcheck's number for it; none of a book that may be sold."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        names = packed.namelist()
        trees: dict[str, ElementTree.Element] = {}
        found = [*_container(packed)]
        for name in names:
            if name.endswith(_MARKED_UP):
                try:
                    trees[name] = ElementTree.fromstring(packed.read(name))
                except ElementTree.ParseError as error:
                    found.append(f"RSC-016: {name} is no XML: {error}")
    found += [fault for name, tree in trees.items() for fault in _of_file(name, tree)]
    return (*found, *_links(trees, frozenset(names)), *_package(trees, names))


def _container(packed: zipfile.ZipFile) -> Iterator[str]:
    first = packed.infolist()[0]
    if first.filename != "mimetype" or first.compress_type != zipfile.ZIP_STORED:
        yield "PKG-006: mimetype is not the first file, or it is packed"


def _of_file(name: str, tree: ElementTree.Element) -> Iterator[str]:
    seen: set[str] = set()
    for element in tree.iter():
        kind, own = str(element.tag).rpartition("}")[2], element.get("id")
        words = "".join(element.itertext()).strip()
        if own is not None and (own in seen or not _NAME.fullmatch(own)):
            yield f"RSC-005: {name}: id {own!r} {'stands twice' if own in seen else 'is no name'}"
        seen |= {own} if own is not None else set()
        if name.endswith(".xhtml") and kind in ("title", "h1", "h2", "h3", "h4", "h5", "h6") and not words:
            yield f"RSC-005: {name}: <{kind}> without words"
        if name.endswith("nav.xhtml") and kind in ("a", "ol") and not words:
            yield f"RSC-005: {name}: an empty <{kind}>"
    if name.endswith(".xhtml") and not any(key.rpartition("}")[2] == "lang" for key, _ in tree.items()):
        yield f"OPF-092: {name} has no language"


def _links(trees: Trees, names: frozenset[str]) -> Iterator[str]:
    ids = {name: {each.get("id") for each in tree.iter()} for name, tree in trees.items()}
    for name, tree in trees.items():
        links = (each.get(key) for each in tree.iter() for key in ("href", "src"))
        for link in dict.fromkeys(each for each in links if each and not _OUTSIDE.match(each)):
            file, _, place = link.partition("#")
            joined = posixpath.join(posixpath.dirname(name), unquote(file))
            target = posixpath.normpath(joined) if file else name
            if target not in names:
                yield f"RSC-007: {name}: {link!r} leads nowhere"
            elif place and unquote(place) not in ids.get(target, ()):
                yield f"RSC-012: {name}: {link!r} names a place that is not there"


def _package(trees: Trees, names: list[str]) -> Iterator[str]:
    package = next((name for name in trees if name.endswith(".opf")), "")
    if not package:
        yield "OPF-002: there is no package document"
        return
    tree, folder = trees[package], posixpath.dirname(package)
    for needed in _NEEDED:
        if not any((each.text or "").strip() for each in tree.iter(f"{_DC}{needed}")):
            yield f"RSC-005: the book has no {needed}"
    if not any(each.get("property") == "dcterms:modified" for each in tree.iter()):
        yield "RSC-005: the book has no time of change"
    listed = {posixpath.join(folder, unquote(each.get("href", ""))) for each in tree.iter(f"{_OPF}item")}
    for name in names:
        if name not in listed and name not in ("mimetype", package) and not name.startswith("META-INF/"):
            yield f"OPF-003: {name} is not in the manifest"
