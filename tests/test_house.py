"""The rules of the project's own structure."""

import ast
import importlib
import re
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator, Mapping
from enum import Enum
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from itertools import count, cycle
from pathlib import Path

import grimp
import pytest
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner
from temporalio.workflow import _Definition

from tests.support.each import for_each
from workers.temporal_plugin import PLUGIN, PURE, STRICT_PLUGIN, WORKFLOWS, PenwrightPlugin
from workflows.book_schedule import ScheduledBookSession
from workflows.holding import DocumentLock
from workflows.model_trial import ModelTrial
from workflows.notification import Notification
from workflows.steering import Steered

ROOT = Path(__file__).parent.parent
ROOMS = ("schemas", "penwright", "activities", "workflows", "workers", "gateway")
STARTERS = (ScheduledBookSession, Notification, DocumentLock, ModelTrial)
"""Workflows that only start another one, send a notification, try a model, or stand for a held document."""
PIPELINES = [workflow for workflow in WORKFLOWS if workflow not in STARTERS]
COMPUTING = {
    *(
        "base64",
        "binascii",
        "bisect",
        "charset_normalizer",
        "codecs",
        "collections",
        "contextlib",
        "copy",
        "dataclasses",
        "datetime",
        "difflib",
        "encodings",
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
        "shlex",
        "stat",
        "string",
        "struct",
        "sys",
        "textwrap",
        "typing",
        "zipfile",
        "zlib",
    ),
    *(
        "ahocorasick_rs",
        "bibtexparser",
        "cachetools",
        "cryptography",
        "edlib",
        "unicodedata",
        "json_repair",
        "markdown_it",
        "nh3",
        "pydantic",
        "rapidfuzz",
        "regex",
    ),
    "ruamel",
    *("schemas", "penwright"),
}
"""Packages that give the same answer for the same question."""
WORKING = {
    *("abc", "activities", "asyncio", "collections", "contextlib", "dataclasses", "datetime"),
    *("functools", "itertools", "penwright", "schemas", "temporalio", "types", "typing", "workflows"),
}
"""Packages of workflows, whose only clock and chance are Temporal's."""
IN_ORDER = {"asyncio.create_task", "asyncio.ensure_future", "asyncio.shield"}
"""The parts of asyncio that are deterministic in replays; for the rest use ``temporalio.workflow``."""
OUTWARD = {"open", "print", "input", "exec", "eval", "__import__", "now", "today", "utcnow", "fromtimestamp"}
"""Calls that ask the clock, the disk or the terminal; ``fromtimestamp`` asks for the machine's time zone."""
CHANGING = {
    *("add", "append", "appendleft", "clear", "discard", "extend"),
    *("insert", "pop", "popleft", "remove", "setdefault", "update"),
}
"""Methods that change a container."""
PURE_ROOMS = ("schemas", "penwright/domain", "penwright/agents")
"""Rooms whose modules keep nothing between two calls; a cache is an object that its owner passes in."""
KEEPING = """
import functools, itertools
from collections import deque
from dataclasses import dataclass
from cachetools import LRUCache, cached

seen, counts, fixed = set(), {}, {"a": 1}
cache, recent, number = LRUCache(4), deque(maxlen=4), itertools.count()

@dataclass
class Memory:
    text: str = ""

@dataclass(frozen=True)
class Box:
    text: str = ""

    @functools.lru_cache
    def size(self):
        return len(self.text)

memory, box = Memory(), Box()

@functools.cache
def doubled(one):
    seen.add(one)
    counts[one] = 2
    return 2 * one

@cached({})
def halved(one):
    return one // 2

trebled = functools.lru_cache(lambda one: 3 * one)

def plain(one):
    return fixed.get(one)
"""
RIDDLE = re.compile(r"(What|How|Why|Where|Who)\b")
READ_BY_MODELS = {
    *("GeneratorAnswer", "PicturePainted", "ProposedQuery", "ReadBaseline", "ReadSection", "SessionTask"),
    "WorldUpdate",
}
"""Classes whose docstring a model reads or a run is pinned to, in a schema; the set may only shrink."""
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


def in_a_circle(package: str, imports: grimp.ImportGraph) -> set[str]:
    """The direct children of ``package`` that import themselves by way of their siblings."""
    siblings: dict[str, set[str]] = {
        each.rpartition(".")[2]: set() for each in imports.find_children(package)
    }
    for importer in imports.find_descendants(package):
        for imported in imports.find_modules_directly_imported_by(importer):
            if imported.startswith(f"{package}."):
                first, second = (each.split(".")[package.count(".") + 1] for each in (importer, imported))
                siblings[first] |= {second} - {first}
    return {each for each in siblings if each in reached(each, siblings)}


