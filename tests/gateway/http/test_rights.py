"""Every route for every scope, and for callers who are bound to subjects: no route can be forgotten."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from gateway.desk.book import books
from gateway.desk.principals import SCOPES, Scope, local_user
from schemas.records import RunRow
from tests.support.gateway.http import ORIGIN, Api, a_novel, a_scene, a_world, api_over
from tests.support.gateway.services import NOW, StageServices

CHAPTER = "Chapters material/Chapter_01.md"

OPEN = frozenset({"sign_in", "sign_out", "me"})
"""What a caller does with its own credential needs no scope."""
STREAM = "follow_events"
KINDS = ("world", "campaign", "arc", "character", "persona", "lorebook")
NEEDS: dict[str, Scope] = {
    **dict.fromkeys(
        ("list_tokens", "create_token", "revoke_token", "show_installation_settings", "bundle_run"), "admin"
    ),
    **dict.fromkeys(
        (
            *("list_books", "show_book", "list_texts", "check_book", "read_text", "list_sessions"),
            *("blame", "why", "disclosure", "export_book", "show_schedule"),
            *("list_runs", "show_run", "list_steps", "show_transcript", "list_approvals", "show_spending"),
            STREAM,
            *("list_scenes", "show_scene", "show_settings", "show_cast", "show_state", "export_scene"),
            *("list_messages", "show_message", "list_rounds", "show_round"),
            *("show_envelopes", "explain_lore", "show_token_use"),
            *("list_documents", "show_novel", "show_document", "list_versions", "compare_versions"),
            *("show_writing_settings", "list_variables", "show_variable", "list_actions", "list_calls"),
            "list_citations",
            *("list_run_calls", "show_review", "list_notes", "list_history", "compare_commits"),
            *("list_worlds", "show_world", "list_campaigns", "show_campaign", "list_arcs", "show_arc"),
            *("list_characters", "show_character", "export_card", "list_personas"),
            *("list_lorebooks", "show_lorebook", "export_lorebook"),
            *("show_caps", "list_schedules", "show_health", "list_models"),
            *("search", "show_run_call", "show_persona"),
            *(f"preview_removal_of_{kind}" for kind in KINDS),
        ),
        "read",
    ),
    **dict.fromkeys(
        (
            *("write_text", "roll_back", "undo", "open_draft", "change_draft", "save_draft"),
            *("read_draft", "draft_changes", "settle_dispute", "close_draft"),
            *("create_scene", "import_chat", "remove_scene", "change_settings", "change_cast"),
            *("set_state", "reinstate", "edit_message", "choose_alternative", "undo_round", "branch_scene"),
            *("write_document", "undo_change", "bring_back", "change_writing_settings", "undo_citations"),
            *("decide_passages", "create_world", "create_character", "import_card", "create_persona"),
            *("import_lorebook", "create_campaign", "create_arc", "create_lorebook"),
            *("add_entry", "change_entry", "remove_entry", "attach_book", "detach_book"),
            *(f"{verb}_{kind}" for verb in ("change", "remove") for kind in KINDS),
        ),
        "write",
    ),
    **dict.fromkeys(
        (
            *("start_session", "pause_session", "resume_session", "kill_session"),
            *("put_schedule", "delete_schedule", "pause_schedule", "resume_schedule"),
            *("pause_run", "resume_run", "kill_run", "steer_runs"),
            *("say", "play_on", "narrate", "regenerate", "stop_round"),
            *("force_character", "veto_character", "hand_over"),
            *("write_manuscript", "revise_manuscript", "stop_manuscript", "scan_citations"),
        ),
        "run",
    ),
    **dict.fromkeys(("approve", "deny", "decide_citations", "apply_citations"), "approve"),
}
"""The one scope that each operation needs."""
PER_ITEM = frozenset({"steer_runs"})
"""Operations that answer for each item: the refusal stands in the answer."""
EVERY_SUBJECT = frozenset({"list_tokens", "create_token", "revoke_token"})
"""Operations that are about no subject."""


@dataclass(frozen=True)
class Operation:
    """One operation of the description."""

    name: str
    method: str
    path: str
    # Any: OpenAPI.
    told: dict[str, Any]


# Any: OpenAPI.
DOCUMENT: dict[str, Any] = api_over(StageServices()).app.openapi()
OPERATIONS = [
    Operation(told["operationId"], method.upper(), path, told)
    for path, methods in DOCUMENT["paths"].items()
    for method, told in methods.items()
]
ASKED = [each for each in OPERATIONS if each.name not in {*OPEN, STREAM}]


def named(operation: Operation) -> str:
    return operation.name


# Any: a JSON schema and a value of it.
def smallest(schema: dict[str, Any]) -> Any:
    """A small value of a schema."""
    if "$ref" in schema:
        return smallest(DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
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


class Stage:
    """The API over a stage that has one of each thing, and requests to it that are well-formed."""

    def __init__(self, api: Api, known: dict[str, Any]) -> None:
        self._api = api
        self._known = known
        self._tokens: dict[Any, str] = {}

    async def ask(
        self, operation: Operation, *scopes: Scope, subjects: tuple[str, ...] | None = None
    ) -> httpx.Response:
        """Carry an operation out with a token of these scopes."""
        place, query = operation.path, {}
        for each in operation.told.get("parameters", ()):
            value = self._known.get(each["name"], smallest(each["schema"]))
            if each["in"] == "path":
                place = place.replace(f"{{{each['name']}}}", str(value))
            elif each["in"] == "query" and each.get("required"):
                query[each["name"]] = value
        body, kind = self._body(operation)
        headers = {"idempotency-key": str(uuid4()), "if-match": '"v1"', "content-type": kind}
        async with self._api.client(self._token(scopes, subjects)) as client:
            return await client.request(
                operation.method, f"{ORIGIN}{place}", params=query, content=body, headers=headers
            )

    def _body(self, operation: Operation) -> tuple[bytes, str]:
        content = operation.told.get("requestBody", {}).get("content", {})
        if "application/json" not in content:
            return b"{}" if content else b"", "application/octet-stream"
        value = smallest(content["application/json"]["schema"])
        real = {name: each for name, each in self._known.items() if name in value}
        return json.dumps(value | real).encode(), "application/json"

    def _token(self, scopes: tuple[Scope, ...], subjects: tuple[str, ...] | None) -> str:
        if (scopes, subjects) not in self._tokens:
            self._tokens[scopes, subjects] = self._api.token(*scopes, subjects=subjects)
        return self._tokens[scopes, subjects]


def a_stage(founded: Path, place: Path) -> Stage:
    """A stage with one of each thing."""
    services = StageServices()
    api = api_over(services)
    folder = Path(shutil.copytree(founded, place / "tide"))
    books.register(services.store, services, services.book(folder), services.now())
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
        **{"world_id": "skerrow", "campaign_id": "skerrow", "arc_id": "skerrow", "character_id": "ann"},
    }
    return Stage(api, known)


@pytest.fixture(scope="module")
def untouched(founded: Path, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """A stage for requests that are refused, and so change nothing."""
    return a_stage(founded, tmp_path_factory.mktemp("untouched"))


@pytest.fixture(scope="module")
def used(founded: Path, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """A stage for requests that are carried out; what one of them removes is gone for the others."""
    return a_stage(founded, tmp_path_factory.mktemp("used"))


def test_each_operation_has_its_scope() -> None:
    assert sorted(NEEDS.keys() | OPEN) == sorted(each.name for each in OPERATIONS), (
        "a route was added or renamed: say in NEEDS which scope it needs"
    )


@pytest.mark.parametrize("operation", ASKED, ids=named)
async def test_an_operation_is_refused_without_its_scope_and_only_then(
    untouched: Stage, used: Stage, operation: Operation
) -> None:
    needed = NEEDS[operation.name]
    others = tuple(scope for scope in SCOPES if scope != needed)
    without = await untouched.ask(operation, *others)
    granted = await used.ask(operation, needed)

    if operation.name in PER_ITEM:
        assert "not-permitted" in without.text
        assert "not-permitted" not in granted.text
    else:
        assert (without.status_code, without.json()["code"]) == (403, "not-permitted")
        assert granted.status_code not in (401, 403, 422, 500)


@pytest.mark.parametrize("operation", [each for each in ASKED if each.name not in EVERY_SUBJECT], ids=named)
async def test_a_caller_for_other_subjects_gets_and_changes_nothing(
    untouched: Stage, operation: Operation
) -> None:
    answer = await untouched.ask(operation, *SCOPES, subjects=("book/other",))

    if answer.status_code == 200:
        assert not [each for each in answer.json()["items"] if each.get("done", True)]
    else:
        assert answer.status_code in (403, 404)
