"""Acceptance cases that are shown by tests of other files."""

import ast
from collections.abc import Mapping
from pathlib import Path

Cases = Mapping[str, Mapping[str, str]]
"""Case -> file below ``tests`` -> names of its tests, separated by blanks."""


def missing(cases: Cases) -> list[tuple[str, str]]:
    """Case and name of every test that is not there."""
    tests = Path(__file__).parents[1]
    return [
        (case, name)
        for case, shown in cases.items()
        for file, names in shown.items()
        for name in names.split()
        if name not in _names_in(tests / file)
    ]


def _names_in(file: Path) -> set[str]:
    tree = ast.parse(file.read_text())
    return {each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
