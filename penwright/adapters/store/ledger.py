"""Model calls by op id, and their budgets."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, RowMapping, TextClause, text

from penwright.adapters.sealing import seal
from penwright.adapters.store.blobs import reference, verified
from penwright.adapters.store.caps import Use, check_caps
from penwright.adapters.store.database import Database
from penwright.adapters.store.used_keys import UsedKeys
from penwright.domain.models.choice import role_of
from penwright.errors import PassingError
from penwright.ports.clock import Clock
from schemas.agent import ToolCall
from schemas.base import BlobRef, Effect
from schemas.budgets import PERIODS, Caps, Period
from schemas.model import BudgetScope, ModelRequest, ModelResponse, Usage
from schemas.records import Spending, SpendingBy

_SEEN = {"messages", "output_schema", "schema_name", "tools", "tool_choice"}
_CALLS = TypeAdapter(tuple[ToolCall, ...])
_LOCK = text("select pg_advisory_xact_lock(7307, 2)")

_STORED = text(
    """
    select calls.*, blobs.size, blobs.content
    from model_calls as calls join blobs on blobs.sha256 = calls.reply
    where calls.op_id = :op_id and calls.state = 'done'
    """
)

# What each period has used, and what running calls have reserved. An expired reservation, whose worker and
# workflow both died, does not count.
_USED = text(
    """
    with periods (period, name) as (
        values ('run', :run), ('subject', :subject), ('day', cast(:day as text))
    ), held as (
        select run, subject, cast(day as text) as day, held_tokens, held_micros
        from model_calls
        where state = 'started' and held_until > :now and op_id <> :op_id
          and (run = :run or subject = :subject or day = cast(:day as date))
    )
    select periods.period,
           coalesce(max(spent.calls), 0) + count(held.held_tokens) as calls,
           coalesce(max(spent.input_tokens + spent.output_tokens), 0)
               + coalesce(sum(held.held_tokens), 0) as tokens,
           coalesce(max(spent.cost_micros), 0) + coalesce(sum(held.held_micros), 0) as micros,
           (select state from model_calls where op_id = :op_id) as state
    from periods
    left join spending as spent using (period, name)
    left join held on periods.name = case periods.period
        when 'run' then held.run when 'subject' then held.subject else held.day end
    group by periods.period
    """
)

# An earlier attempt that was neither settled nor released counts as lost; this reservation replaces its own.
_START = text(
    """
    insert into model_calls (
        op_id, state, attempt, lost, role, run, subject, day, prompt_digest,
        held_tokens, held_micros, held_until, started_at
    )
    values (
        :op_id, 'started', 1, 0, :role, :run, :subject, cast(:day as date), :prompt_digest,
        :held_tokens, :held_micros, :held_until, :now
    )
    on conflict (op_id) do update set
        attempt = model_calls.attempt + 1,
        lost = model_calls.lost + case model_calls.state when 'started' then 1 else 0 end,
        state = 'started', day = excluded.day, prompt_digest = excluded.prompt_digest,
        held_tokens = excluded.held_tokens, held_micros = excluded.held_micros,
        held_until = excluded.held_until, started_at = excluded.started_at, ended_at = null
    where model_calls.state <> 'done'
    """
)

_TOKENS = ("input_tokens", "output_tokens", "cached_tokens", "written_tokens", "thought_tokens")
_COUNTS = ("calls", *_TOKENS, "cost_micros", "unknown_prices")


def _added_to(table: str) -> str:
    """Counts that are added to those of a row that is there."""
    return ", ".join(f"{count} = {table}.{count} + excluded.{count}" for count in _COUNTS)


# Ends a statement whose ``charged`` tells what a call is charged to, if it is charged: one row with ``run``,
# ``subject``, ``role``, ``day`` and ``held_micros``.
_CHARGE = f"""
    , use ({", ".join(_COUNTS)}) as (
        select 1, {", ".join(f"cast(:{each} as bigint)" for each in _TOKENS)},
               coalesce(cast(:cost_micros as bigint), held_micros, 0),
               case when cast(:cost_micros as bigint) is null then 1 else 0 end
        from charged
    ), noted as (
        insert into charges (day, subject, role, model, {", ".join(_COUNTS)})
        select day, subject, role, :model, use.* from charged, use
        on conflict (day, subject, role, model) do update set {_added_to("charges")}
    )
    insert into spending (period, name, {", ".join(_COUNTS)})
    select periods.*, use.*
    from charged, use, lateral (
        values ('run', run), ('subject', subject), ('day', cast(day as text))
    ) as periods
    on conflict (period, name) do update set {_added_to("spending")}
