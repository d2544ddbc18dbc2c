"""What to do after a refusal is said in words of the page, not by a command of the terminal."""

import ast
from collections.abc import Iterator
from pathlib import Path

from gateway.ui.elements.next_steps import ON_PAGES, hint_of
from penwright.errors import Refused
from tests.support.each import for_each
from tests.support.gateway.next_steps import ROOT, codes_with_commands, sources

ON_THE_COMMAND_LINE = {
    "no-premise": "outlines are ordered by a command alone",
    "nothing-plans": "as no-premise",
    "outline-proposed": "as no-premise",
    "outline-written": "as no-premise",
    "premise-written": "as no-premise",
    "code-spent": "a sign-in begins with a command",
    "config-lost": "a file of the book is gone; it comes back by a command alone",
    "config-missing": "as config-lost",
    "engine-not-running": "the engine serves the pages; it is started on the server",
    "temporal-database-held": "as engine-not-running",
    "no-commits": "the folder of the work needs its first commit",
    "no-config-in-history": "as config-lost",
    "no-pgvector": "PostgreSQL is installed on the server",
    "not-a-repository": "the folder of the work is no repository any more",
    "novel-broken-yaml": "a file of the novel is broken; it is corrected in its folder",
    "novel-missing": "as config-missing, of a novel",
    "novel-wrong-value": "as novel-broken-yaml",
    "orders-key-missing": "a file of the installation",
    "which-call": "a run of an agent is approved by its call; pages do not start agents by themselves",
    "approval-mismatch": "as which-call",
    "intent-exists": "intents are added by a command alone",
    "unknown-agent": "as which-call",
    "run-id-taken": "as which-call: pages give no ids",
    "override-tag-unknown": "as which-call: pages give no tags",
    "unknown-model": "models are named in penwright.toml on the server",
    "damaged-scene": "a file of an export is damaged; it is exported again by a command",
    "web-not-running": "pages are not there then",
    "no-active-session": "only programs that write from outside close a session",
    "no-token": "as no-such-subject",
    "not-steered-here": "runs of other kinds are steered by a command alone",
    "no-such-subject": "tokens are made by a command alone",
}
"""Codes whose next step is a command also for a user of pages, and why."""


def test_every_next_step_that_is_a_command_has_words_of_the_page() -> None:
    found = set(codes_with_commands(modules_of_pages()))

    assert len(found) > 60
    assert found - ON_PAGES.keys() - ON_THE_COMMAND_LINE.keys() == set()
    assert ON_THE_COMMAND_LINE.keys() - found == set(), "needs no entry any more"
    assert ON_PAGES.keys() & ON_THE_COMMAND_LINE.keys() == set()


@for_each("code", ON_PAGES)
def test_what_to_do_on_a_page_is_said_without_commands(code: str) -> None:
    told = hint_of(Refused(code, "it cannot be done", hint="`penwright book log` with `--json`"))

    assert told == ON_PAGES[code]
    assert "`" not in told
    assert "penwright " not in told
    assert any(f'"{code}"' in path.read_text("utf-8") for path in sources()) or code.startswith("no-such-")


def test_a_step_that_is_only_a_command_says_where_it_is_used() -> None:
    told = hint_of(Refused("config-lost", "it is gone", hint="`penwright book restore tide` brings it back"))

    assert told == "this is done on the server's command line: `penwright book restore tide` brings it back"


def test_other_next_steps_stay_as_they_are() -> None:
    assert hint_of(Refused("other", "it cannot be done", hint="try it again")) == "try it again"
    assert hint_of(Refused("other", "it cannot be done")) == ""


def modules_of_pages() -> set[Path]:
    """Modules that pages import, and those that these import, and so on."""
    found: set[Path] = set()
    left = [*(ROOT / "gateway/ui").rglob("*.py"), ROOT / "gateway/desk/installed_services.py"]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left.extend(filter(Path.exists, _imports(ast.parse(path.read_text("utf-8")))))
    return found


def _imports(tree: ast.Module) -> Iterator[Path]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in (node.module, *(f"{node.module}.{each.name}" for each in node.names)):
                yield ROOT / f"{name.replace('.', '/')}.py"
