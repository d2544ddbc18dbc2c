"""The part of its prompt that each role's call shares with the one before; a vendor need not read it again.

Of manuscripts, scans and rounds; that of a book's writer is in ``prompt_bench``.
"""

import asyncio
from collections import defaultdict
from itertools import pairwise, takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from temporalio.client import Client

from penwright.adapters.models.demo.model import DemoProvider
from penwright.adapters.models.demo.topics import claims_about
from penwright.adapters.models.router import ModelRouter
from penwright.adapters.scholarly.recorded import recorded_sources
from penwright.domain.models.token_estimate import estimate_tokens
from schemas.model import ModelRequest, ModelResponse
from tests.bench.engine import BenchEngine, running_engine
from tests.bench.report import Row
from tests.support.citations.desk import scan_desk
from tests.support.manuscripts.studio import studio
from tests.support.scenes.playhouse import playhouse

_LINE = "Write a 400-word review of how deep learning changed the prediction of protein structures."
_ROUNDS = 4


class Listening:
    """The demo model; it keeps what it was asked, by role."""

    def __init__(self) -> None:
        self.prompts: dict[str, list[str]] = defaultdict(list)

    async def complete(self, request: ModelRequest) -> ModelResponse:
        self.prompts[request.role].append("\n".join(each.content for each in request.messages))
        return await DemoProvider().complete(request)


def run() -> list[Row]:
    """Write a manuscript, scan one and play rounds, by the demo model."""
    with running_engine() as engine, TemporaryDirectory() as folder:
        return asyncio.run(_of_engine(engine, Path(folder)))


async def _of_engine(engine: BenchEngine, folder: Path) -> list[Row]:
    return await measure(await engine.client(), folder)


async def measure(client: Client, folder: Path) -> list[Row]:
    """One row for each role that was asked several times."""
    heard = Listening()
    await _written(client, folder / "written", heard)
    await _scanned(client, folder / "scanned", heard)
    await _played(client, heard)
    return [_row(role, asked) for role, asked in sorted(heard.prompts.items()) if len(asked) > 1]


async def _written(client: Client, folder: Path, heard: Listening) -> None:
    async with studio(client, folder) as here:
        with patch.object(here.cast, "complete", heard.complete):
            await here.run(here.given(_LINE))


async def _scanned(client: Client, folder: Path, heard: Listening) -> None:
    text = "## What is known\n\n" + " ".join(each.sentence for each in claims_about(_LINE)) + "\n"
    records = recorded_sources().records
    async with scan_desk(client, folder, text=text, records=records, answers=()) as desk:
        with patch.object(ModelRouter, "complete", lambda _, request: heard.complete(request)):
            await desk.run(auto_accept=True)


async def _played(client: Client, heard: Listening) -> None:
    async with playhouse(client) as house:
        with patch.object(house.company, "complete", heard.complete):
            for number in range(_ROUNDS):
                await house.play(f"Who lit lamp {number}?")


def _row(role: str, asked: list[str]) -> Row:
    shared = sum(estimate_tokens(before[: _same(before, now)]) for before, now in pairwise(asked))
    whole = sum(map(estimate_tokens, asked[1:]))
    return Row(
        part="prefixes",
        measure=f"{role}: shared with the call before; all of {len(asked) - 1}",
        found=f"{shared:,} tokens",
        baseline=f"{whole:,} tokens",
        ratio=shared / whole,
        budget="none",
        within=True,
    )


def _same(before: str, now: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, now, strict=False)))
