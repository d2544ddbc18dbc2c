"""The examples of the documents about models are whole settings files, and each of their models is asked."""

import re
from pathlib import Path

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.litellm_provider import LitellmProvider
from penwright.adapters.models.router import ModelRouter, key_names
from penwright.domain.models.choice import entry_for
from schemas.model_catalog import ModelCatalog, ModelEntry
from tests.support.agents.scripted_model import model_request
from tests.support.doubles.store import memory_store
from tests.support.engine.provider_server import Behaviour, ProviderServer, content_answer
from workers.model_catalog import catalog
from workers.settings import load

ROOT = Path(__file__).parents[2]
PAGES = "".join((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/models.md"))
EXAMPLES = re.findall(r"^```toml\n(.+?)^```$", PAGES, re.MULTILINE | re.DOTALL)


def settings_of(folder: Path, example: str) -> ModelCatalog:
    (folder / "penwright.toml").write_text(example)
    return catalog(load({"HOME": str(folder), "PENWRIGHT_CONFIG": str(folder / "penwright.toml")}).settings)


def models_of(folder: Path, example: str) -> tuple[ModelEntry, ...]:
    """The models that the example sets up; the writer's among them."""
    found = settings_of(folder, example)
    own = tuple(each for each in found.models if each.name != "demo")
    assert entry_for(found, "writer") in own
    return own


def test_each_example_is_a_settings_file(tmp_path: Path) -> None:
    names = [each.name for example in EXAMPLES for each in models_of(tmp_path, example)]

    assert len(EXAMPLES) == 10
    assert len(names) == len(set(names))


@pytest.mark.xdist_group("litellm")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning")
async def test_each_server_that_speaks_openais_protocol_is_asked_as_written(tmp_path: Path) -> None:
    written = [each for example in EXAMPLES for each in models_of(tmp_path, example) if each.api_base]
    spoken = [each for each in written if each.model.startswith(("openai/", "azure/"))]
    assert [each.name for each in spoken] == ["house", "azure", "lm-studio", "llama-cpp"]

    with ProviderServer().running() as server:
        for each in spoken:
            there = each.model_copy(update={"api_base": server.address})
            answer = await LitellmProvider(there, "key").complete(model_request("Go on."))
            assert (answer.text, answer.usage.cost_micros is None) == ("The lamp went out.", False)
            assert server.requests[-1]["model"] == each.model.partition("/")[2]


@pytest.mark.xdist_group("litellm")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning")
async def test_each_model_at_a_vendor_is_asked_as_written(tmp_path: Path) -> None:
    written = [each for example in EXAMPLES for each in models_of(tmp_path, example)]
    hosted = [each for each in written if not (each.api_base or each.file)]
    assert [each.name for each in hosted][:4] == ["hosted", "sonnet", "flash", "large"]

    google = content_answer(promptTokenCount=11, candidatesTokenCount=7, totalTokenCount=18)
    with ProviderServer().running() as server:
        for each in hosted:
            vendor, _, model = each.model.partition("/")
            server.behave(google if vendor == "gemini" else Behaviour())
            there = each.model_copy(update={"api_base": server.address.removesuffix("/v1")})
            answer = await LitellmProvider(there, "key").complete(model_request("Go on."))
            assert answer.text == "The lamp went out."
            assert server.requests[-1].get("model", model) == model  # Google's protocol has it in the address


@pytest.mark.xdist_group("litellm")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning")
async def test_the_fallback_of_the_example_answers_where_the_first_model_refuses(tmp_path: Path) -> None:
    (example,) = [each for each in EXAMPLES if "fallback_on" in each]
    told = settings_of(tmp_path, example)
    with ProviderServer().running() as server:
        server.behave(Behaviour(text="I'm sorry, but I can't help with that."), Behaviour())
        there = tuple(each.model_copy(update={"api_base": server.address}) for each in told.models)
        playing = ModelRouter(
            told.model_copy(update={"models": there}),
            ledger=memory_store(clock=SystemClock()).ledger,
            keys=dict.fromkeys(key_names(told), "key"),
        )
        answer = await playing.complete(model_request("Go on."))

    assert (answer.text, answer.model, answer.instead_of) == ("The lamp went out.", "second", "first")
