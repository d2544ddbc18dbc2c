"""Every entry of texts and reference files, with its place. Imported by activities only, see ``entries``."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from penwright.domain.citations.claims import reference_of
from penwright.domain.citations.entries import Entry, read_entries, read_entry
from penwright.domain.citations.exchange.csl_json import read_csl_json
from penwright.domain.citations.exchange.ris import read_ris
from penwright.domain.citations.works import KnownWorks
from penwright.domain.text.citation_tokens import tokens_of
from penwright.domain.text.inline_citations import find_citations, keys_named_in, unknown_key
from schemas.citation_audit import CitedEntries, CitedEntry, CitedText, PlacedFinding
from schemas.citations import CitationFinding
from schemas.scholarly import Reference

_KEY_LINE = re.compile(r"^[ \t]*@\w+\s*[{(]\s*([^,\s}]+)", re.MULTILINE)


def entries_of(texts: Iterable[tuple[CitedText, str]]) -> CitedEntries:
    """List the entries of some texts: of equal ones of a key the first, and a finding for each that is none.

    A key that a text names and no entry explains is ``UNKNOWN_KEY``.
    """
    listed = _Listed()
    for text, content in texts:
        match text.form:
            case "text":
                listed.take_text(text.name, content)
            case "bibtex":
                listed.take_bibtex(text.name, content)
            case "own-sources":
                listed.take_own(content)
            case "ris" | "csl-json":
                records, findings = read_ris(content) if text.form == "ris" else read_csl_json(content)
                listed.find(text.name, findings)
                for key, record in records:
                    listed.add(text.name, 0, key, record)
    listed.find_unknown()
    return CitedEntries(entries=tuple(listed.with_own()), findings=tuple(listed.findings))


@dataclass(slots=True)
class _Listed:
    entries: list[CitedEntry] = field(default_factory=list)
    findings: list[PlacedFinding] = field(default_factory=list)
    named: list[tuple[str, str, int]] = field(default_factory=list)
    """Keys that markers name, each with its file and line."""
    seen: set[tuple[str, str]] = field(default_factory=set)
    own: KnownWorks[str] = field(default_factory=KnownWorks)

    def add(self, file: str, line: int, key: str, claimed: Reference) -> None:
        bare = Reference.model_validate({name: getattr(claimed, name) for name in Reference.model_fields})
        if not bare.authors and claimed.people:
            bare = bare.model_copy(update={"authors": claimed.people})
        if (mark := (key, bare.model_dump_json())) not in self.seen:
            self.seen.add(mark)
            self.entries.append(CitedEntry(key=key, file=file, line=line, claimed=bare))

    def find(self, file: str, findings: Iterable[CitationFinding]) -> None:
        self.findings += [PlacedFinding(**dict(each), file=file) for each in findings]

    def take_text(self, file: str, text: str) -> None:
        found = find_citations(text)
        self.find(file, found.findings)
        for each in found.citations:
            line = _line(text, each.start)
            entry = read_entry(each.entry)
            if isinstance(entry, Entry):
                self.add(file, line, entry.key, reference_of(entry))
            elif entry.code != "NO_KEY":  # which ``find_citations`` has said
                self.find(file, [entry.model_copy(update={"line": line})])
        self.named += [(key, file, _line(text, at)) for key, at in keys_named_in(text, tokens_of(text))]

    def take_bibtex(self, file: str, text: str) -> None:
        read = read_entries(text)
        self.find(file, read.findings)
        lines = dict(reversed(list(_key_lines(text))))
        for entry in read.entries:
            self.add(file, lines.get(entry.key, 0), entry.key, reference_of(entry))

    def take_own(self, text: str) -> None:
        for entry in read_entries(text).entries:
            self.own.add(reference_of(entry), entry.key)

    def with_own(self) -> Iterator[CitedEntry]:
        for each in self.entries:
            is_own = self.own.find(each.claimed) is not None
            yield each.model_copy(update={"is_own": True}) if is_own else each

    def find_unknown(self) -> None:
        known = {each.key for each in self.entries} | {each.key for each in self.findings}
        for key, file, line in self.named:
            if key not in known:
                known.add(key)
                self.find(file, [unknown_key(key).model_copy(update={"line": line})])


def _key_lines(text: str) -> Iterator[tuple[str, int]]:
    return ((found[1], _line(text, found.start(1))) for found in _KEY_LINE.finditer(text))


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1
