"""Bringing the tables up to date."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from penwright.adapters.store.database import parse_url
from penwright.adapters.store.migration import current_revision, head_revision, upgrade
from penwright.adapters.store.tables import metadata
from penwright.errors import PermanentError, StoreUnavailable
from tests.support.engine.postgres import Template

pytestmark = pytest.mark.server


@pytest.fixture
def empty_url(database_template: Template) -> Iterator[str]:
    name = database_template.empty()
    yield database_template.url(name)
    database_template.drop(name)


def test_an_empty_database_reaches_the_newest_revision(empty_url: str) -> None:
    before = current_revision(empty_url)

    reached = upgrade(empty_url)

    assert before is None
    assert reached == current_revision(empty_url) == head_revision()


def test_upgrading_again_changes_nothing(empty_url: str) -> None:
    upgrade(empty_url)

    assert upgrade(empty_url) == head_revision()


def test_processes_that_start_together_upgrade_once(empty_url: str) -> None:
    with ThreadPoolExecutor(4) as starters:
        reached = list(starters.map(lambda _: upgrade(empty_url), range(4)))

    assert reached == [head_revision()] * 4
    assert current_revision(empty_url) == head_revision()


def test_the_migrations_make_the_tables_that_queries_expect(database_url: str) -> None:
    engine = create_engine(parse_url(database_url), poolclass=NullPool)

    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)

    assert differences == []


def test_a_database_of_a_newer_version_is_left_alone(database_url: str) -> None:
    engine = create_engine(parse_url(database_url), poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))

    with pytest.raises(PermanentError) as caught:
        upgrade(database_url)

    assert caught.value.code == "store-newer"
    assert current_revision(database_url) == "9999"


def test_a_missing_server_is_reported(database_url: str) -> None:
    with pytest.raises(StoreUnavailable) as caught:
        current_revision("postgresql://nobody@127.0.0.1:1/nothing")

    assert caught.value.code == "store-unreachable"
