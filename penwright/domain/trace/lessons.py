"""Lessons in ``AGENT.md``: what went wrong once, shown to every agent that writes later.

The file belongs to people as well. An entry is changed line by line, and nothing else is touched.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from penwright.domain.text.markdown_cells import TOP, cell, path_cell, path_of, value_of
from penwright.domain.trace.chain import canonical, digest
from penwright.domain.trace.layout import FOLDER
from schemas.lessons import Lesson

ARCHIVE: Final = f"{FOLDER}/AGENT.archive.md"
"""File of the oldest lessons."""
MOST: Final = 200
"""Lessons in the file; more would not be read."""
_LONGEST = 500
"""Characters of a symptom, a cause, a resolution or a rule."""
_FIRST = """\
# What to know before writing here

Rules of style, pitfalls and decisions: write them here, anywhere outside the marked entries.

## Lessons learned
"""
_ARCHIVED = "# Lessons set aside\n"
_BEGIN = re.compile(r"<!-- lesson (L-[0-9]{1,9}) (sha256:[0-9a-f]{64}) -->")
_END = "<!-- end of lesson -->"
_FIELD = re.compile(r"- ([A-Z][a-z]+): (.*)")
_SEEN = re.compile(r"([0-9]{1,9}) times?, first (\S+), last (\S+)")
_TEXTS = {
    "Intent": "intent",
    "File": "path",
    "Heading": "heading",
    "Symptom": "symptom",
    "Cause": "cause",
    "Resolution": "resolution",
    "Rule": "rule",
}
"""Label -> field of a lesson."""
_FILLED = ("Cause", "Resolution", "Rule")
"""Fields that may be filled in later."""
HIDDEN: Final = "[secret]"
_NAMED = re.compile(
    r"(?i)\b([\w-]*(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|credential)s?)"
    r"([\"']?\s*[:=]\s*)(\"[^\"\n]*\"|'[^'\n]*'|[^\s,;&\"']+)"
)
_CARRIED = re.compile(r"(?i)\b(bearer|basic)(\s+)[A-Za-z0-9+/._~=-]{8,}")
_IN_ADDRESS = re.compile(r"(?<=://)[^/\s:@]*:[^/\s@]+(?=@)")
_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
)
_ISSUED = re.compile(
    r"\b(?:sk-[\w-]{16,}|(?:gh[opsur]|glpat|hf|npm|pypi)[_-][\w-]{16,}|github_pat_\w{16,}|xox[a-z]-[\w-]{10,}"
    r"|A[KS]IA[A-Z0-9]{16}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)"
)
_RANDOM = re.compile(r"(?<![\w/+])(?=[\w/+]*[a-z])(?=[\w/+]*[A-Z])(?=[\w/+]*[0-9])[\w/+]{40,}={0,2}")
"""Letters of both cases and digits, too long for a word; paths have other signs, our hashes no capitals."""


@dataclass(frozen=True, slots=True)
class LessonsWritten:
    """The file with a lesson in it."""

    text: str
    lesson: Lesson
    """Its text in the file."""
    archive: str | None = None
    """Entries that were taken out and must be kept elsewhere: see ``archived``."""


def prepared(lesson: Lesson) -> Lesson:
    """Fit to be written down: no secrets, no endless text, whole seconds UTC, and its signature."""
    texts = {name: _short(getattr(lesson, name)) for name in ("symptom", "cause", "resolution", "rule")}
    times = {"time": _second(lesson.time), "last": _second(lesson.last or lesson.time)}
    made = lesson.model_copy(update={**texts, **times})
    return made.model_copy(update={"signature": signature_of(made)})


def signature_of(lesson: Lesson) -> str:
    """The same for the same failure at the same place, whatever numbers it names."""
    symptom = re.sub(r"[0-9]+", "0", lesson.symptom.casefold())
    symptom = re.sub(r"[\"'`“”‘’«»„]+", "'", symptom)
    named = {
        "category": lesson.category.value,
        "path": unicodedata.normalize("NFC", lesson.path),
        "symptom": " ".join(unicodedata.normalize("NFC", symptom).split()),
    }
    return digest(canonical(named))


def with_lesson(text: str | None, lesson: Lesson) -> LessonsWritten:
    """The file with ``lesson`` in it, once: a repeat only counts. None begins a new file."""
    lines = (_FIRST if text is None else text).splitlines(keepends=True)
    made = prepared(lesson)
    entries = _entries(lines)
    known = next((each for each in entries if each.signature == made.signature), None)
    if known is not None:
        added = _repeated(known, made)
        lines[known.start : known.end] = known.updated(added)
        return LessonsWritten("".join(lines), added)
    number = 1 + max((int(each.id[2:]) for each in entries), default=0)
    added = made.model_copy(update={"id": f"L-{number:04d}"})
    _insert(lines, entries[-1].end if entries else len(lines), _written(added))
    archive = _prune(lines, keep=added.id)
    return LessonsWritten("".join(lines), added, archive)


def lessons_of(text: str) -> tuple[Lesson, ...]:
    """Lessons in the order of the file; entries that people made unreadable are left out."""
    found = (entry.lesson() for entry in _entries(text.splitlines(keepends=True)))
    return tuple(lesson for lesson in found if lesson is not None)


def own_rules(text: str) -> str:
    """The part of the file that people wrote: all but the lessons, and the lines that it begins with."""
    lines = text.splitlines(keepends=True)
    for entry in reversed(_entries(lines)):
        del lines[entry.start : entry.end]
    given = frozenset(_FIRST.splitlines())
    left = "".join(line for line in lines if line.rstrip("\r\n") not in given or not line.strip())
    return re.sub(r"(\r?\n){3,}", "\n\n", left).strip()


def archived(existing: str | None, entries: str) -> str:
    """The archive with ``entries`` at its end."""
    lines = (_ARCHIVED if existing is None else existing).splitlines(keepends=True)
    _insert(lines, len(lines), entries.splitlines())
    return "".join(lines)


def _short(text: str) -> str:
    clean = scrubbed(text).strip()
    return clean if len(clean) <= _LONGEST else f"{clean[: _LONGEST - 1]}…"


def _second(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(microsecond=0)


def _repeated(entry: "_Entry", again: Lesson) -> Lesson:
    """The lesson as written, seen once more; what was not known then may be known now."""
    known = entry.lesson()
    if known is None:
        return again.model_copy(update={"id": entry.id})
    learned = {name: getattr(again, name) for name in map(str.lower, _FILLED) if not getattr(known, name)}
    last = max(known.last or known.time, again.last or again.time)
    return known.model_copy(update={**learned, "count": known.count + again.count, "last": last})


def _written(lesson: Lesson) -> list[str]:
    fields = _fields(lesson)
    return [
        f"### {lesson.id}: {lesson.category.value}",
        "",
        f"<!-- lesson {lesson.id} {lesson.signature} -->",
        *(f"- {name}: {value}" for name, value in fields.items() if value),
        _END,
    ]


def _fields(lesson: Lesson) -> dict[str, str]:
    times = "time" if lesson.count == 1 else "times"
    first, last = (
        each.isoformat().replace("+00:00", "Z") for each in (lesson.time, lesson.last or lesson.time)
    )
    seen = f"{lesson.count} {times}, first {first}, last {last}"
    texts = {label: getattr(lesson, name) for label, name in _TEXTS.items()}
    cells = {label: path_cell(text) if label == "Heading" else cell(text) for label, text in texts.items()}
    shown = {label: cells[label] if text or label == "Symptom" else "" for label, text in texts.items()}
    return {"Seen": seen, "Category": lesson.category.value, **shown}


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of the file."""

    start: int
    """Its first line, the heading included."""
    end: int
    """After its last line."""
    id: str
    signature: str
    lines: tuple[str, ...]

    def lesson(self) -> Lesson | None:
        """Parse the entry; None if a person made it unreadable."""
        fields = dict(self._fields())
        seen = _SEEN.fullmatch(fields.get("Seen", ""))
        if seen is None:
            return None
        try:
            texts = {
                name: path_of(fields.get(label, TOP))
                if label == "Heading"
                else value_of(fields.get(label, ""))
                for label, name in _TEXTS.items()
            }
            known = {"id": self.id, "signature": self.signature, "category": fields.get("Category")}
            times = {"time": seen[2], "last": seen[3], "count": int(seen[1])}
            return Lesson.model_validate({**known, **times, **texts})
        except ValueError:
            return None

    def updated(self, lesson: Lesson) -> list[str]:
        """Its lines, where only the count and what was missing are new."""
        fields = _fields(lesson)
        known = [name for name, _ in self._fields()]
        missing = [name for name in ("Seen", *_FILLED) if name not in known and fields[name]]
        ending = "\r\n" if self.lines[0].endswith("\r\n") else "\n"
        lines = [
            f"- Seen: {fields['Seen']}{ending}" if line.startswith("- Seen: ") else line
            for line in self.lines
        ]
        at = len(lines) - (lines[-1].rstrip("\r\n") == _END)
        lines[at:at] = [f"- {name}: {fields[name]}{ending}" for name in missing]
        return lines

    def _fields(self) -> Iterator[tuple[str, str]]:
        for line in self.lines:
            if found := _FIELD.fullmatch(line.rstrip("\r\n")):
                yield found[1], found[2]


