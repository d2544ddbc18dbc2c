"""Of every table: which rows go and when, or why they stay."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import Column, ColumnElement, Table, and_, cast, exists, func, select
from sqlalchemy import Date as SqlDate

from penwright.adapters.store.library_tables import library_texts
from penwright.adapters.store.scenes.tables.seats import scene_seats
from penwright.adapters.store.tables import (
    agent_log,
    agent_state_values,
    charges,
    draft_changes,
    drafts,
    effects,
    eval_results,
    events,
    message_segments,
    model_calls,
    notices,
    runs,
    spending,
    web_answers,
    web_credentials,
)

Condition = ColumnElement[bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """Rows of a table that go when they are old."""

    table: Table
    what: str
    old: Callable[[datetime], Condition]
    """Whether a row is older than that."""
    setting: str = ""
    """Field of ``RetentionDays``; empty: ``days`` hold, whatever the settings."""
    days: int = 0
    run: Column[Any] | None = None
    """Begins with the workflow id of the run that made the row; none goes while that is under way."""
    head: Column[Any] | None = None
    """A digest; the row stays while a run under way names it."""
    unless: Condition | None = None
    """Rows that stay for now; the next turn asks again."""


def _before(column: Column[Any], *more: Condition) -> Callable[[datetime], Condition]:
    return lambda cutoff: and_(column < cutoff, *more)


_newer_run = runs.alias("newer_run")
_later_segment = message_segments.alias("later_segment")
_spent = spending.c

RULES: tuple[Rule, ...] = (
    Rule(events, "events of runs", _before(events.c.at), "events", run=events.c.run),
    Rule(
        model_calls,
        "model calls; their answers become free texts",
        _before(model_calls.c.started_at),
        "model_calls",
        run=model_calls.c.run,
    ),
    Rule(
        runs,
        "runs, except the newest of each subject",
        _before(
            runs.c.noted_at,
            exists(
                select(_newer_run.c.run).where(
                    _newer_run.c.subject == runs.c.subject, _newer_run.c.noted_at > runs.c.noted_at
                )
            ),
        ),
        "runs",
        run=runs.c.run,
    ),
    Rule(
        spending,
        "spending of runs that are gone, and of old days; that of a subject stays",
        lambda cutoff: (
            (
                (_spent.period == "run")
                & ~exists(select(model_calls.c.run).where(model_calls.c.run == _spent.name))
                & ~exists(select(runs.c.run).where(runs.c.run == _spent.name))
            )
            | ((_spent.period == "day") & (_spent.name < func.to_char(cast(cutoff, SqlDate), "YYYY-MM-DD")))
        ),
        "model_calls",
        run=spending.c.name,
    ),
    Rule(
        charges,
        "spending by role and model of old days",
        lambda cutoff: charges.c.day < cast(cutoff, SqlDate),
        "model_calls",
    ),
    # From the end of a chain, so that what is left of it begins at its beginning.
    Rule(
        message_segments,
        "messages of agents' runs",
        _before(message_segments.c.created_at),
        "messages",
        head=message_segments.c.head,
        unless=exists(
            select(_later_segment.c.head).where(_later_segment.c.previous == message_segments.c.head)
        ),
    ),
    Rule(
        agent_state_values,
        "replaced values of manuscripts' agents",
        _before(agent_state_values.c.replaced_at),
        "agent_history",
        run=agent_state_values.c.op_id,
    ),
    Rule(
        agent_log,
        "what manuscripts' agents did",
        _before(agent_log.c.appended_at),
        "agent_history",
        run=agent_log.c.run,
    ),
    Rule(eval_results, "results of evals", _before(eval_results.c.kept_at), "evals", run=eval_results.c.run),
    Rule(effects, "results of effects", _before(effects.c.kept_at), "receipts", run=effects.c.op_id),
    Rule(
        notices,
        "which notifications were sent",
        _before(notices.c.claimed_at),
        "receipts",
        run=notices.c.key,
    ),
    Rule(drafts, "closed drafts", _before(drafts.c.changed_at, drafts.c.state == "closed"), "drafts"),
    Rule(
        draft_changes,
        "single changes of open drafts that are saved",
        _before(
            draft_changes.c.at,
            exists(
                select(drafts.c.draft_id).where(
                    drafts.c.draft_id == draft_changes.c.draft_id,
                    draft_changes.c.version < func.least(drafts.c.saved_version, drafts.c.text_version),
                )
            ),
        ),
        "drafts",
    ),
    Rule(web_credentials, "tokens and sessions that are over", _before(web_credentials.c.expires_at)),
    Rule(scene_seats, "seats that are over", _before(scene_seats.c.over_at), days=30),
    Rule(web_answers, "answers to requests that may be repeated", _before(web_answers.c.at), days=1),
    Rule(
        library_texts,
        "what was read of own sources and not looked at since; it is read again",
        _before(library_texts.c.used_at),
        days=180,
    ),
)
"""In the order in which they are applied."""

_AUTHORS = "is the author's own work"
_GOES_ALONG = "goes with what it belongs to"

STAYS: Mapping[str, str] = MappingProxyType(
    {
        "blobs": "goes when it is old and no row and no run under way names it",
        "books": "goes with `penwright book forget BOOK`",
        "board_entries": _GOES_ALONG,
        "event_numbers": "is one row",
        "encryption_keys": "is a row for each key, and names one that is missing",
        "trace_anchors": "shows a forged ledger",
        "agent_state": "is the newest version of each document",
        "scene_telemetry": "keeps the newest 500 of a scene",
        **dict.fromkeys(("worlds", "campaigns", "arcs", "personas", "scenes", "characters"), _AUTHORS),
        **dict.fromkeys(("character_overrides", "lorebooks", "lore_entries"), _AUTHORS),
        **dict.fromkeys(("scene_messages", "message_alternatives", "memories"), _AUTHORS),
        **dict.fromkeys(("scene_rounds", "scene_state_events"), "is what an undo goes back to"),
        **dict.fromkeys(("undone_rounds", "forgotten_rounds", "round_steps", "scene_stretches"), _GOES_ALONG),
        **dict.fromkeys(("scene_cast", "scene_views", "lore_attachments", "memory_vectors"), _GOES_ALONG),
        "library_passages": _GOES_ALONG,
    }
)
"""Tables without a rule here -> why."""
