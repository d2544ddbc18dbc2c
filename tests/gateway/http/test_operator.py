"""Money, timetables, health, settings and models over the API."""

from datetime import timedelta
from pathlib import Path

import pytest

from gateway.desk.engine.pipelines import Timetable
from penwright.adapters.models.lesson_files import LessonFiles
from penwright.domain.book.identity import checked_book_id
from schemas.budgets import Cap, Caps
from schemas.records import BookRow
from tests.support.gateway.http import Api, key
from tests.support.gateway.payments import pay
from tests.support.gateway.services import StageServices
from workers.engine.doctor import Finding
from workers.model_catalog import catalog

SECRET = "sk-canary-5f2c"


@pytest.fixture
def paid(services: StageServices) -> StageServices:
    """A stage with five calls for two books and a document."""
    pay(services, 1, "tide")
    pay(services, 2, "tide", role="critic", micros=None)
    pay(services, 3, "fog", micros=2_000)
    pay(services, 4, "ebb/-")
    pay(services, 5, "ebb/coast")
    return services


async def shown(api: Api, address: str, *subjects: str) -> dict[str, object]:
    """Costs by name as one reader sees them."""
    async with api.client(api.token("read", subjects=subjects or None)) as client:
        answer = await client.get(address)
    assert answer.status_code == 200, answer.text
    return {each["name"]: each["cost_micros"] for each in answer.json()["items"]}


async def test_spending_is_told_by_subject_role_model_and_day(api: Api, paid: StageServices) -> None:
    assert await shown(api, "/spending") == {"book/fog": 2_000, "book/tide": 500, "novel/ebb": 1_000}
    assert await shown(api, "/spending?by=role") == {"writer": 3_500, "critic": None}
    assert await shown(api, "/spending?by=model") == {"quill-1": 3_500}
    assert await shown(api, "/spending?by=day") == {"2026-02-22": 3_500}


async def test_spending_counts_only_what_the_caller_sees(api: Api, paid: StageServices) -> None:
    assert await shown(api, "/spending", "novel/ebb") == {"novel/ebb": 1_000}
    assert await shown(api, "/spending?by=day", "novel/ebb") == {"2026-02-22": 1_000}
    assert await shown(api, "/spending?by=role", "book/other") == {}


async def test_days_before_those_asked_for_are_left_out(api: Api, paid: StageServices) -> None:
    paid.clock.later(days=3)
    pay(paid, 6, "tide")

    assert await shown(api, "/spending?by=day&days=3") == {"2026-02-25": 500}
    assert list(await shown(api, "/spending?by=day&days=4")) == ["2026-02-25", "2026-02-22"]


async def test_caps_are_told_with_their_use_and_when_they_are_reached(api: Api, paid: StageServices) -> None:
    paid.own_caps = Caps(day=Cap(calls=6, micros=10_000), subject=Cap(tokens=60))
    async with api.client(api.token("read")) as client:
        everything = (await client.get("/spending/caps")).json()["items"]
    async with api.client(api.token("read", subjects=("novel/ebb",))) as client:
        mine = (await client.get("/spending/caps")).json()["items"]

    told = {(each["period"], each["name"], each["measure"]): each for each in everything}
    assert told["subject", "tide", "tokens"]["forecast"]["reached_at"] == "2026-02-22T14:30:00Z"
    # Five calls in 14.5 hours: the sixth after 2.9 hours more.
    calls = told["day", "2026-02-22", "calls"]
    assert (calls["used"], calls["cap"], calls["forecast"]["expected"]) == (5, 6, 8)
    assert calls["forecast"]["reached_at"].startswith("2026-02-22T17:24")
    assert told["day", "2026-02-22", "micros"]["forecast"]["reached_at"] is None
    assert everything[0]["name"] == "tide"
    assert {each["name"] for each in mine} == {"ebb/-", "ebb/coast"}


async def test_timetables_of_books_are_one_list(api: Api, services: StageServices) -> None:
    row = BookRow(book_id=checked_book_id("tide"), path="/books/tide", title="Low Tide")
    services.store.records.register(row)
    every = Timetable(every=timedelta(hours=6))
    services.schedules.kept |= {"tide": (every, False), "fog": (every, True)}
    async with api.client(api.token("read")) as client:
        found = (await client.get("/schedules")).json()["items"]
    async with api.client(api.token("read", subjects=("book/fog",))) as client:
        mine = (await client.get("/schedules")).json()["items"]

    assert [(each["book_id"], each["title"]) for each in found] == [("fog", ""), ("tide", "Low Tide")]
    assert found[1]["schedule"]["runs"][1]["code"] == "config-missing"
    assert [each["book_id"] for each in mine] == ["fog"]


