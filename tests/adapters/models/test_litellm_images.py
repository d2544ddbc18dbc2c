"""The real litellm against a local server that makes pictures, or fails to."""

import json
from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.probe import CatalogProbes
from penwright.adapters.models.router import ModelRouter
from penwright.errors import BudgetSpent, ModelFinal, ModelUnavailable
from schemas.base import Effect, OpId
from schemas.budgets import Cap, Caps
from schemas.model import BudgetScope, Message, ModelRequest
from schemas.model_catalog import DEMO, ModelCatalog, ModelEntry, Price
from schemas.model_trial import ProbeReport
from schemas.scene_roles import Painted
from tests.support.doubles.store import memory_store
from tests.support.engine.provider_server import Behaviour, ProviderServer, error

pytestmark = [
    # litellm is slow to import: all of its tests share one process.
    pytest.mark.xdist_group("litellm"),
    # Its internals are not ours to fix.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def picture(content: bytes = PNG, **more: Any) -> Behaviour:
    return data({"b64_json": b64encode(content).decode()}, **more)


def data(*rows: Any, **more: Any) -> Behaviour:
    return Behaviour(body=json.dumps({"created": 1, "data": rows, **more}).encode())


def asking(number: int = 1, timeout_s: float = 20) -> ModelRequest:
    return ModelRequest(
        effect=Effect(op_id=OpId(f"agent/x#{number}"), issued_at=NOON),
        role="images",
        messages=(Message(role="system", content="Paint."), Message(role="user", content="A quay at night.")),
        max_output_tokens=100,
        timeout_s=timeout_s,
        scope=BudgetScope(run="agent/x", subject="scene/quay"),
    )


class Studio:
    """A router with a model for images at the server, over a store in memory."""

    # Any: fields of the entry.
    def __init__(
        self, server: ProviderServer, key: str = "sk-secret", caps: Caps | None = None, **fields: Any
    ) -> None:
        self.store = memory_store(clock=SystemClock(), caps=caps)
        entry: dict[str, Any] = {
            "name": "brush",
            "provider": "litellm",
            "model": "openai/tiny-image",
            "image_micros": 40_000,
        }
        entry |= {"local": False, "api_base": server.address, "key_env": "BRUSH_KEY"}
        models = (DEMO, ModelEntry(**entry | fields))
        self.router = ModelRouter(
            ModelCatalog(models=models, roles={"images": "brush"}),
            ledger=self.store.ledger,
            keys={"BRUSH_KEY": key},
            blobs=self.store.blobs,
        )


@pytest.mark.long
async def test_a_picture_is_stored_and_paid_for_once(server: ProviderServer) -> None:
    server.behave(picture())
    studio = Studio(server)

    first, again = await studio.router.complete(asking()), await studio.router.complete(asking())

    painted = Painted.model_validate_json(first.text)
    assert (studio.store.blobs.get(painted.image), painted.kind) == (PNG, "image/png")
    assert (first.usage.cost_micros, again.repeated, again.text) == (40_000, True, first.text)
    (asked,) = server.requests
    assert asked == {
        **{"model": "tiny-image", "prompt": "A quay at night.", "n": 1, "response_format": "b64_json"}
    }
    assert server.headers[0]["authorization"] == "Bearer sk-secret"


async def test_a_picture_that_a_cap_has_no_room_for_is_not_asked_for(server: ProviderServer) -> None:
    studio = Studio(server, caps=Caps(day=Cap(micros=39_999)))

    with pytest.raises(BudgetSpent):
        await studio.router.complete(asking())

    assert server.requests == []


async def test_without_a_price_by_the_picture_its_tokens_count(server: ProviderServer) -> None:
    server.behave(picture(usage={"input_tokens": 10, "output_tokens": 1_000, "total_tokens": 1_010}))
    price = Price(input_micros=5_000_000, output_micros=40_000_000)

    by_tokens = await Studio(server, image_micros=None, price=price).router.complete(asking())
    unknown = await Studio(server, image_micros=None).router.complete(asking())

    assert by_tokens.usage.cost_micros == 40_050
    assert unknown.usage.cost_micros is None


@pytest.mark.parametrize(
    "answer",
    [
        picture(b"<svg onload=alert(1)>"),
        data({"b64_json": "not base64!"}),
        data({"b64_json": ""}),
        data(),
        Behaviour(text="I am a chat model."),
        Behaviour(body=b"<html>"),
        Behaviour(reset=True),
        error(500, "down"),
        error(429, "slow down"),
    ],
)
async def test_an_answer_without_a_picture_is_tried_again_later(
    server: ProviderServer, answer: Behaviour
) -> None:
    server.behave(answer)

    with pytest.raises(ModelUnavailable) as raised:
        await Studio(server).router.complete(asking())

    assert "brush" in raised.value.message
    assert len(server.requests) == 1, "Temporal retries, not the library"


@pytest.mark.parametrize("slow", [Behaviour(hang=True), Behaviour(drip=True)])
async def test_a_server_that_hangs_or_drips_ends_with_the_timeout(
    server: ProviderServer, slow: Behaviour
) -> None:
    server.behave(slow)

    with pytest.raises(ModelUnavailable):
        await Studio(server).router.complete(asking(timeout_s=0.5))


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (data({"url": "http://127.0.0.1:1/picture.png"}), "image-by-address"),
        (picture(PNG + b"\0" * (5 * 1024 * 1024)), "image-too-large"),
        (picture(PNG + b"\0" * (7 * 1024 * 1024)), "image-too-large"),
        (error(401, "bad key sk-secret"), "model-auth"),
        (error(400, "your request was rejected by our safety system"), None),
    ],
)
async def test_what_a_repeat_cannot_mend_is_final(
    server: ProviderServer, answer: Behaviour, code: str | None
) -> None:
    server.behave(answer)

    with pytest.raises(ModelFinal) as raised:
        await Studio(server).router.complete(asking())

    assert code in (None, raised.value.code)
    assert "sk-secret" not in raised.value.message


