"""Which errors name a command as the next step: collected from the source."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import gateway

ROOT = Path(gateway.__file__).parents[1]
ROOMS = ("gateway", "penwright", "workers", "workflows", "activities")
IMPORTED = {"TO_MEND"}
"""Sentences with a command that errors of other modules take as their hint."""
NO_CODES = {"books", "detail", "hint", "init", "it is a lorebook", "means", "messages", "new", "write"}
"""Keys of other tables with commands in them."""


def sources() -> Iterator[Path]:
    """The modules of the product."""
    return (path for room in ROOMS for path in (ROOT / room).rglob("*.py"))


def codes_with_commands(modules: Iterable[Path]) -> Iterator[str]:
    """Codes of errors whose ``hint`` names a command, and those of tables from codes to such hints."""
    for path in modules:
        tree = ast.parse(path.read_text("utf-8"))
        named = {*_names_of_commands(tree), *IMPORTED}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and any(
                given.arg == "hint" and _tells_command(given.value, named) for given in node.keywords
            ):
                yield from _code(node.args[:1])
            elif isinstance(node, ast.Dict):
                told = zip(node.keys, node.values, strict=True)
                yield from _code(key for key, value in told if key and _tells_command(value, named))


def _names_of_commands(tree: ast.Module) -> Iterator[str]:
    """Variables of a module that hold a sentence with a command."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and _tells_command(node.value, set()):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (each.id for each in targets if isinstance(each, ast.Name))


def _tells_command(value: ast.expr, named: set[str]) -> bool:
    return any(
        (isinstance(node, ast.Constant) and isinstance(node.value, str) and "`penwright " in node.value)
        or (isinstance(node, ast.Name) and node.id in named)
        for node in ast.walk(value)
    )


def _code(given: Iterable[ast.expr]) -> Iterator[str]:
    for each in given:
        if (
            isinstance(each, ast.Constant)
            and isinstance(each.value, str)
            and each.value.islower()
            and each.value not in NO_CODES
        ):
            yield each.value
