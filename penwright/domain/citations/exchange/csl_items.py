"""One item of CSL-JSON as programs write it: dates and names in other forms, lists, and nulls."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from penwright.domain.citations import identifiers

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
