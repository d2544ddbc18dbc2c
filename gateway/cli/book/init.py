"""``penwright book init``: a new book, from an author's answers."""

import json as jsonlib
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from gateway.cli.arguments import AgentFlag, AuthorOption, TitleOption
from gateway.cli.asking import on_terminal
from gateway.cli.context import services_of
from gateway.cli.output import Interrupted, JsonFlag, Printer, print_json
from gateway.desk.book import new_books
from gateway.desk.services import Services
from penwright.domain.book.questions import QUESTIONS, apply_answers
from penwright.errors import UsageMistake
from schemas.book import Question


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
    leave with Ctrl-C nothing was made. Every question may be skipped; edit the files later.
    """
    if questions:
        print_json({"status": "questions", "questions": question_list()})
        return
    given = {**_read_answers(answers), **named(title, author)}
    silent = agent or json or answers is not None or not (on_terminal() and sys.stdout.isatty())
    made = init_book(services_of(ctx), Path(path), given, ask=not silent, keep=keep)
    out = Printer(json or agent)
    out.result(made, _lines(made, path))


def init_book(
    services: Services, path: Path, answers: Mapping[str, str], *, ask: bool, keep: bool = False
) -> dict[str, Any]:  # Any: JSON
    """Create a book and report ``status``, ``files_created``, ``questions`` and what it is."""
    if ask:
        # Before the questions as well: it is too late to learn after all of them that the folder is taken.
        new_books.check_place(services, path, answers, keep=keep)
        answers = {**answers, **ask_for(QUESTIONS, answers)}
    made = new_books.create(services, path, answers, keep=keep)
    return {
        "status": "initialized",
        "files_created": list(made.files),
        "questions": [_question_json(question) for question in made.open_questions],
        "book_id": made.book_id,
        "path": made.path,
        "commit": made.commit,
        "registered": made.registered,
    }


def question_list() -> list[dict[str, Any]]:  # Any: JSON
    """Every question of ``init``, for an agent to ask."""
    return [_question_json(question) for question in QUESTIONS]


def _question_json(question: Question) -> dict[str, Any]:  # Any: JSON
    return {**question.model_dump(mode="json"), "question": question.text}


def _read_answers(path: Path | None) -> dict[str, str]:
    """The answers of a JSON file; ``UsageMistake`` for anything but an object of texts and numbers."""
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


def _lines(made: Mapping[str, Any], path: str) -> list[str]:  # Any: JSON
    lines = [f"A new book in {made['path']}:"]
    lines += [f"  {name}" for name in made["files_created"]]
    if made["questions"]:
        names = ", ".join(question["id"] for question in made["questions"])
        lines.append(f"Not answered: {names}; fill in the brackets in Global Material.")
    return [*lines, f"Next: `penwright book session {quote(path)}` writes the first session."]


def ask_for(questions: Sequence[Question], given: Mapping[str, str]) -> dict[str, str]:
    """Ask for answers that are not given yet; Enter skips a question.

    Raises:
        Interrupted: Ctrl-C, before anything is made.
    """
    import questionary  # it loads what draws prompts, which few calls need

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


def _ask_one(question: Question) -> str:
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
    try:
        apply_answers({}, {question_id: text})
    except UsageMistake as mistake:
        return mistake.message
    return True