"""

# The first answer is kept. A different later one (of an attempt that outlived its timeout) was paid for too:
# it is charged, and its attempt is no longer lost. A call of unknown price is charged what was reserved for
# it, so that it cannot evade a money cap.
_SETTLE = text(
    f"""
    with earlier as (
        select day, reply, held_micros from model_calls where op_id = :op_id
    ), kept as (
        insert into blobs (sha256, size, content, created_at, last_used)
        values (:reply, :size, :content, :now, :now)
        on conflict (sha256) do update set last_used = excluded.last_used
        returning 1
    ), won as (
        insert into model_calls (
            op_id, state, attempt, lost, role, run, subject, day, prompt_digest,
            held_tokens, held_until, started_at, ended_at, model, provider, finish_reason, rung, demo,
            reply, tool_calls, {", ".join(_TOKENS)}, cost_micros
        )
        select :op_id, 'done', 1, 0, :role, :run, :subject, cast(:day as date), :prompt_digest,
            0, :now, :now, :now, :model, :provider, :finish_reason, :rung, :demo,
            :reply, :tool_calls, {", ".join(f":{each}" for each in _TOKENS)}, cast(:cost_micros as bigint)
        from kept
        on conflict (op_id) do update set
            state = 'done', ended_at = excluded.ended_at, model = excluded.model,
            provider = excluded.provider, finish_reason = excluded.finish_reason, rung = excluded.rung,
            demo = excluded.demo, reply = excluded.reply, tool_calls = excluded.tool_calls,
            {", ".join(f"{each} = excluded.{each}" for each in _TOKENS)},
            cost_micros = excluded.cost_micros
        where model_calls.state <> 'done'
        returning 1
    ), late as (
        update model_calls set lost = greatest(lost - 1, 0)
        where op_id = :op_id and not exists (select from won)
          and (reply, tool_calls) is distinct from (:reply, cast(:tool_calls as bytea))
        returning 1
    ), charged (run, subject, role, day, held_micros) as (
        select cast(:run as text), cast(:subject as text), cast(:role as text),
               coalesce((select day from earlier), cast(:day as date)), (select held_micros from earlier)
        where exists (select from won) or exists (select from late)
    )
    """
    + _CHARGE
)

_RELEASE = text(
    "update model_calls set state = 'failed', ended_at = :now where op_id = :op_id and state = 'started'"
)

# What a vendor may bill for a call that brought no answer counts like an answer: else calls that fail again
# and again would pass every cap.
_LOSE = text(
    """
    with charged as (
        update model_calls set state = 'failed', ended_at = :now
        where op_id = :op_id and state = 'started'
        returning run, subject, role, day, held_micros
    )
    """
    + _CHARGE
)

_SPENDING = text(
    f"""
    with periods (period, name) as (
        values ('run', :run), ('subject', :subject), ('day', cast(:day as text))
    )
    select periods.period, periods.name, {", ".join(f"spent.{each}" for each in _COUNTS)},
           (
               select coalesce(sum(
                   lost + case when state = 'started' and held_until <= :now then 1 else 0 end
               ), 0)
               from model_calls
               where (state = 'started' or lost > 0) and case periods.period
                   when 'run' then run = :run
                   when 'subject' then subject = :subject
                   else day = cast(:day as date) end
           ) as possibly_billed
    from periods left join spending as spent using (period, name)
    """
)

_SUBJECTS = text("select name from spending where period = 'subject' order by name collate \"C\"")

# ``charges`` are added to with ``spending``, so that every group names what the caps count.
_GROUPED = """
    with spent as (
        select {by} as name, {sums} from charges where {asked} group by 1
    ), doubtful as (
        select {by} as name,
               sum(
                   lost + case when state = 'started' and held_until <= :now then 1 else 0 end
               ) as possibly_billed
        from model_calls where {asked} and {by} is not null group by 1
    )
    select name, {counts}, coalesce(possibly_billed, 0) as possibly_billed
    from spent full join doubtful using (name)
    where calls > 0 or possibly_billed > 0
