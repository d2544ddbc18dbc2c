"""The documents keep the form that they promise."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import get_args, get_type_hints

from penwright.agents.evals import running
from penwright.agents.loop import reporting
from penwright.domain import housekeeping
from penwright.domain.book import errand, session_status
from penwright.domain.citations.scanning import status as scanning
from penwright.domain.manuscript import editing, loop_status
from penwright.domain.scene import indexing, round_status
from schemas.base import Progress
from tests.support.each import for_each
from workers.temporal_plugin import WORKFLOWS
from workflows.agents.eval_run import EvalRun
from workflows.agents.loop import AgentLoop
from workflows.book_errand import BookErrand
from workflows.book_session import BookSession
from workflows.citation_scan import CitationScan
from workflows.director_round import DirectorRound
from workflows.editing import Editing
from workflows.housekeeping import Housekeeping
from workflows.manuscript_loop import ManuscriptLoop
from workflows.memory_indexing import MemoryIndexing
from workflows.steering import Steered
from workflows.visibility import at_start

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
_FILES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md"]
_ROOMS = ("schemas", "penwright", "activities", "workflows", "workers", "gateway", "tests", "docs", "deploy")
_HEADING = re.compile(r"^### (.+)$", re.MULTILINE)


def _decisions() -> str:
    return (DOCS / "dev" / "decisions.md").read_text("utf-8")


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def test_the_index_of_decisions_links_every_decision_in_order() -> None:
    text = _decisions()

    links = re.findall(r"^  - \[(.+)\]\(#(.+)\)$", text, re.MULTILINE)

    assert links == [(title, _anchor(title)) for title in _HEADING.findall(text)]


def test_each_decision_is_dated_and_at_most_three_lines_long() -> None:
    entries = re.split(r"^##+ .+\n", _decisions(), flags=re.MULTILINE)[1:]
    bodies = [entry.strip() for entry in entries if entry.strip()]

    assert [body[:40] for body in bodies if not re.match(r"\d{4}-\d\d-\d\d\. ", body)] == []
    assert [body[:40] for body in bodies if len(body.splitlines()) > 3] == []


def test_the_glossary_is_sorted_and_says_each_word_once() -> None:
    lines = (DOCS / "dev" / "glossary.md").read_text("utf-8").splitlines()
    words = [line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| ")][1:]

    assert words == sorted(words, key=lambda word: word.replace(",", "").casefold())
    assert len(words) == len(set(words))


def test_relative_links_of_the_documents_lead_to_files() -> None:
    missing = [
        (file.name, target)
        for file in _FILES
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read_text("utf-8"))
        if not (file.parent / target).exists()
    ]

    assert missing == []


def _names(text: str) -> set[str]:
    """What a document names in backticks; ``<group>``, ``…`` and the invented pipeline x are placeholders."""
    names = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return {name for name in names if not re.search(r"[<…\s]|\bx\b|^X", name)}


@for_each("file", _FILES)
def test_paths_that_the_documents_name_exist(file: Path) -> None:
    paths = {
        name for name in _names(file.read_text("utf-8")) if name.partition("/")[0] in _ROOMS and "/" in name
    }

    assert {path for path in paths if not (ROOT / path).exists()} == set()


def test_modules_and_identifiers_that_the_architecture_names_exist() -> None:
    text = (DOCS / "dev" / "architecture.md").read_text("utf-8")
    rooms = "|".join(_ROOMS)
    modules = re.findall(rf"\b((?:{rooms})(?:\.\w+)+)", re.sub(r"`[^`\n]+`", "", text))
    identifiers = {name for name in _names(text) if re.fullmatch(r"_?[A-Za-z]\w{2,}", name)}
    code = "".join(path.read_text("utf-8") for room in _ROOMS for path in (ROOT / room).rglob("*.py"))
    places = {(ROOT / name.replace(".", "/")) for name in modules}

    assert [p for p in places if not p.exists() and not p.with_suffix(".py").exists()] == []
    assert identifiers - set(re.findall(r"\w+", code)) == set()


# Any: takes the workflow's own state.
_STAGES: dict[type, tuple[str, Callable[..., str]]] = {
    BookSession: ("book-session", session_status.stage),
    BookErrand: ("book-errand", errand.stage),
    ManuscriptLoop: ("manuscript", loop_status.stage),
    Editing: ("editing", editing.stage),
    CitationScan: ("citation-scan", scanning.stage),
    DirectorRound: ("director-round", round_status.stage),
    MemoryIndexing: ("memory-indexing", indexing.stage),
    AgentLoop: ("agent-run", reporting.stage),
    EvalRun: ("eval-run", running.stage),
    Housekeeping: ("housekeeping", housekeeping.stage),
}
"""Each workflow with stages: its pipeline, and the function whose type names them all."""
_ONE_STAGE = {"book-schedule": {"run"}, "notification": {"send"}, "model-trial": {"ask"}}
_DOCUMENTED = re.compile(r"^\| `([a-z-]+)` \| `[^|]+\| (`[^|]+) \|", re.MULTILINE)


def _listed(pipeline: str, stage: str) -> str:
    """The stage as the search attribute has it."""
    pairs = at_start(Progress(pipeline=pipeline, subject="", stage=stage, detail="")).search_attributes
    return str(next(pair.value for pair in pairs if pair.key.name == "PenwrightStage"))


def test_each_stage_of_each_pipeline_stands_in_the_page_of_the_temporal_ui() -> None:
    text = (DOCS / "temporal-ui.md").read_text("utf-8")
    documented = {name: set(re.findall(r"`([a-z-]+)`", stages)) for name, stages in _DOCUMENTED.findall(text)}
    # An ended run keeps its last stage.
    settable = {
        name: {_listed(name, each) for each in get_args(get_type_hints(stage)["return"]) if each != "ended"}
        for name, stage in _STAGES.values()
    }

    assert documented == settable | _ONE_STAGE
    assert {each for each in WORKFLOWS if issubclass(each, Steered)} == set(_STAGES)
