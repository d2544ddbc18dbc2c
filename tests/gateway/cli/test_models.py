"""The verbs about models list models, test them, and name missing keys."""

import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from gateway.cli import output, program
from penwright.adapters.models.lesson_files import LessonFiles
from penwright.domain.models.choice import ROLES
from penwright.errors import UsageMistake
from penwright.roles.model_roles import MODEL_ROLES
from schemas.model_catalog import ModelEntry
from tests.support.engine.provider_server import Behaviour, ProviderServer
from workers.settings import Loaded, load

TOML = """
[models.sonnet]
model = "anthropic/claude-sonnet-4-5"
key_env = "SONNET_KEY"

[models.tiny]
model = "openai/tiny"
api_base = "{address}"
local = true

[roles]
critic = "sonnet"
"""


def settings_of(folder: Path, address: str = "http://127.0.0.1:1/v1", **environ: str) -> Loaded:
    (folder / "penwright.toml").write_text(TOML.format(address=address))
    return load({"HOME": str(folder), "PENWRIGHT_CONFIG": str(folder / "penwright.toml"), **environ})


def run(settings: Loaded, *argv: str) -> int:
    return output.run(get_command(program.app), "penwright", argv, obj=settings)


def test_the_list_says_which_model_writes_manuscripts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.toml").write_text(TOML.format(address="http://127.0.0.1:1/v1") + 'manuscript = "tiny"\n')
    settings = load({"HOME": str(tmp_path), "PENWRIGHT_CONFIG": str(tmp_path / "own.toml")})

    assert run(settings, "models", "list") == 0

    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("tiny"))
    assert "every manuscript role without a model of its own" in row


def test_the_list_shows_roles_keys_and_prices(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(settings_of(tmp_path, SONNET_KEY="sk-1"), "models", "list", "--json")

    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["models"]}
    assert code == 0
    assert (rows["sonnet"]["key"], rows["sonnet"]["roles"]) == ("set", ["critic"])
    assert rows["sonnet"]["price_text"] == "$3 in, $15 out"
    assert rows["demo"]["roles"] == ["every other role"]
    assert (rows["tiny"]["key"], rows["tiny"]["price_text"]) == ("not needed", "free")


def test_each_role_that_is_tried_may_stand_in_the_settings() -> None:
    groups = {"images", "embeddings", "manuscript", "scene"}

    assert {each.name for each in MODEL_ROLES} == ROLES - groups


@pytest.mark.parametrize("place", ["[roles]\ndirecter = 'demo'", "[profiles.directer]\ntemperature = 0.5"])
def test_a_role_that_nothing_knows_is_an_error_that_names_the_nearest(tmp_path: Path, place: str) -> None:
    (tmp_path / "p.toml").write_text(place)

    with pytest.raises(UsageMistake, match="no role is called 'directer'; did you mean 'director'"):
        load({"PENWRIGHT_CONFIG": str(tmp_path / "p.toml")})


def test_roles_of_agents_may_stand_in_the_settings(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text("[roles]\ncritic = 'demo'")
    (tmp_path / "own.toml").write_text("agents = ['mine']\n[roles]\nclerk = 'demo'")

    for name in ("p.toml", "own.toml"):
        assert len(load({"PENWRIGHT_CONFIG": str(tmp_path / name)}).settings.roles) == 1


def test_the_list_shows_what_a_model_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = settings_of(tmp_path, PENWRIGHT_HOME=str(tmp_path / "home"))
    entry = ModelEntry(name="other", provider="litellm", model="anthropic/claude-sonnet-4-5")
    LessonFiles(settings.settings.home).keep(entry, "max_tokens", "max_completion_tokens")
    LessonFiles(settings.settings.home).keep(entry, "temperature", "")

    run(settings, "models", "list")

    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("sonnet"))
    assert row.endswith("max_tokens is sent as max_completion_tokens, temperature is left out")


def test_a_missing_key_shows_in_the_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(settings_of(tmp_path), "models", "list")

    assert "SONNET_KEY missing" in capsys.readouterr().out


def test_the_demo_model_serves_every_role(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(settings_of(tmp_path), "models", "test", "demo", "--json")

    report = json.loads(capsys.readouterr().out)
    assert code == 0
    assert (report["demo"], report["cost_micros"]) == (True, 0)
    assert {row["role"]: row["works"] for row in report["roles"]}["manuscript-citation-generator"] is True


@pytest.mark.parametrize(
    ("name", "code", "named"),
    [("sonnet", "model-key-missing", "SONNET_KEY"), ("opus", "unknown-model", "demo, sonnet, tiny")],
)
def test_an_untestable_model_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, code: str, named: str
) -> None:
    exit_code = run(settings_of(tmp_path), "models", "test", name, "--json")

    answer = json.loads(capsys.readouterr().out)
    assert (exit_code, answer["status"], answer["code"]) == (1, "error", code)
    assert named in answer["error"]


def test_listing_models_does_not_load_litellm() -> None:
    imports = "import sys; from gateway.cli import models; import penwright.adapters.models"

    subprocess.run([sys.executable, "-c", f"{imports}; assert 'litellm' not in sys.modules"], check=True)


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer().running() as running:
        yield running


@pytest.mark.long
@pytest.mark.xdist_group("litellm")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning")
def test_a_role_that_is_not_served_is_told_with_what_to_set(
    tmp_path: Path, server: ProviderServer, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_of(tmp_path, server.address, PENWRIGHT_HOME=str(tmp_path / "home"))
    server.behave(Behaviour(as_asked=True, thinks=14_000))

    code = run(settings, "models", "test", "tiny", "--role", "director", "--role", "writer")

    said = capsys.readouterr()
    assert code == 1
    assert "1/2 director" in said.err
    rows = [line.split() for line in said.out.splitlines()]
    assert ["director", "NO", "?", "-", "?", "yes", "?"] in rows
    assert ["writer", "yes", "-", "yes", "?", "yes", "?"] in rows
    assert "Set reasoning = " in " ".join(said.out.split())


@pytest.mark.long
@pytest.mark.xdist_group("litellm")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning")
def test_a_model_for_images_is_asked_for_a_picture(
    tmp_path: Path, server: ProviderServer, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_of(tmp_path, server.address, PENWRIGHT_HOME=str(tmp_path / "home"))
    image = b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 40).decode()
    server.behave(Behaviour(body=json.dumps({"created": 1, "data": [{"b64_json": image}]}).encode()))

    code = run(settings, "models", "test", "tiny", "--role", "images")

    out = capsys.readouterr().out
    assert code == 0
    assert "price: by the picture" in out
    assert "this test: 1 calls" in out
