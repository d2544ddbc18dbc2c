"""Servers for the tests of this room."""

from tests.support.temporal import temporal_env, time_skipping_env

__all__ = ["temporal_env", "time_skipping_env"]
