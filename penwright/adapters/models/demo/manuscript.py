"""The demo model's answers as the eight manuscript agents, from the prompt alone.

A plan of four sections, plain prose with statements that real works support, a score that rises when every
section has an end, edits that fit the text, searches for the works behind sentences.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, get_args

from penwright.adapters.models.demo.citations import research, targets
from penwright.adapters.models.demo.exposition import CLOSING, sentences
from penwright.adapters.models.demo.task import CITED, LABEL, Task, as_json
from penwright.adapters.models.demo.topics import claims_about
from penwright.domain.text.inline_citations import NO_SOURCE
from penwright.domain.text.words import count_words
from penwright.roles.book_text import TAG, read_book_texts
from schemas.agent import AgentMessage
from schemas.manuscript_roles import Aspect

_HEADING = re.compile(
    r"^(#{1,6}[ \t]+(?P<plain>\S.*?)|\\(?:sub)*section\*?\{(?P<latex>[^}\n]+)\})[ \t]*$", re.MULTILINE
)
_ENOUGH, _LONGEST = 0.8, 1.4
"""Parts of the words wanted from which prose is long enough, and beyond which it is too long."""
_LENGTH = re.compile(r"\b(\d{1,3}(?:[,. ]\d{3})+|\d+)[- ]?words?\b", re.IGNORECASE)
_ENDING = re.compile(r"^In “(?P<title>.+)”, end with")
_TITLES = ("Introduction", "Background", "What is known", "Conclusion")
_SHARES = (0.2, 0.3, 0.35, 0.15)
_SUMMARIES = (
    "Open the question of {subject}: why it matters now, and what will be shown.",
    "Tell where the question of {subject} came from, and which ideas it rests on.",
    "Set out what has been found on {subject}, one statement at a time.",
    "Say what follows on {subject}, and what remains open.",
)
_NAMED = re.compile(r"\bsections: (?P<titles>[^.\n]+)")
"""Sections that the instructions name, as in ``in three sections: Gates, Silt, Repair.``"""
_WORDS = 600
_CLAIM_EVERY = 40
"""Words for each statement that wants a citation."""
_MOST_ITEMS = 4
_LONGEST_QUOTE = 200
_EVIDENCE = "evidence"
_PASSAGE = re.compile(r"^\[(\d+)\] (.+)\n(.+)$", re.MULTILINE)
"""A passage as the writer is shown it: number, work, text."""
_LOW, _HIGH = 0.58, 0.92


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the manuscript."""

    title: str
    heading: str
    body: str


def manuscript_answer(messages: Sequence[AgentMessage], seed: int) -> str | None:
    """The answer to the task of a manuscript agent; None if no message is one."""
    for message in messages:
        order = message.content.rpartition(f"</{TAG}>")[2]
        found = next((write for mark, write in _ANSWERS.items() if mark in order), None)
        if message.role == "user" and found is not None:
            texts = {each.name: each.text for each in read_book_texts(message.content)}
            return found(Task(texts, order, seed))
    return None


def _decision(task: Task) -> str:
    legal = re.findall(r"^- ([a-z_]+)$", task.order, re.MULTILINE)
    action = legal[0] if legal else "finish"
    return as_json(action=action, reasoning=f"It is the first of the allowed actions. {LABEL}")


def _guidance(task: Task) -> str:
    words = _words_wanted(task.instructions)
    return (
        f"### Blueprint\n\nA plain text on {task.subject}, for readers who are new to it. {LABEL}\n\n"
        f"### Structure\n\n" + "".join(f"- {title}\n" for title, _, _ in _outline(task)) + "\n"
        "### Style\n\nPresent tense, short sentences, one statement to a sentence, no jargon.\n\n"
        f"### Length\n\nAbout {words} words in all.\n\n"
        "### Citations\n\nEvery statement of a finding needs a source.\n"
    )


def _plan(task: Task) -> str:
    words = _words_wanted(task.instructions)
    standing = [each for each in _sections(task.manuscript) if each.body.strip()]
    drafted = [
        _planned(
            each.title,
            f"Stands in the manuscript: {_first_words(each.body)}",
            count_words(each.body),
            "drafted",
        )
        for each in standing
    ]
    known = {each.title.casefold() for each in standing}
    pending = [
        _planned(title, summary, round(words * share / 10) * 10, "pending")
        for title, summary, share in _outline(task)
        if title.casefold() not in known
    ]
    return as_json(sections=[*drafted, *pending])


