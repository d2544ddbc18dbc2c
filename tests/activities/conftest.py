"""A server for the interceptors."""

from tests.support.temporal import temporal_env

__all__ = ["temporal_env"]
