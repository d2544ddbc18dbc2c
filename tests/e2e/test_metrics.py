"""Worker processes serve every metric of dashboards and alerts, and a probe asks Temporal nothing."""

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen
from uuid import uuid4

import pytest
from temporalio.client import Client, WorkflowHandle

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.scripted import Script, ScriptedAnswer
from tests.crash.worker import ProcessKind
from tests.e2e.conftest import NewBook
from tests.support.books.running_books import reply_of
from tests.support.doubles.store import memory_store
from tests.support.engine.crew import KINDS, crew
from tests.support.engine.home import until
from tests.support.engine.stand import Stand
from workers.engine.processes import free_port
from workers.payloads.conversion import converter
from workers.payloads.values import LARGEST_INLINE, outside_storage

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]

DASHBOARDS = Path(__file__).parents[2] / "deploy/dashboards"
QUESTION = 'operation="DescribeTaskQueue"'


@dataclass(frozen=True)
class Workers:
    """One process of each kind, with a port for metrics and one for health."""

    environ: dict[str, str]
    metrics: Mapping[ProcessKind, int]
    health: Mapping[ProcessKind, int]

    def scraped(self) -> str:
        """The metrics of all of them."""
        return "".join(_page(port, "/metrics") for port in self.metrics.values())

    def questions(self) -> list[str]:
        """How often each queue was asked for, with what was counted."""
        return sorted(
            line
            for line in self.scraped().splitlines()
            if line.startswith("temporal_request{") and QUESTION in line
        )

    def probe(self) -> None:
        """Ask every process whether it is ready."""
        for port in self.health.values():
            assert json.loads(_page(port, "/readyz"))["status"] == "ok"


def _page(port: int, path: str) -> str:
    with urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as page:
        return str(page.read().decode())


@pytest.fixture
async def workers(stand: Stand, tmp_path: Path) -> AsyncIterator[Workers]:
    environ = stand.environ(tmp_path / "desk", f"metrics-{uuid4().hex[:8]}")
    metrics = {kind: free_port(None) for kind in KINDS}
    health = {kind: free_port(None) for kind in KINDS}
    async with AsyncExitStack() as stack:
        for kind in KINDS:
            ports = {
                "PENWRIGHT_TELEMETRY__METRICS_ADDRESS": f"127.0.0.1:{metrics[kind]}",
                f"PENWRIGHT_HEALTH__{kind.upper()}_PORT": str(health[kind]),
            }
            await stack.enter_async_context(crew(tmp_path / kind, environ | ports, kinds=(kind,)))
        yield Workers(environ, metrics, health)


async def test_workers_serve_the_metrics_of_dashboards_and_alerts_and_probes_ask_temporal_nothing(
    workers: Workers, stand: Stand, tmp_path: Path, new_book: NewBook
) -> None:
    asked = workers.questions()
    book, pipelines = new_book(), stand.pipelines(workers.environ)
    fails_once = ScriptedAnswer(fault="unavailable", times=1, text=reply_of("s1"))
    (tmp_path / "desk/script.json").write_text(Script(answers=(fails_once,)).model_dump_json(), "utf-8")
    wedged = await _wedged(stand, f"wedged-{book.book_id}", workers.environ["PENWRIGHT_WORKER__QUEUE"])

    await pipelines.start(book.session("s1", workers.environ))
    workers.probe()
    result = await pipelines.result(book.book_id)
    until(lambda: "temporal_workflow_task_execution_failed" in workers.scraped())
    workers.probe()
    await wedged.terminate()

    assert result.outcome == "closed"
    assert len(asked) > len(KINDS), "each queue was asked for at the start"
    assert workers.questions() == asked
    assert wanted() - served(workers.scraped()) == set()
    assert 'le="0.' in workers.scraped(), "durations are in seconds"


async def _wedged(stand: Stand, name: str, queue: str) -> WorkflowHandle[Any, Any]:
    """A run whose input lies in a store that the workers do not have, so that its task fails."""
    elsewhere = memory_store(clock=SystemClock()).blobs
    outside = converter(storage=outside_storage(lambda: elsewhere))
    client = await Client.connect(stand.address, namespace=stand.client.namespace, data_converter=outside)
    return await client.start_workflow("BookSession", "x" * (LARGEST_INLINE + 1), id=name, task_queue=queue)


def wanted() -> set[str]:
    """The metrics that dashboards and rules name."""
    texts = [file.read_text("utf-8") for file in DASHBOARDS.iterdir()]
    return {name for text in texts for name in re.findall(r"\btemporal_\w+", text)}


def served(scraped: str) -> set[str]:
    """The names in a scrape."""
    return {re.split(r"[{ ]", line)[0] for line in scraped.splitlines() if not line.startswith("#")}
