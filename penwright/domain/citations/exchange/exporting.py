"""A manuscript for other programs: ``[[@type{key, …}]]`` becomes ``[@key]``, and its entry goes to a .bib."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from penwright.domain.citations.abbreviations import is_abbreviation
from penwright.domain.citations.claims import reference_of
from penwright.domain.citations.entries import Entry, bibliography, ordered, read_entry
from penwright.domain.citations.keys import key_with_suffix
from penwright.domain.citations.sentences import NOTE_MARKS, sentences_of
from penwright.domain.citations.works import KnownWorks, same_work
from penwright.domain.text.citation_tokens import tokens_of
from penwright.domain.text.inline_citations import (
    InlineCitation,
    find_citations,
    keys_named_in,
    marks_in,
    no_parent,
    protected_spans,
    unknown_key,
    without_marks,
)
from schemas.citations import CitationFinding
from schemas.scholarly import Reference

_PLAIN_KEY = re.compile(r"\w+(?:[:.#$%&+?<>~/-]\w+)*")
_STOP = re.compile(
    r"(?P<word>[^\s(\[{“\"'‘«.!?…]+)(?:(?P<mark>[.!?])|(?P<quoted>\.)(?P<closing>[”’»\"']+))"
    rf"(?P<note>(?:{NOTE_MARKS.pattern})?)[ \t]*\n?[ \t]*\Z"
)
_SHOWN = 60
"""Characters of a sentence without a source that a finding quotes."""
_REACH = 300
"""Characters before a citation in which the stop of its sentence is looked for."""
_SIGN = re.compile(r"[!-/:-@\[-`{-~]")
_CELL_END = re.compile(r"[ \t]*\|")


@dataclass(frozen=True, slots=True)
class ExportedCitations:
    """A text with pandoc's citations, its bibliography, and what is wrong."""

    text: str
    bibliography: str
    """BibTeX; every key that the text names, each once. Empty if it cites nothing."""
    findings: tuple[CitationFinding, ...] = ()


def exported(text: str, more: Sequence[Entry] = ()) -> ExportedCitations:
    """Convert the citations of ``text``; what cannot be read stays as it is, as a finding.

    In a text a citation stands behind its sentence; a reader finds it before the sentence's full stop.

    A work is exported once; where its entries differ, that is said (``ENTRIES_DIFFER``). Two works of one key
    both stay: the second gets a key of its own (``CONFLICTING_KEY``). A mark ``[no source]`` is left out, and
    its line said (``NO_SOURCE``). Markers stay as they are: one that no
    entry explains is ``UNKNOWN_KEY``, one that names a work by another key than before is ``TWO_KEYS``.

    Args:
        more: entries that markers in the text may name, those of ``references.bib``.
    """
    found = find_citations(text)
    ends = frozenset(each.end for each in sentences_of(text)) if found.citations else frozenset[int]()
    shelf = _Shelf(text, {entry.key: ordered(entry) for entry in more}, findings=list(found.findings))
    parts, behind = [], 0
    keys = {each: key for each in found.citations if (key := shelf.take(each))}
    for group in _groups(text, keys):
        marker = f"[{'; '.join(_named(keys[each]) for each in group)}]"
        parts.append(_led_up(text, behind, group, ends, marker))
        behind = group[-1].end
    result = without_marks("".join([*parts, text[behind:]]))
    shelf.take_markers()
    shelf.take_marks()
    entries = shelf.used_entries()
    return ExportedCitations(result, bibliography(entries), tuple(shelf.findings))


def as_pandoc_reads(text: str) -> str:
    """An exported text in which every sign of what stayed as it is is escaped: no key is read out of it."""
    parts, behind = [], 0
    for start, end in protected_spans(text):
        parts += [text[behind:start], _SIGN.sub(r"\\\g<0>", text[start:end])]
        behind = end
    return "".join([*parts, text[behind:]])


