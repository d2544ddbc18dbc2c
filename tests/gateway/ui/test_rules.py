"""What pages may not do: each of these once lost words, or ran text from a book as code."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.support.each import for_each

UI = Path(__file__).parents[3] / "gateway/ui"
MODULES = sorted(UI.rglob("*.py"))
LONGEST_PAGE = 150
NEVER = {
    "ui.timer": "timers of pages that never connect are never ended; pages follow events",
    "ui.textarea": "it loses what is typed while the server changes it",
    "ui.editor": "it loses what is typed while the server changes it",
    "ui.codemirror": "it loses what is typed while the server changes it",
    "ui.link": "it renders `javascript:` addresses; use parts.html.link",
    "ui.run_javascript": "a value in it is code",
    "ui.echart": "its script fails when a page changes before the chart is drawn; use parts.charts.picture",
}
ONLY_IN = {
    "ui.html": "parts/editing/prose.py",
    "ui.markdown": "parts/editing/prose.py",
    "ui.add_body_html": "app.py",
    "ui.add_head_html": "app.py",
    "ui.add_css": "app.py",
}


def calls(path: Path) -> Iterator[ast.Call]:
    return (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))


@for_each("path", MODULES)
def test_no_module_calls_what_loses_words_or_runs_text(path: Path) -> None:
    names = {ast.unparse(call.func) for call in calls(path)}
    place = path.relative_to(UI).as_posix()

    assert {name: why for name, why in NEVER.items() if name in names} == {}
    assert {name for name, allowed in ONLY_IN.items() if name in names and allowed != place} == set()


@for_each("path", MODULES)
def test_no_value_is_written_into_props_classes_or_styles(path: Path) -> None:
    parsed = {
        ast.unparse(call)
        for call in calls(path)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in ("props", "style")
        and any(not isinstance(given, ast.Constant) for given in call.args)
    }

    assert parsed == set()


def test_no_page_is_longer_than_a_page() -> None:
    lengths = {path.name: len(path.read_text("utf-8").splitlines()) for path in (UI / "pages").glob("*.py")}

    assert {name: length for name, length in lengths.items() if length >= LONGEST_PAGE} == {}


def test_only_the_desk_is_asked() -> None:
    asked = {
        (path.name, node.module)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        and node.module
        and node.module.startswith(
            ("penwright.adapters", "gateway.cli", "gateway.http", "workers", "workflows")
        )
    }

    assert asked == set()