"""
_ASKED = """
    day >= :since and (cast(:subjects as text[]) is null or subject = any(cast(:subjects as text[])))
"""
_SUMS = {"sums": ", ".join(f"sum({each}) as {each}" for each in _COUNTS), "counts": ", ".join(_COUNTS)}
_GROUPS: Mapping[SpendingBy, TextClause] = {
    "role": text(_GROUPED.format(by="role", asked=_ASKED, **_SUMS)),
    "model": text(_GROUPED.format(by="model", asked=_ASKED, **_SUMS)),
    "day": text(_GROUPED.format(by="cast(day as text)", asked=_ASKED, **_SUMS)),
}


class PostgresLedger:
    """Model calls and budgets; implements ``ModelLedger``."""

    def __init__(self, database: Database, clock: Clock, caps: Callable[[], Caps], keys: UsedKeys) -> None:
        self._database = database
        self._clock = clock
        self._caps = caps
        self._keys = keys

    def stored(self, effect: Effect) -> ModelResponse | None:
        with self._database.statement() as connection:
            row = connection.execute(_STORED, {"op_id": effect.op_id}).mappings().first()
        return None if row is None else _answer(row, self._keys)

    def reserve(self, request: ModelRequest, *, estimate_micros: int | None, estimate_tokens: int) -> None:
        """See the port; raises ``PassingError`` if an earlier attempt's answer arrived meanwhile."""
        reservation = make_reservation(
            request, self._clock.now(), tokens=estimate_tokens, micros=estimate_micros
        )
        caps = self._caps()
        with self._database.transaction() as connection:
            connection.execute(_LOCK)
            check_caps(caps, _usage(connection, reservation), reservation.use)
            # An answer may arrive even now, because settling does not take this lock.
            if not connection.execute(_START, reservation.row).rowcount:
                raise answered_meanwhile(request.effect.op_id)

    def settle(self, request: ModelRequest, response: ModelResponse) -> None:
        content = response.text.encode()
        ref = reference(content)
        row = identity(request, self._clock.now()) | {
            "reply": ref.sha256,
            "size": ref.size,
            "content": seal(self._keys.for_writing(), content, ref.sha256),
            "tool_calls": _CALLS.dump_json(response.tool_calls) if response.tool_calls else None,
            **response.model_dump(include={"model", "provider", "finish_reason", "rung", "demo"}),
            **response.usage.model_dump(),
        }
        with self._database.statement() as connection:
            connection.execute(_SETTLE, row)

    def release(self, request: ModelRequest) -> None:
        with self._database.statement() as connection:
            connection.execute(_RELEASE, {"op_id": request.effect.op_id, "now": self._clock.now()})

    def lose(self, request: ModelRequest, estimate: Usage, *, model: str) -> None:
        lost = {"op_id": request.effect.op_id, "now": self._clock.now(), "model": model}
        lost |= estimate.model_dump()
        with self._database.statement() as connection:
            connection.execute(_LOSE, lost)

    def spending(self, scope: BudgetScope, *, day: datetime) -> Mapping[str, Spending]:
        asked = {
            "run": scope.run,
            "subject": scope.subject,
            "day": utc_day(day).isoformat(),
            "now": self._clock.now(),
        }
        with self._database.statement() as connection:
            rows = connection.execute(_SPENDING, asked).mappings().all()
        return {row["period"]: _spending(row) for row in rows}

    def subjects(self) -> tuple[str, ...]:
        with self._database.statement() as connection:
            return tuple(connection.execute(_SUBJECTS).scalars().all())

    def grouped(
        self, by: SpendingBy, *, since: date, subjects: Sequence[str] | None = None
    ) -> Mapping[str, Spending]:
        asked = {
            "since": since,
            "now": self._clock.now(),
            "subjects": None if subjects is None else list(subjects),
        }
        with self._database.statement() as connection:
            rows = connection.execute(_GROUPS[by], asked).mappings().all()
        return {row["name"]: _spending(row) for row in rows}