def _entries(lines: Sequence[str]) -> list[_Entry]:
    found = []
    for at, line in enumerate(lines):
        if begun := _BEGIN.fullmatch(line.rstrip("\r\n")):
            start, end = _start(lines, at, begun[1]), _end(lines, at + 1)
            found.append(_Entry(start, end, begun[1], begun[2], tuple(lines[start:end])))
    return found


def _start(lines: Sequence[str], at: int, lesson_id: str) -> int:
    heading = f"### {lesson_id}:"
    titled = at >= 2 and lines[at - 2].startswith(heading) and not lines[at - 1].strip()
    return at - 2 if titled else at


def _end(lines: Sequence[str], at: int) -> int:
    """After the end mark; if a person removed it, after the last line of the last entry."""
    for number in range(at, len(lines)):
        line = lines[number].rstrip("\r\n")
        if line == _END:
            return number + 1
        if _BEGIN.fullmatch(line) or line.startswith("#"):
            break
    while at < len(lines) and _FIELD.fullmatch(lines[at].rstrip("\r\n")):
        at += 1
    return at


def _insert(lines: list[str], at: int, entry: Sequence[str]) -> None:
    """Insert an entry with a blank line before and after it."""
    ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    if at and not lines[at - 1].endswith("\n"):
        lines[at - 1] += ending
    ahead = [ending] if at and lines[at - 1].strip() else []
    behind = [ending] if at < len(lines) and lines[at].strip() else []
    lines[at:at] = [*ahead, *(line + ending for line in entry), *behind]


