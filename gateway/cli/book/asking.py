"""The questions of ``penwright book init``, asked at a terminal."""

from collections.abc import Mapping, Sequence
from functools import partial

import questionary

from gateway.cli.output import Interrupted
from penwright.domain.book.questions import apply_answers
from penwright.errors import UsageMistake
from schemas.book import Question


def ask_for(questions: Sequence[Question], given: Mapping[str, str]) -> dict[str, str]:
    """Ask for answers that are not given yet; Enter skips a question.

    Raises:
        Interrupted: Ctrl-C, before anything is made.
    """
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
