"""The composition root: units, defaults, and allowed imports."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.scholarly.recorded import recorded_works
from penwright.adapters.store import Store
from penwright.errors import UsageMistake
from schemas.budgets import Cap
from schemas.model_catalog import DEMO, Price
from schemas.scholarly import Reference, VerifyReference
from tests.support.doubles.store import memory_store
from tests.support.scholarly.server import running_registries
from workers import store_opening, telemetry, wiring
from workers.model_catalog import catalog as catalog_of
from workers.settings import Settings, load


def settings(**environ: str) -> Settings:
    """Settings from these variables alone."""
    return load({"PENWRIGHT_CONFIG": "", **environ}).settings


def test_without_settings_every_role_uses_the_demo_model() -> None:
    catalog = catalog_of(settings())

    assert (catalog.models, catalog.default) == ((DEMO,), "demo")


def test_a_models_price_and_a_cap_are_counted_in_micros() -> None:
    found = settings(
        PENWRIGHT_MODELS__OPUS__MODEL="vendor/opus",
        PENWRIGHT_MODELS__OPUS__INPUT_USD_PER_MILLION="3",
        PENWRIGHT_MODELS__OPUS__OUTPUT_USD_PER_MILLION="0.25",
        PENWRIGHT_MODELS__OPUS__CACHED_USD_PER_MILLION="0.3",
        PENWRIGHT_ROLES__WRITER="opus",
        PENWRIGHT_BUDGETS__DAY__USD="1.5",
        PENWRIGHT_BUDGETS__DAY__CALLS="7",
    )

    catalog = catalog_of(found)

    opus = next(entry for entry in catalog.models if entry.name == "opus")
    assert opus.price == Price(input_micros=3_000_000, output_micros=250_000, cached_micros=300_000)
    assert catalog.default == "opus"
    assert store_opening.caps(found).day == Cap(micros=1_500_000, calls=7)
    assert store_opening.caps(found).run == Cap()


def test_a_model_that_is_added_to_the_settings_is_known_to_a_process_that_runs(tmp_path: Path) -> None:
    file = tmp_path / "penwright.toml"
    file.write_text('[models.opus]\nmodel = "vendor/opus"\n')
    loaded = load({"PENWRIGHT_CONFIG": str(file)})

    file.write_text(file.read_text() + '[models.quill]\nmodel = "vendor/quill"\n')
    found = wiring.newest_models(loaded)
    file.write_text("[models")

    assert {"opus", "quill"} <= {entry.name for entry in found.models}
    with pytest.raises(UsageMistake):
        wiring.newest_models(loaded)


@pytest.mark.long
def test_no_process_imports_litellm_before_a_model_needs_it() -> None:
    processes = ("workers.processes.workflows", "workers.processes.activities", "workers.processes.models")

    assert imported(*processes, "gateway.cli.engine.verbs", of=("litellm", "openai")) == ""


def test_the_process_of_workflows_imports_no_adapter_of_the_world() -> None:
    assert imported("workers.processes.workflows", of=("sqlalchemy", "psycopg", "git", "httpx")) == ""


def imported(*modules: str, of: Sequence[str]) -> str:
    """Those of ``of`` that a process has after it imported ``modules``."""
    program = f"import sys, {', '.join(modules)}; print(*(m for m in {of!r} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_cap_raised_in_the_file_counts_without_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "penwright.toml"
    file.write_text("[budgets.day]\ncalls = 1\n")
    live = wiring.LiveCaps(load({"PENWRIGHT_CONFIG": str(file)}))

    before = live().day.calls
    file.write_text("[budgets.day]\ncalls = 2\n")
    raised = live().day.calls
    file.write_text("[budgets.day]\ncal")

    assert (before, raised) == (1, 2)
    assert live().day.calls == 2, "a file that is just being written changes nothing"


async def test_registries_are_asked_where_the_settings_say() -> None:
    with running_registries(recorded_works()) as server:
        loaded = load({"PENWRIGHT_CONFIG": "", "NCBI_API_KEY": "ncbi-key", **server.environment})
        store = cast(Store, memory_store(clock=SystemClock()))

        async with wiring.scholarly_activities(loaded, store) as asks:
            named = {ask.__name__: ask for ask in asks}
            found = await named["verify_reference"](VerifyReference(reference=Reference(pmid="13054692")))

    assert named.keys() == {"audit_entries", "gather_evidence", "look_up", "verify_reference"}
    assert found.verdict.fields == ("authors", "title", "year")
    asked = server.asked("pubmed")[0]
    assert (asked.params["email"], asked.params["api_key"]) == ("tests@example.org", "ncbi-key")


async def test_recorded_works_need_no_registry() -> None:
    loaded = load({"PENWRIGHT_CONFIG": "", "PENWRIGHT_SCHOLARLY__SOURCES": '["recorded"]'})
    work = recorded_works()[0]

    async with wiring.scholarly_activities(loaded, cast(Store, memory_store(clock=SystemClock()))) as asks:
        named = {ask.__name__: ask for ask in asks}
        found = await named["verify_reference"](
            VerifyReference(reference=Reference.model_validate(work.model_dump()))
        )

    assert found.verdict.status == "verified"


def test_calls_are_told_as_spans_only_where_there_is_an_endpoint() -> None:
    from workers.gen_ai_spans import SpannedLedger

    quiet, ledger = settings(), memory_store(clock=SystemClock()).ledger
    told = settings(
        PENWRIGHT_TELEMETRY__OTLP_ENDPOINT="http://127.0.0.1:1", PENWRIGHT_TELEMETRY__TEXTS="true"
    )

    spanned = telemetry.spanned(told.telemetry, ledger, catalog_of(told))

    assert telemetry.spanned(quiet.telemetry, ledger, catalog_of(quiet)) is ledger
    assert isinstance(spanned, SpannedLedger)
    assert (spanned.models, spanned.texts) == ({"demo": "demo"}, True)