@dataclass(frozen=True, slots=True)
class Reservation:
    """A reservation, before it is stored."""

    row: Mapping[str, Any]  # column values of several types
    use: Use


def make_reservation(request: ModelRequest, now: datetime, *, tokens: int, micros: int | None) -> Reservation:
    # The call ends at its timeout; twice that leaves time to connect and to store the answer.
    until = now + timedelta(seconds=2 * request.timeout_s + 60)
    row = identity(request, now) | {"held_tokens": tokens, "held_micros": micros, "held_until": until}
    return Reservation(row, Use(tokens=tokens, micros=micros, calls=1))


def identity(request: ModelRequest, now: datetime) -> dict[str, Any]:  # column values of several types
    return {
        "op_id": request.effect.op_id,
        "role": role_of(request.role),
        "run": request.scope.run,
        "subject": request.scope.subject,
        "day": utc_day(now).isoformat(),
        "now": now,
        "prompt_digest": prompt_digest(request),
    }


def prompt_digest(request: ModelRequest) -> str:
    """Return the SHA-256 of everything that the model sees; fields with default values do not count."""
    seen = request.model_dump(mode="json", include=_SEEN, exclude_defaults=True)
    return sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()


def utc_day(at: datetime) -> date:
    return at.astimezone(UTC).date()


def answered_meanwhile(op_id: str) -> PassingError:
    return PassingError(
        "reply-stored",
        f"The answer to model call {op_id!r} arrived from an earlier attempt. Try again: the stored answer "
        "is returned, and nothing is paid twice.",
        op_id=op_id,
    )


def _usage(connection: Connection, reservation: Reservation) -> dict[Period, Use]:
    rows = {row["period"]: row for row in connection.execute(_USED, reservation.row).mappings()}
    if rows["run"]["state"] == "done":
        raise answered_meanwhile(reservation.row["op_id"])
    return {
        period: Use(
            tokens=int(rows[period]["tokens"]),
            micros=int(rows[period]["micros"]),
            calls=int(rows[period]["calls"]),
        )
        for period in PERIODS
    }


def _answer(row: RowMapping, keys: UsedKeys) -> ModelResponse:
    content = verified(BlobRef(sha256=row["reply"], size=row["size"]), row["content"], keys.keys)
    return ModelResponse(
        text=content.decode(),
        model=row["model"],
        provider=row["provider"],
        finish_reason=row["finish_reason"],
        usage=Usage(cost_micros=row["cost_micros"], **{each: row[each] or 0 for each in _TOKENS}),
        tool_calls=_CALLS.validate_json(row["tool_calls"]) if row["tool_calls"] else (),
        rung=row["rung"],
        demo=row["demo"],
        repeated=True,
    )


def _spending(row: RowMapping) -> Spending:
    counts = {each: row[each] or 0 for each in _COUNTS}
    return Spending(scope=row["name"], possibly_billed=row["possibly_billed"], **counts)
