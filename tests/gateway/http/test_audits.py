"""Audits of a document's citations over the API: started, and their report read."""

from pathlib import Path

import httpx
import pytest

from tests.support.citations.desk import TIDES
from tests.support.gateway.http import Api, a_novel, key
from tests.support.gateway.services import StageServices, git_in

RIGHT = (
    "@article{lee2020tides, author = {Lee, Ann and Marsh, Jon}, title = {Tides of the northern coast}, "
    "journal = {Journal of Shores}, year = {2020}, doi = {10.5555/tides.7}}\n"
)
INVENTED = "@article{orr1999, author = {Orr, M.}, title = {Counterfeit dawns in parishes}, year = {1999}}\n"


@pytest.fixture
def url(services: StageServices, tmp_path: Path) -> str:
    """The audit of a novel with two references, of which the registries have one."""
    services.audits.sources.records = (TIDES,)
    made = a_novel(services, tmp_path / "ebb")
    (tmp_path / "ebb" / "references.bib").write_text(RIGHT + INVENTED)
    git_in(tmp_path / "ebb", "add", "references.bib")
    git_in(tmp_path / "ebb", "commit", "-qm", "References")
    return f"/manuscripts/{made}/-/citations/audit"


async def test_the_last_audit_is_shown_entry_by_entry(
    client: httpx.AsyncClient, services: StageServices, url: str
) -> None:
    before = await client.get(url)
    assert (await client.post(url, json={}, headers=key())).status_code == 202
    (name,) = services.audits.given
    await services.audits.result(name)
    shown = (await client.get(url)).json()

    assert (before.status_code, before.json()["code"]) == (404, "no-audit")
    assert shown["counts"] == {"found": 1, "not_found": 1}
    states = {each["key"]: each["state"] for each in shown["entries"]}
    assert states == {"lee2020tides": "found", "orr1999": "not_found"}
    assert shown["ended_at"].startswith("2030-01-06")


async def test_an_audit_is_started_once_at_a_time_by_who_may_run_something(
    api: Api,
    client: httpx.AsyncClient,
    services: StageServices,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = await client.post(url, json={"wait": True}, headers=key())

    async def taken(name: str, given: object) -> bool:
        return False

    monkeypatch.setattr(services.audits, "start", taken)
    again = await client.post(url, json={}, headers=key())
    async with api.client(api.token("read")) as reader:
        refused = await reader.post(url, json={}, headers=key())

    (given,) = services.audits.given.values()
    assert (started.status_code, given.waits) == (202, True)
    assert started.json()["run_id"].startswith("audit~")
    assert (again.status_code, again.json()["code"]) == (409, "audit-runs")
    assert refused.status_code == 403
