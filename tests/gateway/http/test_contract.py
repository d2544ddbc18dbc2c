"""The whole API against its own description, with inputs that no test of ours thought of."""

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from schemathesis import Case, openapi
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from gateway.http.strict import SEATED
from tests.support.each import for_each
from tests.support.gateway.every_operation import DOCUMENT, KEPT, OPERATIONS
from tests.support.gateway.http import ORIGIN, api_over
from tests.support.gateway.services import StageServices

STREAMS = ("follow_events", "follow_typing")
CHECKS = [
    *(not_a_server_error, status_code_conformance),
    *(content_type_conformance, response_schema_conformance),
]


@pytest.fixture(scope="module")
def operations() -> dict[str, Any]:
    """The operations of the API over an empty stage, by name. Any: schemathesis does not export the type."""
    api = api_over(StageServices())
    headers = {"authorization": f"Bearer {api.token()}", "host": ORIGIN.partition("//")[2]}
    schema = openapi.from_asgi("/api/v1/openapi.json", app=api.guard, headers=headers)
    found = [each.ok() for each in schema.get_all_operations() if isinstance(each, Ok)]
    return {each.definition.raw["operationId"]: (each, headers) for each in found}


def names() -> list[str]:
    """Every operation of a token but the streams, which do not end."""
    return sorted(each.name for each in OPERATIONS if each.name not in {*STREAMS, *SEATED})


@pytest.mark.parametrize("examples", [3, pytest.param(10, marks=pytest.mark.long)])
@for_each("name", names())
def test_every_answer_is_one_that_is_described(operations: dict[str, Any], name: str, examples: int) -> None:
    operation, headers = operations[name]

    @given(case=operation.as_strategy())
    @settings(max_examples=examples, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def ask(case: Case[Any]) -> None:
        sent = {**headers, "Idempotency-Key": f"{name}-0123456789abcdef"}
        answer = case.call_and_validate(base_url=ORIGIN, headers=sent, checks=CHECKS)
        assert answer.status_code != 401 or name == "sign_in", "the caller has lost its token"

    ask()


def test_the_description_is_the_one_that_is_kept() -> None:
    now = written(api_over(StageServices()).app.openapi())

    assert KEPT.read_text(encoding="utf-8").splitlines() == now.splitlines(), (
        "the API changed; if callers can live with that, run `python -m tests.gateway.http.test_contract`"
    )


def test_the_names_of_the_description_do_not_depend_on_modules() -> None:
    """Two schemas of one name would be told apart by the places of their modules, which move."""
    assert [name for name in DOCUMENT["schemas"] if name.startswith("gateway__")] == []


def written(document: dict[str, Any]) -> str:
    """The description with a line for each address and each schema. Any: OpenAPI."""
    compact = partial(json.dumps, sort_keys=True, separators=(",", ":"))
    schemas = document["components"].pop("schemas")
    parts = {"paths": document.pop("paths"), "schemas": schemas}
    lines = ["{" + compact("rest") + ":" + compact(document)]
    for name, part in parts.items():
        lines += [
            f",{compact(name)}:{{",
            ",\n".join(f"{compact(each)}:{compact(part[each])}" for each in sorted(part)),
            "}",
        ]
    return "\n".join([*lines, "}", ""])


if __name__ == "__main__":
    KEPT.write_text(written(api_over(StageServices()).app.openapi()), encoding="utf-8")
