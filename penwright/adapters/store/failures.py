"""Convert errors of PostgreSQL and its drivers to ours; no other module does."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import sqlalchemy.exc

from penwright.errors import PenwrightError, StoreUnavailable, UsageMistake

_BY_STATE = {
    "53100": ("store-disk-full", "The database's disk is full. Free some space there; nothing was changed."),
    "53200": ("store-crowded", "The database is out of memory. Give it more, or run fewer workers."),
    "53300": (
        "store-crowded",
        "The database takes no more connections. Raise its max_connections, or run fewer workers.",
    ),
    "25006": (
        "store-read-only",
        "The database is read-only. Point PENWRIGHT_DATABASE_URL at the primary, or wait for the failover.",
    ),
    "42P01": (
        "store-not-migrated",
        "The database lacks our tables. Run `penwright up`, or `penwright operator setup`.",
    ),
    "42703": (
        "store-not-migrated",
        "The database's tables are outdated. Run `penwright up`, or `penwright operator setup`.",
    ),
    "42501": ("store-not-allowed", "The database user may not use our tables. Grant it access."),
    "58030": ("store-io", "The database cannot read or write its disk. Look at its log."),
}
_BUSY = frozenset({"40001", "40P01", "55P03", "57014"})
_UNSTORABLE = "22"


@contextmanager
def map_errors() -> Iterator[None]:
    """Convert driver errors raised in the block; unexpected ones pass unchanged."""
    try:
        yield
    except sqlalchemy.exc.TimeoutError as error:
        raise StoreUnavailable(
            "store-busy", "Every connection to the database is in use. Try again, or run fewer threads."
        ) from error
    except (sqlalchemy.exc.DBAPIError, psycopg.Error) as error:
        known = error_for(error)
        if known is None:
            raise
        raise known from error


def error_for(error: sqlalchemy.exc.DBAPIError | psycopg.Error) -> PenwrightError | None:
    """Return our error for a driver error; None for a mistake in our own SQL."""
    cause = error.orig if isinstance(error, sqlalchemy.exc.DBAPIError) else error
    state = getattr(cause, "sqlstate", None) or ""
    if state in _BY_STATE:
        return StoreUnavailable(*_BY_STATE[state])
    if state in _BUSY:
        return StoreUnavailable("store-busy", "The database timed out. Try again.")
    if state.startswith(_UNSTORABLE) or isinstance(cause, psycopg.DataError):
        return UsageMistake(
            "unstorable-value",
            f"PostgreSQL cannot store a value: {_first_line(cause)!r}. Remove NUL characters and NaN.",
        )
    if isinstance(cause, (psycopg.OperationalError, psycopg.InterfaceError)):
        return StoreUnavailable(
            "store-unreachable",
            f"No connection to PostgreSQL: {_first_line(cause)!r}. "
            "Check that it runs and accepts connections: `penwright doctor`.",
        )
    return None


def _first_line(error: BaseException | None) -> str:
    return str(error).strip().partition("\n")[0]
