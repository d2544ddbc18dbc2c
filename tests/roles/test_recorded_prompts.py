"""The writer's prompts are recorded word for word: a change of them is seen, and meant."""

import re

from penwright.roles.book_text import read_book_texts
from tests.support.books.recorded_prompts import FOLDER, SESSIONS, prompt_of
from tests.support.each import for_each


@for_each("name", SESSIONS)
def test_a_prompt_is_as_it_was_recorded(name: str) -> None:
    recorded = (FOLDER / f"{name}.md").read_text("utf-8")

    assert prompt_of(SESSIONS[name]()) == recorded, (
        "If that is meant: `python -m tests.support.books.recorded_prompts`, and look at the difference."
    )


@for_each("name", SESSIONS)
def test_no_prompt_shows_an_open_place_or_the_ledger(name: str) -> None:
    prompt = (FOLDER / f"{name}.md").read_text("utf-8")

    texts = "\n".join(each.text for each in read_book_texts(prompt))
    assert re.findall(r"^\W*\[[^\]]+\]$", texts, re.MULTILINE) == []
    assert "sha256" not in prompt
    assert "Craft.md" in prompt


def test_an_imported_book_is_continued_with_its_own_voice() -> None:
    prompt = (FOLDER / "imported.md").read_text("utf-8")

    (voice,) = (each for each in read_book_texts(prompt) if each.kind == "voice")
    assert 300 <= len(voice.text.split()) <= 660
