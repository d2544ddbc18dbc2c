"""`models add` writes a model into the settings file, whose other lines stay, and gives it what it serves."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from typer.main import get_command

from gateway.cli import output, program
from gateway.cli.models import adding
from penwright.adapters.models.vendors import listed_models, vendor_named
from tests.support.engine.provider_server import Behaviour, ProviderServer
from workers.settings import load

MINE = """\
# The house's models.
[models.old]   # the first one
model = "openai/old"

[roles]
writer = "old"  # it knows the book
"""


def file_in(folder: Path) -> Path:
    file = folder / "penwright.toml"
    file.write_text(MINE)
    return file


def run(file: Path, *argv: str) -> int:
    environ = {"HOME": str(file.parent), "PENWRIGHT_CONFIG": str(file), "PENWRIGHT_HOME": str(file.parent)}
    settings = load(environ)
    return output.run(get_command(program.app), "penwright", ("models", "add", *argv), obj=settings)


def test_a_model_is_written_beside_the_comments_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = file_in(tmp_path)

    assert (
        run(file, "sonnet", "--vendor", "anthropic", "--model", "claude-x", "--role", "director", "--no-test")
        == 0
    )

    written = file.read_text()
    assert all(line in written for line in MINE.splitlines())
    assert '[models.sonnet]\nmodel = "anthropic/claude-x"\nkey_env = "ANTHROPIC_API_KEY"\n' in written
    assert 'director = "sonnet"' in written
    said = capsys.readouterr()
    assert "sonnet answers for: director." in said.out
    assert "take [models.sonnet] and its roles out of the file" in said.out


def test_a_taken_name_is_written_over_only_if_asked_and_the_way_back_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = file_in(tmp_path)
    new = ("old", "--vendor", "mistral", "--model", "large", "--no-test")

    assert run(file, *new, "--json") == 3
    assert json.loads(capsys.readouterr().out)["code"] == "model-exists"
    assert file.read_text() == MINE

    assert run(file, *new, "--replace") == 0
    assert 'model = "mistral/large"' in file.read_text()
    assert "openai/old" not in file.read_text()
    assert 'model = "openai/old"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("a b", "--vendor", "openai", "--model", "x"), "bad-model-name"),
        (("new", "--vendor", "antropic", "--model", "x"), "unknown-vendor"),
        (("new", "--model", "x"), "option-missing"),
        (("new", "--vendor", "openai"), "option-missing"),
        (("new", "--vendor", "openai", "--model", "x", "--input-usd", "3"), "settings-invalid"),
    ],
)
def test_what_cannot_be_is_named_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], argv: tuple[str, ...], code: str
) -> None:
    file = file_in(tmp_path)

    assert run(file, *argv, "--no-test", "--json") != 0

    assert json.loads(capsys.readouterr().out)["code"] == code
    assert file.read_text() == MINE


def test_a_person_is_asked_for_what_the_options_leave_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, asked = file_in(tmp_path), list[str]()
    answers = iter(["other", "http://127.0.0.1:1/v1", "qwen", "16384", "narrator, director"])

    def answer(question: str, *, usual: str | None = None) -> str:
        asked.append(question)
        return next(answers)

    monkeypatch.setattr(adding, "on_terminal", lambda: True)
    monkeypatch.setattr(adding, "answer_to", answer)

    assert run(file, "home", "--no-test") == 0

    assert len(asked) == 5
    model = load({"PENWRIGHT_CONFIG": str(file)}).settings.models["home"]
    assert (model.model, model.local, model.context_tokens) == ("openai/qwen", True, 16_384)
    assert 'narrator = "home"' in file.read_text()


class Lists(BaseHTTPRequestHandler):
    """Lists two models as Ollama does, and as servers of OpenAI's protocol do."""

    def do_GET(self) -> None:
        ollama = {"models": [{"name": "qwen3:8b"}, {"name": "gemma3"}]}
        openai = {"data": [{"id": "qwen3:8b"}, {"id": "gemma3"}]}
        body = json.dumps(ollama if self.path == "/api/tags" else openai).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def lists() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Lists)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_the_models_of_a_server_on_this_machine_are_listed(lists: str) -> None:
    assert listed_models(vendor_named("ollama"), lists) == ("qwen3:8b", "gemma3")
    assert listed_models(vendor_named("lm-studio"), f"{lists}/v1") == ("qwen3:8b", "gemma3")
    assert listed_models(vendor_named("lm-studio"), "http://127.0.0.1:1/v1") == ()
    assert listed_models(vendor_named("other"), "http://models.example.org/v1") == ()


@pytest.mark.long
@pytest.mark.xdist_group("litellm")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning")
def test_a_role_that_the_test_finds_not_served_is_not_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = file_in(tmp_path)
    roles = ("--role", "director", "--role", "narrator")
    with ProviderServer().running() as server:
        server.behave(Behaviour(text="The sea."))
        server_of = ("--vendor", "other", "--api-base", server.address, "--model", "tiny")
        code = run(file, "tiny", *server_of, *roles, "--json")

    told = json.loads(capsys.readouterr().out)
    assert (code, told["roles"], told["not_served"]) == (1, ["narrator"], ["director"])
    assert load({"PENWRIGHT_CONFIG": str(file)}).settings.roles["narrator"] == "tiny"


def test_a_file_is_written_with_its_whole_path_and_no_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = file_in(tmp_path)
    monkeypatch.chdir(tmp_path)

    assert run(file, "home", "--vendor", "gguf", "--model", "tiny.gguf", "--no-test") == 0

    assert f'[models.home]\nmodel = "gguf:{tmp_path}/tiny.gguf"\n' in file.read_text()


def test_a_file_that_is_not_there_is_named_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = file_in(tmp_path)

    assert run(file, "home", "--vendor", "gguf", "--model", str(tmp_path / "none.gguf"), "--json") != 0

    assert json.loads(capsys.readouterr().out)["code"] == "gguf-missing"
    assert file.read_text() == MINE
