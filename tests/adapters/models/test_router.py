"""Roles find their models, keys stay names until they are needed, and caps of a model hold."""

from pathlib import Path
from typing import Any

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.demo.model import DemoProvider
from penwright.adapters.models.failures import retry_after
from penwright.adapters.models.ledgered import LedgeredModel
from penwright.adapters.models.provider import Hear
from penwright.adapters.models.router import ModelRouter, key_names
from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.errors import ModelFinal, ModelUnavailable, PenwrightError
from schemas.model import ModelRequest, ModelResponse, Usage
from schemas.model_catalog import DEMO, ModelCatalog, ModelEntry, Profile, Sampler
from tests.support.agents.scripted_model import calls_made, model_request, write_script
from tests.support.doubles.store import memory_store
from tests.support.each import for_each

SONNET = ModelEntry(
    name="sonnet", provider="litellm", model="anthropic/claude-sonnet-4-5", key_env="ANTHROPIC_API_KEY"
)


def router(catalog: ModelCatalog) -> ModelRouter:
    return ModelRouter(catalog, ledger=memory_store(clock=SystemClock()).ledger)


async def test_without_settings_every_role_gets_the_demo_model() -> None:
    response = await router(ModelCatalog()).complete(model_request("Say something.", role="critic"))

    assert response.demo
    assert response.provider == "demo"


async def test_a_role_gets_its_configured_model(tmp_path: Path) -> None:
    scripted = write_script(tmp_path / "s.json").models[0]
    catalog = ModelCatalog(models=(DEMO, scripted), roles={"critic": "scripted"})

    playing = router(catalog)

    assert (await playing.complete(model_request(role="critic", op_id="a"))).provider == "demo"
    assert (tmp_path / "s.json.calls").exists()
    assert (await playing.complete(model_request(role="writer", op_id="b"))).provider == "demo"
    assert len((tmp_path / "s.json.calls").read_text().splitlines()) == 1


async def test_an_unknown_model_is_named_with_those_that_exist() -> None:
    catalog = ModelCatalog(models=(DEMO, SONNET), roles={"writer": "opus"})

    with pytest.raises(ModelFinal, match=r"'opus'.*demo, sonnet") as caught:
        await router(catalog).complete(model_request())

    assert caught.value.code == "unknown-model"


async def test_a_missing_key_is_found_before_litellm_is_loaded() -> None:
    catalog = ModelCatalog(models=(SONNET,), default="sonnet")

    with pytest.raises(ModelFinal, match="ANTHROPIC_API_KEY"):
        await router(catalog).complete(model_request())


def test_the_router_lists_required_keys() -> None:
    assert key_names(ModelCatalog(models=(DEMO, SONNET, SONNET))) == ("ANTHROPIC_API_KEY",)


