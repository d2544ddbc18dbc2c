"""Scholarly sources: five registries over HTTP, the workspace's own works, and recorded ones."""

from penwright.adapters.scholarly.bibliography import bibliography
from penwright.adapters.scholarly.library import LibraryWorks
from penwright.adapters.scholarly.opening import Registries, open_sources
from penwright.adapters.scholarly.recorded import recorded_sources

__all__ = ["LibraryWorks", "Registries", "bibliography", "open_sources", "recorded_sources"]
