"""Books in languages without spaces between words, from the first session to the seal."""

from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from penwright.domain.book.files.layout import CONFIG, FULL_BOOK, REVIEW
from penwright.domain.text.words import count_words
from schemas.book_session import BookSessionResult
from tests.support.engine.demo_vendor import demo_vendor
from tests.support.workflows.librarian import library
from tests.support.workflows.session_writers import study

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
SETTINGS = """\
target_length: 900
chapter_count: 3
chapter_structure: linear
words_per_session: 300
words_per_chapter: 300
craft: check
"""


@pytest.mark.parametrize(("language", "note"), [("Chinese", "改短一点"), ("Japanese", "短くして")])
async def test_a_book_is_written_reworked_and_sealed(
    temporal_env: WorkflowEnvironment, tmp_path: Path, language: str, note: str
) -> None:
    ended: list[BookSessionResult] = []
    async with library(temporal_env.client, tmp_path) as here:
        with demo_vendor() as vendor:
            async with study(here, tmp_path, vendor.router(here.store.ledger)) as room:
                room.book.write(CONFIG, f"{SETTINGS}language: {language}\n")
                ended.append(await room.run("s1"))
                review = room.book.text(REVIEW)
                passage = next(each for each in review.split("\n\n") if count_words(each) > 30)
                room.book.write(REVIEW, review.replace(passage, f"{passage}\n\n<!-- INK: {note} -->"))
                while ended[-1].outcome == "closed" and len(ended) < 5:
                    ended.append(await room.run(f"s{len(ended) + 1}"))

    assert [each.outcome for each in ended] == ["closed", "closed", "completed"]
    assert ended[0].report is not None
    assert ended[0].report.session_word_count == 300
    assert ended[1].report is not None
    assert ended[1].report.instructions_answered == 1
    told = room.book.text(FULL_BOOK)
    assert passage not in told
    assert 870 <= count_words(told) <= 930
    sent = vendor.requests[0]["messages"][1]["content"]
    assert "of its text every one of the characters counts as one word" in sent
