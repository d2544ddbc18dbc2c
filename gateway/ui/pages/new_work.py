"""A new book or manuscript: laid out from a few answers, or made of a text that exists."""

import secrets
from collections.abc import Callable, Sequence

from nicegui import ui

from gateway.desk import new_works
from gateway.desk.new_works import NewWork
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, sentence, text
from gateway.ui.frame import Frame, frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.shared.drop import drop_texts
from gateway.ui.visit import Visit
from penwright.domain.book.questions import QUESTIONS
from penwright.errors import UsageMistake
from schemas.base import OpId
from schemas.book import Question

_GROUPS_SHOWN = ("Book", "Format")
_OF_A_MANUSCRIPT = (
    Question(id="title", group="Book", text="What is the title?", hint="A working title will do."),
    Question(id="author", group="Book", text="Who is the author?"),
    Question(
        id="language",
        group="Book",
        text="In which language is it written?",
        hint="A code such as en, en-GB or de; exports hyphenate and quote by it.",
        default="en",
    ),
)
Answers = Callable[[], dict[str, str]]


async def book(visit: Visit) -> None:
    """``/books/new``."""
    with frame("A new book", here="/books", crumbs=(("Books", addresses.page("books")),)) as made:
        _beginning(visit, made, "books", QUESTIONS)


async def manuscript(visit: Visit) -> None:
    """``/manuscripts/new``."""
    crumbs = (("Manuscripts", addresses.page("manuscripts")),)
    with frame("A new manuscript", here="/manuscripts", crumbs=crumbs) as made:
        _beginning(visit, made, "manuscripts", _OF_A_MANUSCRIPT)


def _beginning(visit: Visit, made: Frame, kind: str, questions: Sequence[Question]) -> None:
    visit.require("write")
    sentence(f"It is laid into a folder of its own below `{visit.services.defaults().works}`.")
    text("h2", "From a few answers")
    # The page's own order: a second click finds what the first has made.
    order = OpId(f"page/{visit.principal.name}/{secrets.token_hex(8)}")
    with box(classes="asked"):
        answers = _asked(questions)

        async def begun() -> str:
            given = answers()
            if not (title := given.pop("title", "")):
                raise UsageMistake("no-title", "a title is needed; a working title will do")
            make = new_works.create_book if kind == "books" else new_works.create_novel
            work = await visit.ask(make, visit.principal, title, given, order)
            ui.navigate.to(_page_of(kind, work))
            return f"{work.title} is laid out"

        with box(classes="row-of"):
            action(made, "Begin it", begun, look="main", icon="add", reload=False)
    text("h2", "Or from a text that exists")
    text("p", "Every line of it comes along; what cannot, is named.", classes="soft")
    drop_texts(made, kind)


def _page_of(kind: str, work: NewWork) -> str:
    return addresses.page(kind, work.id, *([] if kind == "books" else ["-"]))


def _asked(questions: Sequence[Question]) -> Answers:
    """A field for each question, the ones that can wait folded; what is left empty is not answered."""
    fields: dict[str, ui.input | ui.select] = {}
    shown = [each for each in questions if each.group in _GROUPS_SHOWN]
    later = [each for each in questions if each.group not in _GROUPS_SHOWN]
    for each in shown:
        fields[each.id] = _field(each)
    if later:
        with box("details"):
            text("summary", f"Tell the writer more ({len(later)} questions; all can wait)")
            for each in later:
                fields[each.id] = _long_field(each)

    def answers() -> dict[str, str]:
        said = {name: field.value for name, field in fields.items()}
        return {
            name: value.strip() for name, value in said.items() if isinstance(value, str) and value.strip()
        }

    return answers


def _long_field(question: Question) -> ui.input:
    """The question above a field that grows: in a narrow window it would be cut off inside of it."""
    with box():
        attribute(text("p", question.text, classes="question"), "aria-hidden", "true")
        shown = ui.input().props('outlined dense autogrow maxlength="20000"')
        attribute(shown, "aria-label", question.text)
        _hint(shown, question)
    return shown


def _field(question: Question) -> ui.input | ui.select:
    if question.kind == "select":
        shown: ui.input | ui.select = ui.select(
            list(question.options), label=question.text, value=question.default or question.options[0]
        ).props("outlined dense")
    else:
        shown = ui.input(question.text, value=question.default).props('outlined dense maxlength="20000"')
    _hint(shown, question)
    return shown


def _hint(field: ui.input | ui.select, question: Question) -> None:
    if question.hint:
        field.props["hint"] = question.hint