def reached(start: str, siblings: Mapping[str, set[str]]) -> set[str]:
    """The siblings that ``start`` imports, directly or by way of others."""
    found: set[str] = set()
    waiting = set(siblings[start])
    while waiting:
        found |= waiting
        waiting = {each for one in waiting for each in siblings[one]} - found
    return found


def changed_in_place(path: Path) -> set[str]:
    """Names of a module whose values some line of it adds to, takes from or assigns into."""
    tree = ast.parse(path.read_text())
    changed = [
        ast.unparse(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load)
    ]
    called = [call.rpartition(".") for call in calls(path)]
    changed += [name for name, _, verb in called if verb in CHANGING]
    return set(changed) & {name for node in tree.body for name in assigned_names(node)}


def kept_state(path: Path) -> Iterator[str]:
    """Names that a module binds to mutable state: caches, counters."""
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    module = importlib.import_module(name)
    changed = changed_in_place(path)
    for key in bound_names(path):
        value = vars(module).get(key)
        if key in changed or is_cached(value) or is_mutable(value, name):
            yield f"{name}.{key}"
        if isinstance(value, type):
            yield from (
                f"{name}.{key}.{each}" for each, inner in list(vars(value).items()) if is_cached(inner)
            )


def bound_names(path: Path) -> set[str]:
    """Names that the top level of a module assigns or defines, without its imports."""
    body = ast.parse(path.read_text()).body
    defined = {
        node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    return defined | {name for node in body for name in assigned_names(node)}


def assigned_names(node: ast.stmt) -> set[str]:
    """Names to which a statement assigns."""
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return set()
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}


def is_cached(value: object) -> bool:
    """Whether a function or method remembers its answers, whichever decorator makes it."""
    return hasattr(getattr(value, "__func__", value), "cache_clear")


def is_mutable(value: object, module: str) -> bool:
    """Whether a value is a cache, a deque or the like, or an object of ours that is not frozen."""
    kind = type(value)
    if isinstance(value, type | Enum | tuple):
        return False
    package = kind.__module__.partition(".")[0]
    if package not in (*ROOMS, module):
        return package == "cachetools" or kind in (deque, defaultdict, Counter, OrderedDict, count, cycle)
    frozen = getattr(kind, "__dataclass_params__", None)
    return not (frozen.frozen if frozen else getattr(kind, "model_config", {}).get("frozen"))


@for_each("room", ROOMS)
def test_no_other_distribution_owns_our_room_names(room: str) -> None:
    assert set(packages_distributions().get(room, ["penwright"])) == {"penwright"}


@for_each("room", ROOMS)
def test_every_room_is_a_package_and_the_root_is_not(room: str) -> None:
    assert (ROOT / room / "__init__.py").is_file()
    assert not (ROOT / "__init__.py").exists()


def test_no_module_has_a_vague_name() -> None:
    assert [p for p in modules(*ROOMS, "tests") if p.stem in VAGUE] == []


def test_every_module_has_a_docstring() -> None:
    silent = [
        p for p in modules(*ROOMS) if p.stat().st_size and not ast.get_docstring(ast.parse(p.read_text()))
    ]

    assert silent == []


def test_no_docstring_opens_with_a_riddle_instead_of_what_a_thing_does_or_is() -> None:
    riddles = {
        getattr(node, "name", str(path))
        for path in modules(*ROOMS)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if RIDDLE.match(ast.get_docstring(node) or "")
    }

    assert riddles == READ_BY_MODELS


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    return grimp.build_graph(*ROOMS, cache_dir=None)


def test_no_module_imports_itself_by_way_of_others(imports: grimp.ImportGraph) -> None:
    TopologicalSorter(
        {each: imports.find_modules_directly_imported_by(each) for each in imports.modules}
    ).prepare()


def test_no_folders_import_each_other_in_a_circle(imports: grimp.ImportGraph) -> None:
    circles = {
        package: " ".join(sorted(circle))
        for package in sorted({each.rpartition(".")[0] for each in imports.modules} - {""})
        if (circle := in_a_circle(package, imports))
    }

    assert circles == {}


