"""A small book as its writer gets it."""

from typing import Any

from schemas.book import (
    ChapterOutline,
    Chapters,
    ConfigPayload,
    CurrentReview,
    Instruction,
    MaterialFile,
    SessionPayload,
    WordCount,
)

CHARACTERS = """# Characters

## Mara Voss
She keeps the lighthouse on Skerrow and counts ships.

## Tobias Rehn
A smuggler; he owes Mara a debt.
"""
OUTLINE = """# Chapter 1: The Lamp

- Mara finds the logbook behind the beacon.
- Tobias returns to Skerrow with a crate he will not open.
"""
WAITING = """<!-- INK:NEW:START -->
I went down to the shore. My boots were wet, and I was tired of the rain.

Tobias was waiting by the boat.
<!-- INK:NEW:END -->
"""
SHORE = "I went down to the shore. My boots were wet, and I was tired of the rain."


def session_payload(
    *instructions: str,
    words: int = 400,
    waiting: str = WAITING,
    **changes: Any,  # any field of the payload
) -> SessionPayload:
    """A payload in the middle of a book; every instruction addresses the paragraph at the shore."""
    payload = SessionPayload(
        config=ConfigPayload(
            target_length=4000, chapter_count=3, chapter_structure="linear", words_per_session=words
        ),
        global_material=(
            MaterialFile(filename="Characters.md", content=CHARACTERS),
            MaterialFile(filename="Soul.md", content="Dry, patient, close to the weather."),
            MaterialFile(filename="Lore.md", content="Nobody lights the beacon on the longest night."),
        ),
        chapters=Chapters(current=ChapterOutline(path="Chapters material/Chapter_01.md", content=OUTLINE)),
        current_review=CurrentReview(
            content=waiting,
            instructions=tuple(
                Instruction(anchor=SHORE[-200:], instruction=each, passage=SHORE) for each in instructions
            ),
        ),
        current_chapter_word_count=600,
        word_count=WordCount(total=800, target=4000, remaining=3200),
        human_edits=("Global Material/Soul.md",),
        snapshot_tag="ink-2026-03-01-09-30",
    )
    return payload.model_copy(update=changes)
