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

_KINDS: dict[str, WorkKind] = {
    **{"article-journal": "article", "article-magazine": "article", "article-newspaper": "article"},
    **{"book": "book", "chapter": "chapter", "paper-conference": "proceedings-article"},
    **{"thesis": "thesis", "report": "report", "article": "preprint", "manuscript": "preprint"},
    **{"dataset": "dataset"},
}
_YEAR = re.compile(r"[0-9]{1,4}")
_YEAR_IN_TEXT = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_MOST_DIGITS = 18
_HALF = re.compile(r"[\ud800-\udfff]")


class _Name(BaseModel):
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


class _Date(BaseModel):
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


class _Item(BaseModel):
    model_config = ConfigDict(coerce_numbers_to_str=True)

    id: str = ""
    type: str = ""
    title: str = ""
    author: list[_Name] = []
    issued: _Date | None = None
    container: str = Field(default="", alias="container-title")
    volume: str = ""
    issue: str = ""
    page: str = ""
    publisher: str = ""
    doi: str = Field(default="", alias="DOI")
    pmid: str = Field(default="", alias="PMID")
    url: str = Field(default="", alias="URL")

    @model_validator(mode="before")
    @classmethod
    def _with_single_values(cls, given: object) -> object:
        """A field without a value is none; of texts in a list, as Crossref has them, the first is taken."""
        if not isinstance(given, dict):
            return given
        texts = {name: _single(value) for name, value in given.items()}
        return _without_nulls(texts)


def _single(value: Any) -> Any:  # Any: what a person's file holds
    return value[0] if isinstance(value, list) and value and isinstance(value[0], str) else value


def _without_nulls(given: Any) -> Any:  # Any: what a person's file holds
    if not isinstance(given, dict):
        return given
    return {name: value for name, value in given.items() if value is not None}


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
        read = _read(item, number)
        if isinstance(read, CitationFinding):
            findings.append(read)
        elif read.id in records:
            said = f"item {number}: the id {read.id!r} stands a second time; it was left out"
            findings.append(CitationFinding(code="DUPLICATE_KEY", message=said, key=read.id))
        else:
            records[read.id or f"item {number}"] = _record(read)
            findings += _left_out(read, number)
    return tuple(records.items()), tuple(findings)


def _read(item: object, number: int) -> _Item | CitationFinding:
    if _HALF.search(json.dumps(item, ensure_ascii=False, default=str)):
        said = f"item {number}: it has half of a character in it (U+D800 to U+DFFF); write it anew"
        return CitationFinding(code="BROKEN_ITEM", message=said)
    try:
        read = _Item.model_validate(item)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "item"
        said = f"item {number}: {where}: {first['msg']}"
        return CitationFinding(code="BROKEN_ITEM", message=said)
    if not read.title.strip():
        said = f"item {number}: it has no title, so nothing can be cited by it"
        return CitationFinding(code="NO_TITLE", message=said, key=read.id)
    return read


def _left_out(item: _Item, number: int) -> Iterator[CitationFinding]:
    """What the record has and the reference cannot have."""
    if item.issued and not item.issued.is_empty and _year(item.issued) is None:
        said = f"item {number}: its date {_shown(item.issued)} has no year from 1 to 9999; it was left out"
        yield CitationFinding(code="UNREADABLE_YEAR", message=said, key=item.id)
    if item.doi.strip() and not identifiers.doi(item.doi):
        said = f"item {number}: {item.doi!r} is no DOI (10. and a slash); it was left out"
        yield CitationFinding(code="UNREADABLE_DOI", message=said, key=item.id)


def _shown(issued: _Date) -> str:
    return (issued.raw or issued.literal or json.dumps(issued.parts))[:60]


def _record(item: _Item) -> ScholarlyRecord:
    return ScholarlyRecord(
        source="bibliography",
        doi=identifiers.doi(item.doi),
        pmid=item.pmid,
        title=unmarked(item.title),
        authors=tuple(map(_author, item.author)),
        year=_year(item.issued) if item.issued else None,
        container=unmarked(item.container),
        volume=item.volume,
        issue=item.issue,
        pages=item.page,
        publisher=unmarked(item.publisher),
        kind=_KINDS.get(item.type, "other"),
        url=item.url,
    )


def _author(name: _Name) -> Author:
    whole = name.literal or name.name
    family = " ".join(filter(None, (name.dropping, name.particle, name.family)))
    family = ", ".join(filter(None, (family, name.suffix)))
    return Author(family=unmarked(whole or family), given="" if whole else unmarked(name.given))


def _year(issued: _Date) -> int | None:
    if issued.parts and issued.parts[0]:
        first = str(issued.parts[0][0])
        return int(first) if _YEAR.fullmatch(first) and int(first) else None
    found = _YEAR_IN_TEXT.search(issued.raw or issued.literal)
    return int(found[0]) if found else None
