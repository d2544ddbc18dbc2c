"""References from other programs: BibTeX, RIS and CSL-JSON, as entries of ``references.bib``.

Nothing is dropped in silence: each record that cannot be taken is a finding with its line.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from penwright.domain.citations.building import entry_of, with_latex_marks
from penwright.domain.citations.claims import reference_of
from penwright.domain.citations.entries import Entry, bibliography, ordered, read_entries
from penwright.domain.citations.exchange.csl_json import read_csl_json
from penwright.domain.citations.exchange.ris import read_ris
from penwright.domain.citations.keys import is_key, key_for
from penwright.domain.citations.works import KnownWorks
from penwright.domain.text.inline_citations import no_parent
from schemas.citations import CitationFinding, ReferenceFormat
from schemas.scholarly import Reference, ScholarlyRecord

_TITLES = frozenset({"title", "booktitle", "journal", "journaltitle", "series", "shorttitle"})
_PREAMBLE = re.compile(r"^[ \t]*@preamble\b", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ReferencesImported:
    """The bibliography with what was added, and what was not."""

    bibliography: str
    """Begins with what was there before, unchanged."""
    added: tuple[Entry, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    """Keys in the bibliography by those of the imported entries, also of works that were there."""
    findings: tuple[CitationFinding, ...] = ()


def imported(content: str, form: ReferenceFormat, present: str, today: date) -> ReferencesImported:
    """Add the references of ``content`` to the bibliography ``present``.

    A work that is there already is ``ALREADY_THERE``; another work under a used key gets a key of its own
    (``CONFLICTING_KEY``); a text without any reference is ``NO_REFERENCES``.
    """
    entries, findings = _read(content, form, today)
    if not entries and not findings:
        said = "no reference stands in it; check that it is the right file"
        findings.append(CitationFinding(code="NO_REFERENCES", message=said, line=1))
    shelf, added, keys = _Shelf(read_entries(present).entries), list[Entry](), dict[str, str]()
    for entry in entries:
        fitting, finding = shelf.fitted(entry)
        added += [fitting] if fitting else []
        findings += [finding] if finding else []
        keys[entry.key] = fitting.key if fitting else shelf.there(entry)
    return ReferencesImported(_appended(present, added), tuple(added), keys, tuple(findings))


def _read(content: str, form: ReferenceFormat, today: date) -> tuple[Sequence[Entry], list[CitationFinding]]:
    if form == "bibtex":
        read = read_entries(content)
        entries = tuple(replace(each, fields=tuple(_with_marks(each))) for each in read.entries)
        return entries, [*read.findings, *_left_out(content, entries)]
    records, findings = read_ris(content) if form == "ris" else read_csl_json(content)
    return list(_entries(records, today)), list(findings)


def _with_marks(entry: Entry) -> Iterator[tuple[str, str]]:
    """Fields whose titles have commands of LaTeX in place of HTML's tags, which other programs leave."""
    for name, value in entry.fields:
        yield name, with_latex_marks(value.replace("&amp;", r"\&")) if name in _TITLES else value


def _left_out(content: str, entries: Sequence[Entry]) -> Iterator[CitationFinding]:
    """Report the rest of a BibTeX file: its preamble, and entries that take fields of one not in it."""
    if found := _PREAMBLE.search(content):
        line = content.count("\n", 0, found.start()) + 1
        said = "its @preamble was left out; a bibliography of Penwright has entries only"
        yield CitationFinding(code="PREAMBLE", message=said, line=line)
    keys = {each.key for each in entries}
    for each in entries:
        if (parent := each.field("crossref")) and parent not in keys:
            yield no_parent(each.key, parent)


def _entries(records: Iterable[tuple[str, ScholarlyRecord]], today: date) -> Iterable[Entry]:
    for wanted, record in records:
        yield entry_of(record, wanted if is_key(wanted) else key_for(record, ()), today)


class _Shelf:
    """Entries of a bibliography, and those added to it."""

    def __init__(self, present: Iterable[Entry]) -> None:
        self.works = KnownWorks[str]()
        self.taken: set[str] = set()
        self.same: dict[tuple[str, object], str] = {}
        """Keys of entries by their type and fields, for those that name no work."""
        for entry in present:
            self._put(entry, reference_of(entry))

    def fitted(self, entry: Entry) -> tuple[Entry | None, CitationFinding | None]:
        """The entry with a key that is free, if its work is not there yet, and what is to be said of it."""
        work = reference_of(entry)
        if there := self.there(entry):
            said = f"{entry.key!r} is the work that stands as {there!r}; it was not added again"
            return None, CitationFinding(code="ALREADY_THERE", message=said, key=entry.key)
        if entry.key not in self.taken:
            self._put(entry, work)
            return entry, None
        fitting = replace(entry, key=key_for(work, self.taken))
        self._put(fitting, work)
        said = f"another work has the key {entry.key!r}; this one was added as {fitting.key!r}"
        return fitting, CitationFinding(code="CONFLICTING_KEY", message=said, key=entry.key)

    def there(self, entry: Entry) -> str:
        """The key of the same work or entry; empty if it is not there."""
        return self.works.find(reference_of(entry)) or self.same.get(_content(entry)) or ""

    def _put(self, entry: Entry, work: Reference) -> None:
        self.works.add(work, entry.key)
        self.taken.add(entry.key)
        self.same.setdefault(_content(entry), entry.key)


def _content(entry: Entry) -> tuple[str, object]:
    return entry.kind, ordered(entry).fields


def _appended(present: str, added: Sequence[Entry]) -> str:
    if not added:
        return present
    between = "" if not present or present.endswith("\n\n") else "\n" if present.endswith("\n") else "\n\n"
    return f"{present}{between}{bibliography(added)}"