async def test_health_tells_the_findings_the_worst_first(api: Api, services: StageServices) -> None:
    services.findings = (
        *services.findings,
        Finding("ssh", "warning", "ssh is not on PATH"),
        Finding("disk", "failed", "0.1 GB free", "free some space"),
    )
    async with api.client(api.token("read")) as client:
        found = (await client.get("/health")).json()
    async with api.client(api.token("read", subjects=("book/tide",))) as client:
        refused = await client.get("/health")

    assert [each["verdict"] for each in found["findings"]] == ["failed", "warning", "ok"]
    assert not found["healthy"]
    assert found["engine"]["running"]
    assert refused.status_code == 403


async def test_settings_are_told_with_their_source_and_no_secret(api: Api, services: StageServices) -> None:
    services.settings |= {
        "PENWRIGHT_DATABASE_URL": f"postgresql://ann:{SECRET}@db/x",
        "PENWRIGHT_ENGINE__PORT": "7999",
        "MY_API_KEY": SECRET,
        "PENWRIGHT_MODELS__OPUS": '{"model": "vendor/opus", "key_env": "MY_API_KEY"}',
        "PENWRIGHT_MODELS__LONE": '{"model": "vendor/lone", "key_env": "LONE_API_KEY"}',
    }
    async with api.client(api.token("admin", "read")) as client:
        answer = await client.get("/settings")
        models = await client.get("/models")
    settings = {each["key"]: each for each in answer.json()["items"]}
    keys = {each["name"]: (each["key_name"], each["key"]) for each in models.json()["items"]}

    assert settings["engine.port"]["value"] == 7999
    assert settings["engine.port"]["where"] == "PENWRIGHT_ENGINE__PORT"
    assert settings["engine.ui_port"]["layer"] == "default"
    assert SECRET not in answer.text + models.text
    assert keys["opus"] == ("MY_API_KEY", "set")
    assert keys["lone"] == ("LONE_API_KEY", "missing")
    assert keys["demo"] == ("", "not needed")


async def test_a_model_is_told_with_the_parameters_that_it_rejected(
    api: Api, services: StageServices, tmp_path: Path
) -> None:
    services.settings |= {
        "PENWRIGHT_HOME": str(tmp_path),
        "PENWRIGHT_MODELS__OPUS": '{"model": "vendor/opus"}',
    }
    opus = next(each for each in catalog(services.loaded().settings).models if each.name == "opus")
    LessonFiles(tmp_path).keep(opus, "max_tokens", "max_completion_tokens")
    LessonFiles(tmp_path).keep(opus, "temperature", "")
    async with api.client(api.token("read")) as client:
        models = (await client.get("/models")).json()["items"]

    rejected = {each["name"]: each["rejects"] for each in models}
    assert rejected == {"demo": {}, "opus": {"max_tokens": "max_completion_tokens", "temperature": ""}}


async def test_settings_that_cannot_be_read_are_named(api: Api, services: StageServices) -> None:
    services.settings["PENWRIGHT_ENGINE__PORT"] = "none"
    async with api.client(api.token("admin")) as client:
        answer = await client.get("/settings")

    assert (answer.status_code, answer.json()["code"]) == (400, "settings-invalid")


async def test_what_waits_is_told_as_far_as_the_caller_sees_it(api: Api, services: StageServices) -> None:
    for name in ("tide", "fog"):
        gone = BookRow(book_id=checked_book_id(name), path=f"/nowhere/{name}", title=name.title())
        services.store.records.register(gone)
    async with api.client(api.token("read")) as client:
        everything = (await client.get("/waiting")).json()["items"]
    async with api.client(api.token("read", subjects=("book/fog",))) as client:
        mine = (await client.get("/waiting")).json()["items"]

    assert sorted(each["name"] for each in everything) == ["fog", "tide"]
    assert [(each["name"], each["urgent"]) for each in mine] == [("fog", True)]


async def test_a_model_is_tried_by_the_process_that_has_its_key(api: Api, services: StageServices) -> None:
    order = key()
    async with api.client(api.token("run")) as client:
        tried = await client.post("/models/demo/try", headers=order)
        again = await client.post("/models/demo/try", headers=order)
        unknown = await client.post("/models/quill/try", headers=key())
    async with api.client(api.token("run", subjects=("book/tide",))) as client:
        bound = await client.post("/models/demo/try", headers=key())

    assert (tried.status_code, tried.json()["demo"]) == (200, True)
    assert again.json() == tried.json()
    assert [each.model_queue for each in services.rehearsed_trials.orders] == ["penwright-models"]
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown-model")
    assert bound.status_code == 403