@for_each(
    "header, seconds",
    [
        ("17", 17.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("999999", 3600.0),
        ("Sun, 01 Mar 2026 09:31:00 GMT", 60.0),
        ("Sun, 01 Mar 2026 09:00:00 GMT", 0.0),
        ("soon", None),
        ("nan", None),
        ("", None),
    ],
)
def test_retry_after_is_read_in_seconds_or_as_a_date(header: str, seconds: float | None) -> None:
    now = model_request().effect.issued_at

    assert retry_after({"Retry-After": header}, now) == seconds


def two(tmp_path: Path, *answers: ScriptedAnswer, **more: Any) -> ModelCatalog:
    """A director whose model plays a script, with the demo model as its fallback."""
    scripted = write_script(tmp_path / "s.json", *answers).models[0]
    profile = Profile(fallback="demo", **more)
    return ModelCatalog(
        models=(DEMO, scripted), roles={"director": "scripted"}, profiles={"director": profile}
    )


AWAY = ScriptedAnswer(fault="unavailable")
USE = Usage(input_tokens=3, output_tokens=4, cost_micros=7)
REFUSAL = ScriptedAnswer(text="I can't help with that.", usage=USE)


def both(tmp_path: Path, first: ScriptedAnswer, second: ScriptedAnswer) -> ModelCatalog:
    """A writer whose model ``first`` answers as said, with ``second`` as its fallback."""
    for name, answer in (("first", first), ("second", second)):
        write_script(tmp_path / f"{name}.json", answer)
    models = tuple(
        ModelEntry(name=name, provider="scripted", script=str(tmp_path / f"{name}.json"))
        for name in ("first", "second")
    )
    return ModelCatalog(models=models, default="first", profiles={"writer": Profile(fallback="second")})


async def test_while_a_model_is_unavailable_its_fallback_answers_and_says_so(tmp_path: Path) -> None:
    playing = router(two(tmp_path, AWAY))
    request = model_request("Go on.", role="director")

    response = await playing.complete(request)
    again = await playing.complete(request)

    assert (response.model, response.instead_of) == ("demo", "scripted")
    assert (again.model, again.instead_of, again.repeated) == ("demo", "scripted", True)


async def test_a_model_that_answers_needs_no_fallback(tmp_path: Path) -> None:
    response = await router(two(tmp_path, ScriptedAnswer(text="Yes."))).complete(
        model_request("Go on.", role="director")
    )

    assert (response.text, response.model, response.instead_of) == ("Yes.", "scripted", "")


@for_each(
    "on, refused, away",
    [
        (("outage", "refusal"), "demo", "demo"),
        (("refusal",), "demo", "model-unavailable"),
        (("outage",), "model-refused", "demo"),
    ],
)
async def test_the_fallback_is_asked_on_what_its_profile_says(
    tmp_path: Path, on: tuple[str, ...], refused: str, away: str
) -> None:
    for fault, expected in (("refusal", refused), ("unavailable", away)):
        answer = ScriptedAnswer.model_validate({"fault": fault})
        playing = router(two(tmp_path, answer, fallback_on=on))
        try:
            found = (await playing.complete(model_request("Go on.", role="director"))).model
        except PenwrightError as failure:
            found = failure.code
        assert found == expected


class Killed(BaseException):
    """The process dies."""


async def test_a_kill_between_a_refusal_and_its_fallback_pays_each_once(tmp_path: Path) -> None:
    book = memory_store(clock=SystemClock()).ledger
    catalog = both(tmp_path, REFUSAL, ScriptedAnswer(text="Yes.", usage=USE))
    request = model_request("Go on.")

    class Dying(DemoProvider):
        async def ask(self, request: ModelRequest, hear: Hear | None = None) -> ModelResponse:
            raise Killed

    before = ModelRouter(catalog, ledger=book)
    before._models["second"] = LedgeredModel(Dying(), book)
    with pytest.raises(Killed):
        await before.complete(request)
    answers = [await ModelRouter(catalog, ledger=book).complete(request) for _ in range(2)]

    assert [(each.text, each.model, each.instead_of) for each in answers] == [("Yes.", "second", "first")] * 2
    assert [each.usage.cost_micros for each in answers] == [2 * 7] * 2
    assert [len(calls_made(tmp_path / f"{name}.json")) for name in ("first", "second")] == [1, 1]
    spent = book.spending(request.scope, day=SystemClock().now())["run"]
    assert (spent.calls, spent.cost_micros) == (2, 2 * 7)


async def test_a_refusal_by_both_names_both(tmp_path: Path) -> None:
    formal = ScriptedAnswer(fault="refusal")
    playing = router(both(tmp_path, formal, formal))

    with pytest.raises(ModelFinal, match=r"Model 'first' .* its fallback 'second' refused: “I'm sorry"):
        await playing.complete(model_request())


async def test_a_fallback_that_declined_during_an_outage_is_asked_once(tmp_path: Path) -> None:
    playing = router(both(tmp_path, AWAY, ScriptedAnswer(fault="refusal")))

    for _ in range(2):
        with pytest.raises(ModelFinal):
            await playing.complete(model_request())

    assert len(calls_made(tmp_path / "second.json")) == 1


async def test_a_final_failure_is_not_handed_to_the_fallback(tmp_path: Path) -> None:
    catalog = two(tmp_path)
    (tmp_path / "s.json").unlink()

    with pytest.raises(ModelFinal, match="cannot be read"):
        await router(catalog).complete(model_request("Go on.", role="director"))


async def test_if_the_fallback_is_away_too_both_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="Its fallback: The scripted model is away"):
        await router(both(tmp_path, AWAY, AWAY)).complete(model_request())


async def test_a_role_is_asked_as_its_profile_says(tmp_path: Path) -> None:
    seen: list[ModelRequest] = []

    class Listening(DemoProvider):
        async def ask(self, request: ModelRequest, hear: Hear | None = None) -> ModelResponse:
            seen.append(request)
            return await super().ask(request, hear)

    profile = Profile(sampler=Sampler(top_p=0.4), expects_json=False)
    playing = router(ModelCatalog(profiles={"scene": profile}))
    playing._models["demo"] = LedgeredModel(Listening(), memory_store(clock=SystemClock()).ledger)

    await playing.complete(model_request("Go on.", role="visual", output_schema={"type": "object"}))

    assert (seen[0].sampler.top_p, seen[0].output_schema) == (0.4, None)
