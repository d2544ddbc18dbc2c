"""Open places of a book's templates are not shown to its writer; whatever a person wrote is."""

from pathlib import Path

import penwright.adapters.scaffold as scaffold
from penwright.adapters.scaffold.templates import fresh_book
from penwright.domain.book.files.layout import CRAFT
from penwright.domain.book.files.unfilled import filled_in
from schemas.base import BookId
from tests.support.each import for_each


def test_nothing_is_left_of_a_page_that_nobody_filled_in() -> None:
    pages = fresh_book({}, BookId("b-0001"))

    left = {path: filled_in(text) for path, text in pages.items() if "material/" in path.lower()}

    # The rules of craft are full from the start.
    assert {path for path, text in left.items() if text and path.endswith(".md")} == {CRAFT}


def test_every_bracket_of_a_filled_template_is_an_open_place() -> None:
    folder = Path(scaffold.__file__).parent / "templates"
    for page in ("Soul.md", "Characters.md", "Lore.md", "Outline.md", "Chapter_01.md"):
        assert "[" not in filled_in((folder / page).read_text("utf-8")), page


def test_an_answer_stays_with_its_heading_and_open_places_go_with_theirs() -> None:
    pages = fresh_book({"voice": "Near and dry.", "title": "Ebb"}, BookId("b-0001"))

    soul = filled_in(pages["Global Material/Soul.md"])

    assert soul.splitlines()[0] == "# Soul"
    assert "## Voice\n\nNear and dry.\n" in soul
    assert "## Tone" not in soul


@for_each(
    "text",
    [
        "# Soul\n\n## Voice\n",
        "- [x] done\n- [ ] open\n",
        "He said [softly] that it was so.\n",
        "[The map](map.md)\n",
        "[map]: map.md\n",
        "[^1]: A note.\n",
        "| word | means |\n|---|---|\n",
        "Name: [M] Orr\n",
    ],
)
def test_what_a_person_wrote_stays_byte_for_byte(text: str) -> None:
    assert filled_in(text) == text
