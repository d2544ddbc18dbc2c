"""The demo model's answers as the agents of citations: sentences by number, searches, a choice of records."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from penwright.adapters.models.demo.task import CITED, LABEL, Task, as_json
from penwright.adapters.models.demo.topics import claim_in, words_of

_NUMBERED = re.compile(r"^\[(\d+)\] (.+)$", re.MULTILINE)
_RECORD = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
_LOOSE_SOURCE = re.compile(
    r"\((?:[A-Z][\w-]+(?: et al\.)?,? )?\d{4}\)|\bdoi:\s*10\.|https?://(?:dx\.)?doi\.org/"
)


def targets(task: Task) -> str:
    before = set(map(int, re.findall(r"\d+", _named(task))))
    most = re.search(r"name at most (\d+) now", task.order)
    wanted = [each for each in _uncited(task.manuscript) if each["sentence_citation_target"] not in before]
    return as_json(citation_targets=wanted[: int(most[1]) if most else None])


def _named(task: Task) -> str:
    found = re.search(r"^Numbers that were named before: (.*)$", task.order, re.MULTILINE)
    return found[1] if found else ""


def _uncited(numbered: str) -> Iterator[dict[str, Any]]:
    """Sentences with a known statement, or a source in another form, and no citation."""
    section = ""
    for line in numbered.splitlines():
        if line.startswith("# "):
            section = line[2:]
        found = _NUMBERED.match(line)
        if found is None or any(mark in found[2] for mark in CITED):
            continue
        loose = _LOOSE_SOURCE.search(found[2]) is not None
        if loose or claim_in(found[2]) is not None:
            yield {
                "sentence_citation_target": int(found[1]),
                "kind": "normalise" if loose else "insert",
                "reason_citation_target": "A source in another form."
                if loose
                else "A finding without a source.",
                "section_title_citation_target": section,
                "evidence_type_citation_target": "study",
            }


def research(task: Task) -> str:
    sentence = task.texts.get("sentence_citation_target", "")
    records = _RECORD.findall(task.texts.get("found_records", ""))
    return _choice(sentence, records) if records else _search(sentence)


def _search(sentence: str) -> str:
    claim = claim_in(sentence)
    if claim is None:
        text = " ".join(list(dict.fromkeys(re.findall(r"[^\W\d_]{4,}", sentence)))[:8])
        return as_json(queries=[{"text": text or sentence[:100]}], identifiers=[], notes=LABEL)
    query = {"text": claim.title, "title": claim.title, "authors": list(claim.authors), "year": claim.year}
    return as_json(queries=[query], identifiers=[], notes=LABEL)


def _choice(sentence: str, records: Sequence[tuple[str, str]]) -> str:
    """The record with the title of the known work, else the one that shares most words, if it shares many."""
    claim = claim_in(sentence)
    wanted = words_of(claim.title if claim else sentence)
    number, line = max(records, key=lambda record: len(wanted & words_of(record[1])))
    shared = len(wanted & words_of(line))
    fits = bool(wanted) and shared >= (0.9 * len(wanted) if claim else max(3, 0.5 * len(wanted)))
    reason = f"Its title and abstract say the same. {LABEL}" if fits else f"None says the same. {LABEL}"
    return as_json(chosen=[int(number)] if fits else [], reason=reason)
