"""Scholarly sources: five registries over HTTP, the workspace's bibliography, and recorded works."""

from penwright.adapters.scholarly.bibliography import bibliography
from penwright.adapters.scholarly.opening import Registries, open_sources
from penwright.adapters.scholarly.recorded import recorded_sources

__all__ = ["Registries", "bibliography", "open_sources", "recorded_sources"]
