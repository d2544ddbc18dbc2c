"""Credentials and kept answers of the workspace."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, text

from penwright.adapters.store.database import Database
from schemas.base import OpId
from schemas.web import Credential, CredentialKind, KeptAnswer, Reservation

ANSWERS_KEPT = timedelta(hours=24)
RESERVED_FOR = timedelta(minutes=5)
"""After this time without an answer, the process that reserved is taken for dead."""

_EXPIRED = text("delete from web_credentials where expires_at <= :now")
_ADD = text(
    """
    insert into web_credentials
        (digest, id, kind, name, scopes, subjects, created_at, expires_at, last_used_at)
    values (:digest, :id, :kind, :name, cast(:scopes as json), cast(:subjects as json), :created_at,
        :expires_at, :last_used_at)
    """
)
_FIND = text("select * from web_credentials where digest = :digest and expires_at > :now")
_TAKE = text("delete from web_credentials where digest = :digest and expires_at > :now returning *")
_USED = text("update web_credentials set last_used_at = :now, expires_at = :expires_at where id = :id")
_LISTED = text(
    "select * from web_credentials where kind = :kind and expires_at > :now order by created_at, id"
)
_REMOVE = text("delete from web_credentials where id = :id and kind = :kind")
_WITHOUT = (
    text(
        """
        delete from web_credentials where subjects is not null
        and exists (select from json_array_elements_text(subjects) as each where each = any(:gone))
        and not exists (select from json_array_elements_text(subjects) as each where each <> all(:gone))
        """
    ),
    text(
        """
        update web_credentials set subjects = (
            select json_agg(each) from json_array_elements_text(subjects) as each where each <> all(:gone))
        where subjects is not null
        and exists (select from json_array_elements_text(subjects) as each where each = any(:gone))
        """
    ),
)

_FORGET = text("delete from web_answers where at <= :answered or (answer is null and at <= :reserved)")
_RESERVE = text(
    """
    insert into web_answers (op_id, request, at) values (:op_id, :request, :now)
    on conflict (op_id) do nothing returning op_id
    """
)
_KNOWN = text("select request, answer from web_answers where op_id = :op_id")
_KEEP = text("update web_answers set answer = cast(:answer as json) where op_id = :op_id")
_RELEASE = text("delete from web_answers where op_id = :op_id and answer is null")


class PostgresCredentials:
    """Implements ``Credentials``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, credential: Credential, digest: str) -> None:
        row = credential.model_dump() | {
            "digest": digest,
            "scopes": json.dumps(credential.scopes),
            "subjects": None if credential.subjects is None else json.dumps(credential.subjects),
        }
        with self._database.transaction() as connection:
            connection.execute(_EXPIRED, {"now": credential.created_at})
            connection.execute(_ADD, row)

    def find(self, digest: str, now: datetime) -> Credential | None:
        with self._database.statement() as connection:
            row = connection.execute(_FIND, {"digest": digest, "now": now}).mappings().first()
        return Credential.model_validate(dict(row)) if row else None

    def take(self, digest: str, now: datetime) -> Credential | None:
        with self._database.statement() as connection:
            row = connection.execute(_TAKE, {"digest": digest, "now": now}).mappings().first()
        return Credential.model_validate(dict(row)) if row else None

    def used(self, id: str, now: datetime, expires_at: datetime) -> None:
        with self._database.statement() as connection:
            connection.execute(_USED, {"id": id, "now": now, "expires_at": expires_at})

    def listed(self, kind: CredentialKind, now: datetime) -> tuple[Credential, ...]:
        with self._database.statement() as connection:
            rows = connection.execute(_LISTED, {"kind": kind, "now": now}).mappings().all()
        return tuple(Credential.model_validate(dict(row)) for row in rows)

    def remove(self, id: str, kind: CredentialKind) -> bool:
        with self._database.statement() as connection:
            return bool(connection.execute(_REMOVE, {"id": id, "kind": kind}).rowcount)


def withdraw(connection: Connection, gone: Sequence[str]) -> None:
    """Take these subjects from all credentials; one that may touch nothing else is removed.

    For the transaction that removes the subjects: their names can be given to others afterwards.
    """
    if gone:
        for statement in _WITHOUT:
            connection.execute(statement, {"gone": list(gone)})


class PostgresKeptAnswers:
    """Implements ``KeptAnswers``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def reserve(self, op_id: OpId, request: str, now: datetime) -> Reservation:
        ages = {"answered": now - ANSWERS_KEPT, "reserved": now - RESERVED_FOR}
        with self._database.statement() as connection:
            connection.execute(_FORGET, ages)
            row = {"op_id": op_id, "request": request, "now": now}
            while not connection.execute(_RESERVE, row).first():
                # Another process may have released it between the two statements; then it is tried again.
                if known := connection.execute(_KNOWN, {"op_id": op_id}).first():
                    return reservation(request, *known)
        return Reservation(state="fresh")

    def keep(self, op_id: OpId, answer: KeptAnswer) -> None:
        with self._database.statement() as connection:
            connection.execute(_KEEP, {"op_id": op_id, "answer": answer.model_dump_json()})

    def release(self, op_id: OpId) -> None:
        with self._database.statement() as connection:
            connection.execute(_RELEASE, {"op_id": op_id})


def reservation(request: str, known: str, answer: object) -> Reservation:
    """State of the stored row with the request ``known``, for ``request``."""
    if known != request:
        return Reservation(state="other-request")
    if answer is None:
        return Reservation(state="under-way")
    return Reservation(state="answered", answer=KeptAnswer.model_validate(answer))
