"""A trial asks a model what its roles will ask, and each failure names the setting that mends it."""

from typing import Any

import pytest

from penwright.adapters.models.probe import CatalogProbes
from penwright.errors import PenwrightError, UsageMistake
from schemas.model_catalog import ModelCatalog, ModelEntry, Profile
from schemas.model_trial import ProbeReport
from tests.support.agents.scripted_model import model_request
from tests.support.engine.provider_server import FULL_USAGE, Behaviour, ProviderServer, error

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning"
    ),
]
GOOD = Behaviour(as_asked=True)
SHORT = ("director", "character", "writer")


async def tried(
    server: ProviderServer,
    *behaviours: Behaviour,
    roles: tuple[str, ...] = SHORT,
    said: list[str] | None = None,
    profiles: dict[str, Profile] | None = None,
    **settings: Any,
) -> ProbeReport:
    server.behave(*behaviours)
    entry = ModelEntry(
        **{"name": "tiny", "provider": "litellm", "model": "openai/tiny", "api_base": server.address}
        | settings
    )
    catalog = ModelCatalog(models=(entry,), default="tiny", profiles=profiles or {})
    say = (said if said is not None else []).append
    effect = model_request().effect
    return await CatalogProbes(catalog, {}).probe("tiny", effect, timeout_s=5, roles=roles, say=say)


def failing(report: ProbeReport) -> dict[str, str]:
    """By role and check, what mends it."""
    return {
        f"{row.role} {check.name}": check.mend
        for row in report.roles
        for check in row.checks
        if check.state == "fails"
    }


async def test_a_good_model_serves_every_role_in_one_call_for_each_form(server: ProviderServer) -> None:
    said: list[str] = []

    report = await tried(server, GOOD, roles=(), said=said, context_tokens=32_000, local=True)

    assert [row.role for row in report.roles if not row.works] == []
    assert len(report.roles) == 19
    assert report.calls == len(server.requests) == 14
    assert said[0] == "tiny is asked 14 questions, one after another; no budget counts them"
    assert len(said) == 15
    checks = {row.role: {check.name: check.state for check in row.checks} for row in report.roles}
    assert checks["writer"] == {
        **{"answers": "works", "json": "not needed", "tools": "works"},
        **{"room": "works", "price": "works", "cache": "unknown"},
    }
    assert checks["director"]["json"] == "works"


async def test_a_role_is_asked_for_its_own_form_and_its_largest_answer(server: ProviderServer) -> None:
    await tried(server, GOOD, roles=("director", "manuscript-reviser"), reasoning="off")

    plan, prose = server.requests
    assert "actingCharacters" in str(plan["response_format"])
    assert (plan["max_tokens"], plan["temperature"]) == (700, 0)
    assert (prose["max_tokens"], prose["temperature"]) == (12_000, 0.8)


@pytest.mark.parametrize(
    ("how", "mended"),
    [
        pytest.param(Behaviour(as_asked=True, thinks=2_500), {}, id="thinks within its room"),
        pytest.param(
            Behaviour(as_asked=True, thinks=14_000),
            {
                "director answers": "reasoning =",
                "character answers": "reasoning =",
            },
            id="thinks past the room of short answers",
        ),
        pytest.param(
            Behaviour(as_asked=True, thinks=40_000, thinks_aloud=True),
            {f"{role} answers": "reasoning =" for role in SHORT},
            id="thinks in its text without an end",
        ),
        pytest.param(
            Behaviour(text=""), {f"{role} answers": 'reasoning = "off"' for role in SHORT}, id="says nothing"
        ),
        pytest.param(
            Behaviour(finish="content_filter", text=""),
            {f"{role} answers": "fallback" for role in SHORT},
            id="is stopped by a filter",
        ),
        pytest.param(
            Behaviour(refusal="I can't."),
            {f"{role} answers": "fallback" for role in SHORT},
            id="refuses by field",
        ),
        pytest.param(
            Behaviour(text="I'm sorry, but I can't help with that."),
            {f"{role} answers": "fallback" for role in SHORT},
            id="refuses in words",
        ),
        pytest.param(Behaviour(as_asked=True, rejects="temperature"), {}, id="rejects what can be left out"),
        pytest.param(Behaviour(as_asked=True, rejects="max_tokens"), {}, id="wants another name"),
        pytest.param(Behaviour(as_asked=True, rejects="response_format"), {}, id="knows no native JSON"),
        pytest.param(
            Behaviour(as_asked=True, rejects="tools"), {"writer tools": "writer = "}, id="rejects tools"
        ),
        pytest.param(
            Behaviour(as_asked=True, window=6_500),
            {"writer answers": "max_output_tokens"},
            id="answers are short",
        ),
        pytest.param(Behaviour(text="The sea."), {"director json": "director = "}, id="gives no JSON"),
        pytest.param(Behaviour(as_asked=True, usage=None), {}, id="tells no usage"),
    ],
)
async def test_each_way_of_a_vendor_has_its_row_and_its_setting(
    server: ProviderServer, how: Behaviour, mended: dict[str, str]
) -> None:
    found = failing(await tried(server, how))

    assert found.keys() == mended.keys()
    assert all(part in found[name] for name, part in mended.items())


