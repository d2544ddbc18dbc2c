"""Tables: of rows that link somewhere, as cards on a narrow screen."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from nicegui import ui

from gateway.ui.elements.html import attribute, box, text

Row = TypeVar("Row")
NONE = "–"
"""Shown where a row has no value; on a narrow screen the cell is left out."""


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column; a cell is a text, or what ``cell`` builds when it returns None."""

    head: str
    cell: Callable[[Row], str | None]
    number: bool = False
    """Whether it holds numbers, which stand at the right."""


def table(columns: Sequence[Column[Row]], rows: Iterable[Row], *, caption: str) -> ui.element:
    """A table whose first column names the row; ``caption`` is read, not shown."""
    with box(classes="scrolled") as whole:
        attribute(whole, "tabindex", "0")
        attribute(whole, "role", "region")
        attribute(whole, "aria-label", caption)
        with box("table", classes="grid cardable"):
            text("caption", caption, classes="hidden-text")
            _head(columns)
            with box("tbody"):
                for row in rows:
                    _row(columns, row)
    return whole


def _head(columns: Sequence[Column[Row]]) -> None:
    with box("thead"), box("tr"):
        for column in columns:
            cell = text("th", column.head, classes="number" if column.number else "")
            attribute(cell, "scope", "col")


def _row(columns: Sequence[Column[Row]], row: Row) -> None:
    with box("tr"):
        for index, column in enumerate(columns):
            cell = box("td" if index else "th", classes="number" if column.number else "")
            if index:
                attribute(cell, "data-label", column.head)
            else:
                attribute(cell, "scope", "row")
            with cell:
                shown = column.cell(row)
                if shown is not None:
                    text("span", shown)
                if index and shown == NONE:
                    cell.classes("none")
