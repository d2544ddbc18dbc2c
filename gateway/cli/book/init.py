"""``penwright book init``: a new book, from an author's answers."""

import json as jsonlib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gateway.cli.asking import on_terminal
from gateway.cli.output import Interrupted, JsonFlag, Printer, print_json
from gateway.desk.services import Services, services_of
from penwright.errors import UsageMistake

if TYPE_CHECKING:
    from schemas.book import Question

TitleOption = Annotated[str | None, typer.Option("--title", help="The book's title.")]
AuthorOption = Annotated[str | None, typer.Option("--author", help="Whose name stands on the cover.")]
AgentFlag = Annotated[
    bool, typer.Option("--agent", help="Ask nothing; print the questions as JSON for an agent to ask.")
]


def init(
    ctx: typer.Context,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A new or empty folder, or a repository.")],
    title: TitleOption = None,
    author: AuthorOption = None,
    answers: Annotated[
        Path | None, typer.Option("--answers", help="A JSON object: question id to answer. '-' reads stdin.")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep files that exist, and add only the missing ones.")
    ] = False,
    questions: Annotated[
        bool, typer.Option("--questions", help="Only print the questions as JSON; make nothing.")
    ] = False,
    agent: AgentFlag = False,
    json: JsonFlag = False,
) -> None:
    """Lay out a new book; on a terminal it asks about it.

    \b
      penwright book init ~/books/tide
      penwright book init ~/books/tide --title "Low Tide" --author "M. Orr" --json
      penwright book init ~/books/tide --questions > questions.json
      penwright book init ~/books/tide --answers answers.json

    It makes one commit. It overwrites nothing, never touches a repository around the folder, and when you
    leave with Ctrl-C nothing was made. Every question may be skipped; mend the files later.
    """
    if questions:
        print_json({"status": "questions", "questions": question_list()})
        return
    given = {**_read_answers(answers), **named(title, author)}
    silent = agent or json or answers is not None or not on_terminal()
    made = init_book(services_of(ctx), Path(path), given, ask=not silent, keep=keep)
    out = Printer(json or agent)
    out.result(made, _lines(made, path))


def init_book(
    services: Services, path: Path, answers: Mapping[str, str], *, ask: bool, keep: bool = False
) -> dict[str, Any]:  # Any: JSON
    """RunSummary a book and report ``status``, ``files_created``, ``questions`` and what it is."""
    import secrets

    from penwright.adapters.scaffold.creation import create_book, missing
    from penwright.adapters.scaffold.repository_folder import check_folder, written_book_id
    from penwright.adapters.scaffold.templates import fresh_book
    from penwright.domain.book.identity import checked_book_id, new_book_id
    from penwright.domain.book.questions import QUESTIONS
    from schemas.workspace import Contributor

    place = path.expanduser().resolve()
    salt = secrets.token_hex(2)
    check_folder(place)
    branch = services.defaults().branch
    # Before the questions as well: nobody should answer sixteen of them to be told that the folder is taken.
    missing(place, fresh_book(answers, new_book_id(place.name, salt)), keep=keep)
    if ask:
        answers = {**answers, **_ask(QUESTIONS, answers)}
    # A book that was reset stays the same book: its schedule, its log and its undo hang on the id.
    earlier = written_book_id(place, branch) if (place / ".git").exists() else None
    book_id = checked_book_id(earlier or new_book_id(answers.get("title", place.name), salt))
    files = fresh_book(answers, book_id)
    created = missing(place, files, keep=keep)
    commit = create_book(
        place, files, message=_message(answers), contributor=Contributor.ENGINE, branch=branch, keep=keep
    )
    registered = register_quietly(services, place)
    open_questions = [question for question in QUESTIONS if question.id not in answers]
    return {
        "status": "initialized",
        "files_created": list(created),
        "questions": [_question_json(question) for question in open_questions],
        "book_id": book_id,
        "path": str(place),
        "commit": commit,
        "registered": registered,
    }


