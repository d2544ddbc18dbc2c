"""The server the benchmarks' own tests run on."""

from tests.support.temporal import temporal_env

__all__ = ["temporal_env"]
