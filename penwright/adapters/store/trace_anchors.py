"""The log outside the branch, of every clone, as evidence that no rewritten git can take away."""

from pydantic import TypeAdapter
from sqlalchemy import text

from penwright.adapters.store.database import Database
from schemas.trace import Anchor

_ANCHOR_READ, _BY_NAME = TypeAdapter(Anchor), TypeAdapter(dict[str, object])

_ANCHOR = text(
    """
    insert into trace_anchors (subject, entry, at, anchor)
    values (:subject, :entry, :at, cast(:anchor as json))
    on conflict (subject, entry) do nothing
    """
)
_ANCHORS = text(
    """
    select cast(anchor as text) from trace_anchors
    where subject = :subject
    order by at, number
    """
)


class PostgresTraceAnchors:
    """Implements ``TraceAnchors``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def anchor(self, subject: str, anchor: Anchor) -> None:
        row = {
            "subject": subject,
            "entry": anchor.entry,
            "at": anchor.at,
            "anchor": _BY_NAME.dump_json(anchor._asdict()).decode(),
        }
        with self._database.statement() as connection:
            connection.execute(_ANCHOR, row)

    def anchors(self, subject: str) -> tuple[Anchor, ...]:
        with self._database.statement() as connection:
            rows = connection.execute(_ANCHORS, {"subject": subject}).scalars()
            return tuple(map(_ANCHOR_READ.validate_json, rows))