def _prune(lines: list[str], keep: str) -> str | None:
    """Take the lessons out that were not seen for longest; their entries."""
    dated = [(lesson, entry) for entry in _entries(lines) if (lesson := entry.lesson()) is not None]
    others = sorted((each for each in dated if each[0].id != keep), key=_last_seen)
    gone = sorted((entry for _, entry in others[: max(0, len(dated) - MOST)]), key=lambda entry: entry.start)
    for entry in reversed(gone):
        blank = entry.start > 0 and not lines[entry.start - 1].strip()
        del lines[entry.start - blank : entry.end]
    return "\n".join("".join(entry.lines) for entry in gone) or None


def _last_seen(dated: tuple[Lesson, _Entry]) -> tuple[datetime, int]:
    lesson, entry = dated
    return lesson.last or lesson.time, entry.start


def scrubbed(text: str) -> str:
    """``text`` with whatever looks like a key, a token or a password put out of sight."""
    for pattern in (_KEY_BLOCK, _IN_ADDRESS, _ISSUED):
        text = pattern.sub(HIDDEN, text)
    text = _CARRIED.sub(rf"\1\2{HIDDEN}", text)
    text = _NAMED.sub(rf"\1\2{HIDDEN}", text)
    return _RANDOM.sub(HIDDEN, text)
