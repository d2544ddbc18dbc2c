"""The servers: every test process starts each of them once, when the first test asks for it."""

from tests.support.engine import running_engine
from tests.support.postgres import (
    database_template,
    database_url,
    mortal_cluster,
    postgres_cluster,
    second_cluster,
)
from tests.support.running_desk import shared_desk
from tests.support.running_engine import stand, stand_database
from tests.support.temporal import temporal_env, time_skipping_env

# Here and nowhere else: a fixture that is imported in two folders is two fixtures, and two servers.
__all__ = [
    "database_template",
    "database_url",
    "mortal_cluster",
    "postgres_cluster",
    "running_engine",
    "second_cluster",
    "shared_desk",
    "stand",
    "stand_database",
    "temporal_env",
    "time_skipping_env",
]
