"""Publishing serves any pipeline: its profile is all that has to be made."""

from pathlib import Path

import pytest

from activities.publishing import Done, Planned, Publisher
from activities.run_log import RunLog
from penwright.adapters.workspace import GitWorkspaces
from penwright.domain.intents.gate import IntentGate
from penwright.domain.intents.registry import REGISTRY, read_registry
from penwright.domain.trace.chain import read_lines
from penwright.domain.trace.layout import LEDGER
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.errors import Refused
from schemas.base import Effect, OpId, Value
from schemas.intents import IntentPin
from schemas.pipeline import PipelineProfile
from schemas.workspace import Contributor, Create, Operation, Workspace, WorkspaceRequest
from tests.support.books.repos import SettableClock, make_repository
from tests.support.doubles.store import MemoryStore, memory_store

SCENE = PipelineProfile(
    name="director-round",
    prefix="scene",
    subject_trailer="Penwright-Scene",
    engine_tools=frozenset({"scene.direct"}),
    writer_tools=frozenset({"scene.act"}),
    bookkeeping=("scene.yml",),
    protected=("scene.yml",),
    canon=("Lore/**",),
)
OWNED = """\
active_intents:
  - id: INT-001
    name: Play the scene
    status: IN_PROGRESS
    owned_scope: ["Acts/**"]
"""


class Acted(Value):
    """The result of an act."""

    beats: int


class Stage:
    """A scene's repository, and the choke point that its pipeline publishes through."""

    def __init__(self, folder: Path) -> None:
        clock = SettableClock()
        root = make_repository(folder, {REGISTRY: OWNED, "Acts/One.md": "The curtain rose.\n"})
        self.store: MemoryStore = memory_store(clock=clock)
        self.request = WorkspaceRequest(
            effect=Effect(op_id=OpId("scene/harbour#s1:0"), issued_at=clock.now()),
            subject="harbour",
            workspace=Workspace(path=str(root)),
            session="s1",
        )
        self.workspaces = GitWorkspaces(
            clock, IntentGate(SCENE), LedgerRecorder("test", SCENE), profile=SCENE
        )
        self.publisher = Publisher(self.workspaces, self.store.blobs, SCENE)

    def publish(self, step: str, *operations: Operation) -> Done[Acted]:
        digest = read_registry(OWNED.encode()).intents[0].digest
        planned = Planned(
            Acted(beats=3), operations, "Act", pin=IntentPin(intent_id="INT-001", digest=digest)
        )
        return self.publisher.commit(self.request, Acted, step, Contributor.MODEL, lambda: planned)

    def text(self, path: str) -> bytes:
        with self.workspaces.tree(self.request.workspace) as tree:
            return tree.content(path) or b""


def test_another_request_under_the_same_op_id_does_not_get_the_answer_of_the_first(stage: Stage) -> None:
    stage.publish("act", Create(path="Acts/Two.md", content="Storm.\n"))
    again = stage.publish("act", Create(path="Acts/Two.md", content="Storm.\n"))
    stage.request = stage.request.model_copy(update={"session": "s2"})

    with pytest.raises(Refused) as refused:
        stage.publisher.found(stage.request, Acted)

    assert again.outcome == Acted(beats=3)
    assert refused.value.code == "op-id-reused"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path / "harbour")


def test_a_step_makes_one_commit_with_subject_and_result(stage: Stage) -> None:
    act, state = (
        Create(path="Acts/Two.md", content="Mira spoke.\n"),
        Create(path="scene.yml", content="act: 2\n"),
    )

    done = stage.publish("act", act, state)
    again = stage.publish("act", act, state)

    assert done.published is not None
    found = stage.workspaces.find(stage.request.workspace, stage.request.effect)
    assert found is not None
    assert (found.trailers["Penwright-Scene"], found.trailers["Penwright-Step"]) == ("harbour", "act")
    assert "Penwright-Book" not in found.trailers
    assert again.outcome == Acted(beats=3)


def test_second_pipeline_ledger_omits_its_bookkeeping(stage: Stage) -> None:
    state = Create(path="scene.yml", content="act: 2\n")

    stage.publish("act", Create(path="Acts/Two.md", content="Mira spoke.\n"), state)

    (line,) = read_lines(stage.text(LEDGER))
    assert line.record is not None
    assert line.record["tool"]["name"] == "scene.act"
    assert [file["relative_path"] for file in line.record["files"]] == ["Acts/Two.md"]


@pytest.mark.parametrize(
    ("step", "path", "code"),
    [
        ("act", "Lore/Tides.md", "scope-violation"),
        ("act", ".github/ci.yml", "path-protected"),
        ("close", "Acts/Two.md", "unknown-tool"),
    ],
)
def test_second_pipeline_gate_uses_its_own_tools_and_files(
    stage: Stage, step: str, path: str, code: str
) -> None:
    with pytest.raises(Refused) as refused:
        stage.publish(step, Create(path=path, content="More.\n"))

    assert refused.value.code == code


def test_second_pipeline_runs_are_listed_under_its_name(stage: Stage) -> None:
    RunLog(stage.store.records, SCENE).note(stage.request, "acted", {"beats": 3})

    (run,) = stage.store.records.runs(subject="harbour", pipeline="director-round", limit=5)
    assert (run.run, run.stage) == ("scene/harbour#s1", "acted")