@dataclass(slots=True)
class _Shelf:
    """The entries by key, as they are taken."""

    text: str
    entries: dict[str, Entry]
    findings: list[CitationFinding]
    used: set[str] = field(default_factory=set)
    works: KnownWorks[str] = field(default_factory=KnownWorks)
    """Those that are cited so far, and those that markers name, by their keys."""

    def __post_init__(self) -> None:
        for key, _ in keys_named_in(self.text, tokens_of(self.text)):
            if key in self.entries:
                self.works.add(reference_of(self.entries[key]), key)

    def take(self, citation: InlineCitation) -> str:
        """The key under which a citation's entry stands in the bibliography; empty if it cannot be read."""
        entry = read_entry(citation.entry)
        if isinstance(entry, CitationFinding):
            if entry.code != "NO_KEY":
                self.findings.append(entry.model_copy(update={"line": self._line(citation.start)}))
            return ""
        return self._placed(ordered(entry), citation.start)

    def _placed(self, entry: Entry, place: int) -> str:
        work = reference_of(entry)
        known = self.works.find(work) or self._same(entry, work)
        key = self._joined(known, entry, place) if known else self._added(entry, place)
        self.works.add(work, key)
        self.used.add(key)
        return key

    def _same(self, entry: Entry, work: Reference) -> str:
        """The key of an entry, if another one of that key names the same work; else empty."""
        there = self.entries.get(entry.key)
        return entry.key if there is not None and same_work(reference_of(there), work) else ""

    def _joined(self, key: str, entry: Entry, place: int) -> str:
        """One entry of two that name a work, with the fields of both; first what stands in the text."""
        there = self.entries[key]
        first, second = (there, entry) if key in self.used else (entry, there)
        if apart := sorted({name for name, _ in {*first.fields} ^ {*second.fields}}):
            said = (
                f"two entries name the work {key!r} and differ in {', '.join(apart)}; it is exported once, "
                "with the fields of both: make them equal, or remove one"
            )
            self._find("ENTRIES_DIFFER", said, place, key)
            fields = {**dict(second.fields), **dict(first.fields)}
            self.entries[key] = ordered(Entry(first.kind, key, tuple(fields.items())))
        return key

    def _added(self, entry: Entry, place: int) -> str:
        key, number = entry.key, 0
        while key in self.entries and self.entries[key].fields != entry.fields:
            number += 1
            key = key_with_suffix(entry.key, number)
        if key != entry.key and key not in self.entries:
            said = f"two works have the key {entry.key!r}; one is exported as {key!r}: give it another key"
            self._find("CONFLICTING_KEY", said, place, entry.key)
        self.entries.setdefault(key, Entry(entry.kind, key, entry.fields))
        return key

    def take_markers(self) -> None:
        """Note the keys that pandoc's own citations name, in brackets and in the text."""
        for key, place in keys_named_in(self.text, tokens_of(self.text)):
            self._mark(key, place)

    def take_marks(self) -> None:
        """Note the sentences that are marked as without a source."""
        for start, end in marks_in(self.text):
            begins = " ".join(self.text[:start].splitlines()[-1:])[-_SHOWN:]
            said = (
                f"nothing is cited for “…{begins}”, and its mark is left out; `cite scan` looks for a source"
            )
            self._find("NO_SOURCE", said, end, "")

    def _mark(self, key: str, place: int) -> None:
        if key not in self.entries:
            self.findings.append(unknown_key(key).model_copy(update={"line": self._line(place)}))
            return
        self.used.add(key)
        first = self.works.find(reference_of(self.entries[key])) or key
        if first != key:
            said = f"{first!r} and {key!r} name one work, which is listed twice; cite it as {first!r}"
            self._find("TWO_KEYS", said, place, key)

    def used_entries(self) -> list[Entry]:
        """The cited works by key, and behind them those that they are part of, as BibTeX wants them."""
        parents = {key: self.entries[key].field("crossref") for key in sorted(self.used)}
        for key, parent in parents.items():
            if parent and parent not in self.entries:
                self.findings.append(no_parent(key, parent))
        there = {parent for parent in parents.values() if parent in self.entries}
        return [self.entries[key] for key in (*sorted(self.used - there), *sorted(there))]

    def _find(self, code: str, message: str, place: int, key: str) -> None:
        self.findings.append(CitationFinding(code=code, message=message, line=self._line(place), key=key))

    def _line(self, place: int) -> int:
        return self.text.count("\n", 0, place) + 1


def _groups(text: str, citations: Iterable[InlineCitation]) -> list[list[InlineCitation]]:
    """Citations with nothing but blanks between them."""
    groups: list[list[InlineCitation]] = []
    for each in citations:
        if groups and not text[groups[-1][-1].end : each.start].strip(" \t"):
            groups[-1].append(each)
        else:
            groups.append([each])
    return groups


def _led_up(
    text: str, behind: int, group: Sequence[InlineCitation], ends: frozenset[int], marker: str
) -> str:
    """Put a citation's marker after the words before it: before the stop of a sentence that it stands behind.

    The full stop of a quote follows the citation behind the quote; a quoted question keeps its mark, and an
    abbreviation its stop. The mark of a footnote stays behind all.
    """
    before, after = text[behind : group[0].start], group[-1].end
    is_end = after in ends or _CELL_END.match(text, after) is not None
    stop = _STOP.search(before, max(0, len(before) - _REACH)) if is_end else None
    if stop is None or ((stop["mark"] or ".") == "." and is_abbreviation(stop["word"])):
        return f"{before}{marker}"
    words = f"{before[: stop.end('word')]}{stop['closing'] or ''}"
    return f"{words} {marker}{stop['mark'] or stop['quoted']}{stop['note']}"


def _named(key: str) -> str:
    return f"@{key}" if _PLAIN_KEY.fullmatch(key) else f"@{{{key}}}"
