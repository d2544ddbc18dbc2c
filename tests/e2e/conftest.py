"""The engine on which whole sessions run here."""

from tests.support.postgres import database_template, postgres_cluster
from tests.support.running_engine import stand, stand_database
from tests.support.temporal import temporal_env

__all__ = ["database_template", "postgres_cluster", "stand", "stand_database", "temporal_env"]
