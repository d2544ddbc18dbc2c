"""A model that rejects a parameter is asked again without it, or under the name that it takes."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from penwright.adapters.models.lesson_files import LessonFiles
from penwright.adapters.models.litellm_provider import LitellmProvider
from penwright.adapters.models.parameters import rejected
from penwright.errors import ModelFinal
from schemas.agent import ToolOffer
from schemas.model import ForcedTool
from schemas.model_catalog import ModelEntry, Sampler
from tests.support.agents.scripted_model import model_request
from tests.support.each import for_each
from tests.support.engine.provider_server import Behaviour, ProviderServer, error

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

LIMIT = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. "
    "Use 'max_completion_tokens' instead."
)
SWITCHED = "Unsupported parameter: 'max_completion_tokens' is not supported."
WARMTH = "Unsupported value: 'temperature' does not support 0.8 with this model."
LOOK = ToolOffer(name="look", description="Look.", parameters={"type": "object", "properties": {}})


def provider(server: ProviderServer, kept: LessonFiles | None = None) -> LitellmProvider:
    entry = ModelEntry(name="local", provider="litellm", model="openai/tiny", api_base=server.address)
    return LitellmProvider(entry, "sk-secret", kept)


@for_each(
    "message, gone, new",
    [
        (LIMIT, "max_tokens", "max_completion_tokens"),
        (WARMTH, "temperature", None),
        ("`temperature` is deprecated for this model.", "temperature", None),
        ("Unrecognized request argument supplied: seed", "seed", None),
        ("tool_choice: Extra inputs are not permitted", "tool_choice", None),
    ],
)
async def test_a_rejected_parameter_is_renamed_or_left_out(message: str, gone: str, new: str | None) -> None:
    with ProviderServer().running() as server:
        server.behave(error(400, message), Behaviour())
        request = model_request(
            sampler=Sampler(seed=7), tools=(LOOK,), tool_choice=ForcedTool(name="look"), max_output_tokens=77
        )

        answer = await provider(server).complete(request)

        first, second = server.requests
        assert answer.text == "The lamp went out."
        expected: dict[str, Any] = {name: value for name, value in first.items() if name != gone}
        assert second == expected | ({new: first[gone]} if new else {})


async def test_what_was_learned_is_kept_for_later_calls_and_told(
    server: ProviderServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.behave(error(400, LIMIT), error(400, WARMTH), Behaviour())
    model = provider(server)

    with caplog.at_level(logging.WARNING):
        await model.complete(model_request("Go on."))
        await model.complete(model_request("Go on."))

    assert len(server.requests) == 4
    assert "temperature" not in server.requests[3]
    assert "max_completion_tokens" in server.requests[3]
    told = [each.getMessage() for each in caplog.records if "rejected a call" in each.getMessage()]
    assert [text.split(": ")[1] for text in told] == [
        "from now on max_tokens is sent as max_completion_tokens.",
        "from now on temperature is left out.",
    ]


async def test_the_next_process_knows_what_was_learned(server: ProviderServer, tmp_path: Path) -> None:
    server.behave(error(400, LIMIT), error(400, WARMTH), Behaviour())
    await provider(server, LessonFiles(tmp_path)).complete(model_request("Go on."))

    await provider(server, LessonFiles(tmp_path)).complete(model_request("Go on."))

    assert len(server.requests) == 4
    assert server.requests[3] == server.requests[2]


async def test_a_home_that_cannot_be_written_stops_no_call(server: ProviderServer, tmp_path: Path) -> None:
    server.behave(error(400, WARMTH), Behaviour())
    (tmp_path / "rejected-parameters").write_text("no folder")

    answer = await provider(server, LessonFiles(tmp_path)).complete(model_request("Go on."))

    assert answer.text == "The lamp went out."


async def test_calls_at_the_same_time_learn_the_same(server: ProviderServer) -> None:
    server.behave(Behaviour(rejects="temperature"))
    model = provider(server)

    answers = await asyncio.gather(*(model.complete(model_request("Go on.")) for _ in range(3)))

    assert [answer.text for answer in answers] == ["The lamp went out."] * 3


async def test_a_model_that_rejects_both_names_of_the_limit_gets_none(server: ProviderServer) -> None:
    server.behave(error(400, LIMIT), error(400, SWITCHED), Behaviour())

    await provider(server).complete(model_request("Go on."))

    assert not {"max_tokens", "max_completion_tokens"} & server.requests[2].keys()


async def test_an_answer_without_a_native_schema_is_asked_for_on_the_next_rung(
    server: ProviderServer,
) -> None:
    server.behave(
        error(400, "'response_format' is not supported with this model"),
        error(400, "tool_choice is not supported"),
        Behaviour(text="{}"),
    )

    answer = await provider(server).complete(model_request("Judge.", output_schema=LOOK.parameters))

    assert answer.rung == "json-in-text"
    assert "JSON schema" in server.requests[2]["messages"][-1]["content"]


@for_each(
    "message",
    [
        "bad parameter",
        "max_tokens is too large: 9000. This model's maximum context length is 8192 tokens.",
        "a value of the_temperature is not supported",
        "top_k is not supported",  # which was not sent
    ],
)
async def test_any_other_rejection_ends_the_call(message: str) -> None:
    with ProviderServer().running() as server:
        server.behave(error(400, message))

        with pytest.raises(ModelFinal):
            await provider(server).complete(model_request("Go on."))

        assert len(server.requests) == 1


async def test_a_parameter_that_is_rejected_again_ends_the_call(server: ProviderServer) -> None:
    server.behave(error(400, WARMTH))

    with pytest.raises(ModelFinal):
        await provider(server).complete(model_request("Go on."))

    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("Unsupported parameter: 'tools'.", "tools"),
        ("tiny does not support tools", "tools"),
        ("tools[0].function.parameters: this format is not supported", ""),
        ("tools.0.input_schema: unknown keyword", ""),
        ("response_format.json_schema is not supported", "response_format"),
    ],
)
def test_a_fault_of_one_tool_is_no_lack_of_tools(message: str, name: str) -> None:
    assert rejected(message, {"tools": [], "response_format": {}}) == name