async def test_an_endless_answer_is_not_read_to_its_end(server: ProviderServer) -> None:
    server.behave(Behaviour(huge=True))

    with pytest.raises((ModelFinal, ModelUnavailable)):
        await Studio(server).router.complete(asking())


async def test_a_missing_key_and_a_missing_model_are_named_before_anything_is_sent(
    server: ProviderServer,
) -> None:
    without = memory_store(clock=SystemClock())
    unset = ModelRouter(ModelCatalog(), ledger=without.ledger, blobs=without.blobs)

    with pytest.raises(ModelFinal) as no_key:
        await Studio(server, key="").router.complete(asking())
    with pytest.raises(ModelFinal) as no_model:
        await unset.complete(asking())

    assert (no_key.value.code, no_model.value.code) == ("model-key-missing", "no-image-model")
    assert server.requests == []


def brush(server: ProviderServer, **fields: Any) -> ModelCatalog:  # any of the entry's
    entry = ModelEntry.model_validate(
        {
            "name": "brush",
            "provider": "litellm",
            "model": "openai/brush",
            "api_base": server.address,
            "image_micros": 40_000,
            **fields,
        }
    )
    return ModelCatalog(models=(DEMO, entry), default="demo", roles={"images": "brush"})


async def tried(catalog: ModelCatalog, *, capped: bool = False, roles: tuple[str, ...] = ()) -> ProbeReport:
    probes = CatalogProbes(catalog, {}, capped=capped)
    return await probes.probe("brush", asking().effect, timeout_s=20, roles=roles)


async def test_a_trial_of_a_model_for_images_has_one_picture_made(server: ProviderServer) -> None:
    server.behave(picture())

    report = await tried(brush(server))

    (row,) = report.roles
    states = {each.name: each.state for each in row.checks}
    assert (row.role, row.works, report.calls, report.cost_micros) == ("images", True, 1, 40_000)
    assert (states.pop("answers"), states.pop("price")) == ("works", "works")
    assert set(states.values()) == {"not needed"}
    assert len(server.requests) == 1


async def test_a_trial_says_why_a_model_makes_no_pictures_and_what_to_set(server: ProviderServer) -> None:
    server.behave(data({"url": "http://127.0.0.1/x.png"}))

    report = await tried(brush(server))

    (row,) = report.roles
    assert not row.works
    assert row.checks[0].problem.startswith("Model 'brush' answered with the address of a picture")
    assert row.checks[0].mend == 'images = "another model" under [roles]'


async def test_without_the_price_of_a_picture_a_cap_on_dollars_lets_none_be_made(
    server: ProviderServer,
) -> None:
    server.behave(picture())

    report = await tried(brush(server, image_micros=None), capped=True, roles=("images",))

    mends = [each.mend for each in report.roles[0].checks if each.state == "fails"]
    assert mends == ["usd_per_image under [models.brush]"]
