"""Models that are files: the window stands in the file, and what is missing has a name and a next step."""

import importlib.util
import struct
from pathlib import Path

import pytest

from penwright.adapters.models.gguf import check_file, window_of_file
from penwright.adapters.models.litellm_provider import LitellmProvider
from penwright.errors import ModelFinal
from schemas.model_catalog import ModelCatalog, ModelEntry
from tests.support.agents.scripted_model import model_request
from workers.model_catalog import catalog
from workers.settings import load


def text(of: bytes) -> bytes:
    return struct.pack("<Q", len(of)) + of


def number(key: bytes, value: int) -> bytes:
    return text(key) + struct.pack("<II", 4, value)


def header(*pairs: bytes) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + b"".join(pairs)


WORDS = text(b"tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 2) + text(b"a") + text(b"bc")
SCORES = text(b"tokenizer.ggml.scores") + struct.pack("<IIQ", 9, 6, 3) + bytes(12)
NAME = text(b"general.architecture") + struct.pack("<I", 8) + text(b"tiny")
MODEL = header(NAME, WORDS, SCORES, number(b"tiny.context_length", 8192))


def test_the_window_is_read_from_the_header_wherever_it_stands_there(tmp_path: Path) -> None:
    file = tmp_path / "tiny.gguf"
    file.write_bytes(MODEL)

    assert window_of_file(file) == 8192


@pytest.mark.parametrize("held", [b"", b"PK12", MODEL[:40], header(NAME), b"GGUF" + b"\xff" * 60])
def test_a_damaged_file_or_another_has_no_window(held: bytes, tmp_path: Path) -> None:
    file = tmp_path / "tiny.gguf"
    file.write_bytes(held)

    assert window_of_file(file) is None
    assert window_of_file(tmp_path / "none.gguf") is None


def settings_of(tmp_path: Path, more: str = "") -> ModelCatalog:
    (tmp_path / "tiny.gguf").write_bytes(MODEL)
    written = f'[models.home]\nmodel = "gguf:{tmp_path}/tiny.gguf"\n{more}'
    (tmp_path / "penwright.toml").write_text(written)
    return catalog(
        load({"HOME": str(tmp_path), "PENWRIGHT_CONFIG": str(tmp_path / "penwright.toml")}).settings
    )


@pytest.mark.parametrize(
    ("more", "window"), [("", 8192), ("context_tokens = 2048", 2048), ("context_tokens = 99999", 8192)]
)
def test_a_file_costs_nothing_and_has_its_own_window_or_a_smaller_one(
    more: str, window: int, tmp_path: Path
) -> None:
    (entry,) = [each for each in settings_of(tmp_path, more).models if each.name == "home"]

    assert (entry.local, entry.context_tokens, entry.model) == (True, window, "openai/tiny")
    assert entry.as_set == f"gguf:{tmp_path}/tiny.gguf"


@pytest.mark.parametrize(
    ("held", "code", "advice"),
    [
        (None, "gguf-missing", "correct the path after `gguf:` under [models.home]"),
        (b"PK12", "gguf-unreadable", "correct the path after `gguf:` under [models.home]"),
        (MODEL, "llama-missing", "run `pip install 'penwright[local]'`"),
    ],
)
def test_what_is_missing_has_a_name_and_a_next_step(
    held: bytes | None, code: str, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penwright.adapters.models.gguf.find_spec", lambda name: None)
    file = tmp_path / "tiny.gguf"
    if held is not None:
        file.write_bytes(held)

    with pytest.raises(ModelFinal) as caught:
        check_file("home", file)

    assert (caught.value.code, caught.value.details["hint"]) == (code, advice)


async def test_a_call_to_a_file_that_nobody_serves_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec("json")
    monkeypatch.setattr("penwright.adapters.models.gguf.find_spec", lambda name: found)
    (tmp_path / "tiny.gguf").write_bytes(MODEL)
    entry = ModelEntry(name="home", provider="litellm", model="openai/tiny", file=str(tmp_path / "tiny.gguf"))

    with pytest.raises(ModelFinal) as caught:
        await LitellmProvider(entry, "").ask(model_request("Go on."))

    assert caught.value.code == "gguf-not-served"
    assert "`penwright up --detach`" in caught.value.details["hint"]
