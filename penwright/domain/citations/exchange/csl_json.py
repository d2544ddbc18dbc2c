"""Read CSL-JSON, the format of Zotero and pandoc."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from penwright.domain.citations import identifiers
from penwright.domain.citations.titles import unmarked
from schemas.citations import CitationFinding
from schemas.scholarly import Author, ScholarlyRecord, WorkKind

_PEOPLE = ("author", "editor")
_TALK = frozenset({"title", "abstract", "keyword"})
"""Fields whose text may name other works."""


class Name(BaseModel):
    family: str = ""
    given: str = ""
    literal: str = ""
    name: str = ""
    """As Crossref names a group."""
    particle: str = Field(default="", alias="non-dropping-particle")
    dropping: str = Field(default="", alias="dropping-particle")
    suffix: str = ""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: object) -> object:
        return _without_nulls(given)


class Date(BaseModel):
    parts: list[list[int | str | None]] = Field(default=[], alias="date-parts")
    raw: str = ""
    literal: str = ""

    @model_validator(mode="before")
    @classmethod
    def _as_object(cls, given: object) -> object:
        """Other programs write a date as its text, as a list, or as one list of its parts."""
        if isinstance(given, list):
            given = given[0] if given and isinstance(given[0], dict) else {"date-parts": given}
        if isinstance(given, dict):
            parts = given.get("date-parts")
            flat = isinstance(parts, list) and parts and not isinstance(parts[0], list)
            return {**_without_nulls(given), **({"date-parts": [parts]} if flat else {})}
        return {"raw": str(given)} if isinstance(given, str | int) else given

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing."""
        return not (self.raw or self.literal or any(part for each in self.parts for part in each))


class Item(BaseModel):
    model_config = ConfigDict(coerce_numbers_to_str=True)

    id: str = ""
    type: str = ""
    title: str = ""
    author: list[Name] = []
    editor: list[Name] = []
    issued: Date | None = None
    accessed: Date | None = None
    container: str = Field(default="", alias="container-title")
    volume: str = ""
    issue: str = ""
    page: str = ""
    publisher: str = ""
    place: str = Field(default="", alias="publisher-place")
    series: str = Field(default="", alias="collection-title")
    edition: str = ""
    isbn: str = Field(default="", alias="ISBN")
    issn: str = Field(default="", alias="ISSN")
    doi: str = Field(default="", alias="DOI")
    pmid: str = Field(default="", alias="PMID")
    url: str = Field(default="", alias="URL")
    arxiv: str = ""
    """From whatever field names one."""

    @model_validator(mode="before")
    @classmethod
    def _with_single_values(cls, given: object) -> object:
        """A field without a value is none; of texts in a list, as Crossref has them, the first is taken."""
        if not isinstance(given, dict):
            return given
        texts = {name: _single(value) for name, value in given.items() if name not in _PEOPLE}
        people = {name: _people(given[name]) for name in _PEOPLE if given.get(name)}
        return _without_nulls({**texts, **people, "arxiv": _arxiv(texts)})


def _single(value: Any) -> Any:  # Any: what a person's file holds
    return value[0] if isinstance(value, list) and value and isinstance(value[0], str) else value


def _people(value: Any) -> Any:  # Any: what a person's file holds
    """Names as a list of objects; programs also write one alone, and texts."""
    listed = value if isinstance(value, list) else [value]
    return [{"literal": each} if isinstance(each, str) else each for each in listed]


def _arxiv(texts: dict[str, Any]) -> str:
    told = (value for name, value in texts.items() if isinstance(value, str) and name not in _TALK)
    return next(filter(None, map(identifiers.arxiv_in, told)), "")


def _without_nulls(given: Any) -> Any:  # Any: what a person's file holds
    if not isinstance(given, dict):
        return given
    return {name: value for name, value in given.items() if value is not None}


_KINDS: dict[str, WorkKind] = {
    **{"article-journal": "article", "article-magazine": "article", "article-newspaper": "article"},
    **{"book": "book", "chapter": "chapter", "paper-conference": "proceedings-article"},
    **{"thesis": "thesis", "report": "report", "article": "preprint", "manuscript": "preprint"},
    **{"dataset": "dataset"},
}
_YEAR = re.compile(r"[0-9]{1,4}")
_YEAR_IN_TEXT = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_MOST_DIGITS = 18
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_HALF = re.compile(r"[\ud800-\udfff]")

Items = tuple[tuple[tuple[str, ScholarlyRecord], ...], tuple[CitationFinding, ...]]


