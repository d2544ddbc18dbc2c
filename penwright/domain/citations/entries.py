"""BibTeX entries: read and written with bibtexparser, in the one form this house writes.

Imported by activities only: workflows do without the BibTeX library.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bibtexparser.entrypoint import parse_string, write_string
from bibtexparser.library import Library
from bibtexparser.model import (
    Block,
    DuplicateBlockKeyBlock,
    DuplicateFieldKeyBlock,
    Field,
    ParsingFailedBlock,
)
from bibtexparser.model import Entry as ParsedEntry
from bibtexparser.writer import BibtexFormat

from penwright.domain.text.citation_tokens import BRACE
from schemas.citations import CitationFinding

FIELD_ORDER = (
    *("author", "editor", "title", "journal", "booktitle", "howpublished", "series", "edition", "year"),
    *("month", "volume", "number", "pages", "publisher", "school", "institution", "address", "doi", "url"),
    *("urldate", "eprint", "archiveprefix", "pmid", "isbn", "issn", "note"),
)
"""Fields in the order in which they are written; others follow by name."""
_PLACE = {name: place for place, name in enumerate(FIELD_ORDER)}
_BRACES = re.compile(BRACE)
_LONE = re.compile(r"\\([{}])")
_PIECE = re.compile(r'"(?:[^"{}]|\{[^{}]*\})*"|\{(?:[^{}]|\{[^{}]*\})*\}|[^\s"{}#,]+')
_CONCATENATED = re.compile(rf"\s*(?:{_PIECE.pattern})(?:\s*#\s*(?:{_PIECE.pattern}))+\s*")
_BLANKS = re.compile(r"\s+")
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1b\x7f\ud800-\udfff]")
"""Control characters that are no blanks, and halves of a character."""
_KEY = re.compile(r"[^\s,{}\"#%~\\()=']+")


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry; types and names of fields in lower case, values without their braces."""

    kind: str
    key: str
    fields: tuple[tuple[str, str], ...]

    def field(self, name: str) -> str:
        """The value of a field; empty if it has none."""
        return dict(self.fields).get(name, "")


@dataclass(frozen=True, slots=True)
class EntriesRead:
    """The entries of a BibTeX text, and what is wrong with others."""

    entries: tuple[Entry, ...] = ()
    findings: tuple[CitationFinding, ...] = ()


def read_entries(bibtex: str) -> EntriesRead:
    """Read a BibTeX text; each entry that cannot be taken is a finding with its line.

    Codes: ``BROKEN_ENTRY``, ``DUPLICATE_KEY`` (the first one counts), ``DUPLICATE_FIELD``, ``NO_KEY``,
    ``BAD_KEY``, ``BAD_SIGN``.
    """
    library = parse_string(bibtex.removeprefix("\ufeff"))
    strings = _strings(library)
    read = [_read(block, strings) for block in library.blocks]
    return EntriesRead(
        tuple(each for each in read if isinstance(each, Entry)),
        tuple(each for each in read if isinstance(each, CitationFinding)),
    )


def read_entry(bibtex: str) -> Entry | CitationFinding:
    """Read the one entry of an inline citation."""
    read = read_entries(bibtex)
    if read.findings:
        return read.findings[0]
    if len(read.entries) != 1:
        message = f"{len(read.entries)} entries stand where one should; write each in brackets of its own"
        return CitationFinding(code="BROKEN_ENTRY", message=message)
    return read.entries[0]


def written(entry: Entry) -> str:
    """An entry on one line, as it stands in a text."""
    fields = ", ".join(f"{name} = {{{value}}}" for name, value in ordered(entry).fields)
    return f"@{entry.kind}{{{entry.key}, {fields}}}" if fields else f"@{entry.kind}{{{entry.key},}}"


def bibliography(entries: Iterable[Entry]) -> str:
    """A ``.bib`` text, one field in a line; empty without entries."""
    library = Library([_block(_for_bibtex(ordered(entry))) for entry in entries])
    style = BibtexFormat()  # type: ignore[no-untyped-call]
    style.indent = "  "
    style.block_separator = "\n"
    return write_string(library, unparse_stack=[], bibtex_format=style)


def ordered(entry: Entry) -> Entry:
    """The same entry in the house's order of fields, each value on one line, without empty ones."""
    fields = ((name, _BLANKS.sub(" ", value).strip()) for name, value in entry.fields)
    kept = sorted(
        (pair for pair in fields if pair[1]), key=lambda pair: (_PLACE.get(pair[0], len(_PLACE)), pair[0])
    )
    return Entry(entry.kind, entry.key, tuple(kept))


