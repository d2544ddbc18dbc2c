"""Settings: layers, origins, masking, and answers to bad input."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.errors import UsageMistake
from tests.support.each import for_each
from workers.settings import Loaded, SettingSource, drop_git_variables, effective, load, mask_url


def loaded(folder: Path, toml: str = "", **environ: str) -> Loaded:
    """Settings from a file with ``toml`` in ``folder`` and exactly these variables."""
    (folder / "penwright.toml").write_text(toml, encoding="utf-8")
    return load(environ, folder=folder)


def refused(folder: Path, toml: str = "", **environ: str) -> UsageMistake:
    """The error that these settings are answered with."""
    with pytest.raises(UsageMistake) as caught:
        loaded(folder, toml, **environ)
    return caught.value


def test_the_environment_wins_over_the_file_and_the_file_over_defaults(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        '[books]\nbranch = "draft"\nremote = "upstream"\n',
        PENWRIGHT_BOOKS__BRANCH="final",
    )

    assert found.settings.books.branch == "final"
    assert found.settings.books.remote == "upstream"
    assert found.settings.books.lock_wait_s == 20


def test_every_setting_has_its_source(tmp_path: Path) -> None:
    found = loaded(tmp_path, '[books]\nremote = "upstream"\n', PENWRIGHT_BOOKS__BRANCH="final")

    assert found.origin("books.branch") == SettingSource("environment", "PENWRIGHT_BOOKS__BRANCH")
    assert found.origin("books.remote") == SettingSource("file", str(tmp_path / "penwright.toml"))
    assert found.origin("books.lock_wait_s") == SettingSource("default")


def test_variables_with_names_of_their_own_are_understood(tmp_path: Path) -> None:
    found = loaded(tmp_path, TEMPORAL_ADDRESS="example:7233", PENWRIGHT_TEMPORAL_CLI="/opt/temporal")

    assert found.settings.engine.address == "example:7233"
    assert found.settings.engine.temporal_cli == Path("/opt/temporal")
    assert found.origin("engine.address") == SettingSource("environment", "TEMPORAL_ADDRESS")
    assert not found.settings.embeds_temporal


def test_a_named_file_wins_over_the_one_in_the_folder(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text('[books]\nbranch = "other"\n')

    found = loaded(tmp_path, '[books]\nbranch = "here"\n', PENWRIGHT_CONFIG=str(other))

    assert (found.file, found.settings.books.branch) == (other, "other")


def test_an_empty_config_path_means_no_file(tmp_path: Path) -> None:
    found = loaded(tmp_path, '[books]\nbranch = "here"\n', PENWRIGHT_CONFIG="")

    assert (found.file, found.settings.books.branch) == (None, "main")


def test_a_configured_file_must_exist(tmp_path: Path) -> None:
    assert refused(tmp_path, PENWRIGHT_CONFIG="/nowhere.toml").code == "settings-file-missing"


def test_an_unknown_key_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    error = refused(tmp_path, '[books]\nbrnach = "draft"\n')

    assert error.code == "settings-unknown-key"
    assert "'books.brnach'" in error.message
    assert "did you mean 'branch'?" in error.message


def test_every_unknown_key_is_named_at_once(tmp_path: Path) -> None:
    error = refused(tmp_path, 'wokrer = 1\n[books]\nbrnach = "draft"\n[models.opus]\nkey_evn = "K"\n')

    assert error.details["key"] == "wokrer"
    for path in ("wokrer", "books.brnach", "models.opus.key_evn"):
        assert f"'{path}' is not a setting" in error.message


@pytest.mark.parametrize("value", ['"yes"', '"on"', "1", '"no"', '"ture"'])
def test_a_shared_machine_is_told_by_true_or_false_alone(tmp_path: Path, value: str) -> None:
    error = refused(tmp_path, f"[engine]\nshared = {value}\n")

    assert error.code == "settings-invalid"
    assert "'engine.shared' from" in error.message
    assert "write true or false" in error.message


@pytest.mark.parametrize(("value", "shared"), [("true", True), ("1", True), ("False", False), ("0", False)])
def test_a_variable_says_so_in_a_word(tmp_path: Path, value: str, shared: bool) -> None:
    assert loaded(tmp_path, PENWRIGHT_ENGINE__SHARED=value).settings.engine.shared is shared


def test_a_price_without_an_end_is_refused(tmp_path: Path) -> None:
    error = refused(tmp_path, "[models.opus]\ninput_usd_per_million = inf\n")

    assert "models.opus.input_usd_per_million" in error.message


@for_each(
    "toml, lacking",
    [
        ("cached_usd_per_million = 0.3", "input_usd_per_million and output_usd_per_million"),
        ("written_usd_per_million = 0.3", "input_usd_per_million and output_usd_per_million"),
        ("input_usd_per_million = 3", "output_usd_per_million"),
        ("output_usd_per_million = 15", "input_usd_per_million"),
    ],
)
def test_a_price_that_would_be_ignored_is_refused(tmp_path: Path, toml: str, lacking: str) -> None:
    error = refused(tmp_path, f"[models.opus]\n{toml}\n")

    assert error.code == "settings-invalid"
    assert f"its price lacks {lacking}, and would be ignored" in error.message


def test_a_parameter_that_has_a_setting_is_refused_among_the_vendors_own(tmp_path: Path) -> None:
    error = refused(tmp_path, "[models.opus]\nextra = { top_a = 1, max_tokens = 9 }\n")

    assert error.code == "settings-invalid"
    assert "max_tokens of a call is set by Penwright" in error.message


def test_an_unknown_key_of_a_model_is_refused_too(tmp_path: Path) -> None:
    error = refused(tmp_path, '[models.opus]\nkey_evn = "K"\n')

    assert "'models.opus.key_evn'" in error.message
    assert "did you mean 'key_env'?" in error.message


@pytest.mark.parametrize(
    ("toml", "environ", "code"),
    [
        ("[books", {}, "settings-file-unreadable"),
        ("[engine]\nport = 0\n", {}, "settings-invalid"),
        ("[engine]\nport = 'many'\n", {}, "settings-invalid"),
        ("", {"PENWRIGHT_ENGINE__SYNCHRONOUS": "sometimes"}, "settings-invalid"),
        ("", {"PENWRIGHT_NOTIFY__COMMAND": "[broken"}, "settings-variable-unreadable"),
        ('[roles]\nwriter = "opus"\n', {}, "settings-invalid"),
    ],
)
def test_bad_values_are_named(tmp_path: Path, toml: str, environ: dict[str, str], code: str) -> None:
    assert refused(tmp_path, toml, **environ).code == code


def test_a_bad_value_is_blamed_on_the_variable_that_set_it(tmp_path: Path) -> None:
    error = refused(tmp_path, PENWRIGHT_ENGINE__PORT="70000")

    assert "'engine.port' from PENWRIGHT_ENGINE__PORT" in error.message


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('[housekeeping]\ntime_zone = "Mars/Olympus"\n', "no time zone 'Mars/Olympus'"),
        ('[housekeeping]\ntime_zone = "../etc"\n', "no time zone"),
        ('[housekeeping]\ntime_zone = "localtime"\n', "no time zone 'localtime'"),
        ('[housekeeping]\ntime_zone = "Europe/Berlim"\n', "did you mean 'Europe/Berlin'?"),
        ('[books]\nbranch = "--upload-pack=x"\n', "git takes no name like '--upload-pack=x'"),
        ('[books]\nremote = "-q"\n', "git takes no name like '-q'"),
        ('[books]\nbranch = "a..b"\n', "git takes no name like 'a..b'"),
    ],
)
def test_a_value_that_nothing_could_use_is_refused(tmp_path: Path, toml: str, said: str) -> None:
    error = refused(tmp_path, toml)

    assert error.code == "settings-invalid"
    assert said in error.message


@pytest.mark.parametrize("branch", ["main", "feature/ink-2", "entwürfe", "v1.0"])
def test_usual_branches_are_taken(tmp_path: Path, branch: str) -> None:
    found = loaded(tmp_path, f'[books]\nbranch = "{branch}"\n[housekeeping]\ntime_zone = "Asia/Tokyo"\n')

    assert found.settings.books.branch == branch


def test_every_wrong_value_is_named_at_once(tmp_path: Path) -> None:
    error = refused(tmp_path, '[engine]\nport = 0\n[books]\nbranch = "-x"\n', PENWRIGHT_WEB__PORT="many")

    assert "'engine.port' from" in error.message
    assert "'books.branch' from" in error.message
    assert "'web.port' from PENWRIGHT_WEB__PORT" in error.message


def test_secrets_never_show(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        PENWRIGHT_ENCRYPTION_KEY="topsecret-key",
        PENWRIGHT_DATABASE_URL="postgresql://ann:topsecret-word@db/penwright",
        PENWRIGHT_NOTIFY__WEBHOOK_SECRET="topsecret-hook",
        PENWRIGHT_NOTIFY__APPRISE_URLS='["mailto://topsecret-mail"]',
        PENWRIGHT_ENCRYPTION_OLD_KEYS='["topsecret-old"]',
    )

    shown = json.dumps(effective(found.settings))

    assert "topsecret" not in shown
    assert "postgresql://ann:***@db/penwright" in shown


def test_a_password_in_the_address_of_a_model_is_masked(tmp_path: Path) -> None:
    toml = '[models.mine]\nprovider = "litellm"\nmodel = "m"\napi_base = "https://u:t0ken@h.example/v1"\n'

    found = loaded(tmp_path, toml)

    assert found.settings.models["mine"].api_base == "https://u:t0ken@h.example/v1"
    assert effective(found.settings)["models"]["mine"]["api_base"] == "https://***@h.example/v1"


@given(st.text(st.characters(exclude_characters="@/:?&#", min_codepoint=33, max_codepoint=126), min_size=8))
def test_a_password_never_survives_masking(password: str) -> None:
    assert mask_url(f"postgresql://ann:{password}@db:5432/x") == "postgresql://ann:***@db:5432/x"
    assert mask_url(f"postgresql://db/x?password={password}") == "postgresql://db/x?password=***"


def test_only_the_model_worker_is_given_providers_keys(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        '[models.opus]\nmodel = "vendor/opus"\nkey_env = "MY_KEY"\n',
        MY_KEY="one",
        VENDOR_API_KEY="two",
        TEMPORAL_API_KEY="three",
        GIT_SSH_COMMAND="four",
    )

    assert found.child_environment().keys() & {"MY_KEY", "VENDOR_API_KEY"} == set()
    assert {"TEMPORAL_API_KEY", "GIT_SSH_COMMAND"} <= found.child_environment().keys()
    assert {"MY_KEY", "VENDOR_API_KEY"} <= found.child_environment(with_model_keys=True).keys()


def test_other_processes_know_which_keys_are_set_by_name_alone(tmp_path: Path) -> None:
    found = loaded(tmp_path, MY_API_KEY="secret-one", EMPTY_API_KEY="")
    child = load(found.child_environment())
    grandchild = load(child.child_environment())

    assert [each.has_key("MY_API_KEY") for each in (found, child, grandchild)] == [True] * 3
    assert not child.has_key("EMPTY_API_KEY")
    assert "secret-one" not in str(child.environ)


def test_keys_of_registries_go_to_the_worker_that_asks_them(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        '[scholarly.pubmed]\nkey_env = "OUR_NCBI_API_KEY"\n',
        OUR_NCBI_API_KEY="one",
        OPENALEX_API_KEY="two",
        VENDOR_API_KEY="three",
    )

    kept = found.child_environment().keys() & {"OUR_NCBI_API_KEY", "OPENALEX_API_KEY", "VENDOR_API_KEY"}
    assert kept == {"OUR_NCBI_API_KEY", "OPENALEX_API_KEY"}
    assert found.settings.scholarly.key_variables["crossref"] == "CROSSREF_PLUS_TOKEN"


@pytest.mark.parametrize(
    ("toml", "path"),
    [
        ('[scholarly]\ncontact = "nobody"\n', "scholarly.contact"),
        ('[scholarly]\ncontact = "a@b.org\\r\\nX-Other: 1"\n', "scholarly.contact"),
        ('[scholarly]\nsources = ["crosref"]\n', "scholarly.sources.0"),
        ('[scholarly]\nsources = ["recorded", "crossref"]\n', "scholarly"),
        ('[scholarly.arxiv]\nurl = "file:///etc"\n', "scholarly.arxiv.url"),
    ],
)
def test_bad_settings_of_registries_are_named(tmp_path: Path, toml: str, path: str) -> None:
    with pytest.raises(UsageMistake) as caught:
        loaded(tmp_path, toml)

    assert caught.value.details["key"] == path


def test_a_worker_drops_the_variables_of_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")

    drop_git_variables()

    assert "GIT_DIR" not in os.environ
    assert "GITHUB_ACTIONS" in os.environ


def test_a_child_reads_the_same_settings_from_any_folder(tmp_path: Path) -> None:
    found = loaded(tmp_path, '[books]\nbranch = "draft"\n', PENWRIGHT_HOME=str(tmp_path / "home"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    again = load(found.child_environment(), folder=elsewhere)

    assert again.settings == found.settings


def test_the_repo_queue_names_the_host_only_when_asked(tmp_path: Path) -> None:
    plain = loaded(tmp_path).settings
    hosted = loaded(tmp_path, '[worker]\nqueue_per_host = true\nhost = "attic"\n').settings

    assert (plain.repo_queue, hosted.repo_queue) == ("penwright-repo", "penwright-repo@attic")


def test_settings_load_without_temporal_or_a_database_driver() -> None:
    program = (
        "import sys, workers.settings as s; s.load({'PENWRIGHT_CONFIG': ''});"
        "print([m for m in ('temporalio', 'sqlalchemy', 'litellm', 'psycopg') if m in sys.modules])"
    )

    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert said.stdout.strip() == "[]"


def test_a_retired_setting_is_read_and_told_with_what_holds_instead(tmp_path: Path) -> None:
    found = loaded(tmp_path, "[engine]\nstart_timeout_s = 90\nstuck_s = 7\n")

    assert found.settings.engine.stuck_s == 7
    (warning,) = found.warnings
    assert "engine.start_timeout_s from " in warning
    assert "engine.start_stall_s is its limit" in warning
    assert loaded(tmp_path, "", PENWRIGHT_ENGINE__START_TIMEOUT_S="90").warnings
