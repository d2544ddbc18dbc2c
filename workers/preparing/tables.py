"""Prepare PostgreSQL before the first run: the database and its tables."""

import asyncio
from collections.abc import Callable
from functools import partial

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from penwright.adapters.store.migration import current_revision, head_revision, upgrade
from penwright.errors import StoreUnavailable
from workers.home.address import address
from workers.pauses import growing_pauses
from workers.settings import Settings


async def prepare_tables(settings: Settings, *, preparing: bool) -> None:
    """Bring the tables of an embedded server up to date, or wait for them; check those of any other.

    Args:
        preparing: this process brings them up to date; others wait until it has.

    Raises:
        StoreUnavailable: ``store-not-migrated``; ``store-unreachable`` if it does not start in time.
    """
    url = address(settings).database_url
    if not settings.embeds_postgres:
        await asyncio.to_thread(check_tables, url)
        return
    await when_ready(
        partial(tables, url, embedded=True) if preparing else partial(check_tables, url),
        patience_s=settings.engine.patience_s(embedded=True),
    )


def check_tables(url: str) -> None:
    """Stop before work comes if the tables are not those that this version needs.

    Raises:
        StoreUnavailable: ``store-not-migrated``.
    """
    found, needed = current_revision(url), head_revision()
    if found != needed:
        raise StoreUnavailable(
            "store-not-migrated",
            f"the tables are at revision {found or 'none'} and {needed} is needed; "
            "run `penwright operator setup`",
        )


async def when_ready(act: Callable[[], object], *, patience_s: float) -> None:
    """Call ``act``, again while the server or its tables are not ready.

    Raises:
        StoreUnavailable: it did not start within ``patience_s``.
    """
    deadline = asyncio.get_running_loop().time() + patience_s
    for pause_s in growing_pauses():
        try:
            await asyncio.to_thread(act)
            return
        except (StoreUnavailable, psycopg.OperationalError) as error:
            if asyncio.get_running_loop().time() > deadline:
                raise StoreUnavailable(
                    "store-unreachable", f"PostgreSQL does not answer: {error}; see `penwright logs postgres`"
                ) from error
        await asyncio.sleep(pause_s)


def tables(url: str, *, embedded: bool) -> str:
    """Create the database if ``embedded``, upgrade its tables and return their revision."""
    if embedded:
        _create_database(url)
    return upgrade(url)


def _create_database(url: str) -> None:
    name = conninfo_to_dict(url)["dbname"]
    with psycopg.connect(make_conninfo(url, dbname="postgres"), autocommit=True) as connection:
        found = connection.execute("select 1 from pg_database where datname = %s", [name]).fetchone()
        if found is None:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(str(name))))
