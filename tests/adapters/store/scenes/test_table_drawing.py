"""The drawing of the tables of scenes in the documents."""

from pathlib import Path

from tests.adapters.store.scenes.table_drawing import drawing, scene_tables

PAGE = Path(__file__).parents[4] / "docs" / "dev" / "scene-tables.md"


def test_the_drawing_in_the_documents_is_that_of_the_tables() -> None:
    page = PAGE.read_text("utf-8")

    assert page.split("```mermaid\n")[1].split("\n```")[0] == drawing()


def test_every_table_is_drawn() -> None:
    names = {each.name for each in scene_tables()}

    assert {"worlds", "scenes", "scene_rounds", "memories", "memory_vectors", "lore_entries"} <= names
