"""Books that are planned by hand: what the planner is asked, and what it answers."""

from collections.abc import Mapping, Sequence

from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.domain.book.files.layout import CONFIG, OUTLINE, chapter_path
from penwright.domain.intents.registry import FIRST, REGISTRY
from schemas.planning import PlanningInput
from tests.support.books.running_books import CONFIG_TEXT, RunningBook

PREMISE = "# Outline of Tide\n\n## Premise\n\nMara keeps the light.\n\n## Act one\n\n[The world]\n"
BOOK = "## Act one\n\nThe sea comes.\n\n## Chapters\n\n1. It comes.\n2. It stays.\n3. It goes.\n"


def unplanned(planning: str = "propose") -> Mapping[str, str]:
    """Files of a book of three chapters that has nothing but its premise."""
    config = f"{CONFIG_TEXT.format(target=600)}planning: {planning}\n"
    empty = {chapter_path(number): f"# {number}\n\n1. [First scene]\n" for number in (1, 2)}
    return {CONFIG: config, REGISTRY: FIRST, OUTLINE: PREMISE, **empty}


def outline(number: int) -> str:
    """The outline that the planner makes of a chapter, or of the book (0)."""
    beats = f"# {number}: The Tide\n\n## Beats\n\n1. Mara waits in {number}.\n2. The tide turns.\n"
    return beats if number else BOOK


def answer(number: int) -> ScriptedAnswer:
    """The planner's answer when it is asked for that outline."""
    return ScriptedAnswer(
        op=f"planning/*/{number}#*", text=f"=== OUTLINE ===\n{outline(number)}=== END ===\n"
    )


def answers(*numbers: int) -> Sequence[ScriptedAnswer]:
    return tuple(answer(number) for number in numbers)


def order_of(
    book: RunningBook, environ: Mapping[str, str], session: str = "p1", chapters: int = 2
) -> PlanningInput:
    """A wish for the outline of the book and some chapters."""
    return PlanningInput(
        book_id=book.book_id,
        workspace=book.workspace,
        session=session,
        repo_queue=environ["PENWRIGHT_WORKER__REPO_QUEUE"],
        model_queue=environ["PENWRIGHT_WORKER__MODEL_QUEUE"],
        chapters=chapters,
    )
