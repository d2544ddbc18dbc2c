"""Citations that a document of another program brings with their records, under keys of this house."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from penwright.domain.citations.building import entry_of
from penwright.domain.citations.entries import Entry, bibliography
from penwright.domain.citations.exchange.csl_json import read_csl_json
from penwright.domain.citations.keys import key_for


@dataclass(frozen=True, slots=True)
class Carried:
    """A text, and what it cites."""

    text: str
    """It names works by the keys of the bibliography."""
    bibliography: str = ""
    """BibTeX."""


def carried(markdown: str, csl_json: str) -> Carried:
    """Return a text with ``[@id]`` whose ids have become keys, and the bibliography of its records."""
    keys: dict[str, str] = {}
    entries: list[Entry] = []
    for id, record in read_csl_json(csl_json)[0]:
        keys[id] = key_for(record, {*keys.values()})
        entries.append(entry_of(record, keys[id]))
    return Carried(renamed(markdown, keys), bibliography(entries))


def renamed(markdown: str, keys: Mapping[str, str]) -> str:
    """Return a text whose citations name works by other keys; one that is not among them stays."""
    ids = "|".join(map(re.escape, sorted(keys, key=len, reverse=True)))
    named = re.compile(rf"(?<![\w\\])@(?:\{{({ids})\}}|({ids})(?![\w/]))")
    return named.sub(lambda found: f"@{keys[found[1] or found[2]]}", markdown) if keys else markdown