def _for_bibtex(entry: Entry) -> Entry:
    """The entry as BibTeX takes it, which counts escaped braces too: lone ones become commands."""
    fields = (
        (name, value if _counts_even(value) else _LONE.sub(_command, value)) for name, value in entry.fields
    )
    return Entry(entry.kind, entry.key, tuple(fields))


def _counts_even(value: str) -> bool:
    return value.count("{") == value.count("}")


def _command(found: re.Match[str]) -> str:
    return rf"\textbrace{'left' if found[1] == '{' else 'right'}{{}}"


def bad_sign(entry: Entry) -> str:
    """The first sign of an entry that no text may hold, such as ``U+0000``; empty without one."""
    found = _NO_TEXT.search(
        "".join([entry.kind, entry.key, *(part for pair in entry.fields for part in pair)])
    )
    return f"U+{ord(found[0]):04X}" if found else ""


def _block(entry: Entry) -> ParsedEntry:
    return ParsedEntry(entry.kind, entry.key, [Field(name, f"{{{value}}}") for name, value in entry.fields])


def _strings(library: Library) -> Mapping[str, str]:
    """The text of each ``@string``, by its name in lower case."""
    strings: dict[str, str] = {}
    for each in library.strings:
        is_bare = each.parser_metadata.get("removed_enclosing") == "no-enclosing"
        strings[each.key.casefold()] = _joined(each.value, strings) if is_bare else each.value
    return strings


def _read(block: Block, strings: Mapping[str, str]) -> Entry | CitationFinding | None:
    line = (block.start_line or 0) + 1
    match block:
        case DuplicateBlockKeyBlock():
            said = f"{block.key!r} stands here a second time and is left out; give one of them another key"
            return CitationFinding(code="DUPLICATE_KEY", message=said, line=line, key=block.key)
        case DuplicateFieldKeyBlock():
            key = getattr(block.ignore_error_block, "key", "")
            names = ", ".join(sorted(block.duplicate_keys))
            said = f"the entry {key!r} has a field twice and is left out: {names}; keep one of them"
            return CitationFinding(code="DUPLICATE_FIELD", message=said, line=line, key=key)
        case ParsingFailedBlock():
            begins = " ".join((block.raw or "").split())[:60]
            said = f"{begins!r} is no complete entry; check its braces and commas"
            return CitationFinding(code="BROKEN_ENTRY", message=said, line=line)
        case ParsedEntry():
            return _entry(block, line, strings)
        case _:
            return None


def _entry(block: ParsedEntry, line: int, strings: Mapping[str, str]) -> Entry | CitationFinding:
    fields = tuple((field.key.casefold(), _value(field, strings)) for field in block.fields)
    if sign := bad_sign(Entry(block.entry_type, block.key, fields)):
        said = f"the entry has the sign {sign} in it, which is no text; take it out"
        return CitationFinding(code="BAD_SIGN", message=said, line=line)
    if not block.key:
        said = "the entry has no key; write one after the opening brace, and a comma"
        return CitationFinding(code="NO_KEY", message=said, line=line)
    if not _KEY.fullmatch(block.key):
        said = f"{block.key!r} cannot be a key; use letters and digits without blanks"
        return CitationFinding(code="BAD_KEY", message=said, line=line, key=block.key)
    if unbalanced := [name for name, value in fields if not _is_balanced(value)]:
        said = f"braces do not match in {', '.join(unbalanced)}; close each that is opened"
        return CitationFinding(code="BROKEN_ENTRY", message=said, line=line, key=block.key)
    if len({name for name, _ in fields}) != len(fields):
        said = "the entry has a field twice, written differently; keep one of them"
        return CitationFinding(code="DUPLICATE_FIELD", message=said, line=line, key=block.key)
    return Entry(block.entry_type.casefold(), block.key, fields)


def _value(field: Field, strings: Mapping[str, str]) -> str:
    return _joined(str(field.value), strings) if field.enclosing == "no-enclosing" else str(field.value)


def _joined(value: str, strings: Mapping[str, str]) -> str:
    """Texts and strings that BibTeX joins with ``#``, joined; a name that no ``@string`` has stays a name."""
    if not _CONCATENATED.fullmatch(value):
        return value
    pieces = _PIECE.findall(value)
    return "".join(each[1:-1] if each[0] in '"{' else strings.get(each.casefold(), each) for each in pieces)


def _is_balanced(value: str) -> bool:
    depths = list(_depths(value))
    return not depths or (min(depths) >= 0 and depths[-1] == 0)


def _depths(value: str) -> Iterator[int]:
    depth = 0
    for sign in _BRACES.findall(value):
        depth += 1 if sign == "{" else -1
        yield depth
