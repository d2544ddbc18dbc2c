"""The questions of ``init``, and how the answers fill the templates of a new book.

A template is text with two kinds of placeholder, replaced in a single pass, so that an answer that looks
like a placeholder is not replaced again:

- ``{{TITLE}}``: a value, in capitals, always known. TITLE, AUTHOR, LANGUAGE, TARGET_LENGTH, CHAPTER_COUNT,
  CHAPTER_STRUCTURE, WORDS_PER_SESSION, WORDS_PER_CHAPTER, WORDS_PER_PAGE. In a ``.yml`` file a value is
  written as a YAML scalar, quoted where that is needed, so the template puts no quotes around it.
- ``{{voice: Who tells the story?}}``: the answer to the question with that id. If the author skips it, the
  words after the colon, in brackets.

The templates are in ``penwright/adapters/scaffold``.
"""

import json
import re
from collections.abc import Mapping

from penwright.domain.text.chapter_names import chapter_name
from penwright.domain.text.whole_numbers import whole_number
from penwright.errors import UsageMistake
from schemas.book import Question

WORDS_PER_PAGE = 250
WORDS_PER_CHAPTER = 3000

_SUGGESTED_PAGES = {"novel": (250, 6), "short story": (20, 3), "flash fiction": (5, 2)}
"""Kind of book -> pages of the book, pages of one session."""

GENRES = ("general", "crime", "fantasy", "science fiction", "romance", "horror", "historical")
_STRUCTURES = ("linear", "multi-pov", "vignette")

QUESTIONS: tuple[Question, ...] = (
    Question(id="title", group="Book", text="What is the title?", hint="A working title will do."),
    Question(id="author", group="Book", text="Whose name stands on the cover?"),
    Question(
        id="language",
        group="Book",
        text="In which language is the book written?",
        hint="Any language your model writes well.",
        default="English",
    ),
    Question(
        id="book_kind",
        group="Format",
        text="What kind of book is it?",
        kind="select",
        options=tuple(_SUGGESTED_PAGES),
        default="novel",
    ),
    Question(
        id="genre",
        group="Format",
        text="In which genre?",
        hint="It decides which rules of craft the book begins with.",
        kind="select",
        options=GENRES,
        default=GENRES[0],
    ),
    Question(
        id="pages",
        group="Format",
        text="How many pages should it have?",
        hint="A page is about 250 words. If skipped: novel 250, short story 20, flash fiction 5.",
        kind="number",
    ),
    Question(
        id="pages_per_session",
        group="Format",
        text="How many pages should one session write?",
        hint="If skipped: novel 6, short story 3, flash fiction 2.",
        kind="number",
    ),
    Question(
        id="chapter_structure",
        group="Format",
        text="How are the chapters told?",
        hint="One line of events, several points of view in turn, or loosely joined scenes.",
        kind="select",
        options=_STRUCTURES,
        default="linear",
    ),
    Question(
        id="voice",
        group="Voice",
        text="Who tells the story, and how does that voice sound?",
        hint="First or third person, near or far, dry, warm, breathless.",
    ),
    Question(
        id="reference_voices",
        group="Voice",
        text="Which authors or books should it remind a reader of?",
        hint="Two or three names, and what you like about them.",
    ),
    Question(
        id="protagonist",
        group="Characters",
        text="Who is the main character?",
        hint="Name, age, what they want, what stands in their way inside themselves.",
    ),
    Question(
        id="antagonist",
        group="Characters",
        text="Who or what stands against them?",
        hint="A person, an institution, the weather.",
    ),
    Question(
        id="premise",
        group="Plot",
        text="What is the story about, in one or two sentences?",
    ),
    Question(
        id="turning_points",
        group="Plot",
        text="Which events must happen on the way?",
        hint="The ones that change what the main character wants.",
    ),
    Question(
        id="ending",
        group="Plot",
        text="How does it end?",
        hint="Which arcs must be closed before the last page.",
    ),
    Question(
        id="world",
        group="World",
        text="Where and when does it happen, and which rules hold there?",
    ),
    Question(
        id="first_chapter",
        group="Chapter 1",
        text="What happens in the first chapter?",
        hint="Where it opens, what goes wrong, how it stops.",
    ),
)

_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_]+)\s*(?::\s*([^{}]*?)\s*)?\}\}")
_MOST = {"pages": 20_000, "pages_per_session": 400}


def apply_answers(templates: Mapping[str, str], answers: Mapping[str, str]) -> dict[str, str]:
    """Fill every template.

    Raises:
        UsageMistake: ``unknown-question``, ``bad-answer`` or ``unknown-placeholder``.
    """
    given = _checked(answers)
    values = _values(given)
    return {path: _fill(path, text, values=values, given=given) for path, text in templates.items()}


def _checked(answers: Mapping[str, str]) -> dict[str, str]:
    """Validate the answers and return those that are not empty."""
    known = {question.id: question for question in QUESTIONS}
    given = {name: text.strip() for name, text in answers.items() if text.strip()}
    for name, text in given.items():
        if name not in known:
            raise UsageMistake(
                "unknown-question", f"There is no question {name!r}; the ids are: {', '.join(known)}."
            )
        _check(known[name], text)
    return given


def _check(question: Question, answer: str) -> None:
    if question.kind == "select" and answer not in question.options:
        raise UsageMistake(
            "bad-answer",
            f"{answer!r} does not answer {question.id!r}; choose one of: {', '.join(question.options)}.",
        )
    most = _MOST.get(question.id, 0)
    if question.kind == "number" and not whole_number(answer, most):
        raise UsageMistake(
            "bad-answer", f"{answer!r} does not answer {question.id!r}; give a whole number from 1 to {most}."
        )


def _values(given: Mapping[str, str]) -> dict[str, str | int]:
    suggested_pages, suggested_session = _SUGGESTED_PAGES[given.get("book_kind", "novel")]
    target = int(given.get("pages", suggested_pages)) * WORDS_PER_PAGE
    session = int(given.get("pages_per_session", suggested_session)) * WORDS_PER_PAGE
    language = _one_line(given.get("language", "English"))
    return {
        "TITLE": _one_line(given.get("title", "Untitled")),
        "AUTHOR": _one_line(given.get("author", "Anonymous")),
        "LANGUAGE": language,
        "CHAPTER_ONE": chapter_name(1, language),
        "TARGET_LENGTH": target,
        "CHAPTER_COUNT": max(1, -(-target // WORDS_PER_CHAPTER)),
        "CHAPTER_STRUCTURE": given.get("chapter_structure", "linear"),
        "WORDS_PER_SESSION": session,
        "WORDS_PER_CHAPTER": WORDS_PER_CHAPTER,
        "WORDS_PER_PAGE": WORDS_PER_PAGE,
    }


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _fill(path: str, text: str, *, values: Mapping[str, str | int], given: Mapping[str, str]) -> str:
    questions = {question.id for question in QUESTIONS}

    def replaced(found: re.Match[str]) -> str:
        name, shown = found[1], found[2]
        if shown is None and name in values:
            return _scalar(values[name]) if path.endswith((".yml", ".yaml")) else str(values[name])
        if shown is not None and name in questions:
            return given.get(name, f"[{shown}]")
        raise UsageMistake(
            "unknown-placeholder",
            f"The template {path!r} has the unknown placeholder {found[0]!r}; correct the template.",
        )

    return _PLACEHOLDER.sub(replaced, text)


def _scalar(value: str | int) -> str:
    """Write a YAML scalar; every JSON scalar is one."""
    return json.dumps(value, ensure_ascii=False)
