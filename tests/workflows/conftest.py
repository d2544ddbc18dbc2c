"""Servers for the workflows."""

from tests.support.temporal import temporal_env, time_skipping_env

__all__ = ["temporal_env", "time_skipping_env"]
