"""The table of rows that go when they are old, and their deletion in small transactions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Table,
    Text,
    all_,
    and_,
    cast,
    delete,
    exists,
    func,
    literal,
    literal_column,
    select,
    text,
    tuple_,
)
from sqlalchemy import Date as SqlDate
from sqlalchemy.dialects.postgresql import ARRAY

from penwright.adapters.store.database import Database
from penwright.adapters.store.library_tables import library_texts
from penwright.adapters.store.retention.sweeping import BlobSweep
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
from penwright.adapters.store.used_keys import UsedKeys
from penwright.errors import PenwrightError, StoreUnavailable
from penwright.ports.clock import Clock
from penwright.ports.retention import UnderWay
from schemas.housekeeping import Cleared, RetentionDays

_Condition = ColumnElement[bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """Rows of a table that go when they are old."""

    table: Table
    what: str
    old: Callable[[datetime], _Condition]
    """Whether a row is older than that."""
    setting: str = ""
    """Field of ``RetentionDays``; empty: ``days`` hold, whatever the settings."""
    days: int = 0
    run: Column[Any] | None = None
    """Begins with the workflow id of the run that made the row; none goes while that is under way."""
    head: Column[Any] | None = None
    """A digest; the row stays while a run under way names it."""
    unless: _Condition | None = None
    """Rows that stay for now; the next turn asks again."""


def _before(column: Column[Any], *more: _Condition) -> Callable[[datetime], _Condition]:
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

BATCH = 1000
"""Rows of one transaction."""
_SHOWN_UNREAD = 5
LONG_LOOK = text("set local statement_timeout = '30min'")
"""For statements that read a whole table, and lock nothing."""


@dataclass(frozen=True)
class PostgresRetention:
    """Implements ``Retention``."""

    database: Database
    clock: Clock
    keys: UsedKeys

    def clear(
        self, days: RetentionDays, under_way: UnderWay, *, only_look: bool = False
    ) -> Iterator[Cleared]:
        """See the port."""
        for rule in RULES:
            kept_days = getattr(days, rule.setting) if rule.setting else rule.days
            done = Cleared(table=rule.table.name, what=rule.what, days=kept_days)
            if rule.head is not None and under_way.unread:
                done = _held_up(done, under_way)
            elif kept_days or not rule.setting:
                done = self._clear(rule, done, under_way, only_look=only_look)
            yield done
        done = Cleared(table="blobs", what="texts that nothing names any more", days=days.texts)
        yield self._sweep(done, under_way, only_look=only_look) if days.texts else done

    def _clear(self, rule: Rule, done: Cleared, under_way: UnderWay, *, only_look: bool) -> Cleared:
        goes = _goes(rule, self.clock.now() - timedelta(days=done.days), under_way)
        if only_look:
            rows, size = self._counted(rule, goes)
            return done.model_copy(update={"rows": rows, "size": size})
        while batch := self._deleted(rule, goes):
            rows, size = done.rows + len(batch), done.size + sum(batch)
            done = done.model_copy(update={"rows": rows, "size": size})
        return done

    def _counted(self, rule: Rule, goes: ColumnElement[bool]) -> tuple[int, int]:
        wanted = select(func.count(), func.coalesce(func.sum(_size(rule)), 0)).select_from(rule.table)
        with self.database.transaction() as connection:
            connection.execute(LONG_LOOK)
            rows, size = connection.execute(wanted.where(goes)).one()
        return int(rows), int(size)

    def _deleted(self, rule: Rule, goes: ColumnElement[bool]) -> list[int]:
        """Sizes of the rows of one batch. A row that a writer holds is left to the next night."""
        key = tuple(rule.table.primary_key.columns)
        wanted = goes if rule.unless is None else goes & ~rule.unless
        oldest = select(*key).where(wanted).limit(BATCH).with_for_update(skip_locked=True, of=rule.table)
        order = delete(rule.table).where(tuple_(*key).in_(oldest)).returning(_size(rule))
        with self.database.transaction() as connection:
            connection.execute(LONG_LOOK)
            return [int(size) for size in connection.execute(order).scalars()]

    def _sweep(self, done: Cleared, under_way: UnderWay, *, only_look: bool) -> Cleared:
        before = self.clock.now() - timedelta(days=done.days)
        if under_way.unread:
            return _held_up(done, under_way)
        try:
            swept = BlobSweep(self.database, self.keys, before).run(under_way.digests, only_look=only_look)
        except StoreUnavailable:
            raise
        except PenwrightError as error:
            # What an unreadable text names cannot be known, so nothing may go.
            return done.model_copy(update={"failed": f"{error.code}: {error.message}"})
        return done.model_copy(update={"rows": swept.count, "size": swept.size})


def _goes(rule: Rule, before: datetime, under_way: UnderWay) -> ColumnElement[bool]:
    """Whether a row is old, and no run under way made or names it."""
    conditions = [rule.old(before)]
    if rule.run is not None and under_way.workflow_ids:
        ids = literal(sorted(under_way.workflow_ids), ARRAY(Text))
        # Runs are called by their workflow, or ``workflow#session``; effects, ``run:number``.
        names = (rule.run, func.split_part(rule.run, "#", 1), func.split_part(rule.run, ":", 1))
        conditions += [name != all_(ids) for name in names]
    if rule.head is not None and under_way.digests:
        conditions.append(rule.head != all_(literal(sorted(under_way.digests), ARRAY(Text))))
    return and_(*conditions)


def _held_up(done: Cleared, under_way: UnderWay) -> Cleared:
    """Nothing goes of what runs that cannot be read may name; their own rows are known by their ids."""
    left = len(under_way.unread) - _SHOWN_UNREAD
    shown = [*under_way.unread[:_SHOWN_UNREAD], *([f"and {left} more"] if left > 0 else [])]
    why = f"history-unreadable: what these still need is not known: {'; '.join(shown)}"
    todo = "set the key that is missing, or end them with `temporal workflow terminate --workflow-id ID`"
    return done.model_copy(update={"failed": f"{why}. What to do: {todo}"})


def _size(rule: Rule) -> ColumnElement[int]:
    return func.pg_column_size(literal_column(f"{rule.table.name}.*"))
