"""Figures: a few numbers with their names."""

from collections.abc import Mapping

from gateway.ui.parts.html import box, text


def figures(named: Mapping[str, str]) -> None:
    """Large numbers in a row."""
    with box("dl", classes="figures"):
        for name, value in named.items():
            with box():
                text("dt", name)
                text("dd", value)


def facts(named: Mapping[str, str]) -> None:
    """Names and values, one line each; empty values are left out."""
    with box("dl", classes="facts"):
        for name, value in named.items():
            if value:
                text("dt", name)
                text("dd", value)
