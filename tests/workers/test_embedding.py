"""Which embedding model the settings choose."""

from pathlib import Path

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.embeddings.ledgered_embeddings import LedgeredEmbeddings
from penwright.adapters.embeddings.litellm_embeddings import LitellmEmbeddings
from penwright.adapters.embeddings.no_embeddings import NoEmbeddings
from penwright.adapters.embeddings.wordllama_embeddings import WordLlamaEmbeddings
from penwright.errors import UsageMistake
from penwright.ports.scenes import Embeddings
from tests.support.doubles.store import memory_store
from workers.embedding import embeddings_of
from workers.model_catalog import catalog
from workers.settings import Loaded, load

NEAR = '[models.near]\nmodel = "openai/text-embedding-3-small"\nkey_env = "NEAR_KEY"\n'


def loaded(folder: Path, toml: str = "", **environ: str) -> Loaded:
    (folder / "penwright.toml").write_text(toml, encoding="utf-8")
    return load(environ, folder=folder)


def made(found: Loaded) -> Embeddings:
    return embeddings_of(found, memory_store(clock=SystemClock()).ledger)


def test_the_built_in_model_is_the_default(tmp_path: Path) -> None:
    assert isinstance(made(loaded(tmp_path)), WordLlamaEmbeddings)
    named = loaded(tmp_path, '[roles]\nembeddings = "wordllama"\n')
    assert isinstance(made(named), WordLlamaEmbeddings)


def test_words_means_no_vectors(tmp_path: Path) -> None:
    found = loaded(tmp_path, '[roles]\nembeddings = "words"\n')

    assert isinstance(made(found), NoEmbeddings)
    assert "embeddings" not in catalog(found.settings).roles


def test_a_model_of_the_settings_is_asked_with_its_own_key(tmp_path: Path) -> None:
    found = loaded(tmp_path, f'[roles]\nembeddings = "near"\n{NEAR}', NEAR_KEY="sk-near")

    chosen = made(found)

    assert isinstance(chosen, LedgeredEmbeddings)
    assert isinstance(chosen._vendor, LitellmEmbeddings)
    assert (chosen.model, chosen._vendor._key) == ("openai/text-embedding-3-small", "sk-near")
    assert "NEAR_KEY" in found.model_key_variables, "only the model worker gets it"


@pytest.mark.parametrize("name", ["near", "demo"])
def test_a_name_that_makes_no_embeddings_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageMistake) as raised:
        loaded(tmp_path, f'[roles]\nembeddings = "{name}"\n')

    assert raised.value.code == "settings-invalid"
    assert "'wordllama', 'words'" in raised.value.message