def test_the_front_room_reads_commits_through_their_port() -> None:
    raw = {
        path.relative_to(ROOT).parent.as_posix()
        for path in modules("gateway")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").endswith("repository_folder")
        and "git" in {each.name for each in node.names}
    }

    assert raw <= {"gateway/desk/works"}


def test_every_test_folder_is_a_package() -> None:
    folders = {p.parent for p in modules("tests")}

    assert [f for f in folders if not (f / "__init__.py").exists()] == []


def test_timeouts_and_retry_policies_are_only_in_options() -> None:
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

    assert set(readers) <= {"workers/settings/loading.py"}


def sandbox_of(plugin: PenwrightPlugin) -> SandboxedWorkflowRunner:
    runner = plugin.workflow_runner
    assert isinstance(runner, SandboxedWorkflowRunner)
    return runner


@for_each("plugin", [PLUGIN, STRICT_PLUGIN])
@for_each("workflow", WORKFLOWS)
async def test_every_workflow_loads_in_the_sandbox(workflow: type, plugin: PenwrightPlugin) -> None:
    sandbox_of(plugin).prepare_workflow(_Definition.must_from_class(workflow))


def test_the_sandbox_of_the_tests_polices_rules_and_workflows() -> None:
    shared = sandbox_of(STRICT_PLUGIN).restrictions.passthrough_modules

    assert [name for name in shared if any(f"{pure}.".startswith(f"{name}.") for pure in PURE)] == []
    assert sandbox_of(PLUGIN).restrictions.passthrough_modules - shared == set(PURE)


def test_the_rules_ask_neither_clock_nor_chance_nor_disk() -> None:
    rules = list(modules("penwright/domain"))

    assert {name for path in rules for name in packages(path)} <= COMPUTING
    assert {call for path in rules for call in calls(path) if call.rpartition(".")[2] in OUTWARD} == set()


def test_workflows_use_only_the_clock_and_tasks_of_temporal() -> None:
    workflows = list(modules("workflows"))
    asked = {call for path in workflows for call in calls(path)}

    assert {name for path in workflows for name in packages(path)} <= WORKING
    assert {call for call in asked if call.rpartition(".")[2] in OUTWARD} <= {"workflow.now"}
    assert {call for call in asked if call.startswith("asyncio.")} <= IN_ORDER


def test_no_rule_or_workflow_assigns_globals() -> None:
    assigning = [
        path
        for path in modules(*PURE_ROOMS, "workflows")
        if any(isinstance(node, ast.Global) for node in ast.walk(ast.parse(path.read_text())))
    ]

    assert assigning == []


def test_no_pure_module_keeps_state() -> None:
    found = {name for path in modules(*PURE_ROOMS) for name in kept_state(path)}

    assert found == set()


def test_kept_state_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "keeping.py").write_text(KEEPING)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(globals(), "ROOT", tmp_path)

    assert set(kept_state(tmp_path / "keeping.py")) == {
        f"keeping.{name}"
        for name in (
            *("seen", "counts", "cache", "recent", "number", "memory"),
            *("Box.size", "doubled", "halved", "trebled"),
        )
    }


def test_no_workflow_changes_module_state() -> None:
    assert {path.name: found for path in modules("workflows") if (found := changed_in_place(path))} == {}


@for_each("workflow", PIPELINES)
def test_every_pipeline_is_paused_resumed_killed_and_asked_alike(workflow: type) -> None:
    definition = _Definition.must_from_class(workflow)

    assert issubclass(workflow, Steered), (
        "a pipeline has Steered as a base; a workflow that is none is named in STARTERS"
    )
    assert {"pause", "resume", "kill"} <= set(definition.signals)
    assert "progress" in definition.queries


def test_no_base_class_of_a_pipeline_has_a_run() -> None:
    bases = {base for workflow in PIPELINES for base in workflow.__mro__[1:]}

    assert [base for base in bases if hasattr(base, "run")] == []


def test_every_pipeline_finds_its_next_step_from_the_same_three_values() -> None:
    functions = {
        path: node.args
        for path in modules("penwright")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name == "next_step"
    }
    given_state_effect = [
        (len(args.args), args.args[0].arg, ast.unparse(args.args[2]), args.kwonlyargs)
        for args in functions.values()
    ]

    assert len(functions) == len(PIPELINES), (
        "each workflow of WORKFLOWS has one next_step in penwright, or is named in STARTERS"
    )
    assert given_state_effect == [(3, "given", "effect: Effect", [])] * len(PIPELINES)
