"""The house keeps its own rules."""

import ast
import re
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner
from temporalio.workflow import _Definition

from workers.temporal_plugin import PLUGIN, PURE, STRICT_PLUGIN, WORKFLOWS, PenwrightPlugin
from workflows.book_schedule import ScheduledBookSession

ROOT = Path(__file__).parent.parent
ROOMS = ("schemas", "penwright", "activities", "workflows", "workers", "gateway")
STARTERS = (ScheduledBookSession,)
"""Workflows that only start another one."""
COMPUTING = {
    *(
        "bisect",
        "collections",
        "contextlib",
        "copy",
        "dataclasses",
        "datetime",
        "difflib",
        "enum",
        "functools",
    ),
    *(
        "hashlib",
        "heapq",
        "html",
        "io",
        "itertools",
        "json",
        "math",
        "operator",
        "re",
        "string",
        "sys",
        "textwrap",
        "typing",
    ),
    *("unicodedata", "json_repair", "msgspec", "pydantic", "rapidfuzz", "regex", "ruamel"),
    *("schemas", "penwright"),
}
"""Packages that give the same answer for the same question."""
WORKING = {
    *("activities", "asyncio", "collections", "contextlib", "datetime", "functools", "itertools"),
    *("penwright", "schemas", "temporalio", "types", "typing", "workflows"),
}
"""Packages of workflows, whose only clock and chance are Temporal's."""
IN_ORDER = {"asyncio.create_task", "asyncio.ensure_future", "asyncio.shield"}
"""What of asyncio comes out the same in every replay; for the rest there is ``temporalio.workflow``."""
OUTWARD = {"open", "print", "input", "exec", "eval", "__import__", "now", "today", "utcnow", "fromtimestamp"}
"""Calls that ask the clock, the disk or the terminal; ``fromtimestamp`` asks for the machine's time zone."""
CHANGING = {
    *("add", "append", "appendleft", "clear", "discard", "extend"),
    *("insert", "pop", "popleft", "remove", "setdefault", "update"),
}
"""Methods that change a container."""
VAGUE = {"utils", "util", "helpers", "helper", "common", "misc", "data", "info", "manager"}


def modules(*rooms: str) -> Iterator[Path]:
    for room in rooms:
        yield from sorted((ROOT / room).rglob("*.py"))


def calls(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


def packages(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def changed_in_place(path: Path) -> set[str]:
    """Names of a module whose values some line of it adds to, takes from or assigns into."""
    tree = ast.parse(path.read_text())
    bound = [
        node.targets if isinstance(node, ast.Assign) else [node.target]
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
    ]
    changed = [
        ast.unparse(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load)
    ]
    called = [call.rpartition(".") for call in calls(path)]
    changed += [name for name, _, verb in called if verb in CHANGING]
    return set(changed) & {ast.unparse(target) for targets in bound for target in targets}


@pytest.mark.parametrize("room", ROOMS)
def test_no_other_distribution_owns_our_room_names(room: str) -> None:
    assert set(packages_distributions().get(room, ["penwright"])) == {"penwright"}


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_is_a_package_and_the_root_is_not(room: str) -> None:
    assert (ROOT / room / "__init__.py").is_file()
    assert not (ROOT / "__init__.py").exists()


def test_no_module_has_a_vague_name() -> None:
    assert [p for p in modules(*ROOMS, "tests") if p.stem in VAGUE] == []


def test_every_module_says_what_it_is_about() -> None:
    silent = [
        p for p in modules(*ROOMS) if p.stat().st_size and not ast.get_docstring(ast.parse(p.read_text()))
    ]

    assert silent == []


def test_every_test_folder_is_a_package() -> None:
    folders = {p.parent for p in modules("tests")}

    assert [f for f in folders if not (f / "__init__.py").exists()] == []


def test_timeouts_and_retry_policies_stand_in_one_table() -> None:
    elsewhere = [
        path
        for path in modules("workflows")
        if path.name != "options.py" and {"timedelta", "RetryPolicy", "ActivityConfig"} & set(calls(path))
    ]

    assert elsewhere == []


def test_only_the_settings_read_the_environment() -> None:
    reading = re.compile(r"\bos\.(environ|getenv)\b(?!\[\"\w+\"\] = )")
    readers = [
        path.relative_to(ROOT).as_posix() for path in modules(*ROOMS) if reading.search(path.read_text())
    ]

    assert set(readers) <= {"workers/settings.py"}


def sandbox_of(house: PenwrightPlugin) -> SandboxedWorkflowRunner:
    runner = house.workflow_runner
    assert isinstance(runner, SandboxedWorkflowRunner)
    return runner


@pytest.mark.parametrize("house", [PLUGIN, STRICT_PLUGIN], ids=["workers", "tests"])
@pytest.mark.parametrize("workflow", WORKFLOWS)
async def test_every_workflow_loads_in_the_sandbox(workflow: type, house: PenwrightPlugin) -> None:
    sandbox_of(house).prepare_workflow(_Definition.must_from_class(workflow))


def test_the_sandbox_of_the_tests_polices_rules_and_workflows() -> None:
    shared = sandbox_of(STRICT_PLUGIN).restrictions.passthrough_modules

    assert [name for name in shared if any(f"{pure}.".startswith(f"{name}.") for pure in PURE)] == []
    assert sandbox_of(PLUGIN).restrictions.passthrough_modules - shared == set(PURE)


def test_the_rules_ask_neither_clock_nor_chance_nor_disk() -> None:
    rules = list(modules("penwright/domain"))

    assert {name for path in rules for name in packages(path)} <= COMPUTING
    assert {call for path in rules for call in calls(path) if call.rpartition(".")[2] in OUTWARD} == set()


def test_the_workflows_ask_nobody_but_temporal() -> None:
    workflows = list(modules("workflows"))
    asked = {call for path in workflows for call in calls(path)}

    assert {name for path in workflows for name in packages(path)} <= WORKING
    assert {call for call in asked if call.rpartition(".")[2] in OUTWARD} <= {"workflow.now"}
    assert {call for call in asked if call.startswith("asyncio.")} <= IN_ORDER


def test_rules_and_workflows_remember_nothing_between_runs() -> None:
    keeping = [
        path
        for path in modules("penwright/domain", "workflows")
        if any(isinstance(node, ast.Global) for node in ast.walk(ast.parse(path.read_text())))
    ]

    assert keeping == []


def test_no_workflow_changes_what_its_module_holds() -> None:
    assert {path.name: found for path in modules("workflows") if (found := changed_in_place(path))} == {}


@pytest.mark.parametrize("workflow", [w for w in WORKFLOWS if w not in STARTERS])
def test_every_pipeline_and_errand_tells_where_it_stands(workflow: type) -> None:
    assert "progress" in _Definition.must_from_class(workflow).queries


def test_the_pipelines_can_be_paused_resumed_and_killed() -> None:
    signals = {w.__name__: set(_Definition.must_from_class(w).signals) for w in WORKFLOWS}

    assert {"pause", "resume", "kill"} <= signals["BookSession"]
