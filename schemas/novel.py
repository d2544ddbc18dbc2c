"""A novel's settings, as its author writes them in ``Novel.yml``."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from schemas.base import Value

ShortText = Annotated[str, Field(max_length=500)]

EvidenceUse = Literal["when-sources", "always", "never"]
"""Runs that gather evidence before they write: where the novel has ``sources/``, all, or none."""

LANGUAGE = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
"""Codes of languages, such as ``en-GB``."""


class NovelConfig(Value):
    """``Novel.yml``. A key that is none of these is an error: it would have no effect."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(max_length=64)] = ""
    """Set once; all clones of the novel share it."""
    title: ShortText
    author: ShortText = ""
    language: Annotated[str, Field(pattern=LANGUAGE)] = "en"
    """BCP 47 tag, such as ``en-GB``."""
    citation_style: Annotated[str, Field(max_length=200)] = ""
    """Path of a ``.csl`` file in the novel; empty: Chicago, author and date."""
    evidence: EvidenceUse = "when-sources"
    abstract: Annotated[str, Field(max_length=20_000)] = ""
