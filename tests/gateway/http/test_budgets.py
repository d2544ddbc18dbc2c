"""Budgets over the API: read, and written into the settings file."""

from pathlib import Path

import httpx
import platformdirs
import pytest

from schemas.budgets import Cap
from tests.support.gateway.http import Api
from tests.support.gateway.services import StageServices
from workers.settings import load
from workers.store_opening import caps

FILE = """# ours
[models.quill]
model = "vendor/quill"  # the good one

[budgets.day]
usd = 2.5  # agreed in March
calls = 40
"""


def text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def mode_of(file: Path) -> int:
    return file.stat().st_mode & 0o777


@pytest.fixture
def file(services: StageServices, tmp_path: Path) -> Path:
    place = tmp_path / "penwright.toml"
    place.write_text(FILE, encoding="utf-8")
    place.chmod(0o600)
    services.settings["PENWRIGHT_CONFIG"] = str(place)
    return place


async def test_a_cap_is_changed_in_the_settings_file_and_the_rest_of_it_stays(
    client: httpx.AsyncClient, services: StageServices, file: Path
) -> None:
    shown = await client.get("/budgets/day")
    base = {"if-match": shown.headers["etag"]}
    changed = await client.put("/budgets/day", json={"micros": 4_000_000, "tokens": 900}, headers=base)
    stale = await client.put("/budgets/day", json={}, headers=base)
    same = await client.get("/budgets/day", headers={"if-none-match": changed.headers["etag"]})

    assert (shown.json()["micros"], shown.json()["calls"], shown.json()["tokens"]) == (2_500_000, 40, None)
    assert (changed.status_code, changed.json()["micros"], changed.json()["calls"]) == (200, 4_000_000, None)
    assert (stale.status_code, same.status_code) == (412, 304)
    assert caps(load(services.settings).settings).day == Cap(micros=4_000_000, tokens=900)
    assert '# ours\n[models.quill]\nmodel = "vendor/quill"  # the good one\n' in text_of(file)
    assert mode_of(file) == 0o600


async def test_a_cap_that_had_no_table_gets_one(client: httpx.AsyncClient, file: Path) -> None:
    base = {"if-match": (await client.get("/budgets/run")).headers["etag"]}
    made = await client.put("/budgets/run", json={"calls": 7}, headers=base)
    shown = (await client.get("/budgets/run")).json()

    assert made.status_code == 200
    assert shown["calls"] == 7
    assert (await client.get("/budgets/day")).json()["calls"] == 40


@pytest.mark.parametrize("scope", ["week", "book/tide"])
async def test_another_period_has_no_budget(client: httpx.AsyncClient, scope: str) -> None:
    assert (await client.get(f"/budgets/{scope}")).status_code in (404, 422)


async def test_what_the_environment_sets_is_not_changed_in_the_file(
    client: httpx.AsyncClient, services: StageServices, file: Path
) -> None:
    services.settings["PENWRIGHT_BUDGETS__DAY__CALLS"] = "50"
    base = {"if-match": (await client.get("/budgets/day")).headers["etag"]}
    refused = await client.put("/budgets/day", json={"calls": 60}, headers=base)

    assert (refused.status_code, refused.json()["code"]) == (409, "set-by-environment")
    assert "PENWRIGHT_BUDGETS__DAY__CALLS" in refused.json()["detail"]
    assert text_of(file) == FILE


async def test_a_file_that_is_missing_or_cannot_be_written_is_named(
    client: httpx.AsyncClient, services: StageServices, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    base = {"if-match": (await client.get("/budgets/day")).headers["etag"]}
    monkeypatch.setattr("gateway.desk.settings_file.durable_file", full)
    read_only = await client.put("/budgets/day", json={"calls": 60}, headers=base)
    services.settings["PENWRIGHT_CONFIG"] = ""
    base = {"if-match": (await client.get("/budgets/day")).headers["etag"]}
    none = await client.put("/budgets/day", json={"calls": 60}, headers=base)

    assert (read_only.status_code, read_only.json()["code"]) == (409, "settings-not-written")
    assert "Read-only file system" in read_only.json()["detail"]
    assert (none.status_code, none.json()["code"]) == (409, "no-settings-file")
    assert str(platformdirs.user_config_path("penwright") / "penwright.toml") in none.json()["hint"]
    assert "`penwright up --detach`" in none.json()["hint"]
    assert text_of(file) == FILE


async def test_a_caller_who_is_bound_to_subjects_sets_no_budget(api: Api, file: Path) -> None:
    async with api.client(api.token(subjects=("book/tide",))) as bound:
        refused = await bound.put("/budgets/day", json={}, headers={"if-match": '"x"'})

    assert (refused.status_code, refused.json()["code"]) == (403, "not-permitted")
