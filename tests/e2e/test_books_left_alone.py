"""A book of thirty chapters that is left alone: from its premise to its end, with nobody's answer."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from gateway.desk.engine.temporal.side_runs import plannings
from penwright.adapters.models.scripted import Script, ScriptedAnswer
from penwright.domain.book.files.layout import COMPLETE, CONFIG, OUTLINE, chapter_path
from penwright.domain.intents.registry import FIRST, REGISTRY
from schemas.book_session import BookSessionResult
from tests.support.books import plans
from tests.support.books.running_books import CONFIG_TEXT, RunningBook, lay_out, reply_of
from tests.support.engine.stand import Desk, Stand, desk

pytestmark = [
    pytest.mark.server,
    pytest.mark.long,
    pytest.mark.timeout(1800),
    pytest.mark.xdist_group("engine"),
]

CHAPTERS = 30
MOST_SESSIONS = 45
LENGTHS = {
    "chapter_count: 3": f"chapter_count: {CHAPTERS}",
    "words_per_chapter: 200": "words_per_chapter: 100",
    "German": "English",
}
BEATS = "## Beats\n\n1. Mara waits.\n2. The tide turns.\n"
LINES = "".join(f"{number}. The tide turns.\n" for number in range(1, CHAPTERS + 1))
BOOK = f"## Act one\n\nThe sea comes.\n\n## Chapters\n\n{LINES}"


def a_book(folder: Path, name: str) -> RunningBook:
    """A book that has nothing but its premise."""
    config = CONFIG_TEXT.format(target=100 * CHAPTERS) + "planning: auto\n"
    for old, new in LENGTHS.items():
        config = config.replace(old, new)
    empty = {chapter_path(number): f"# {number}\n\n1. [First scene]\n" for number in (1, 2, 3)}
    return lay_out(folder, name, files={CONFIG: config, REGISTRY: FIRST, OUTLINE: plans.PREMISE, **empty})


def scripted() -> Script:
    """A planner and a writer; from the thirtieth session on the arcs are closed."""
    written = (
        ScriptedAnswer(op=f"book/*/s{number}#*", text=reply_of(f"s{number}", closed=number >= CHAPTERS))
        for number in range(1, MOST_SESSIONS + 1)
    )
    return Script(
        answers=(
            ScriptedAnswer(op="planning/*/0#*", text=f"=== OUTLINE ===\n{BOOK}=== END ===\n"),
            ScriptedAnswer(op="book/*/planner#*", text=f"=== OUTLINE ===\n{BEATS}=== END ===\n"),
            *written,
        )
    )


async def lived(at: Desk, book: RunningBook) -> Sequence[BookSessionResult]:
    """Plan the book, then write it night after night."""
    runs = plannings(at.stand.client, at.environ["PENWRIGHT_WORKER__QUEUE"])
    await runs.start(plans.order_of(book, at.environ, chapters=0))
    ended = await runs.result(book.book_id)
    assert ended is not None
    assert ended.planned == (OUTLINE,)
    results = list[BookSessionResult]()
    while len(results) < MOST_SESSIONS and (not results or results[-1].outcome == "closed"):
        results.append(await at.run(book.session(f"s{len(results) + 1}", at.environ)))
    return results


@pytest.mark.parametrize("model", [scripted(), Script(otherwise="demo")], ids=["scripted", "demo"])
async def test_a_book_of_thirty_chapters_is_written_from_its_premise_to_its_end(
    stand: Stand, tmp_path: Path, model: Script
) -> None:
    book = a_book(tmp_path / "book", f"alone-{'demo' if model.otherwise == 'demo' else 'scripted'}")
    async with desk(stand, tmp_path / "desk") as at:
        at.script.write_text(model.model_dump_json(), encoding="utf-8")
        results = await lived(at, book)

    assert results[-1].outcome == "completed"
    assert [warning for each in results[:-1] for warning in each.warnings] == []
    assert COMPLETE in book.git("ls-tree", "--name-only", "main").splitlines()
    assert "Mara keeps the light." in book.text(OUTLINE)
    planned = [line for line in book.subjects() if line.startswith("Plan chapter")]
    assert planned == [f"Plan chapter {number}" for number in range(CHAPTERS, 0, -1)]
