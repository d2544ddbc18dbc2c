"""Of an author's texts that had no room, a round warns; what grows by itself is no reason."""

from penwright.domain.scene.envelope.left_out import no_room, unshown
from schemas.envelope import Item, Section


def item(section: Section, reason: str, *, kept: bool = False) -> Item:
    return Item(section=section, id="one", tokens=100, kept=kept, reason=reason)


def test_the_authors_texts_that_were_left_out_or_shortened_are_named_once() -> None:
    items = (
        item("lore", "no room: 100 of 80 tokens left"),
        item("lore", "no room: 100 of 20 tokens left"),
        item("people", "name only", kept=True),
        item("director_guidance", "shortened: 80 of 100 tokens", kept=True),
        item("character_guidance", "shortened: 80 of 100 tokens", kept=True),
        item("notes", "whole", kept=True),
        item("history", "no room: 100 of 80 tokens left"),
        item("memories", "no room: 100 of 80 tokens left"),
        item("summaries", "its messages are in the history"),
    )

    assert unshown(items) == ("lore", "descriptions of the people", "guidance")
    assert unshown(items[5:]) == no_room(()) == ()
