"""Profiles of roles in the settings: what they say, and what they may not."""

from pathlib import Path

import pytest

from penwright.domain.models.choice import entry_for, fallback_for, profile_of
from schemas.model_catalog import Sampler
from tests.support.each import for_each
from tests.workers.test_settings import loaded, refused
from workers.model_catalog import catalog

MODELS = """
[models.large]
model = "openrouter/vendor/large"
context_tokens = 60000
[models.small]
model = "openrouter/vendor/small"
context_tokens = 16000
"""
FULL = (
    MODELS
    + """
[profiles.director]
model = "large"
fallback = "small"
fallback_on = ["refusal"]
expects_json = true
json_mode = "object"
json_example = '{"actingCharacters": [{"name": "Ann"}]}'
temperature = 0.3
top_p = 0.9
stop = ["###"]
max_output_tokens = 900

[profiles.director.json_schema]
type = "object"
properties.actingCharacters.type = "array"

[profiles.scene]
model = "small"
context_tokens = 9000
"""
)


def test_a_profile_says_how_a_role_asks_its_model(tmp_path: Path) -> None:
    models = catalog(loaded(tmp_path, FULL).settings)

    profile = profile_of(models, "director")
    assert profile.sampler == Sampler(temperature=0.3, top_p=0.9, stop=("###",))
    assert (profile.json_mode, profile.expects_json, profile.max_output_tokens) == ("object", True, 900)
    assert profile.json_schema == {"type": "object", "properties": {"actingCharacters": {"type": "array"}}}
    assert entry_for(models, "director").name == "large"
    assert (fallback_for(models, "director") or pytest.fail("none")).name == "small"
    assert profile.fallback_on == ("refusal",)


def test_roles_of_scenes_share_the_profile_of_their_group(tmp_path: Path) -> None:
    models = catalog(loaded(tmp_path, FULL).settings)

    assert {entry_for(models, role).name for role in ("character", "world-agent", "visual")} == {"small"}
    assert profile_of(models, "narrator").context_tokens == 9_000
    assert entry_for(models, "writer").name == "demo"


def test_a_schema_may_be_text(tmp_path: Path) -> None:
    schema = '{"type": "object", "properties": {"a": {}}}'

    found = loaded(tmp_path, f"[profiles.director]\njson_schema = '{schema}'\n")

    assert found.settings.profiles["director"].json_schema == {"type": "object", "properties": {"a": {}}}


@for_each(
    "table, code, words",
    [
        ('model = "huge"', "profile-unknown-model", "add [models.huge] or choose one of: demo, large, small"),
        ('fallback = "huge"', "profile-unknown-model", "huge"),
        ('model = "large"\nfallback = "large"', "profile-own-fallback", "its own model"),
        ('fallback_on = ["outage"]', "profile-no-fallback", "set both"),
        ('json_schema = "{"', "profile-bad-schema", "no JSON"),
        ('json_schema = "[]"', "settings-invalid", "a valid dictionary"),
        ('json_schema = {type = "array"}', "profile-bad-schema", '"type": "object"'),
        ('json_schema = {type = "object", properties = {a = 1}}', "profile-bad-schema", "a schema itself"),
        ('json_example = "Ann first"', "profile-bad-example", "no JSON"),
        ('json_example = "[1]"', "profile-bad-example", "no object"),
        ("json_example = '{\"a\": 1}'", "profile-example-misfit", "a: Extra inputs"),
        ('expects_json = false\njson_mode = "object"', "profile-json-unwanted", "json_mode"),
        ('temperature = "warm"', "settings-invalid", "'omit'"),
        ("temperature = 3", "settings-invalid", "less than or equal to 2"),
        ("top_p = 0", "settings-invalid", "greater than 0"),
        ('json_mode = "yaml"', "settings-invalid", "'object' or 'schema'"),
        ("context_tokens = 12", "settings-invalid", "512"),
        ("temprature = 1", "settings-unknown-key", "did you mean 'temperature'?"),
    ],
)
def test_what_is_wrong_with_a_profile_is_named_when_it_is_loaded(
    tmp_path: Path, table: str, code: str, words: str
) -> None:
    error = refused(tmp_path, f"{MODELS}\n[profiles.director]\n{table}\n")

    assert error.code == code, error
    assert words in error.message
    assert "profiles" in error.message


@pytest.mark.parametrize("role", ["character", "narrator", "summariser"])
def test_a_role_that_answers_in_prose_is_never_asked_for_json(tmp_path: Path, role: str) -> None:
    error = refused(tmp_path, f"[profiles.{role}]\nexpects_json = true\n")

    assert error.code == "profile-prose-role"
    assert role in error.message


def test_two_places_may_not_give_one_role_two_models(tmp_path: Path) -> None:
    both = MODELS + '[roles]\ndirector = "small"\n[profiles.director]\nmodel = "large"\n'

    assert refused(tmp_path, both).code == "profile-two-models"
    assert loaded(tmp_path, both.replace('"small"\n[profiles', '"large"\n[profiles')).settings
