"""The engine's verbs at the command line, without an engine."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from gateway.cli import output
from gateway.cli import program as cli
from gateway.cli.engine import verbs as engine


def main(argv: list[str]) -> int:
    """The command line without its last act, which ends the process."""
    return output.run(get_command(cli.app), "penwright", argv)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own and no file of settings."""
    monkeypatch.setenv("PENWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PENWRIGHT_CONFIG", "")
    return tmp_path / "home"


def said(capsys: pytest.CaptureFixture[str]) -> object:
    """The JSON document on stdout."""
    return json.loads(capsys.readouterr().out)


def test_status_without_an_engine_exits_1_and_says_how_to_start(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["status"])

    assert code == 1
    assert "penwright up --detach" in capsys.readouterr().out


def test_status_as_json_says_that_nothing_runs(capsys: pytest.CaptureFixture[str]) -> None:
    main(["status", "--json"])

    document = said(capsys)
    assert isinstance(document, dict)
    assert (document["running"], document["state"]) == (False, "stopped")


def test_down_without_an_engine_succeeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["down", "--json"]) == 0
    assert isinstance(document := said(capsys), dict)
    assert document["was_running"] is False


def test_config_show_names_the_variable_that_set_a_value(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENWRIGHT_DATABASE_URL", "postgresql://ann:sesame@db/x")

    main(["config", "show", "--json"])

    document = said(capsys)
    assert isinstance(document, dict)
    rows = {row["key"]: row for row in document["settings"]}
    assert rows["database_url"] == {
        "key": "database_url",
        "value": "postgresql://ann:***@db/x",
        "source": "environment",
        "where": "PENWRIGHT_DATABASE_URL",
    }
    assert rows["books.branch"]["source"] == "default"


def test_config_show_of_a_mistyped_file_exits_2_with_advice(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "own.toml"
    file.write_text("[engine]\nprot = 7233\n")
    monkeypatch.setenv("PENWRIGHT_CONFIG", str(file))

    code = main(["config", "show"])

    assert code == 2
    assert "did you mean 'port'?" in capsys.readouterr().err


def test_the_doctor_warns_of_a_misspelt_variable(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENWRIGHT_DATABSE_URL", "postgresql://db/x")

    main(["doctor"])

    assert "did you mean PENWRIGHT_DATABASE_URL?" in capsys.readouterr().out


def test_the_doctor_names_a_retired_setting(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENWRIGHT_ENGINE__START_TIMEOUT_S", "90")

    main(["doctor"])

    assert "engine.start_timeout_s from PENWRIGHT_ENGINE__START_TIMEOUT_S" in capsys.readouterr().out


def test_the_doctor_fails_when_a_models_key_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENWRIGHT_MODELS__OPUS__KEY_ENV", "NOT_SET_ANYWHERE")
    monkeypatch.setenv("PENWRIGHT_ROLES__WRITER", "opus")

    code = main(["doctor", "--json"])

    assert code == 1
    document = said(capsys)
    assert isinstance(document, dict)
    [finding] = [one for one in document["findings"] if one["name"] == "model"]
    assert (finding["verdict"], finding["advice"]) == ("failed", "export NOT_SET_ANYWHERE")


@pytest.mark.parametrize(
    ("name", "value", "verdicts"),
    [
        ("CONTACT", "", ["warning", "ok", "warning"]),
        ("CONTACT", "ann@example.org", ["ok", "warning"]),
        ("SOURCES", '["recorded"]', ["warning"]),
        ("SOURCES", "[]", ["warning"]),
    ],
)
def test_the_doctor_says_which_registries_are_asked(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    verdicts: list[str],
) -> None:
    monkeypatch.setenv(f"PENWRIGHT_SCHOLARLY__{name}", value)
    monkeypatch.delenv("OPENALEX_API_KEY", raising=False)

    main(["doctor", "--json"])

    document = said(capsys)
    assert isinstance(document, dict)
    assert [one["verdict"] for one in document["findings"] if one["name"] == "scholarly"] == verdicts


def test_wrong_use_without_advice_of_its_own_names_the_help_of_its_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "own.toml"
    file.write_text("[engine]\nport = 'none'\n")
    monkeypatch.setenv("PENWRIGHT_CONFIG", str(file))

    main(["config", "show", "--json"])

    document = said(capsys)
    assert isinstance(document, dict)
    assert document["next"] == "`penwright config show --help` shows what it takes"


@pytest.mark.parametrize("words", [["logs"], ["logs", "nobody"]])
def test_logs_that_are_not_there_are_named(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(words) == 1
    said = capsys.readouterr().err
    assert "error[log-" in said
    assert ("`penwright up`" in said, "name or path" in said) == (True, False)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("no JSON at all", "no JSON at all"),
        ("[1]", "[1]"),
        (
            '{"event": "broke\\nTraceback", "level": "error", "timestamp": "2026-02-22T14:30:05.1Z", '
            ' "exception": [{"exc_type": "KeyError", "exc_value": "x", "frames": []}], "queue": "q"}',
            "2026-02-22 15:30:05 error broke · KeyError: x queue=q",
        ),
        (
            '{"time": "2026-02-22T14:30:05.1Z", "level": "WARN", "msg": "slow", "exception": []}',
            "2026-02-22 15:30:05 warn slow",
        ),
        ('{"time": "soon", "level": "WARN", "msg": "slow"}', "soon warn slow"),
    ],
)
@pytest.mark.usefixtures("in_vienna")
def test_a_line_of_a_log_is_shown_without_its_stack_trace(line: str, shown: str) -> None:
    assert engine.readable(line) == shown


def test_a_codec_server_without_a_key_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["operator", "codec-server", "--json"]) == 2
    assert isinstance(document := said(capsys), dict)
    assert document["code"] == "encryption-off"


def test_up_in_a_read_only_home_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENWRIGHT_HOME", "/dev/null/home")

    assert main(["up", "--detach"]) == 1
    assert "error[home-not-writable]" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["up", "down", "status", "doctor", "logs", "config"])
def test_every_verb_has_help(capsys: pytest.CaptureFixture[str], verb: str) -> None:
    assert main([verb, "--help"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 4


def test_the_verbs_module_imports_nothing_heavy() -> None:
    program = (
        "import sys, gateway.cli.engine.verbs;"
        "print([m for m in ('temporalio', 'pydantic', 'sqlalchemy', 'psutil') if m in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