def _outline(task: Task) -> list[tuple[str, str, float]]:
    """Title, summary and share of each section: those that the instructions name, else four."""
    named = _NAMED.search(task.instructions)
    titles = [each.strip() for each in named["titles"].split(",") if each.strip()] if named else []
    if titles:
        return [(each, f"Tell of {each.lower()}.", 1 / len(titles)) for each in titles]
    summaries = (each.format(subject=task.subject) for each in _SUMMARIES)
    return list(zip(_TITLES, summaries, _SHARES, strict=True))


def _planned(title: str, summary: str, words: int, status: str) -> dict[str, Any]:
    return {
        "section_title": title,
        "section_summary": summary,
        "section_word_count": words,
        "status": status,
    }


def _section(task: Task) -> str:
    title = task.field("title") or _TITLES[0]
    wanted = int(task.field("words wanted")) if task.field("words wanted").isdecimal() else 120
    prose = _prose(task, wanted)
    for each in _sections(task.manuscript):
        if (
            each.title.casefold() == title.casefold()
            and not each.body.strip()
            and _is_unique(task, each.heading)
        ):
            return _edits([("insert_after", each.heading, f"\n\n{prose}")])
        if each.title.casefold() == title.casefold() and _is_unique(task, each.body.strip()):
            return _edits([("replace", each.body.strip(), prose)])
    return _edits([_placed(task, title, f"{_heading_like(task.manuscript, title)}\n\n{prose}")])


def _placed(task: Task, title: str, section: str) -> tuple[str, str, str]:
    """The edit that puts a section in its place: after an earlier one, before a later one, or last."""
    before, after = _neighbours(task.texts.get("section_plan", ""), title)
    if (anchor := _end_of(task.manuscript, before)) is not None:
        return "insert_after", anchor, f"\n\n{section}"
    for each in _sections(task.manuscript):
        if each.title in after and _is_unique(task, each.heading):
            return "replace", each.heading, f"{section}\n\n{each.heading}"
    gap = "" if not task.manuscript or task.manuscript.endswith("\n\n") else "\n"
    return "append", "", f"{gap}{section}\n"


def _is_unique(task: Task, passage: str) -> bool:
    return task.manuscript.count(passage) == 1


