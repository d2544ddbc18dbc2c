"""Deleting what is old in small transactions."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import (
    ColumnElement,
    Text,
    all_,
    and_,
    delete,
    func,
    literal,
    literal_column,
    select,
    text,
    tuple_,
)
from sqlalchemy.dialects.postgresql import ARRAY

from penwright.adapters.store.database import Database
from penwright.adapters.store.retention.rules import RULES, Rule
from penwright.adapters.store.retention.sweeping import BlobSweep
from penwright.adapters.store.used_keys import UsedKeys
from penwright.errors import PenwrightError, StoreUnavailable
from penwright.ports.clock import Clock
from penwright.ports.retention import UnderWay
from schemas.housekeeping import Cleared, RetentionDays

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
