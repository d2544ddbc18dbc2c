"""Figures: a few numbers with their names."""

from collections.abc import Callable, Mapping

from gateway.ui.elements.html import box, text


def figures(named: Mapping[str, str]) -> None:
    """Large numbers in a row."""
    with box("dl", classes="figures"):
        for name, value in named.items():
            with box():
                text("dt", name)
                text("dd", value)


def facts(named: Mapping[str, str | Callable[[], object]]) -> None:
    """Names and values, one line each; empty values are left out, and functions draw theirs."""
    with box("dl", classes="facts"):
        for name, value in named.items():
            if not value:
                continue
            text("dt", name)
            if isinstance(value, str):
                text("dd", value)
                continue
            with box("dd"):
                value()