async def test_a_way_of_asking_for_json_that_works_is_found_once(server: ProviderServer) -> None:
    roles, said = ("director", "manuscript-critic"), list[str]()
    bad, good = Behaviour(text="Four."), Behaviour(text='{"actingCharacters": []}', as_tool=True)
    report = await tried(server, *[bad] * 2, good, bad, roles=roles, said=said)

    assert failing(report)["director json"] == 'structured = "tool" under [models.tiny]'
    assert sum("another way" in each for each in said) == 1


async def test_a_second_try_counts_as_it_does_in_a_run(server: ProviderServer) -> None:
    report = await tried(server, Behaviour(text="Four."), GOOD, roles=("director",))

    assert report.roles[0].works
    assert "no JSON" in server.requests[1]["messages"][-1]["content"]


async def test_a_role_whose_instructions_fill_the_window_is_not_asked(server: ProviderServer) -> None:
    report = await tried(server, GOOD, roles=("writer", "narrator"), context_tokens=1_000)

    assert list(failing(report)) == ["writer room"]
    assert "context_tokens under [models.tiny]" in failing(report)["writer room"]
    assert len(server.requests) == 1


async def test_cached_tokens_and_an_unknown_price_are_seen(server: ProviderServer) -> None:
    cached = Behaviour(as_asked=True, usage=FULL_USAGE | {"prompt_tokens_details": {"cached_tokens": 8}})
    report = await tried(server, cached, roles=("narrator",))

    states = {check.name: check.state for check in report.roles[0].checks}
    assert (states["cache"], states["price"], states["room"]) == ("works", "unknown", "unknown")


@pytest.mark.parametrize(
    ("how", "code"),
    [
        (error(401, "bad key"), "model-auth"),
        (error(404, "no such model"), "model-not-found"),
        (error(429, "slow down", Retry_After="3600"), "model-rate-limited"),
        (error(429, "slow down", Retry_After="Wed, 21 Oct 2099 07:28:00 GMT"), "model-rate-limited"),
        (error(529, "overloaded"), "model-unavailable"),
        (Behaviour(hang=True), "model-timeout"),
        (Behaviour(body=b"<html><body>Sign in to the network</body></html>"), "model-unavailable"),
        (Behaviour(cut=True), "model-unavailable"),
    ],
)
async def test_what_no_question_gets_past_ends_the_trial_at_once(
    server: ProviderServer, how: Behaviour, code: str
) -> None:
    with pytest.raises(PenwrightError) as raised:
        await tried(server, how)

    assert raised.value.code == code
    assert len(server.requests) == 1


async def test_a_short_wait_is_waited(server: ProviderServer) -> None:
    said: list[str] = []
    busy = error(429, "slow down", Retry_After="0.1")
    report = await tried(server, busy, GOOD, roles=("narrator",), said=said)

    assert report.roles[0].works
    assert said[-1] == "tiny asks to wait 0.1 s"


async def test_a_fallback_is_tried_for_the_roles_in_which_it_may_answer(server: ProviderServer) -> None:
    server.behave(GOOD)
    entries = [
        ModelEntry(name=name, provider="litellm", model="openai/tiny", api_base=server.address)
        for name in ("first", "second")
    ]
    catalog = ModelCatalog(
        models=tuple(entries),
        default="first",
        roles={"narrator": "second"},
        profiles={"director": Profile(fallback="second")},
    )

    report = await CatalogProbes(catalog, {}).probe("second", model_request().effect, timeout_s=5)

    assert [row.role for row in report.roles] == ["director", "narrator"]


async def test_an_unknown_role_is_named_with_the_nearest(server: ProviderServer) -> None:
    with pytest.raises(UsageMistake, match="did you mean 'director'") as raised:
        await tried(server, GOOD, roles=("directer",))

    assert raised.value.code == "unknown-role"