def question_list() -> list[dict[str, Any]]:  # Any: JSON
    """Every question of ``init``, for an agent to ask."""
    from penwright.domain.book.questions import QUESTIONS

    return [_question_json(question) for question in QUESTIONS]


def _question_json(question: "Question") -> dict[str, Any]:  # Any: JSON
    return {**question.model_dump(mode="json"), "question": question.text}


def _ask(questions: "tuple[Question, ...]", given: Mapping[str, str]) -> dict[str, str]:
    """The answers of the person at the terminal; Enter skips. Ctrl-C leaves before anything is made."""
    import questionary

    open_questions = [question for question in questions if question.id not in given]
    questionary.print(f"{len(open_questions)} questions. Enter skips one; Ctrl-C leaves and makes nothing.")
    answers: dict[str, str] = {}
    group = ""
    try:
        for question in open_questions:
            if question.group != group:
                group = question.group
                questionary.print(f"\n{group}", style="bold")
            if answer := _ask_one(question):
                answers[question.id] = answer
    except (KeyboardInterrupt, EOFError):
        raise Interrupted("nothing was made") from None
    return answers


def _ask_one(question: "Question") -> str:
    import questionary

    # A line of its own: on a narrow terminal a hint beside the question would push the answer away.
    if question.hint:
        questionary.print(f"  {question.hint}", style="italic")
    if question.kind == "select":
        chosen: str = questionary.select(
            question.text, choices=list(question.options), default=question.default or None
        ).unsafe_ask()
        return chosen
    typed: str = questionary.text(
        question.text,
        default=question.default or "",
        validate=partial(_valid, question.id),
    ).unsafe_ask()
    return typed.strip()


def _valid(question_id: str, text: str) -> bool | str:
    """Whether the answer can be used; otherwise why not. Here, and not after the last question."""
    from penwright.domain.book.questions import apply_answers

    try:
        apply_answers({}, {question_id: text})
    except UsageMistake as mistake:
        return mistake.message
    return True


def _read_answers(path: Path | None) -> dict[str, str]:
    """The answers of a JSON file; ``UsageMistake`` for anything but an object of texts and numbers."""
    import sys

    if path is None:
        return {}
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text("utf-8")
        read = jsonlib.loads(text)
    except (OSError, ValueError) as error:
        raise UsageMistake(
            "answers-unreadable",
            f"--answers {str(path)!r} cannot be read: {error}",
            hint='a JSON object such as {"title": "Low Tide", "voice": "dry, close third person"}',
        ) from None
    if not isinstance(read, dict) or not all(isinstance(value, str | int) for value in read.values()):
        raise UsageMistake(
            "answers-unreadable",
            f"--answers {str(path)!r} is not a JSON object of texts",
            hint='for instance {"title": "Low Tide", "pages": 120}',
        )
    return {str(name): str(value) for name, value in read.items()}


def named(title: str | None, author: str | None) -> dict[str, str]:
    """The answers that options give."""
    return {name: text for name, text in (("title", title), ("author", author)) if text}


def _message(answers: Mapping[str, str]) -> str:
    title = " ".join(answers.get("title", "a book").split())
    return f"Lay out {title}"


def register_quietly(services: Services, place: Path) -> bool:
    """Put the new book on the store if there is one; without the engine its first session does."""
    from gateway.desk import books
    from penwright.errors import EngineUnavailable, StoreUnavailable

    try:
        with services.open_store() as store:
            books.register(store, services, books.at(services, place), services.now())
    except (EngineUnavailable, StoreUnavailable):
        return False
    return True


def _lines(made: Mapping[str, Any], path: str) -> list[str]:  # Any: JSON
    lines = [f"A new book in {made['path']}:"]
    lines += [f"  {name}" for name in made["files_created"]]
    if made["questions"]:
        names = ", ".join(question["id"] for question in made["questions"])
        lines.append(f"Not answered: {names}; fill in the brackets in Global Material.")
    return [*lines, f"Next: `penwright book session {path}` writes the first session."]
