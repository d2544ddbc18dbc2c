"""A field that a body does not have is refused and named."""

from collections.abc import Iterator
from typing import Any

import httpx

from tests.support.gateway.every_operation import DOCUMENT, OPERATIONS
from tests.support.gateway.http import key


def test_every_body_is_closed_to_unknown_fields() -> None:
    bodies = {
        name
        for each in OPERATIONS
        for content in each.told.get("requestBody", {}).get("content", {}).values()
        for name in _models(content["schema"])
    }
    open_ones = [
        name for name in sorted(bodies) if DOCUMENT["schemas"][name].get("additionalProperties", True)
    ]

    assert len(bodies) > 40
    assert open_ones == []


async def test_the_refusal_names_the_field(client: httpx.AsyncClient, scene: str) -> None:
    misspelt = {"text": "Who is there?", "tokns": 5}
    answer = await client.post(f"/scenes/{scene}/messages", json=misspelt, headers=key())

    told = answer.json()
    assert (answer.status_code, told["code"], bool(told["hint"])) == (422, "unknown-field", True)
    assert told["detail"] == "body.tokns: there is no such field"
    assert [each["at"] for each in told["errors"]] == ["body.tokns"]


# Any: a JSON schema.
def _models(schema: Any) -> Iterator[str]:
    """Names of all models that a schema leads to; enumerations have no fields."""
    if isinstance(schema, list):
        for each in schema:
            yield from _models(each)
    elif isinstance(schema, dict):
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            if "properties" in DOCUMENT["schemas"][name]:
                yield name
            yield from _models(DOCUMENT["schemas"][name])
        for each in schema.values():
            yield from _models(each)
