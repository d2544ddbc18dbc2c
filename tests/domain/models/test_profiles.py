"""A request is asked as the profile of its role says."""

import pytest

from penwright.domain.models.choice import profiled
from schemas.model_catalog import Profile, Sampler
from tests.support.agents.scripted_model import model_request

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
OTHER = {"type": "object", "properties": {"b": {}}}


def test_an_empty_profile_changes_nothing() -> None:
    request = model_request("Go on.", output_schema=SCHEMA, schema_name="plan")

    assert profiled(request, Profile()) == request


def test_the_sampler_and_the_longest_answer_are_the_profiles() -> None:
    sampler = Sampler(temperature=0.2, top_p=0.5)

    asked = profiled(model_request("Go on."), Profile(sampler=sampler, max_output_tokens=100))

    assert (asked.sampler, asked.max_output_tokens) == (sampler, 100)
    assert profiled(model_request("Go on."), Profile(max_output_tokens=9_000)).max_output_tokens == 500


@pytest.mark.parametrize("expects", [None, True, False])
def test_prose_is_never_asked_for_as_json(expects: bool | None) -> None:
    profile = Profile(expects_json=expects, json_schema=OTHER, json_example="{}", json_mode="object")

    asked = profiled(model_request("Go on."), profile)

    assert (asked.output_schema, asked.output_example, asked.output_mode) == (None, "", "schema")


def test_json_that_is_not_expected_is_not_asked_for() -> None:
    asked = profiled(model_request("Go on.", output_schema=SCHEMA), Profile(expects_json=False))

    assert (asked.output_schema, asked.output_example) == (None, "")


def test_schema_example_and_mode_are_the_profiles() -> None:
    profile = Profile(json_schema=OTHER, json_example='{"b": 1}', json_mode="object")

    asked = profiled(model_request("Go on.", output_schema=SCHEMA), profile)

    assert (asked.output_schema, asked.output_example) == (OTHER, '{"b": 1}')
    assert (asked.output_mode, asked.output_rung) == ("object", "json-in-text")
