"""Routes that check rights first, refuse what they do not know, and carry a repeated order out once."""

import json
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from fastapi import Request, Response, params
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from gateway.desk.principals import Scope, require
from gateway.http.keys import answered_once
from penwright.errors import UsageMistake


class RightsRoute(APIRoute):
    """A route that checks the scope of the caller before it reads what was sent."""

    # Any: as the framework declares it.
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = self.allowed_handler()

        async def answer(request: Request) -> Response:
            check_scope(self.name, request)
            if self.body_field is None:
                await _check_no_fields(request)
            return await handler(request)

        return answer

    def allowed_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Make the handler for a caller that has the scope."""
        return super().get_route_handler()


class StrictRoute(RightsRoute):
    """A route that knows its query parameters; each POST needs an ``Idempotency-Key``."""

    reads = False
    """Whether a POST, too, changes nothing, and so may be sent as often as one likes."""

    # Any: as the framework declares it.
    def allowed_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().allowed_handler()
        given = get_flat_params(self.dependant)
        known = frozenset(each.alias for each in given if isinstance(each.field_info, params.Query))

        async def answer(request: Request) -> Response:
            _check(request, known)
            if request.method == "POST" and not self.reads:
                return await answered_once(request, handler)
            return await handler(request)

        return answer


class ReadingRoute(StrictRoute):
    """A route that changes nothing, though what it is asked for is too long for an address."""

    reads = True


def _check(request: Request, known: frozenset[str]) -> None:
    if unknown := sorted(set(request.query_params) - known):
        there = ", ".join(sorted(known)) or "none"
        raise UsageMistake(
            "unknown-parameter", f"there is no parameter {unknown[0]!r}", hint=f"known here: {there}"
        )
    given = (*request.path_params.values(), *request.query_params.values())
    if any("\0" in str(value) for value in given):
        raise UsageMistake("bad-character", "a NUL character stands in the address")


async def _check_no_fields(request: Request) -> None:
    """Refuse the fields of a JSON body where the route has none; before its key is kept for a day."""
    if not request.headers.get("content-type", "").startswith("application/json"):
        return
    try:
        body = json.loads(await request.body() or b"{}")
    except ValueError:
        broken = {"type": "json_invalid", "loc": ("body",), "msg": "it is no JSON"}
        raise RequestValidationError([broken]) from None
    if body:
        fields = sorted(body) if isinstance(body, dict) else ()
        wrong: list[tuple[str, ...]] = [("body", each) for each in fields] or [("body",)]
        raise RequestValidationError([{"type": "extra_forbidden", "loc": each, "msg": ""} for each in wrong])


_KINDS = ("world", "campaign", "arc", "character", "persona", "lorebook")
NEEDS: Mapping[str, Scope] = {
    **dict.fromkeys(
        (
            "list_tokens",
            "create_token",
            "revoke_token",
            "show_installation_settings",
            "bundle_run",
            "put_budget",
            "give_seat",
            "take_seat_away",
        ),
        "admin",
    ),
    **dict.fromkeys(
        (
            *("list_books", "show_book", "list_texts", "check_book", "read_text", "list_sessions"),
            *("blame", "blame_document", "why", "list_prompts", "disclosure", "export_book", "show_schedule"),
            *("list_runs", "show_run", "list_steps", "show_transcript", "list_approvals", "show_spending"),
            "list_steps_under_way",
            "follow_events",
            "follow_typing",
            *(
                "list_scenes",
                "list_seats",
                "show_scene",
                "show_settings",
                "show_cast",
                "show_state",
                "export_scene",
            ),
            "list_chapters",
            *("list_messages", "show_message", "list_rounds", "show_round", "list_pictures", "show_picture"),
            *("show_envelopes", "explain_lore", "try_lore", "show_token_use", "show_branches"),
            *("list_documents", "show_novel", "show_document", "list_versions", "compare_versions"),
            *("show_writing_settings", "list_variables", "show_variable", "list_actions", "list_calls"),
            *("list_citations", "show_audit", "estimate_run", "estimate_scan"),
            *(
                "list_run_calls",
                "show_review",
                "list_findings",
                "list_notes",
                "list_outlines",
                "list_history",
                "compare_commits",
            ),
            *("list_worlds", "show_world", "list_campaigns", "show_campaign", "list_arcs", "show_arc"),
            *("list_characters", "show_character", "export_card", "list_personas"),
            *("list_lorebooks", "show_lorebook", "export_lorebook", "find_mentions"),
            *("show_caps", "show_budget", "list_schedules", "show_health", "list_models"),
            *("show_story", "list_facts", "list_threads", "show_brief", "list_contradictions"),
            "estimate_reading",
            *("search", "show_run_call", "show_persona", "list_waiting"),
            *(f"preview_removal_of_{kind}" for kind in _KINDS),
        ),
        "read",
    ),
    **dict.fromkeys(
        (
            *("write_text", "roll_back", "undo", "accept_remote", "restore_session"),
            *("open_draft", "change_draft", "save_draft"),
            *("read_draft", "draft_changes", "settle_dispute", "close_draft", "typed_today"),
            *("create_scene", "import_chat", "remove_scene", "change_settings", "change_cast"),
            *("set_state", "reinstate", "edit_message", "choose_alternative", "branch_scene"),
            *("undo_round", "redo_round"),
            "remove_picture",
            *("write_document", "undo_change", "bring_back", "change_writing_settings", "undo_citations"),
            "settle_conflict",
            *(
                "decide_passages",
                "review_sealing",
                "decide_findings",
                "decide_contradictions",
                "answer_outline",
                "create_world",
                "create_character",
                "import_card",
                "create_persona",
            ),
            *("create_book", "import_book", "create_novel", "import_novel"),
            *("import_lorebook", "create_campaign", "create_arc", "create_lorebook"),
            *("add_entry", "change_entry", "remove_entry", "attach_book", "detach_book"),
            *(f"{verb}_{kind}" for verb in ("change", "remove") for kind in _KINDS),
        ),
        "write",
    ),
    **dict.fromkeys(
        (
            *("start_session", "start_rewrite", "pause_session", "resume_session", "kill_session"),
            "start_reading",
            *("put_schedule", "delete_schedule", "pause_schedule", "resume_schedule"),
            *("pause_run", "resume_run", "kill_run", "steer_runs"),
            *("say", "play_on", "narrate", "regenerate", "stop_round"),
            *("force_character", "veto_character", "hand_over", "approve_plan", "note_for_director"),
            "reject_plan",
            *("take_over", "give_back", "make_picture"),
            *("try_model", "write_manuscript", "revise_manuscript", "stop_manuscript", "scan_citations"),
            "start_audit",
            "plan_outlines",
        ),
        "run",
    ),
    **dict.fromkeys(("approve", "deny", "decide_citations", "apply_citations"), "approve"),
    **dict.fromkeys(("search_citation", "choose_citation"), "approve"),
}
"""The one scope that each operation needs."""

SEATED = frozenset(
    {
        *("take_seat", "show_table", "say_at_table", "keep_seat_draft", "export_table", "leave_table"),
        "follow_table",
    }
)
"""Operations of a person who has a seat, which no scope gives: the secret of the seat alone does."""

PER_ITEM = frozenset({"steer_runs"})
"""Operations that answer for each item: the refusal stands in the answer."""


def check_scope(operation: str, request: Request) -> None:
    """Raise ``Refused`` (``not-permitted``) unless the caller has the scope of ``operation``."""
    if operation in NEEDS and operation not in PER_ITEM:
        require(request.scope["state"]["principal"], NEEDS[operation])