def read_csl_json(content: str) -> Items:
    """The records with the id that each has, and what could not be read.

    Codes: ``NOT_JSON`` with its line, ``NOT_CSL`` for what is no list, ``BROKEN_ITEM``, ``NO_TITLE``,
    ``DUPLICATE_KEY``. Of a record that is taken without a part: ``UNREADABLE_YEAR``, ``UNREADABLE_DOI``.
    """
    try:
        items = json.loads(content.removeprefix("\ufeff"), parse_int=_number)
    except (json.JSONDecodeError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        said = "this is no JSON from here on; export the library as CSL-JSON again"
        return (), (CitationFinding(code="NOT_JSON", message=said, line=line),)
    if isinstance(items, dict) and (isinstance(items.get("items"), list) or "title" in items):
        items = items["items"] if isinstance(items.get("items"), list) else [items]
    if not isinstance(items, list):
        said = "CSL-JSON is a list of items; this is something else"
        return (), (CitationFinding(code="NOT_CSL", message=said, line=1),)
    return _sorted_out(items)


class _TooLong:
    """Stands for a number of more digits than any reference has; no field takes it."""


def _number(digits: str) -> int | _TooLong:
    return int(digits) if len(digits) <= _MOST_DIGITS else _TooLong()


# Any: what a person's file holds.
def _sorted_out(items: list[Any]) -> Items:
    records: dict[str, ScholarlyRecord] = {}
    findings: list[CitationFinding] = []
    for number, item in enumerate(items, 1):
        read, remarks = _read(item, number)
        findings += remarks
        if read is None:
            continue
        if read.id in records:
            said = f"item {number}: the id {read.id!r} stands a second time; it was left out"
            findings.append(CitationFinding(code="DUPLICATE_KEY", message=said, key=read.id))
        else:
            records[read.id or f"item {number}"] = _record(read)
            findings += _left_out(read, number)
    return tuple(records.items()), tuple(findings)


def _read(item: object, number: int) -> tuple[Item | None, list[CitationFinding]]:
    """An item without the fields that cannot be read, and what is said of it; None if it cannot be taken."""
    if _HALF.search(json.dumps(item, ensure_ascii=False, default=str)):
        said = f"item {number}: it has half of a character in it (U+D800 to U+DFFF); write it anew"
        return None, [CitationFinding(code="BROKEN_ITEM", message=said)]
    if not isinstance(item, dict):
        return None, [CitationFinding(code="BROKEN_ITEM", message=f"item {number}: it is no object")]
    try:
        read, findings = Item.model_validate(item), []
    except ValidationError as error:
        wrong = {str(each["loc"][0]): each["msg"] for each in error.errors() if each["loc"]}
        read = Item.model_validate({name: value for name, value in item.items() if name not in wrong})
        findings = [_unread(read.id, number, name, why) for name, why in wrong.items()]
    if not read.title.strip():
        said = f"item {number}: it has no title, so nothing can be cited by it"
        return None, [*findings, CitationFinding(code="NO_TITLE", message=said, key=read.id)]
    return read, findings


def _unread(key: str, number: int, name: str, why: str) -> CitationFinding:
    said = f"item {number}: its {name} was left out: {why}"
    return CitationFinding(code="UNREADABLE_FIELD", message=said, key=key)


def _left_out(item: Item, number: int) -> Iterator[CitationFinding]:
    """Report what the record has and the reference cannot have."""
    if item.issued and not item.issued.is_empty and _year(item.issued) is None:
        said = f"item {number}: its date {_shown(item.issued)} has no year from 1 to 9999; it was left out"
        yield CitationFinding(code="UNREADABLE_YEAR", message=said, key=item.id)
    if item.doi.strip() and not identifiers.doi(item.doi):
        said = f"item {number}: {item.doi!r} is no DOI (10. and a slash); it was left out"
        yield CitationFinding(code="UNREADABLE_DOI", message=said, key=item.id)


def _shown(issued: Date) -> str:
    return (issued.raw or issued.literal or json.dumps(issued.parts))[:60]


def _record(item: Item) -> ScholarlyRecord:
    return ScholarlyRecord(
        source="bibliography",
        doi=identifiers.doi(item.doi),
        pmid=item.pmid,
        title=item.title,
        arxiv=item.arxiv,
        authors=tuple(map(_author, item.author)),
        editors=tuple(map(_author, item.editor)),
        year=_year(item.issued) if item.issued else None,
        container=item.container,
        volume=item.volume,
        issue=item.issue,
        pages=item.page,
        series=item.series,
        edition=item.edition,
        publisher=unmarked(item.publisher),
        place=unmarked(item.place),
        isbn=item.isbn,
        issn=item.issn,
        accessed=_day(item.accessed) if item.accessed else "",
        kind=_KINDS.get(item.type, "other"),
        url=item.url,
    )


def _author(name: Name) -> Author:
    whole = name.literal or name.name
    family = " ".join(filter(None, (name.dropping, name.particle, name.family)))
    family = ", ".join(filter(None, (family, name.suffix)))
    return Author(family=unmarked(whole or family), given="" if whole else unmarked(name.given))


def _day(given: Date) -> str:
    """A whole day as YYYY-MM-DD; empty if a part is missing."""
    parts = given.parts[0] if given.parts else []
    found = _DAY.match("-".join(str(each).zfill(2) for each in parts) or given.raw or given.literal)
    return found[0] if found else ""


def _year(issued: Date) -> int | None:
    if issued.parts and issued.parts[0]:
        first = str(issued.parts[0][0])
        return int(first) if _YEAR.fullmatch(first) and int(first) else None
    found = _YEAR_IN_TEXT.search(issued.raw or issued.literal)
    return int(found[0]) if found else None
