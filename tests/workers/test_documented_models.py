"""The examples of the documents about models are whole settings files, and each of their models is asked."""

import re
from pathlib import Path

import pytest

from penwright.adapters.models.litellm_provider import LitellmProvider
from penwright.domain.models.choice import entry_for
from schemas.model_catalog import ModelEntry
from tests.support.agents.scripted_model import model_request
from tests.support.engine.provider_server import ProviderServer
from workers.model_catalog import catalog
from workers.settings import load

PAGE = Path(__file__).parents[2] / "docs" / "models.md"
EXAMPLES = re.findall(r"^```toml\n(.+?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def models_of(folder: Path, example: str) -> tuple[ModelEntry, ...]:
    """The models that the example sets up; the writer's among them."""
    (folder / "penwright.toml").write_text(example)
    found = catalog(load({"HOME": str(folder), "PENWRIGHT_CONFIG": str(folder / "penwright.toml")}).settings)
    own = tuple(each for each in found.models if each.name != "demo")
    assert entry_for(found, "writer") in own
    return own


def test_each_example_is_a_settings_file(tmp_path: Path) -> None:
    names = [each.name for example in EXAMPLES for each in models_of(tmp_path, example)]

    assert len(EXAMPLES) == 7
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
