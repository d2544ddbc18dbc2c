"""Databases of earlier versions."""

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from penwright.adapters.store.database import parse_url


def upgrade_to(url: str, revision: str) -> None:
    """Bring the tables of an empty database to a revision."""
    config = Config()
    config.set_main_option("script_location", "penwright.adapters.store:migrations")
    with create_engine(parse_url(url), poolclass=NullPool).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
