"""Entries of SillyTavern fare here as its documents say, and where they do not, people are told."""

import re
from pathlib import Path
from typing import Any

from penwright.domain.cards.lorebooks import DIFFERENCES, read_lorebook
from penwright.domain.lore.scanning import scan
from penwright.domain.scene.envelope.rendering import material
from schemas.cards import ReadLorebook
from schemas.envelope import LorePlace
from schemas.lore import LoreCase, LoreScan
from schemas.worlds import Character
from tests.domain.lore.silly_tavern_entries import DEFAULTS, ROWS, Row
from tests.support.cards.pictures import dumped
from tests.support.each import for_each
from tests.support.lore import words
from tests.support.scenes.envelopes import built, case

PAGE = Path(__file__).parents[3] / "docs" / "lore.md"
ANN = Character(
    id="ann",
    name="Ann",
    description="Tall.",
    example_messages="Ann: Ahoy.",
    post_history="Short. {{outlet::weather}}",
)
USUAL: dict[str, Any] = {
    **{"for_character": "ann", "for_names": ("ann",), "for_tags": ("keeper",), "char": "Ann", "user": "Mira"},
    "about": {
        **{"persona": "A pilot.", "description": "Tall.", "personality": "Shy.", "depth-note": "Calm."},
        **{"scenario": "Dusk.", "creator-notes": "A draft."},
    },
}


def read(row: Row) -> ReadLorebook:
    entries = {
        uid: {"uid": uid, "content": f"[{uid}]", **DEFAULTS, **raw} for uid, raw in row.entries.items()
    }
    return read_lorebook(dumped({"entries": entries}))


def scanned(row: Row) -> LoreScan:
    book = read(row).book.model_copy(update={"id": "book"})
    given = {"books": (book,), "messages": row.said, "message_number": len(row.said), "seed": "s/1"}
    return scan(LoreCase.model_validate(given | USUAL | dict(row.case)), words)


def prompt(found: LoreScan) -> str:
    """Ann's prompt with what the scan found."""
    ids = {f"{hit.book}/{hit.uid}": hit for hit in found.hits}
    given = case(
        characters=(ANN,),
        lore=tuple(hit.content for hit in ids.values()),
        lore_ids=tuple(ids),
        standing_lore=tuple(id for id, hit in ids.items() if hit.constant),
        lore_places=tuple(
            LorePlace(position=hit.position, depth=hit.depth, outlet=hit.outlet) for hit in ids.values()
        ),
    )
    return material(built(given), "character")


@for_each("row", ROWS)
def test_an_entry_fares_as_the_documents_of_silly_tavern_say(row: Row) -> None:
    found = scanned(row)

    assert " ".join(hit.uid for hit in found.hits) == (row.there if row.here is None else row.here)
    order = row.order_here or row.order
    marks = {*order, *(f"[{uid}]" for uid in row.entries)} if order else ()
    assert not marks or tuple(re.findall("|".join(map(re.escape, marks)), prompt(found))) == order


def test_each_row_has_a_name_of_its_own_and_there_are_sixty_or_more() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS) >= 60


@for_each("row", [row for row in ROWS if row.differs])
def test_the_import_says_what_differs(row: Row) -> None:
    (difference,) = (each for each in DIFFERENCES if each.field == row.differs)

    lines = [line.why for line in read(row).report if (line.at, line.field) == ("book", row.differs)]

    assert [line.partition(": ")[2] for line in lines] == [difference.why]


def test_a_row_that_ends_otherwise_here_names_the_difference() -> None:
    assert [row.name for row in ROWS if (row.here is not None or row.order_here) and not row.differs] == []
    assert {row.differs for row in ROWS} - {""} == {each.field for each in DIFFERENCES}


def test_the_page_on_lore_lists_just_these_differences() -> None:
    table = PAGE.read_text("utf-8").partition("| field | here |\n|---|---|\n")[2].partition("\n\n")[0]

    listed = [tuple(cell.strip(" `") for cell in row.strip("|").split(" | ")) for row in table.splitlines()]
    assert listed == [(each.field, each.why) for each in DIFFERENCES]