def _prose(task: Task, wanted: int) -> str:
    """About ``wanted`` words: statements worth a citation among sentences that need none."""
    plain = sentences(task.subject, task.seed, used=task.manuscript)
    chosen = iter([*_statements(task)][: max(1, wanted // _CLAIM_EVERY)])
    paragraphs: list[list[str]] = [[]]
    written, left = 0, wanted
    while (
        written < _ENOUGH * wanted
        and left > 0
        and (batch := [*islice(plain, 1), *islice(chosen, 1), *islice(plain, 1)])
    ):
        left -= 1
        if len(paragraphs[-1]) >= 6:
            paragraphs.append([])
        for each in batch:
            # A section much longer than planned would be asked for again.
            if not written or written + count_words(each) <= _LONGEST * wanted:
                paragraphs[-1].append(each)
                written += count_words(each)
    return "\n\n".join(" ".join(each) for each in paragraphs if each)


def _statements(task: Task) -> Iterator[str]:
    """Statements worth a citation that the text does not make yet: of the passages shown, with their numbers.

    Where there are passages, what the model knows besides is marked as without a source.
    """
    claims = [each for each in claims_about(task.instructions) if each.sentence[:-1] not in task.manuscript]
    if _EVIDENCE not in task.texts:
        yield from (each.sentence for each in claims)
        return
    passages = [each.groups() for each in _PASSAGE.finditer(task.texts[_EVIDENCE])]
    for number, head, text in passages:
        claim = next((each for each in claims if each.title in head), None)
        said = claim.sentence if claim else _first_sentence(text)
        if said and said[:-1] not in task.manuscript:
            yield f"{said[:-1]} [{number}]."
    heads = "\n".join(head for _, head, _ in passages)
    yield from (f"{each.sentence[:-1]} {NO_SOURCE}." for each in claims if each.title not in heads)


def _first_sentence(text: str) -> str:
    """The first whole sentence of a passage that is neither very short nor long; empty without one."""
    whole = (each for each in re.split(r"(?<=[.!?])\s+", text)[:-1] if each.endswith("."))
    return next((each for each in whole if 6 <= count_words(each) <= 40 and each[:1].isupper()), "")


def _critique(task: Task) -> str:
    found = _sections(task.manuscript)
    open_ended = [each.title for each in found if CLOSING.format(title=each.title) not in each.body]
    share = 1 - len(open_ended) / len(found) if found else 0
    items = [
        f"In “{title}”, end with a sentence that says what the section adds to the argument."
        for title in open_ended[:_MOST_ITEMS]
    ]
    summary = f"{len(found) - len(open_ended)} of {len(found)} sections come to an end of their own. {LABEL}"
    score, quote = round(_LOW + (_HIGH - _LOW) * share, 2), _quoted(found)
    judged = {each: {"score": score, "quote": quote} for each in get_args(Aspect)}
    return as_json(critique_summary=summary, sub_scores=judged, action_items=items)


def _quoted(found: Sequence[Section]) -> str:
    """The first sentence of the text."""
    first = next((each.body.strip() for each in found if each.body.strip()), "")
    return re.split(r"(?<=[.!?])\s+", first)[0][:_LONGEST_QUOTE]


def _revision(task: Task) -> str:
    edits: dict[str, tuple[str, str, str]] = {}
    for item in re.findall(r"^- (.+)$", task.texts.get("action_items", ""), re.MULTILINE):
        wanted = _ENDING.match(item)
        addition = (
            CLOSING.format(title=wanted["title"]) if wanted else f"To the point raised: {_first_words(item)}."
        )
        anchor = _end_of(task.manuscript, [wanted["title"]] if wanted else _titles(task.manuscript))
        if anchor is not None and addition not in task.manuscript:
            edits.setdefault(anchor, ("insert_after", anchor, f" {addition}"))
    most = re.search(r"in at most (\d+) edits", task.order)
    return _edits(list(edits.values())[: int(most[1]) if most else None], done="satisfied")


def _sections(text: str) -> list[Section]:
    """Sections by their headings; a title above all others, with nothing of its own, is none."""
    found = list(_HEADING.finditer(text))
    ends = [*(each.start() for each in found), len(text)][1:]
    made = [
        Section((each["plain"] or each["latex"]).strip(), each[0].strip(), text[each.end() : end])
        for each, end in zip(found, ends, strict=True)
    ]
    is_title = len(made) > 1 and made[0].heading.startswith("# ") and not made[0].body.strip()
    return made[1:] if is_title else made


def _titles(text: str) -> list[str]:
    return [each.title for each in _sections(text)]


def _end_of(text: str, titles: Sequence[str]) -> str | None:
    """The last sentence of the last section of those titles that has one which stands in the text once."""
    wanted = {title.casefold() for title in titles}
    for section in reversed(_sections(text)):
        lines = [line for line in section.body.splitlines() if line.strip()]
        if section.title.casefold() not in wanted or not lines:
            continue
        last = re.split(r"(?<=[.!?])\s+", lines[-1].strip())[-1]
        is_cited = any(mark in last for mark in (*CITED, "]]"))
        if not is_cited and text.count(last) == 1 and len(last) > 20:
            return last
    return None


def _neighbours(plan: str, title: str) -> tuple[list[str], list[str]]:
    """Titles of the plan before ``title``, and those after it."""
    titles = re.findall(r"^- (.+) \((?:pending|drafted)(?:, \d+ words)?\)$", plan, re.MULTILINE)
    at = titles.index(title) if title in titles else len(titles)
    return titles[:at], titles[at + 1 :]


def _heading_like(text: str, title: str) -> str:
    """A heading in the markup and level of the manuscript's last one."""
    if not (found := list(_HEADING.finditer(text))):
        return f"## {title}"
    last = found[-1]
    if last["latex"]:
        return last[0].strip().replace(last["latex"], title)
    marks = last[0].split()[0]
    return f"{'##' if marks == '#' and len(found) == 1 else marks} {title}"


def _edits(edits: Sequence[tuple[str, str, str]], *, done: str = "continue") -> str:
    """A reply in edit blocks: of each its kind, the passage to find, and the text."""
    blocks = [
        "\n".join([f"@@@ {kind}", *(["@@@ find", find] if find else []), "@@@ with", text, "@@@ end"])
        for kind, find, text in edits
    ]
    return "\n\n".join([f"status: {done}\nrationale: {LABEL}", *blocks]) + "\n"


def _words_wanted(instructions: str) -> int:
    found = _LENGTH.search(instructions)
    return min(20_000, max(80, int(re.sub(r"\D", "", found[1])[:6]))) if found else _WORDS


def _first_words(text: str) -> str:
    return " ".join(text.split()[:12]).rstrip(".,;:")


_ANSWERS: Mapping[str, Callable[[Task], str]] = {
    "Choose the next action.": _decision,
    "Write the guidance on form.": _guidance,
    "Plan the sections.": _plan,
    "Write this section now, in at most": _section,
    "Review the manuscript.": _critique,
    "Revise the manuscript now, in at most": _revision,
    "sentences in all, name at most": targets,
    "If records are listed above, pick among them": research,
}
"""By a line of the role's task."""
