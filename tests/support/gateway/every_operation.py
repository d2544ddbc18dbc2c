"""Each operation of the API as a request that is well-formed, over a stage that has one of each thing."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx

from gateway.desk.principals import Scope, local_user
from gateway.desk.works import books
from schemas.records import RunRow
from tests.support.gateway.http import ORIGIN, Api, a_novel, a_scene, a_world, api_over
from tests.support.gateway.services import NOW, StageServices

CHAPTER = "Chapters material/Chapter_01.md"


@dataclass(frozen=True)
class Operation:
    """One operation of the description."""

    name: str
    method: str
    path: str
    # Any: OpenAPI.
    told: dict[str, Any]


KEPT = Path(__file__).parents[2] / "gateway/http/openapi.json"
"""The description of the API; ``test_contract`` compares it with the API's own, which is slow to make."""

# Any: OpenAPI.
DOCUMENT: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
OPERATIONS = [
    Operation(told["operationId"], method.upper(), path, told)
    for path, methods in DOCUMENT["paths"].items()
    for method, told in methods.items()
]


# Any: a JSON schema and a value of it.
def smallest(schema: dict[str, Any]) -> Any:
    """A small value of a schema."""
    if "$ref" in schema:
        return smallest(DOCUMENT["schemas"][schema["$ref"].rpartition("/")[2]])
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if chosen := schema.get("anyOf") or schema.get("oneOf"):
        return smallest(chosen[0])
    match schema.get("type"):
        case "object":
            told = {name: smallest(schema["properties"][name]) for name in schema.get("required", ())}
            more = range(schema.get("minProperties", 0))
            other = schema.get("additionalProperties")
            value = smallest(other) if isinstance(other, dict) else "x"
            return told | {f"x{number}": value for number in more}
        case "array":
            return [smallest(schema["items"])] * schema.get("minItems", 0)
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
        case _:
            return "0" * 16 if "pattern" in schema else "x" * max(1, schema.get("minLength", 1))


# Any: parameters by name.
def address_of(operation: Operation, known: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The path and the query of a request; what is not known gets a small value."""
    place, query = operation.path, {}
    for each in operation.told.get("parameters", ()):
        value = known.get(each["name"], smallest(each["schema"]))
        if each["in"] == "path":
            place = place.replace(f"{{{each['name']}}}", quote(str(value)))
        elif each["in"] == "query" and each.get("required"):
            query[each["name"]] = value
    return place, query


class Stage:
    """The API over a stage that has one of each thing, and requests to it that are well-formed."""

    def __init__(self, api: Api, known: dict[str, Any]) -> None:
        self._api = api
        self.known = known
        self._tokens: dict[Any, str] = {}

    async def ask(
        self, operation: Operation, *scopes: Scope, subjects: tuple[str, ...] | None = None, field: str = ""
    ) -> httpx.Response:
        """Carry an operation out with a token of these scopes; with ``field``, its body has only this one."""
        place, query = address_of(operation, self.known)
        body, kind = self._body(operation)
        if field:
            body, kind = json.dumps({field: 1}).encode(), "application/json"
        headers = {"idempotency-key": str(uuid4()), "if-match": '"v1"', "content-type": kind}
        async with self._api.client(self._token(scopes, subjects)) as client:
            return await client.request(
                operation.method, f"{ORIGIN}{place}", params=query, content=body, headers=headers
            )

    async def ask_wrongly(self, operation: Operation, if_match: str | None, *scopes: Scope) -> httpx.Response:
        """Ask for an operation with what it does not take."""
        place, _ = address_of(operation, self.known)
        headers = {"content-type": "application/json"} | ({"if-match": if_match} if if_match else {})
        async with self._api.client(self._token(scopes, None)) as client:
            return await client.request(
                operation.method, f"{ORIGIN}{place}", params={"no": "1"}, content=b"[", headers=headers
            )

    def _body(self, operation: Operation) -> tuple[bytes, str]:
        content = operation.told.get("requestBody", {}).get("content", {})
        if "application/json" not in content:
            return b"{}" if content else b"", "application/octet-stream"
        value = smallest(content["application/json"]["schema"])
        real = {name: each for name, each in self.known.items() if name in value}
        return json.dumps(value | real).encode(), "application/json"

    def _token(self, scopes: tuple[Scope, ...], subjects: tuple[str, ...] | None) -> str:
        if (scopes, subjects) not in self._tokens:
            self._tokens[scopes, subjects] = self._api.token(*scopes, subjects=subjects)
        return self._tokens[scopes, subjects]


def a_stage(founded: Path, place: Path, services: StageServices | None = None) -> Stage:
    """A stage with one of each thing."""
    services = services or StageServices()
    api = api_over(services)
    folder = Path(shutil.copytree(founded, place / "tide"))
    books.register(services.store, services, services.book(folder))
    book_id = services.book(folder).book_id
    draft = api.app.state.drafts.open(local_user("ada"), book_id, CHAPTER)
    run = RunRow(
        run=f"book/{book_id}#s1", pipeline="book_session", subject=book_id, stage="write", started_at=NOW
    )
    services.store.records.note(run, [])
    known = {
        **{"book_id": book_id, "work": book_id, "path": CHAPTER, "draft_id": draft.draft.draft_id},
        **{"run_id": f"book~{book_id}!s1", "runs": [f"book~{book_id}!s1"], "scopes": ["admin"]},
        "scene_id": a_scene(services, a_world(services)),
        **{"novel_id": a_novel(services, place / "novel"), "document": "-", "name": "section_plan"},
        "scope": "day",
        **{"world_id": "skerrow", "campaign_id": "skerrow", "arc_id": "skerrow", "character_id": "ann"},
    }
    return Stage(api, known)
