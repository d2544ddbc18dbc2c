"""Pages call only functions of the desk that a route calls too: API callers can do what a page can."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.support.gateway.every_operation import OPERATIONS

GATEWAY = Path(__file__).parents[2] / "gateway"
BY_ANOTHER = {
    "book.restoring.can_undo": "undo",
    "book.restoring.plan_lines": "roll_back",
    "book.reviewing.take_back": "decide_passages",
    "book.sessions.watch": "follow_events",
    "book.timeline.changed_texts": "compare_commits",
    "manuscript.scenes.compared_texts": "compare_versions",
    "operator.health.put_off": "list_runs",
    "operator.settings.written_in": "show_installation_settings",
    "pictures.of_cost": "show_spending",
    "runs.work_runs.listed": "list_runs",
    "runs.work_runs.running_now": "list_runs",
    "runs.pipelines.send": "kill_run",
    "runs.work_runs.temporal_address": "show_health",
    "runs.work_runs.titles": "list_books",
    "scene.direction.ask": "play_on",
    "scene.direction.hold": "change_settings",
    "scene.rounds.round_progress": "list_runs",
    "works.approvals.decide": "approve",
    "works.registered.book": "show_book",
    "works.registered.document": "show_document",
    "works.works.refs": "list_history",
    "worlds.views.sight": "show_character",
}
"""Functions that only pages call -> the operation with which a caller of the API does the same."""


def test_a_caller_of_the_api_can_do_what_a_page_can() -> None:
    pages, routes = (desk_functions(GATEWAY / room) for room in ("ui", "http"))
    alone = {each.removeprefix("gateway.desk.") for each in pages - routes}

    assert len(pages & routes) > 20
    assert alone == BY_ANOTHER.keys(), "give it a route, or say which one does the same"


def test_what_does_the_same_is_there() -> None:
    assert set(BY_ANOTHER.values()) <= {each.name for each in OPERATIONS}


def desk_functions(folder: Path) -> set[str]:
    """Functions of the desk that modules of a folder name, as ``gateway.desk.book.sessions.start``."""
    return {name for path in folder.rglob("*.py") for name in _named(ast.parse(path.read_text("utf-8")))}


def _named(tree: ast.Module) -> Iterator[str]:
    modules = dict(_modules(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            module = modules[node.value.id]
            if node.attr in _functions(module):
                yield f"{module}.{node.attr}"


def _modules(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The modules of the desk that are imported, by the names that they have here."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gateway.desk"):
            for alias in node.names:
                if _file(f"{node.module}.{alias.name}").exists():
                    yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _file(module: str) -> Path:
    return GATEWAY.parent / f"{module.replace('.', '/')}.py"


def _functions(module: str) -> set[str]:
    tree = ast.parse(_file(module).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
